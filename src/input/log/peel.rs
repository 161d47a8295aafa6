//! Layers around a line, from outside: quotes of mails, grep, kubectl, stern, docker compose, CRI files, docker's JSON
//! files, JSON encoders, spreadsheets. Each may be missing and some occur twice.

use std::sync::LazyLock;

use regex::Regex;

use super::clean::{CUT, clean, uncoloured};
use super::fact::Place;
use super::json::{self, Field};
use super::text::Text;

/// Layers that are undone at most; a text that has more is hostile.
const MAX_LAYERS: usize = 8;

/// Something a layer says, with its place.
pub(super) type Said = (String, Place);

/// What the layers around a line say.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Outer {
    pub(super) pod: Option<Said>,
    pub(super) stream: Option<String>,
    pub(super) time: Option<Said>,
    pub(super) level: Option<Said>,
    pub(super) logger: Option<Said>,
    pub(super) thread: Option<Said>,
    pub(super) application: Option<Said>,
    /// The line is a piece: the next one of the same stream continues it.
    pub(super) piece: bool,
    /// The line is an entry of its own (a JSON encoder wrote it).
    pub(super) entry: bool,
}

/// A line without its layers; JSON may hold several lines in one.
#[derive(Debug)]
pub(super) struct Peeled {
    pub(super) outer: Outer,
    pub(super) lines: Vec<Text>,
}

macro_rules! pattern {
    ($name:ident, $text:literal) => {
        static $name: LazyLock<Regex> =
            LazyLock::new(|| Regex::new($text).expect("a fixed pattern"));
    };
}

pattern!(QUOTE, r"^(?:>\s?)+|^\|\s");
pattern!(
    GREP,
    r"^[\w./\\:-]*\.(?:log|out|txt|err)[\w.-]*[:-]\d{1,9}[:-]"
);
pattern!(GREP_NUMBER, r"^\d{1,9}[:-](?:\d{4}-|\[|\tat |Caused by|\s)");
pattern!(TAIL, r"^==> .* <==$");
pattern!(KUBECTL, r"^\[pod/([^/\]]+)/[^\]]+\] ?");
pattern!(
    STERN,
    r"^([a-z0-9][a-z0-9.-]*-[a-z0-9.-]*[a-z0-9])(?: › | )([a-z0-9][a-z0-9-]*) (.*)"
);
pattern!(COMPOSE, r"^([A-Za-z][\w.-]*)\s+\| ");
pattern!(
    CRI,
    r"^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)) (stdout|stderr) ([FP])(?: |$)"
);
pattern!(
    STAMP,
    r"^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d))[ \t]"
);
pattern!(
    JOURNAL,
    r"^([A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d) [\w.-]+ [\w./-]+\[\d+\]: "
);
pattern!(
    CONTENT,
    r#"^(?:\d{2,4}[-:/]\d\d|\[|\{"|\s*at |Caused by: |\s*\.\.\. \d+ |(?:[\w$]+\.)+[\w$]+(?::|$)|[A-Z]{4,7}\b|Exception in )"#
);
pattern!(
    SYSLOG,
    r"^(?:<\d{1,3}>1? ?)?[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \S+ \S+: $"
);

/// The layers of the container's log file and those around it. Pieces of one line have to be joined before what is
/// inside can be read.
pub(super) fn outermost(line: Text) -> (Outer, Text) {
    let mut outer = Outer::default();
    let mut line = uncoloured(line);
    for _ in 0..MAX_LAYERS {
        match strip(&line, &mut outer) {
            Some(rest) => line = rest,
            None => break,
        }
        if outer.stream.is_some() {
            return (outer, line);
        }
    }
    if line.as_str().starts_with("{&") {
        line = clean(line);
    }
    if let Some(body) = docker_body(&line, &mut outer) {
        line = body;
    }
    (outer, line)
}

/// The layers inside.
pub(super) fn peel(line: Text, mut outer: Outer) -> Peeled {
    let lines = unwrap(line, &mut outer, 0);
    Peeled { outer, lines }
}

