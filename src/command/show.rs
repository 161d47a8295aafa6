//! From a report to stdout, in the format and language that were asked for.

use std::path::Path;

use super::{Surroundings, stream};
use crate::{
    cli::{ColorChoice, Output, OutputFlags},
    exit::Exit,
    report::{self, View, model::Report, style, style::Styler, words::Lang},
    settings::{Environment, Settings, Terminal},
};

/// The language of the report's texts: as asked, else English for programs and the locale's for people.
pub(super) fn lang(settings: &Settings, flags: &OutputFlags, environment: &Environment) -> Lang {
    settings.lang.unwrap_or_else(|| {
        if settings.output == Output::Json && !flags.brief {
            Lang::En
        } else {
            environment.lang()
        }
    })
}

/// What the output can show.
pub(super) fn styler(flags: &OutputFlags, environment: &Environment, is_terminal: bool) -> Styler {
    let colour = environment.colour(flags.color.unwrap_or(ColorChoice::Auto), is_terminal);
    if colour {
        style::take_over_colours();
    }
    Styler {
        colour,
        unicode: environment.is_utf8(),
    }
}

/// Shows a report and ends with its exit code.
pub(super) fn end(
    report: &Report,
    settings: &Settings,
    flags: &OutputFlags,
    around: &Surroundings,
    recording: Option<&Path>,
) -> anyhow::Result<Exit> {
    let text = text(
        report,
        settings,
        flags,
        &around.environment,
        around.terminal,
        recording,
    );
    Ok(stream::report(&text, Exit::of(report.exit))?)
}

/// The text of a report.
pub(super) fn text(
    report: &Report,
    settings: &Settings,
    flags: &OutputFlags,
    environment: &Environment,
    terminal: Terminal,
    recording: Option<&Path>,
) -> String {
    if flags.brief {
        return report::brief(report, settings.fail_on);
    }
    let lang = lang(settings, flags, environment);
    let recording = recording.and_then(Path::to_str);
    match settings.output {
        Output::Json => report::json(report),
        Output::Markdown => report::markdown(report, lang, recording),
        Output::Html => report::html(report, lang, recording),
        Output::Text => report::text(
            report,
            View {
                lang,
                width: terminal.width,
                style: styler(flags, environment, terminal.stdout),
                verbose: flags.verbose > 0,
                recording,
            },
        ),
    }
}
