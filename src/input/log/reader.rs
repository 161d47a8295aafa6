//! The fold: bytes or numbered lines in, one bounded aggregate out.

use std::io::{self, BufRead};

use super::decode::{RawLine, Splitter};
use super::facts::{LogFacts, LogOrigin};
use super::group::Grouper;
use super::record::Assembler;
use super::zone;

/// Reads a text of any size in constant memory.
#[derive(Debug, Default)]
pub struct LogReader {
    splitter: Splitter,
    fold: Fold,
}

/// What happens to a line.
#[derive(Debug, Default)]
struct Fold {
    assembler: Assembler,
    grouper: Grouper,
    facts: LogFacts,
}

impl Fold {
    fn line(&mut self, line: &RawLine<'_>) {
        let Self {
            assembler,
            grouper,
            facts,
        } = self;
        if let Some(ahead) = zone::ahead_of_utc(&line.text) {
            facts.ahead_of_utc = Some(facts.ahead_of_utc.map_or(ahead, |known| known.min(ahead)));
        }
        assembler.push(line, &mut |unit| grouper.push(unit, facts));
    }

    fn finish(mut self) -> LogFacts {
        let Self {
            assembler,
            grouper,
            facts,
        } = &mut self;
        assembler.finish(&mut |unit| grouper.push(unit, facts));
        grouper.finish(facts);
        self.facts
    }
}

impl LogReader {
    /// A reader for a text of this origin.
    pub fn new(origin: LogOrigin) -> Self {
        let mut reader = Self::default();
        reader.fold.facts.origin = origin;
        reader
    }

    /// The next bytes of the text; pieces may end anywhere.
    pub fn push(&mut self, bytes: &[u8]) {
        let Self { splitter, fold } = self;
        splitter.push(bytes, &mut |line| fold.line(&line));
    }

    /// One line of a recording: its number in the file (from 1), the byte at which it begins, its text. Lines may be
    /// missing between two. Not to be mixed with [`Self::push`].
    pub fn push_line(&mut self, number: u64, offset: u64, text: &str) {
        self.fold.facts.lines += 1;
        self.fold.facts.bytes += text.len() as u64;
        self.fold.line(&RawLine {
            number,
            offset,
            text: text.into(),
            cut: false,
        });
    }

    /// The end of the text: what it says.
    pub fn finish(self) -> LogFacts {
        let Self {
            mut splitter,
            mut fold,
        } = self;
        let (lines, bytes) = splitter.finish(&mut |line| fold.line(&line));
        fold.facts.lines += lines;
        fold.facts.bytes += bytes;
        fold.facts.encoding = splitter.encoding;
        fold.facts.cut_lines = splitter.cut_lines;
        fold.finish()
    }
}

