use std::fmt::Write as _;

use proptest::prelude::*;

use super::*;

fn of(text: &str, method: Option<&str>) -> Result<Found, String> {
    of_side(text, method, None)
}

fn of_side(text: &str, method: Option<&str>, whose: Option<Whose>) -> Result<Found, String> {
    let service = ServiceKey::new(None, "a.B", None);
    let wanted = Wanted {
        service: Some(&service),
        method,
        whose,
    };
    read(text.as_bytes(), wanted).map_err(|error| error.to_string())
}

const SERVICE: &str = "interface=\"a.B\"";

#[test]
fn histograms_of_several_instances_are_added() {
    let text = "# TYPE rt_seconds histogram\n\
        rt_seconds_bucket{ip=\"1\",le=\"0.1\"} 5\nrt_seconds_bucket{ip=\"1\",le=\"+Inf\"} 7\n\
        rt_seconds_bucket{ip=\"2\",le=\"0.1\"} 1 1700000000\nrt_seconds_bucket{ip=\"2\",le=\"+Inf\"} 1\n\
        rt_seconds_bucket{ip=\"3\",le=\"0.1\"} 0\nrt_seconds_bucket{ip=\"3\",le=\"+Inf\"} 0\n";
    let found = of(text, None).unwrap();
    assert_eq!(
        found.times,
        Times::Buckets(vec![(Some(Micros(100_000)), 6), (None, 8)])
    );
    assert_eq!((found.series, found.names_service), (2, false));
}

/// A series whose last bucket has an end does not tell what took longer.
#[test]
fn a_histogram_without_an_open_bucket_is_completed_or_left_out() {
    let cut =
        "rt_seconds_bucket{ip=\"1\",le=\"0.1\"} 5\nrt_seconds_bucket{ip=\"1\",le=\"0.2\"} 7\n";
    assert!(of(cut, None).unwrap_err().contains("+Inf"));
    let counted = format!("{cut}rt_seconds_count{{ip=\"1\"}} 9\n");
    assert_eq!(
        of(&counted, None).unwrap().times,
        Times::Buckets(vec![
            (Some(Micros(100_000)), 5),
            (Some(Micros(200_000)), 7),
            (None, 9)
        ])
    );
    let lost = format!(
        "{cut}rt_seconds_bucket{{ip=\"1\",le=\"+Inf\"}} NaN\n\
         rt_seconds_bucket{{ip=\"2\",le=\"0.1\"}} 3\nrt_seconds_bucket{{ip=\"2\",le=\"+Inf\"}} 4\n"
    );
    let found = of(&lost, None).unwrap();
    assert_eq!(
        found.times,
        Times::Buckets(vec![(Some(Micros(100_000)), 3), (None, 4)])
    );
    assert_eq!(
        found.left_out,
        [
            ("samples that are no numbers", 1),
            ("series without +Inf and _count", 1)
        ]
    );
}

/// Buckets are added only where every series has an end, and each series by itself has to ascend.
#[test]
fn series_of_other_ends_are_not_mixed() {
    let text = "a_seconds_bucket{ip=\"1\",le=\"0.1\"} 5\na_seconds_bucket{ip=\"1\",le=\"0.5\"} 6\na_seconds_bucket{ip=\"1\",le=\"+Inf\"} 6\n\
        a_seconds_bucket{ip=\"2\",le=\"0.2\"} 9\na_seconds_bucket{ip=\"2\",le=\"0.5\"} 9\na_seconds_bucket{ip=\"2\",le=\"+Inf\"} 10\n";
    let found = of(text, None).unwrap();
    assert_eq!(
        found.times,
        Times::Buckets(vec![(Some(Micros(500_000)), 15), (None, 16)])
    );
    assert_eq!(
        found.left_out,
        [("ends of buckets that not all series have", 2)]
    );
    let none = text.replace("le=\"0.5\"} 9", "le=\"0.6\"} 9");
    assert!(of(&none, None).unwrap_err().contains("in common"));
    let hidden = "a_seconds_bucket{ip=\"1\",le=\"1\"} 9\na_seconds_bucket{ip=\"1\",le=\"+Inf\"} 3\n\
        a_seconds_bucket{ip=\"2\",le=\"1\"} 1\na_seconds_bucket{ip=\"2\",le=\"+Inf\"} 100\n";
    assert!(of(hidden, None).unwrap_err().contains("reset"));
}

