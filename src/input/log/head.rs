//! What stands before a message on its line: time, level, thread, logger, application. All of it is optional.

use std::sync::LazyLock;

use regex::Regex;

use super::fact::Moment;
use super::moment::{self, Clock};
use super::peel::{Outer, Said};
use super::text::Text;

/// The front of a log entry.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Head {
    pub(super) time: Option<(Moment, super::fact::Place)>,
    pub(super) clock: Option<Clock>,
    /// Level as a word of SLF4J.
    pub(super) level: Option<Said>,
    pub(super) thread: Option<Said>,
    pub(super) logger: Option<Said>,
    /// Spring Boot 3.2+ prints it; JSON encoders do.
    pub(super) application: Option<Said>,
    /// The logger is a line of a Go file.
    pub(super) go: bool,
}

macro_rules! pattern {
    ($name:ident, $text:literal) => {
        static $name: LazyLock<Regex> =
            LazyLock::new(|| Regex::new($text).expect("a fixed pattern"));
    };
}

pattern!(
    LEVEL,
    r"\b(?:TRACE|DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL|SEVERE|FINE(?:R|ST)?|CONFIG|ADVERTENCIA|WARNUNG|ATTENTION|AVVERTENZA|AVISO|GRAVE|SCHWERWIEGEND|INFORMATION(?:EN)?)\b|警告|严重|嚴重|致命的|信息|資訊|情報|경고|심각|정보"
);
pattern!(
    LEVEL_FIRST,
    r"^\s*(?:\[\s*)?(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL|SEVERE)\s*(?:\]|[\s:|])"
);
pattern!(
    LEVEL_ONLY,
    r"^(?:WARNING|SEVERE|INFO|FINE|CONFIG|ADVERTENCIA|WARNUNG|ATTENTION|AVVERTENZA|AVISO|GRAVE|SCHWERWIEGEND|INFORMATION(?:EN)?|警告|严重|嚴重|致命的|信息|資訊|情報|경고|심각|정보) ?: "
);
pattern!(
    SPRING,
    r"--- \[\s*([^\[\]]*?)\s*\](?:\s*\[\s*([^\[\]]*?)\s*\])?\s*([\w.$\[\]/]+)?"
);
pattern!(NACOS, r"\[([^\[\]]+?) ?:([\w.$]+)\]");
pattern!(BRACKET, r"\[([^\[\]]+)\]");
pattern!(
    LOG4J1,
    r"\] ([^\s\[\]]+)\s+(?:TRACE|DEBUG|INFO|WARN|ERROR|FATAL)\b"
);
pattern!(
    PLAIN,
    r"(?:TRACE|DEBUG|INFO|WARN|ERROR|FATAL)\s+([\w.\-]+) [\w.$]+ \|"
);
pattern!(GO_FILE, r"(?:^|[\s\[])[\w./-]+\.go:\d+");
pattern!(SYSLOG, r"^<\d{1,3}>");

/// Whether a line begins a log entry.
pub(super) fn begins_entry(text: &str) -> bool {
    let Some(first) = text.chars().next() else {
        return false;
    };
    match first {
        '\t' | ' ' => LEVEL_FIRST.is_match(text),
        '<' => SYSLOG.is_match(text),
        '0'..='9' | '[' | '"' | '\'' => {
            moment::begins(text) || (first == '[' && LEVEL_FIRST.is_match(text))
        }
        'A'..='Z' => LEVEL_FIRST.is_match(text) && !is_level_line(text) || moment::begins(text),
        first if first.is_ascii() => false,
        _ => moment::begins(text),
    }
}

/// The second line of `java.util.logging`: the level, a colon, the text.
pub(super) fn is_level_line(text: &str) -> bool {
    LEVEL_ONLY.is_match(text)
}

