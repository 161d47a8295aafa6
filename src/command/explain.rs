//! `diag explain`: offline, from the pages that are part of the program.

use super::{Surroundings, show, stream};
use crate::{
    cli::{Common, ExplainArgs, Output},
    exit::Exit,
    report::{View, explain},
    settings::Settings,
};

/// Runs the verb.
pub(super) fn run(args: &ExplainArgs, around: &Surroundings) -> anyhow::Result<Exit> {
    let common = Common {
        output: args.output.clone(),
        ..Common::default()
    };
    let settings = Settings::new(&common, &around.environment)?;
    let lang = show::lang(&settings, &args.output, &around.environment);
    let explained = explain::Explained::of(&args.words.join(" "));
    let exit = if explained.topics.is_empty() {
        Exit::Fault
    } else {
        Exit::Fine
    };
    let text = if args.output.brief {
        explain::brief(&explained, lang)
    } else {
        match settings.output {
            Output::Json => explain::json(&explained, exit.code(), lang),
            Output::Markdown => explain::markdown(&explained, lang),
            Output::Html => explain::html(&explained, lang),
            Output::Text => explain::text(
                &explained,
                View {
                    lang,
                    width: around.terminal.width,
                    style: show::styler(&args.output, &around.environment, around.terminal.stdout),
                    verbose: args.output.verbose > 0,
                    recording: None,
                },
            ),
        }
    };
    Ok(stream::report(&text, exit)?)
}