#[test]
fn a_series_that_comes_twice_is_refused() {
    for text in [
        "a_seconds_bucket{le=\"1\"} 1\na_seconds_bucket{le=\"1\"} 2\n",
        "rt_p99{interface=\"a.B\"} 12\nrt_p99{interface=\"a.B\"} 900\n",
    ] {
        assert!(
            of(text, None).unwrap_err().contains("comes twice"),
            "{text}"
        );
    }
    let mut collector = Collector::default();
    let service = ServiceKey::new(None, "a.B", None);
    let wanted = Wanted {
        service: Some(&service),
        ..Wanted::default()
    };
    for (member, value) in [("h1 ", "12"), ("h2 ", "900")] {
        collector.begin(member);
        let text = format!("rt_p99{{interface=\"a.B\"}} {value}\n");
        collect(text.as_bytes(), &mut collector, wanted).unwrap();
    }
    assert_eq!(
        collector.finish(wanted).unwrap().times,
        Times::P99(Micros(12_000), Micros(900_000))
    );
}

/// Dubbo exports both: the percentile is of a window, the histogram of everything since the start.
#[test]
fn percentiles_beside_a_histogram_are_told() {
    let page = format!(
        "dubbo_provider_rt_milliseconds_p99{{{SERVICE}}} 900\n\
         dubbo_provider_rt_milliseconds_histogram_seconds_bucket{{{SERVICE},le=\"0.1\"}} 1000\n\
         dubbo_provider_rt_milliseconds_histogram_seconds_bucket{{{SERVICE},le=\"+Inf\"}} 1000\n"
    );
    let found = of(&page, None).unwrap();
    assert_eq!(found.beside, Some((Micros(900_000), Micros(900_000))));
    assert!(matches!(found.times, Times::Buckets(_)));
    let other = page.replace(
        "dubbo_provider_rt_milliseconds_p99",
        "dubbo_consumer_rt_milliseconds_p99",
    );
    assert_eq!(of(&other, None).unwrap().beside, None);
}

#[test]
fn percentiles_of_all_lines() {
    let text = "dubbo_provider_rt_milliseconds_p99{interface=\"a.B\",method=\"get\"} 45.5\n\
        dubbo_provider_rt_milliseconds_p99{interface=\"a.B\",method=\"put\"} 900\n\
        dubbo_provider_rt_milliseconds_p99{interface=\"a.C\",method=\"get\"} 7\n";
    let found = of(text, Some("get")).unwrap();
    assert_eq!(
        (found.times, found.whose, found.names_service),
        (
            Times::P99(Micros(45_500), Micros(45_500)),
            Some(Whose::Provider),
            true
        )
    );
    assert_eq!(
        of("rt_p99{interface=\"a.B\"} 12\n", None).unwrap().times,
        Times::P99(Micros(12_000), Micros(12_000))
    );
    let summary = "call_seconds{quantile=\"0.99\"} 0.25\ncall_seconds{quantile=\"0.5\"} 0.1\n";
    let found = of(summary, None).unwrap();
    assert_eq!(found.times, Times::P99(Micros(250_000), Micros(250_000)));
    assert!(!found.names_service, "it could be of anything");
}

/// A process that both calls and serves: the side decides. Another group or version is another service.
#[test]
fn sides_groups_and_versions_are_kept_apart() {
    let both = format!(
        "dubbo_provider_rt_milliseconds_p99{{{SERVICE}}} 45\ndubbo_consumer_rt_milliseconds_p99{{{SERVICE}}} 60\n"
    );
    assert!(of(&both, None).unwrap_err().contains("--p99-side"));
    let found = of_side(&both, None, Some(Whose::Consumer)).unwrap();
    assert_eq!(found.times, Times::P99(Micros(60_000), Micros(60_000)));
    let groups = format!(
        "rt_p99{{{SERVICE},group=\"\",version=\"null\"}} 45\nrt_p99{{{SERVICE},group=\"blue\"}} 900\n"
    );
    let found = of(&groups, None).unwrap();
    assert_eq!(found.times, Times::P99(Micros(45_000), Micros(45_000)));
    assert_eq!(
        found.left_out,
        [("samples of other services or methods", 1)]
    );
    let page = format!(
        "http_server_requests_seconds{{quantile=\"0.99\"}} 9\ncall_seconds{{{SERVICE},quantile=\"0.99\"}} 0.05\n"
    );
    assert_eq!(of(&page, None).unwrap().name, "call_seconds");
}