fn unwrap(line: Text, outer: &mut Outer, depth: usize) -> Vec<Text> {
    let line = strip_all(uncoloured(line), outer);
    if depth >= MAX_LAYERS {
        return vec![clean(line)];
    }
    let line = if line.as_str().starts_with("{&") {
        clean(line)
    } else {
        line
    };
    if let Some(body) = json_body(&line, outer) {
        return body
            .into_iter()
            .flat_map(|line| unwrap(line, outer, depth + 1))
            .collect();
    }
    if has_bare_escapes(line.as_str()) {
        return split(&json::unescape(&line))
            .into_iter()
            .flat_map(|line| unwrap(line, outer, depth + 1))
            .collect();
    }
    // What was a sign of HTML or of full width may have been a layer.
    vec![unfold_csv(strip_all(clean(line), outer))]
}

fn strip_all(mut line: Text, outer: &mut Outer) -> Text {
    for _ in 0..MAX_LAYERS {
        match strip(&line, outer) {
            Some(rest) => line = rest,
            None => break,
        }
    }
    line
}

/// Takes one layer off the front.
fn strip(line: &Text, outer: &mut Outer) -> Option<Text> {
    let content = line.as_str();
    let set = |slot: &mut Option<Said>, found: regex::Match<'_>| {
        if slot.is_none() {
            *slot = Some((found.as_str().to_owned(), line.place(found.start())));
        }
    };
    match content.bytes().next()? {
        b'>' | b'|' => QUOTE.find(content).map(|found| line.from(found.end())),
        b'`' if content.starts_with("```") => Some(Text::default()),
        b'=' => TAIL.is_match(content).then(Text::default),
        b'[' => {
            let found = KUBECTL.captures(content)?;
            set(&mut outer.pod, found.get(1)?);
            Some(line.from(found.get(0)?.end()))
        }
        b'0'..=b'9' => {
            if let Some(found) = CRI.captures(content) {
                set(&mut outer.time, found.get(1)?);
                outer.stream = Some(found[2].to_owned());
                outer.piece = &found[3] == "P";
                return Some(line.from(found.get(0)?.end()));
            }
            if let Some(found) = STAMP.captures(content) {
                set(&mut outer.time, found.get(1)?);
                return Some(line.from(found.get(0)?.end()));
            }
            if GREP_NUMBER.is_match(content) {
                return Some(line.from(content.find([':', '-'])? + 1));
            }
            strip_name(line, outer)
        }
        _ => strip_name(line, outer),
    }
}

/// Layers that begin with a name: a file of grep, a pod of stern, a service of docker compose.
fn strip_name(line: &Text, outer: &mut Outer) -> Option<Text> {
    let content = line.as_str();
    let head = content.get(..content.len().min(300)).unwrap_or(content);
    if let Some(found) = GREP.find(head) {
        return Some(line.from(found.end()));
    }
    if let Some(found) = JOURNAL.captures(head) {
        let time = found.get(1)?;
        if outer.time.is_none() {
            outer.time = Some((time.as_str().to_owned(), line.place(time.start())));
        }
        return Some(line.from(found.get(0)?.end()));
    }
    if outer.pod.is_some() {
        return None;
    }
    if let Some(found) = COMPOSE.captures(head) {
        let name = found.get(1)?;
        outer.pod = Some((name.as_str().to_owned(), line.place(name.start())));
        return Some(line.from(found.get(0)?.end()));
    }
    let found = STERN.captures(content)?;
    let (pod, rest) = (found.get(1)?, found.get(3)?);
    if pod.as_str().bytes().all(|byte| !byte.is_ascii_alphabetic())
        || !CONTENT.is_match(rest.as_str())
    {
        return None;
    }
    outer.pod = Some((pod.as_str().to_owned(), line.place(pod.start())));
    Some(line.from(rest.start()))
}

/// Keys of JSON encoders and collectors, the most specific first.
const BODY: [&str; 5] = ["message", "msg", "@message", "log", "content"];
const TRACE: [&str; 7] = [
    "stack_trace",
    "error.stack_trace",
    "exception",
    "exception.stacktrace",
    "throwable",
    "stackTrace",
    "stacktrace",
];
const TIME: [&str; 6] = ["@timestamp", "timestamp", "time", "ts", "datetime", "date"];
const LEVEL: [&str; 4] = ["level", "log.level", "severity", "loglevel"];
const LOGGER: [&str; 4] = ["logger_name", "logger", "log.logger", "loggerName"];
const THREAD: [&str; 4] = ["thread_name", "thread", "process.thread.name", "threadName"];
const APPLICATION: [&str; 6] = [
    "application",
    "app",
    "appName",
    "app_name",
    "spring.application.name",
    "applicationName",
];
const POD: [&str; 4] = [
    "kubernetes.pod_name",
    "kubernetes.pod.name",
    "pod_name",
    "pod",
];

