use proptest::prelude::*;

use super::{layout::plain, *};

fn all(text: &str) -> Result<(Vec<u64>, Read), String> {
    let mut values = Vec::new();
    read(text.as_bytes(), Wanted::default(), |value| {
        values.push(value.0);
    })
    .map(|read| (values, read))
    .map_err(|error| error.to_string())
}

#[test]
fn numbers_tables_and_units() {
    assert_eq!(
        all("1\n2.5\n\n# no\n3ms\n1s\n").unwrap().0,
        [1000, 2500, 3000, 1_000_000]
    );
    assert_eq!(all("time,rt_us\na,5\nb,7\n").unwrap().0, [5, 7]);
    assert_eq!(all("\"duration\";x\n12;y\n").unwrap().0, [12_000]);
    assert_eq!(
        all("2026-01-01,12\n2026-01-02,13\n").unwrap().0,
        [12_000, 13_000]
    );
    assert_eq!(all("latency_s\n0.25\n").unwrap().0, [250_000]);
    assert_eq!(all("\u{feff}5\r\n6\r\n").unwrap().0, [5000, 6000]);
}

#[test]
fn an_access_log_tells_what_it_left_out() {
    let line = |from: &str, to: &str, service: &str| {
        format!(
            "[2026-11-29 20:00:{from}] -> [2026-11-29 20:00:{to}] 10.0.0.5:52100 -> 10.0.0.7:20880 - {service} get(int) [1]\n"
        )
    };
    let text = line("00.00100", "00.01300", "a.B")
        + &line("01.00000", "00.99000", "a.B")
        + &line("00.00000", "00.50000", "a.C")
        + "nothing\n";
    let mut values = Vec::new();
    let wanted = Wanted {
        service: Some("a.B"),
        ..Wanted::default()
    };
    let read = read(text.as_bytes(), wanted, |value| values.push(value.0)).unwrap();
    assert_eq!((values, read.form), (vec![12_000], Form::AccessLog));
    assert_eq!(
        read.left_out,
        [
            ("calls of others", 1),
            ("lines that are no calls", 1),
            ("calls whose clock went back", 1)
        ]
    );
    let old = "[2026-11-29 20:00:00] 10.0.0.5:52100 -> 10.0.0.7:20880 - a.B get(int) [1]\n";
    assert!(all(old).unwrap_err().contains("3.1"), "{:?}", all(old));
}

#[test]
fn columns_are_named_or_numbered_and_quotes_are_kept_together() {
    let column = |text: &str, column| {
        let mut values = Vec::new();
        let wanted = Wanted {
            column: Some(column),
            ..Wanted::default()
        };
        read(text.as_bytes(), wanted, |value| values.push(value.0))
            .map(|read| (values, read.unit_assumed))
            .map_err(|error| error.to_string())
    };
    let text = "trace,\"name, long\",p_us,total\nt,\"a \"\"b\"\", c\",7,8\n";
    assert_eq!(column(text, "p_us"), Ok((vec![7], false)));
    assert_eq!(column(text, "TOTAL"), Ok((vec![8000], true)));
    assert_eq!(column(text, "3"), Ok((vec![7], false)));
    assert_eq!(column("1;2\n3;4\n", "2"), Ok((vec![2000, 4000], true)));
    assert_eq!(column("5\n6\n", "1"), Ok((vec![5000, 6000], true)));
    for bad in ["5", "0", "none"] {
        assert!(
            column(text, bad).unwrap_err().contains("no column"),
            "{bad}"
        );
    }
    assert!(
        column("a,b\n\"1,2\n", "b")
            .unwrap_err()
            .starts_with("2:2: a quote")
    );
    // A table with two columns of times has to be asked about.
    assert!(
        all("rt_ms,latency_ms\n1,2\n")
            .unwrap_err()
            .contains("--column")
    );
    assert_eq!(all("\"x, y\",12\n\"z\",13\n").unwrap().0, [12_000, 13_000]);
}

/// A number without a unit is milliseconds, and that is said; other units among them are counted.
#[test]
fn units_are_told() {
    let told = |text: &str| {
        let read = all(text).unwrap().1;
        (read.unit_assumed, read.left_out)
    };
    assert_eq!(told("1\n2\n"), (true, Vec::new()));
    assert_eq!(
        told("1ms\n2s\n"),
        (false, vec![("values in another unit than the first", 1)])
    );
    assert_eq!(told("rt_ms\n1\n2\n"), (false, Vec::new()));
    assert_eq!(told("duration\n1\n2\n"), (true, Vec::new()));
    assert_eq!(
        told("1\n2s\n3\n"),
        (
            true,
            vec![("values with a unit of their own among others without", 1)]
        )
    );
}

/// A line without an end is refused when its first megabyte was read.
#[test]
fn an_endless_line_ends_the_reading() {
    use std::io::{BufReader, Read as _, repeat};
    let endless = BufReader::new("5\n".as_bytes().chain(repeat(b'1')));
    let error = read(endless, Wanted::default(), |_| {}).unwrap_err();
    assert!(
        error.to_string().starts_with("2:1: the line is longer"),
        "{error}"
    );
}

#[test]
fn equal_writes_of_a_log_are_found() {
    let line = |at: &str, call: &str| {
        format!(
            "[2026-11-29 20:00:{at}] -> [2026-11-29 20:00:59.00000] 10.0.0.5:52100 -> 10.0.0.7:20880 - a.B {call}\n"
        )
    };
    let text = line("00.00000", "pay(int) [1]")
        + &line("00.10000", "get(int) [1]")
        + &line("00.20000", "get(int) [1]")
        + &line("01.00200", "pay(int) [1]");
    let wanted = Wanted {
        repeated: Some(Watch {
            declared: &[],
            fits: |method, _| method == "pay",
        }),
        ..Wanted::default()
    };
    let read = read(text.as_bytes(), wanted, |_| {}).unwrap();
    assert_eq!(read.repeated.len(), 1);
    assert_eq!(
        (read.repeated[0].gap, read.repeated[0].lines),
        (Micros(1_002_000), (1, 4))
    );
}