impl LogFacts {
    /// Reads everything the reader gives.
    ///
    /// # Errors
    ///
    /// Those of the reader.
    pub fn read(mut reader: impl BufRead, origin: LogOrigin) -> io::Result<Self> {
        let mut log = LogReader::new(origin);
        loop {
            let bytes = reader.fill_buf()?;
            if bytes.is_empty() {
                return Ok(log.finish());
            }
            log.push(bytes);
            let used = bytes.len();
            reader.consume(used);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::group::MAX_FAILURES;
    use super::*;

    fn read(bytes: &[u8]) -> LogFacts {
        LogFacts::read(bytes, LogOrigin::default()).unwrap()
    }

    fn failure(service: usize, second: usize) -> String {
        let minute = second / 60 % 60;
        let second = second % 60;
        format!(
            "2026-03-04 05:{minute:02}:{second:02}.000 ERROR [http-1] c.e.Api - call failed\n\
             org.apache.dubbo.rpc.RpcException: No provider available from registry 10.0.5.11:2181 for service \
             com.example.S{service} on consumer 10.0.1.21 use dubbo version 2.7.15, please check status of \
             providers(disabled, not registered or in blacklist).\n\
             \tat org.apache.dubbo.registry.integration.DynamicDirectory.doList(DynamicDirectory.java:168)\n"
        )
    }

    #[test]
    fn the_same_failure_is_kept_once_and_counted() {
        let text: String = (0..50).map(|second| failure(second % 2, second)).collect();
        let facts = read(text.as_bytes());
        let counts: Vec<u64> = facts.failures.iter().map(|failure| failure.count).collect();
        assert_eq!(counts, [25, 25]);
        assert_eq!(facts.occurrences(), 50);
        assert_eq!(
            (facts.failures[0].first.line, facts.failures[0].last.line),
            (2, 146)
        );
        let time = |moment: &Option<super::super::fact::Moment>| {
            moment.as_ref().map(|moment| moment.text.clone())
        };
        assert_eq!(
            time(&facts.failures[0].first_time).as_deref(),
            Some("2026-03-04 05:00:00.000")
        );
        assert_eq!(
            time(&facts.failures[0].last_time).as_deref(),
            Some("2026-03-04 05:00:48.000")
        );
    }

    #[test]
    fn more_distinct_failures_than_kept_are_counted() {
        let mut reader = LogReader::new(LogOrigin::default());
        for service in 0..MAX_FAILURES + 200 {
            reader.push(failure(service, service).as_bytes());
        }
        let facts = reader.finish();
        assert_eq!(facts.failures.len(), MAX_FAILURES);
        assert_eq!(facts.failures_not_kept, 200);
        assert_eq!(facts.occurrences(), MAX_FAILURES as u64 + 200);
    }

    #[test]
    fn a_long_line_is_cut_and_said() {
        let mut text = "x".repeat(super::super::decode::MAX_LINE + 1).into_bytes();
        text.extend(b"\n");
        text.extend(failure(1, 1).bytes());
        let facts = read(&text);
        assert_eq!((facts.cut_lines, facts.failures.len()), (1, 1));
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_read(bytes: Vec<u8>) {
            let facts = read(&bytes);
            proptest::prop_assert_eq!(facts.bytes, bytes.len() as u64);
        }

        #[test]
        fn words_of_messages_in_any_order_are_read(
            words in proptest::collection::vec(proptest::sample::select(WORDS.to_vec()), 0..40)
        ) {
            let text = words.concat();
            let facts = read(text.as_bytes());
            let _ = facts.question_hints();
            let conclusions: Vec<_> = facts.failures.iter().map(super::super::Failure::conclusions).collect();
            proptest::prop_assert_eq!(conclusions.len(), facts.failures.len());
        }

        #[test]
        fn pieces_make_no_difference(at in 0_usize..1400) {
            let text = failure(1, 1) + &failure(2, 2);
            let at = at.min(text.len());
            let mut reader = LogReader::new(LogOrigin::default());
            reader.push(&text.as_bytes()[..at]);
            reader.push(&text.as_bytes()[at..]);
            proptest::prop_assert_eq!(reader.finish(), read(text.as_bytes()));
        }
    }

    /// Fixed parts, values and breaks, to be put together at random.
    const WORDS: [&str; 60] = [
        "\n",
        "\n",
        " ",
        "\t",
        "…",
        "...",
        ", ",
        ": ",
        "[",
        "]",
        "(",
        ")",
        "{\"log\":\"",
        "\\n",
        "\"}",
        "2026-03-04 05:06:07.890 WARN [main] ",
        "{\"message\":\"",
        "\u{1b}[33m",
        "> ",
        "web-1 app ",
        "Caused by: ",
        "org.apache.dubbo.rpc.RpcException: ",
        "No provider available from registry ",
        "No provider available in [",
        "interface ",
        " -> ",
        "Failed to invoke the method ",
        " in the service ",
        ". Tried ",
        " times of the providers [",
        "] (",
        "/",
        ") from the registry ",
        " on the consumer ",
        " using the dubbo version ",
        ". Last error is: ",
        ". No provider available for the service ",
        " for service ",
        "com.example.S:1.0",
        "10.0.0.1:20880",
        "zookeeper://h:2181/RegistryService?group=a",
        "Failed to subscribe ",
        ", cause: ",
        "KeeperErrorCode = NoAuth for /dubbo/a.B/providers",
        ", dubbo version: 3.2.16, current host: 10.0.0.1",
        "Router snapshot is below: ",
        "[ Parent (Input: 2) (Current Node Output: 2) (Chain Node Output: 0) ] Input: a,b -> Chain Node Output: Empty",
        " revisions failed to get metadata from remote: ",
        "1/2",
        "received empty address list and empty protection is disabled",
        "Service",
        "Channel ",
        " is inactive. Directly return the unFinished request",
        " -> /10.0.0.2:1 ",
        "Instance address size ",
        ", interface address size ",
        ", threshold ",
        "serviceKey:",
        ", Closing socket connection. Attempting reconnect",
        "for server a/1.1.1.1:2",
    ];
}