/// The text inside a JSON object, if the line is one.
fn json_body(line: &Text, outer: &mut Outer) -> Option<Vec<Text>> {
    let content = line.as_str();
    let start = content.find("{\"").or_else(|| content.find("{ \""))?;
    let prefix = content.get(..start)?;
    if !prefix.trim().is_empty() && !SYSLOG.is_match(prefix) {
        return None;
    }
    let fields = json::fields(&line.from(start))?;
    let find = |keys: &[&str]| {
        keys.iter()
            .find_map(|key| fields.iter().find(|field| field.path == *key))
    };
    let said = |field: Option<&Field>| {
        field.map(|field| (field.value.as_str().to_owned(), field.value.place(0)))
    };
    let body = find(&BODY);
    let trace = find(&TRACE);
    if body.is_none() && trace.is_none() {
        return None;
    }
    outer.time = said(find(&TIME)).or(outer.time.take());
    outer.pod = outer.pod.take().or_else(|| said(find(&POD)));
    outer.entry = true;
    outer.level = said(find(&LEVEL)).or(outer.level.take());
    outer.logger = said(find(&LOGGER)).or(outer.logger.take());
    outer.thread = said(find(&THREAD)).or(outer.thread.take());
    outer.application = said(find(&APPLICATION)).or(outer.application.take());
    let mut lines = Vec::new();
    for field in [body, trace].into_iter().flatten() {
        lines.extend(split(&marked(field)));
    }
    Some(lines)
}

/// The text inside a line of docker's JSON file: one object per line of the original, or per piece of it.
fn docker_body(line: &Text, outer: &mut Outer) -> Option<Text> {
    if !line.as_str().starts_with("{\"log\":") {
        return None;
    }
    let fields = json::fields(line)?;
    let find = |key: &str| fields.iter().find(|field| field.path == key);
    let body = find("log")?;
    let stream = find("stream")?;
    outer.stream = Some(stream.value.as_str().to_owned());
    outer.time = find("time").map(|field| (field.value.as_str().to_owned(), field.value.place(0)));
    let whole = body.value.as_str().trim_end_matches(['\n', '\r']).len();
    outer.piece = !body.cut && !body.value.as_str().ends_with('\n');
    Some(if body.cut {
        marked(body)
    } else {
        body.value.part(0, whole)
    })
}

/// A JSON string without its quotes and braces: `\n\tat` stands there as it is written.
fn has_bare_escapes(content: &str) -> bool {
    content.contains('\\')
        && [
            "\\n\\tat ",
            "\\r\\n\\tat ",
            "\\nCaused by: ",
            "\\u003d",
            "\\u0026",
            "\\u003e",
            "\\u003c",
            "\\\\n\\\\tat ",
            "\\n[ Parent (Input",
        ]
        .iter()
        .any(|escape| content.contains(escape))
}

/// A string that was cut, with the mark of a cut behind it.
fn marked(field: &Field) -> Text {
    let mut text = field.value.clone();
    if field.cut {
        text.push(CUT.encode_utf8(&mut [0; 4]), text.place(text.len()));
    }
    text
}

fn split(text: &Text) -> Vec<Text> {
    let mut lines = Vec::new();
    let mut start = 0;
    for line in text.as_str().split('\n') {
        let end = start + line.trim_end_matches('\r').len();
        lines.push(text.part(start, end));
        start += line.len() + 1;
    }
    if lines.len() > 1 && lines.last().is_some_and(Text::is_empty) {
        lines.pop();
    }
    lines
}