/// Reads the front of an entry; `upto` is where its message begins.
pub(super) fn read(text: &Text, upto: usize, outer: &Outer) -> Head {
    let upto = (0..=upto.min(text.len()).min(2048))
        .rev()
        .find(|at| text.as_str().is_char_boundary(*at))
        .unwrap_or(0);
    let front = &text.as_str()[..upto];
    let mut head = Head::default();
    let mut after_time = 0;
    if let Some((range, moment, clock)) = moment::find(front) {
        head.time = Some((moment, text.place(range.start)));
        head.clock = clock;
        after_time = range.end;
    }
    if let Some((outer_time, place)) = &outer.time
        && head.time.is_none()
    {
        let found = moment::find(outer_time);
        head.clock = found.as_ref().and_then(|found| found.2);
        let (millis, zone_known) =
            found.map_or((None, false), |found| (found.1.millis, found.1.zone_known));
        head.time = Some((
            Moment {
                text: outer_time.clone(),
                millis,
                zone_known,
            },
            *place,
        ));
    }
    let said = |found: Option<regex::Match<'_>>| {
        found
            .filter(|found| !found.as_str().is_empty())
            .map(|found| (found.as_str().to_owned(), text.place(found.start())))
    };
    head.level = LEVEL
        .find_at(front, after_time)
        .map(|found| (slf4j(found.as_str()).to_owned(), text.place(found.start())))
        .or_else(|| {
            outer
                .level
                .as_ref()
                .map(|(level, place)| (slf4j(&level.to_uppercase()).to_owned(), *place))
        });
    head.go = GO_FILE.is_match(front)
        || outer
            .logger
            .as_ref()
            .is_some_and(|(logger, _)| GO_FILE.is_match(logger));
    if let Some(found) = SPRING.captures(front) {
        if found.get(2).is_some() {
            head.application = said(found.get(1));
            head.thread = said(found.get(2));
        } else {
            head.thread = said(found.get(1));
        }
        head.logger = said(found.get(3));
    } else if let Some(found) = LOG4J1.captures(front).or_else(|| PLAIN.captures(front)) {
        head.thread = said(found.get(1));
    } else if let Some(found) = NACOS.captures(front).filter(|found| is_thread(&found[1])) {
        head.thread = said(found.get(1));
        head.logger = said(found.get(2));
    } else {
        head.thread = said(
            BRACKET
                .captures_iter(front)
                .filter_map(|found| found.get(1))
                .find(|found| is_thread(found.as_str())),
        );
    }
    head.thread = outer.thread.clone().or(head.thread);
    head.logger = outer.logger.clone().or(head.logger);
    head.application = outer.application.clone().or(head.application);
    head
}

/// Brackets also hold times, trace ids and Dubbo's own marks.
fn is_thread(text: &str) -> bool {
    let text = text.trim();
    !text.is_empty()
        && !text.contains('=')
        && !text.starts_with("TID")
        && !matches!(text, "DUBBO" | "NA")
        && !moment::begins(text)
        && !LEVEL_FIRST.is_match(&format!("{text} "))
        && text.chars().any(char::is_alphabetic)
}

fn slf4j(level: &str) -> &'static str {
    match level {
        "TRACE" | "FINER" | "FINEST" => "TRACE",
        "DEBUG" | "FINE" => "DEBUG",
        "WARN" | "WARNING" | "ADVERTENCIA" | "WARNUNG" | "ATTENTION" | "AVVERTENZA" | "AVISO"
        | "警告" | "경고" => "WARN",
        "ERROR" | "FATAL" | "SEVERE" | "GRAVE" | "SCHWERWIEGEND" | "严重" | "嚴重" | "致命的"
        | "심각" => "ERROR",
        _ => "INFO",
    }
}

#[cfg(test)]
mod tests {
    use super::super::fact::Place;
    use super::*;