#[test]
fn what_cannot_be_told_is_said() {
    for (text, word) in [
        ("", "tells no 99th"),
        ("up 1\n", "tells no 99th"),
        ("call{quantile=\"0.99\"} 5\n", "unknown unit"),
        ("call_minutes{quantile=\"0.99\"} 5\n", "unknown unit"),
        ("rt_p99 NaN\n", "no numbers"),
        ("rt_p99 -1\n", "no numbers"),
        ("rt_p99 1e300\n", "no numbers"),
        ("rt_p99 0\n", "no calls in their window"),
        (
            "a_seconds{quantile=\"0.99\"} 5\nb_seconds{quantile=\"0.99\"} 5\n",
            "several series",
        ),
        ("<html>\n", "no sample"),
        ("a_seconds_bucket{le=\"x\"} 1\n", "no number"),
        ("a_seconds_bucket{le=\"NaN\"} 1\n", "no time"),
        ("a_seconds_bucket{le=\"1\"} -1\n", "less than nothing"),
        (
            "a_seconds_bucket{le=\"1\"} 0\na_seconds_bucket{le=\"+Inf\"} 0\n",
            "tells no 99th",
        ),
    ] {
        let error = of(text, None).unwrap_err();
        assert!(error.contains(word), "{text:?}: {error}");
    }
}

proptest! {
    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = read(bytes.as_slice(), Wanted::default());
    }

    #[test]
    fn no_line_panics(line in "[a-z_]{1,5}(\\{[a-z]=\"[^\"]{0,4}\"?,?\\}?)? ?[0-9.eE+N-]{0,6}") {
        let _ = sample(&line);
    }

    /// Whatever the ends of the single series: no sum claims more than all values together do.
    #[test]
    fn added_series_hold_the_rank_of_all_values(
        values in prop::collection::vec(prop::collection::vec(1_u64..1000, 1..30), 1..4),
        ends in prop::collection::vec(prop::collection::btree_set(1_u64..1000, 1..5), 4),
    ) {
        let mut text = String::new();
        for (ip, (values, ends)) in values.iter().zip(&ends).enumerate() {
            for end in ends {
                let under = values.iter().filter(|value| *value <= end).count();
                let _ = writeln!(text, "a_ms_bucket{{ip=\"{ip}\",le=\"{end}\"}} {under}");
            }
            let _ = writeln!(text, "a_ms_bucket{{ip=\"{ip}\",le=\"+Inf\"}} {}", values.len());
        }
        let mut all: Vec<u64> = values.concat();
        all.sort_unstable();
        if let Ok(Found { times: Times::Buckets(bounds), .. }) = read(text.as_bytes(), Wanted::default()) {
            for (end, count) in bounds {
                let real = all.iter().filter(|value| end.is_none_or(|end| **value * 1000 <= end.0)).count();
                prop_assert_eq!(count, real as u64);
            }
        }
    }
}

proptest! {
    /// The sum of the series is the histogram of all their values, at the ends that every series has.
    #[test]
    fn added_series_are_the_histogram_of_all_values(
        series in prop::collection::vec(prop::collection::vec(0_u64..2000, 1..40), 1..5),
        ends in prop::collection::btree_set(1_u64..2000, 1..6),
        own in prop::collection::vec(1_u64..2000, 5),
    ) {
        let under = |values: &[u64], end: u64| values.iter().filter(|value| **value <= end).count() as u64;
        let mut text = String::new();
        for (index, values) in series.iter().enumerate() {
            let mut all = ends.clone();
            // One end that others may lack.
            if series.len() > 1 {
                all.insert(own[index]);
            }
            for end in all {
                let count = under(values, end);
                writeln!(text, "rt_milliseconds_bucket{{ip=\"{index}\",le=\"{end}\"}} {count}").unwrap();
            }
            let count = values.len();
            writeln!(text, "rt_milliseconds_bucket{{ip=\"{index}\",le=\"+Inf\"}} {count}").unwrap();
        }
        let Times::Buckets(buckets) = of(&text, None).unwrap().times else {
            panic!("buckets were given");
        };
        let together = series.concat();
        for end in &ends {
            let place = Some(Micros::from_millis(*end));
            prop_assert!(buckets.iter().any(|(upper, _)| *upper == place));
        }
        for (upper, count) in buckets {
            let expected = match upper {
                Some(end) => under(&together, end.0 / 1000),
                None => together.len() as u64,
            };
            prop_assert_eq!(count, expected);
        }
    }
}