#[test]
fn nonsense_names_its_place() {
    for (text, place) in [
        ("", "1:1"),
        ("\n\n", "1:1"),
        ("1\n-2\n", "2:1"),
        ("1\ninf\n", "2:1"),
        ("450 parsecs\n", "1:1"),
        ("1\nNaN\n", "2:1"),
        ("a,b,c\n", "1:1"),
        ("rt_ms,x\n,1\n", "2:1"),
        ("1,2\n3,4\n", "1:1"),
        ("1e309\n", "1:1"),
        ("5\n1.\n", "2:1"),
        ("5\n6..\n", "2:1"),
        ("5\n.5\n", "2:1"),
        ("5\n99999999999999\n", "2:1"),
    ] {
        let error = all(text).unwrap_err();
        assert!(error.starts_with(place), "{text:?}: {error}");
    }
}

proptest! {
    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = read(bytes.as_slice(), Wanted::default(), |_| {});
    }

    #[test]
    fn the_fast_reading_is_the_slow_one(text in "[0-9]{0,12}\\.?[0-9]{0,5}") {
        if let Some(time) = plain(text.as_bytes()) {
            prop_assert_eq!(Ok(time), Micros::parse(&format!("{text}ms")));
        }
    }

    #[test]
    fn every_number_is_read(values in prop::collection::vec(0_u64..10_000_000, 1..50)) {
        let lines: Vec<String> = values.iter().map(|value| format!("{value}us")).collect();
        let text = lines.join("\n");
        prop_assert_eq!(all(&text).unwrap().0, values);
    }
}

#[test]
fn the_quick_reading_of_times_is_the_calendars() {
    for text in [
        "2026-11-29 20:00:00.00123",
        "2024-02-28 23:59:59.99999",
        "2000-03-01 00:00:00",
        "1970-01-01 00:00:00.1",
        "2024-02-29 01:00:00",
        "2023-01-15 12:34:56.123456",
    ] {
        assert_eq!(usual(text.as_bytes()), other(text), "{text}");
        assert!(usual(text.as_bytes()).is_some(), "{text}");
    }
    for text in [
        "2023-02-29 01:00:00",
        "2024-12-31T01:00:00",
        "",
        "2024-13-01 00:00:00",
        "2026-11-29 20:00:00.",
    ] {
        assert_eq!(usual(text.as_bytes()), None, "{text}");
    }
    assert!(moment("2024-12-31T01:00:00").is_some());
}

/// Why nothing is left of an access log is said; so are units that differ.
#[test]
fn what_is_odd_about_a_whole_file_is_told() {
    let line = "[2026-11-29 20:00:02.00000] -> [2026-11-29 20:00:01.00000] 10.0.0.5:1 -> 10.0.0.7:20880 - a.B get(int) [1]\n";
    let error = read(line.repeat(3).as_bytes(), Wanted::default(), |_| {}).unwrap_err();
    assert!(error.to_string().contains("clock went back"), "{error}");
    let left = |text: &str| {
        read(text.as_bytes(), Wanted::default(), |_| {})
            .unwrap()
            .left_out
    };
    assert_eq!(
        left("100ms\n0.2s\n100ms\n"),
        [("values in another unit than the first", 1)]
    );
    assert_eq!(left("100ms\n200ms\n"), []);
}

/// A stream of digits that has no end, and how much of it was taken.
struct Endless {
    piece: Vec<u8>,
    taken: u64,
}

impl std::io::Read for Endless {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        into.fill(b'1');
        Ok(into.len())
    }
}

impl BufRead for Endless {
    fn fill_buf(&mut self) -> std::io::Result<&[u8]> {
        assert!(self.taken < 20 << 30, "nobody reads so far");
        Ok(&self.piece)
    }

    fn consume(&mut self, amount: usize) {
        self.taken += amount as u64;
    }
}

/// A line of 20 GB: the reading ends at the limit and does not wait for the rest.
#[test]
fn a_line_without_an_end_ends_the_reading() {
    let endless = || Endless {
        piece: vec![b'1'; 8192],
        taken: 0,
    };
    let mut stream = endless();
    let error = read(&mut stream, Wanted::default(), |_| {}).unwrap_err();
    assert!(error.to_string().contains("longer than 1 MiB"), "{error}");
    assert!(stream.taken <= 2 << 20, "{} bytes were read", stream.taken);
    let mut stream = endless();
    let error = crate::input::metrics::read(&mut stream, crate::input::metrics::Wanted::default())
        .map(|_| ())
        .unwrap_err();
    assert!(error.to_string().contains("longer than 1 MiB"), "{error}");
    assert!(stream.taken <= 2 << 20, "{} bytes were read", stream.taken);
}

proptest! {
    #[test]
    fn both_readings_of_a_time_agree(year in 1970_u32..2100, month in 1_u32..=12, day in 1_u32..=31, seconds in 0_u32..86_400, fraction in 0_u32..100_000) {
        let text = format!(
            "{year:04}-{month:02}-{day:02} {:02}:{:02}:{:02}.{fraction:05}",
            seconds / 3600, seconds / 60 % 60, seconds % 60
        );
        prop_assert_eq!(usual(text.as_bytes()), other(&text));
    }
}