    fn front(line: &str) -> (String, String, String, String) {
        let text = Text::at(
            line,
            Place {
                line: 1,
                column: 1,
                offset: 0,
            },
        );
        let head = read(&text, text.len(), &Outer::default());
        let word = |said: Option<Said>| said.map(|said| said.0).unwrap_or_default();
        let time = head.time.map(|time| time.0.text).unwrap_or_default();
        (
            time,
            word(head.level),
            word(head.thread),
            word(head.application),
        )
    }

    fn expect(line: &str, time: &str, level: &str, thread: &str, application: &str) {
        let expected = (
            time.to_owned(),
            level.to_owned(),
            thread.to_owned(),
            application.to_owned(),
        );
        assert_eq!(front(line), expected, "{line}");
    }

    #[test]
    fn the_layouts_of_the_field_guide() {
        expect(
            "2026-03-04 05:06:07.890  WARN 7 --- [-20880-thread-7] o.a.d.r.c.s.FailoverClusterInvoker   : ",
            "2026-03-04 05:06:07.890",
            "WARN",
            "-20880-thread-7",
            "",
        );
        expect(
            "2026-03-04T05:06:07.890+08:00  WARN 7 --- [order-web] [io-8080-exec-4] o.a.d.B : ",
            "2026-03-04T05:06:07.890+08:00",
            "WARN",
            "io-8080-exec-4",
            "order-web",
        );
        expect(
            "05:06:07.890 [http-1] ERROR c.e.Api - ",
            "05:06:07.890",
            "ERROR",
            "http-1",
            "",
        );
        expect(
            "2026-03-04 05:06:07.890 WARN  [main] ConditionRouter -  [DUBBO] ",
            "2026-03-04 05:06:07.890",
            "WARN",
            "main",
            "",
        );
        expect(
            "[04/03/26 05:06:07:007 CST] main  WARN zookeeper.ZookeeperRegistry: ",
            "04/03/26 05:06:07:007 CST",
            "WARN",
            "main",
            "",
        );
        expect(
            "2026-03-04 05:06:07,890 WARN [main] o.a.d.B:210 - ",
            "2026-03-04 05:06:07,890",
            "WARN",
            "main",
            "",
        );
        expect(
            "2026-03-04 05:05:58.861 ERROR [main :c.a.n.c.c.i.ClientWorker] [fixed] ",
            "2026-03-04 05:05:58.861",
            "ERROR",
            "main",
            "",
        );
        expect(
            "2026-01-15 03:08:11.450 ERROR dubbo-client-idleCheck-thread-1 o.a.d.r.ReconnectTimerTask |  [DUBBO] ",
            "2026-01-15 03:08:11.450",
            "ERROR",
            "dubbo-client-idleCheck-thread-1",
            "",
        );
        expect(
            "2026-03-04 05:06:07.890 [TID: N/A] [traceId=1,spanId=2] [exec-1] INFO a.B - ",
            "2026-03-04 05:06:07.890",
            "INFO",
            "exec-1",
            "",
        );
        expect("严重:  [DUBBO] ", "", "ERROR", "", "");
        let go = Text::at(
            "2026-03-04T14:31:05.401+0800\tWARN\tproxy/proxy.go:210\t",
            Place::default(),
        );
        assert!(read(&go, go.len(), &Outer::default()).go);
    }

    #[test]
    fn entries_and_what_continues_them() {
        for line in [
            "2026-03-04 05:06:07 x",
            "[04/03/26 05:06:07:007 CST] main",
            "ERROR [main] x",
            "三月 04, 2026 5:06:07 上午 a.B c",
            " WARN 1 --- [x] y",
        ] {
            assert!(begins_entry(line), "{line}");
        }
        for line in [
            "\tat a.B",
            "org.apache.X: y",
            "Caused by: x",
            "- side: consumer",
            "WARNING: x",
            "严重: x",
            "  [ Mock (Input: 2)",
            "[ Parent (Input: 2)",
        ] {
            assert!(!begins_entry(line), "{line}");
        }
    }
}