/// Doubled quotes of a spreadsheet's field.
fn unfold_csv(line: Text) -> Text {
    let content = line.as_str();
    if !content.contains("\"\"") || !(content.starts_with('"') || content.contains(",\"")) {
        return line;
    }
    let mut clean = Text::default();
    let mut kept = 0;
    for (at, _) in content.match_indices("\"\"") {
        clean.push_part(&line, kept, at);
        kept = at + 1;
    }
    clean.push_part(&line, kept, line.len());
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    fn peeled(line: &str) -> (Outer, Vec<String>) {
        let place = Place {
            line: 1,
            column: 1,
            offset: 0,
        };
        let (outer, rest) = outermost(Text::at(line, place));
        let peeled = peel(rest, outer);
        (
            peeled.outer,
            peeled
                .lines
                .iter()
                .map(|line| line.as_str().to_owned())
                .collect(),
        )
    }

    fn inner(line: &str) -> String {
        peeled(line).1.join("\n")
    }

    fn pod(line: &str) -> (String, String) {
        let (outer, lines) = peeled(line);
        (
            outer.pod.map(|pod| pod.0).unwrap_or_default(),
            lines.join("\n"),
        )
    }

    #[test]
    fn prefixes_of_tools_go() {
        assert_eq!(inner("> > a.B: x"), "a.B: x");
        assert_eq!(inner("logs/app.log:123:\tat a.B"), "\tat a.B");
        assert_eq!(inner("app.log-124-Caused by: x"), "Caused by: x");
        assert_eq!(inner("==> app.log <=="), "");
        assert_eq!(inner("```java"), "");
        assert_eq!(
            pod("[pod/web-7f-x/app] a b"),
            ("web-7f-x".to_owned(), "a b".to_owned())
        );
        assert_eq!(
            pod("web-1 app \tat a.B"),
            ("web-1".to_owned(), "\tat a.B".to_owned())
        );
        assert_eq!(
            pod("web-1 › app 2026-03-04 05:06:07 x").1,
            "2026-03-04 05:06:07 x"
        );
        assert_eq!(
            pod("web-1  | Caused by: x"),
            ("web-1".to_owned(), "Caused by: x".to_owned())
        );
    }

    #[test]
    fn ordinary_text_keeps_its_front() {
        for text in [
            "re-try failed for a.B",
            "2026-03-04 05:06:07 ERROR x | y",
            "a b c",
            "on-call was paged",
        ] {
            assert_eq!(pod(text), (String::new(), text.to_owned()));
        }
    }

    #[test]
    fn container_files_give_stream_time_and_piece() {
        let (outer, lines) = peeled("2026-03-04T05:06:07.890123456Z stderr P No prov");
        assert_eq!(lines, ["No prov"]);
        assert!(outer.piece);
        assert_eq!(outer.stream.as_deref(), Some("stderr"));
        let (outer, lines) =
            peeled(r#"{"log":"a\n","stream":"stderr","time":"2026-03-04T05:06:07Z"}"#);
        assert_eq!(lines, ["a"]);
        assert!(!outer.piece && !outer.entry);
        assert!(
            peeled(r#"{"log":"a","stream":"stderr","time":"t"}"#)
                .0
                .piece
        );
    }

    #[test]
    fn json_once_and_twice_and_bare() {
        let once = r#"{"@timestamp":"2026-03-04T05:06:07Z","level":"ERROR","message":"a","stack_trace":"b.C: x\n\tat d\n"}"#;
        let (outer, lines) = peeled(once);
        assert_eq!(lines, ["a", "b.C: x", "\tat d"]);
        assert!(outer.entry);
        let twice = format!(
            "{{\"log\":{},\"stream\":\"stdout\"}}",
            serde_json::to_string(&format!("{once}\n")).unwrap()
        );
        assert_eq!(peeled(&twice).1, ["a", "b.C: x", "\tat d"]);
        assert_eq!(
            inner(r"x.Y: text\n\tat d.E\n\tat f"),
            "x.Y: text\n\tat d.E\n\tat f"
        );
        assert_eq!(inner(r"path C:\new\temp"), r"path C:\new\temp");
        let payload = r#"login failed: {"code":403,"message":"user not found!"}"#;
        assert_eq!(inner(payload), payload);
    }

    #[test]
    fn doubled_quotes_of_a_spreadsheet() {
        assert_eq!(inner(r#"1,"a ""b"" c",2"#), r#"1,"a "b" c",2"#);
    }

    proptest::proptest! {
        #[test]
        fn never_panics(line in "(?s).{0,200}", front in "[>|`=\\[{\"0-9a-z:.\\- TZ\\\\n/]{0,60}") {
            let _ = peeled(&line);
            let _ = peeled(&front);
            let _ = peeled(&format!("{front}{line}"));
        }
    }
}
