//! Rules built to blow up: for the test and for the benchmark.

use std::fmt::Write as _;

const SERVICE: &str = "com.a.S::.condition-router";
const TAGS: &str = "shop.tag-router";
const MESH: &str = "shop.MESHAPPRULE";
const CONFIGURATORS: &str = "com.a.S::.configurators";
pub(crate) const MIGRATION: &str = "web.migration";

/// A rule and what the verbs say of it: outcome and code of `no-provider`, of `route-replay`, the codes of `lint`, with a
/// `+` when there are more findings than shown.
#[derive(Clone)]
pub(crate) struct Hostile {
    pub(crate) name: &'static str,
    pub(crate) key: &'static str,
    pub(crate) text: String,
    pub(crate) expected: [&'static str; 3],
}

fn rule(
    name: &'static str,
    key: &'static str,
    text: impl Into<String>,
    expected: [&'static str; 3],
) -> Hostile {
    Hostile {
        name,
        key,
        text: text.into(),
        expected,
    }
}

fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).fold(String::new(), |mut all, n| {
        let _ = writeln!(all, "{}", line(n));
        all
    })
}

fn list(count: usize, item: impl Fn(usize) -> String) -> String {
    (0..count).map(item).collect::<Vec<_>>().join(",")
}

/// A name of three signs, another one for each of 140,608 numbers.
fn name(n: usize) -> String {
    const SIGNS: &[u8] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    let sign = |place: u32| char::from(SIGNS[n / SIGNS.len().pow(place) % SIGNS.len()]);
    [2, 1, 0].map(sign).iter().collect()
}

const HEAD: &str = "force: true\nconditions:\n";

pub(crate) fn conditions(times: usize) -> Vec<Hostile> {
    let hosts = list(15_000 * times, |n| {
        format!("10.9.{}.{}", n / 250 % 250, n % 250)
    });
    vec![
        rule(
            "a condition of two hundred kilobytes",
            SERVICE,
            format!("{HEAD}- '=> host = {hosts},10.0.0.1'\n"),
            ["reachable", "reachable", "DG8007+"],
        ),
        rule(
            "a condition of two hundred kilobytes with a fault at its end",
            SERVICE,
            format!("{HEAD}- '=> host = {hosts} == x'\n"),
            ["unknown", "unknown", "DG5006 DG8006"],
        ),
        rule(
            "five thousand conditions that differ",
            SERVICE,
            format!(
                "{HEAD}{}",
                lines(5_000 * times, |n| format!("- method=m{n}=>host=9"))
            ),
            ["reachable", "reachable", "DG8008+"],
        ),
        rule(
            "five thousand conditions that leak",
            SERVICE,
            format!(
                "conditions:\n{}",
                lines(20_000 * times, |n| format!(
                    "- =>host=9.9.{}.{}",
                    n / 250,
                    n % 250
                ))
            ),
            ["reachable", "reachable", "DG5007 DG8007+"],
        ),
        rule(
            "the same condition eight thousand times at anchors of its own",
            SERVICE,
            format!(
                "conditions:\n{}",
                lines(8_000 * times, |n| format!("- &a{n} x"))
            ),
            ["reachable", "reachable", "DG5007 DG8006+"],
        ),
        rule(
            "wildcards that backtrack",
            SERVICE,
            format!("{HEAD}- '=> name = {}b'\n", "a*".repeat(30_000 * times)),
            ["none DG5001", "none DG5001", "DG8008"],
        ),
        rule(
            "ranges",
            SERVICE,
            format!(
                "{HEAD}- 'arguments[0] = {} => port = {}'\n",
                list(5_000 * times, |n| format!("{n}~{}", n + 1)),
                list(5_000 * times, |n| format!(
                    "{}~{}",
                    n + 100_000,
                    n + 100_001
                ))
            ),
            ["unknown", "unknown", "DG8008"],
        ),
        rule(
            "two thousand draws among fifty ways",
            SERVICE,
            format!(
                "configVersion: v3.1\nconditions:\n{}",
                lines(2_000 * times, |n| {
                    let host = format!("10.0.0.{}", n % 50);
                    format!(
                        "- {{from: {{match: ''}}, to: [{{match: 'host={host}'}}, {{match: 'host!={host}'}}]}}"
                    )
                })
            ),
            ["reachable", "reachable", ""],
        ),
        rule(
            "five thousand keys on one side",
            SERVICE,
            format!(
                "{HEAD}- '=> {}b=2'\n",
                list(5_000 * times, |n| format!("k{n}=1&")).replace(',', "")
            ),
            ["none DG5001", "none DG5001", "DG8008"],
        ),
    ]
}

/// So many short conditions that a hundred thousand of them are just within the limit.
pub(crate) fn short_conditions(times: usize) -> Vec<Hostile> {
    let one = |name, head: &str, line: &dyn Fn(usize) -> String, expected| {
        let lines = lines(200 * times, |n| format!("- {}", line(n)));
        rule(name, SERVICE, format!("{head}{lines}"), expected)
    };
    let open = "conditions:\n";
    let draws = "configVersion: v3.1\nconditions:\n";
    let leaks = ["reachable", "reachable", "DG5007+"];
    vec![
        one(
            "a method each",
            HEAD,
            &|n| format!("method={}=>h=9", name(n)),
            ["reachable", "reachable", "DG8008+"],
        ),
        one(
            "a parameter of the consumer each",
            HEAD,
            &|n| format!("{}=1=>h=9", name(n)),
            ["unknown", "reachable", "DG8008+"],
        ),
        one(
            "a parameter of the consumer each that it must not have",
            HEAD,
            &|n| format!("{}!=1=>h=9", name(n)),
            ["unknown", "reachable", "DG8008+"],
        ),
        one(
            "an argument each",
            HEAD,
            &|n| format!("arguments[{}]={}=>h=9", n % 8, name(n)),
            ["unknown", "unknown", "DG8008+"],
        ),
        one(
            "an attachment each",
            HEAD,
            &|n| format!("attachments[{}]=1=>h=9", name(n)),
            ["unknown", "unknown", "DG8008+"],
        ),
        one(
            "an attachment of eight each",
            HEAD,
            &|n| format!("attachments[a{}]={}=>h=9", n % 8, name(n)),
            ["unknown", "unknown", "DG8008+"],
        ),
        one(
            "a reference each",
            open,
            &|n| format!("=>h=${}", name(n)),
            ["unknown", "reachable", ""],
        ),
        one(
            "a reference each that must not fit",
            open,
            &|n| format!("=>h!=${}", name(n)),
            ["unknown", "reachable", ""],
        ),
        one(
            "a key of the addresses each",
            open,
            &|n| format!("=>{}=9", name(n)),
            leaks,
        ),
        one(
            "a key of the addresses each that they must not have",
            open,
            &|n| format!("=>{}!=9", name(n)),
            leaks,
        ),
        one(
            "three keys of the addresses each",
            open,
            &|n| format!("=>a={0}&b={0}&c={0}", name(n)),
            leaks,
        ),
        one(
            "three keys of the addresses each that they must not have",
            open,
            &|n| format!("=>a!={0}&b!={0}&c!={0}", name(n)),
            leaks,
        ),
        one(
            "three keys of the consumer each",
            open,
            &|n| format!("a!={0}&b!={0}&c!={0}=>h=9", name(n)),
            ["unknown", "reachable", "DG5007+"],
        ),
        one(
            "a wildcard each",
            open,
            &|n| format!("=>host=1*{}", name(n)),
            leaks,
        ),
        one(
            "a wildcard of names each",
            open,
            &|n| format!("=>name=a*{}", name(n)),
            leaks,
        ),
        one(
            "a range each",
            open,
            &|n| format!("=>port={n}~{}", n + 1),
            leaks,
        ),
        one(
            "one address less each",
            open,
            &|n| format!("=>host!=10.0.0.{}&a!={}", n % 60, name(n)),
            leaks,
        ),
        one(
            "one address less each, by value",
            open,
            &|n| format!("=>k!=v{}", n % 58),
            ["reachable", "reachable", ""],
        ),
        one(
            "nothing at all each",
            open,
            &|n| format!("{}=1=>", name(n)),
            ["unknown", "reachable", "DG8006"],
        ),
        one("the same each", open, &|_| "=>h=9".to_owned(), leaks),
        one(
            "two destinations each",
            draws,
            &|n| {
                format!(
                    "{{to: [{{match: k=v{}}}, {{match: k!=v{}}}]}}",
                    n % 50,
                    n % 50
                )
            },
            ["reachable", "reachable", ""],
        ),
        one(
            "a destination each",
            draws,
            &|n| format!("{{to: [{{match: k!={}}}]}}", name(n)),
            leaks,
        ),
        one(
            "a method and a destination each",
            draws,
            &|n| {
                format!(
                    "{{from: {{match: method={}}}, to: [{{match: h=9}}]}}",
                    name(n)
                )
            },
            leaks,
        ),
    ]
}

pub(crate) fn aliases(times: usize) -> Vec<Hostile> {
    let doubled = |times: usize| {
        let rest = lines(times, |n| format!("a{}: &a{} [*a{n}, *a{n}]", n + 1, n + 1));
        format!("a0: &a0 [x]\n{rest}")
    };
    let keys = list(1_500 * times, |n| format!("k{n}: v"));
    let merges = lines(39, |n| {
        format!("a{}: &a{}\n  <<: *a{n}\n  x{n}: 1", n + 1, n + 1)
    });
    let hosts = list(150, |n| format!("10.9.0.{n}"));
    vec![
        rule(
            "aliases that double forty times",
            SERVICE,
            format!("{}conditions: *a40\n", doubled(40)),
            ["unknown", "unknown", "DG5006"],
        ),
        rule(
            "forty merges of fifteen hundred keys",
            SERVICE,
            format!("a0: &a0 {{{keys}}}\n{merges}conditions: ['=> host = 10.0.0.1']\n"),
            ["reachable", "reachable", "DG8003"],
        ),
        rule(
            "an alias of a long condition, repeated",
            SERVICE,
            format!(
                "x: &a '=> host = {hosts}'\nconditions:\n{}",
                "- *a\n".repeat(3_000 * times)
            ),
            ["reachable", "reachable", "DG8003 DG8007+"],
        ),
        rule(
            "an alias of a long condition of methods, repeated",
            SERVICE,
            format!(
                "x: &a 'method = {} => host = 9'\nconditions:\n{}",
                list(500, name),
                "- *a\n".repeat(3_000 * times)
            ),
            ["reachable", "reachable", "DG5007 DG8003 DG8007"],
        ),
        rule(
            "an alias of a list of conditions, repeated",
            SERVICE,
            format!(
                "x: &a\n{}conditions: [{}]\n",
                lines(100, |n| format!("- =>h={}", name(n))),
                list(3_000 * times, |_| "*a".to_owned())
            ),
            ["unknown", "unknown", "DG5006"],
        ),
        rule(
            "aliases of a hundred conditions",
            SERVICE,
            format!(
                "x:\n{}conditions:\n{}",
                lines(100, |n| format!("- &{} =>h={}", name(n), name(n))),
                lines(3_000 * times, |n| format!("- *{}", name(n % 100)))
            ),
            ["reachable", "reachable", "DG5007 DG8003+"],
        ),
        rule(
            "aliases of destinations",
            SERVICE,
            format!(
                "configVersion: v3.1\nx: &a [{}]\nconditions:\n{}",
                list(100, |n| format!("{{match: 'k=v{n}'}}")),
                lines(3_000 * times, |_| "- {to: *a}".to_owned())
            ),
            ["unknown", "unknown", "DG5006"],
        ),
        rule(
            "lists in lists",
            SERVICE,
            format!(
                "conditions: {}{}\n",
                "[".repeat(30_000 * times),
                "]".repeat(30_000 * times)
            ),
            ["unknown", "unknown", "DG5006"],
        ),
        rule(
            "maps in maps",
            SERVICE,
            format!(
                "conditions: {}x{}\n",
                "{a: ".repeat(15_000 * times),
                "}".repeat(15_000 * times)
            ),
            ["unknown", "unknown", "DG5006"],
        ),
        rule(
            "an alias of a long key",
            MIGRATION,
            format!(
                "key: &k '{}'\nstep: APPLICATION_FIRST\ninterfaces:\n{}",
                "x".repeat(100_000 * times),
                "- {serviceKey: *k}\n".repeat(5_000 * times)
            ),
            ["unknown", "-", "DG5006"],
        ),
    ]
}

pub(crate) fn others(times: usize) -> Vec<Hostile> {
    let tags = "force: true\nenabled: true\ntags:\n";
    let mesh = |subsets: &str, matches: &str| {
        let api = "apiVersion: service.dubbo.apache.org/v1alpha1\n";
        format!(
            "{api}kind: DestinationRule\nmetadata: {{name: a}}\nspec:\n  host: shop\n  subsets:\n{subsets}---\n\
             {api}kind: VirtualService\nmetadata: {{name: a}}\nspec:\n  dubbo:\n  - routedetail:\n    - name: x\n{matches}\
             \x20     route:\n      - destination: {{host: shop, subset: s1}}\n"
        )
    };
    vec![
        rule(
            "a tag for each of three thousand addresses",
            TAGS,
            format!(
                "{tags}{}",
                lines(3_000 * times, |n| {
                    format!(
                        "- name: t{n}\n  addresses: ['10.1.{}.{}']",
                        n / 250,
                        n % 250
                    )
                })
            ),
            ["unknown", "unknown", "DG8008+"],
        ),
        rule(
            "address patterns",
            TAGS,
            format!(
                "{tags}- name: t\n  addresses:\n{}",
                lines(5_000 * times, |n| format!("  - 10.1-9.*.{}:{n}", n % 250))
            ),
            ["partly DG5003", "partly DG5003", "DG8007 DG8008+"],
        ),
        rule(
            "expressions that backtrack",
            TAGS,
            format!(
                "configVersion: v3.0\n{tags}- name: t\n  match:\n  - key: name\n    value: {{regex: '{}b'}}\n",
                "(a+)+".repeat(500)
            ),
            ["reachable", "reachable", ""],
        ),
        rule(
            "three thousand subsets",
            MESH,
            mesh(
                &lines(3_000 * times, |n| {
                    format!("  - {{name: s{n}, labels: {{k: v{n}}}}}")
                }),
                "",
            ),
            ["reachable", "reachable", ""],
        ),
        rule(
            "three thousand labels",
            MESH,
            mesh(
                "  - {name: s1, labels: {k: v1}}\n",
                &format!(
                    "      match:\n      - sourceLabels: {{{}}}\n",
                    list(3_000 * times, |n| format!("l{n}: v"))
                ),
            ),
            ["unknown", "reachable", ""],
        ),
        rule(
            "fifteen hundred matches of labels",
            MESH,
            mesh(
                "  - {name: s1, labels: {k: v1}}\n",
                &format!(
                    "      match:\n{}",
                    lines(1_500 * times, |n| format!(
                        "      - sourceLabels: {{{}: v}}",
                        name(n)
                    ))
                ),
            ),
            ["unknown", "reachable", ""],
        ),
        rule(
            "fifteen hundred matches of methods",
            MESH,
            mesh(
                "  - {name: s1, labels: {k: v1}}\n",
                &format!(
                    "      match:\n{}",
                    lines(1_500 * times, |n| format!(
                        "      - method: {{name_match: {{exact: {}}}}}",
                        name(n)
                    ))
                ),
            ),
            ["reachable", "reachable", ""],
        ),
        rule(
            "fifteen hundred destinations",
            MESH,
            mesh(
                &lines(20, |n| format!("  - {{name: s{n}, labels: {{k: v{n}}}}}")),
                "",
            ) + &lines(1_500 * times, |n| {
                format!("      - destination: {{host: shop, subset: s{}}}", n % 20)
            }),
            ["reachable", "reachable", ""],
        ),
        rule(
            "one tag with expressions",
            TAGS,
            format!(
                "configVersion: v3.0\n{tags}- name: t\n  match:\n{}",
                lines(1_500 * times, |n| format!(
                    "  - {{key: {}, value: {{exact: b}}}}",
                    name(n)
                ))
            ),
            ["reachable", "reachable", ""],
        ),
        rule(
            "documents",
            MESH,
            "---\na: b\n".repeat(5_000 * times),
            ["unknown", "reachable", "DG5007+"],
        ),
        rule(
            "overrides for five thousand hosts",
            CONFIGURATORS,
            format!(
                "configVersion: v3.0\nscope: service\nkey: com.a.S\nenabled: true\nconfigs:\n- side: consumer\n  addresses: [{}]\n  parameters: {{timeout: 1}}\n",
                list(5_000 * times, |n| format!(
                    "10.{}.{}.{}",
                    n / 62_500,
                    n / 250 % 250,
                    n % 250
                ))
            ),
            ["reachable", "-", ""],
        ),
        rule(
            "ten thousand parameters for every address",
            CONFIGURATORS,
            format!(
                "configVersion: v3.0\nscope: service\nkey: com.a.S\nenabled: true\nconfigs:\n- side: consumer\n  addresses: [0.0.0.0]\n  parameters:\n{}",
                lines(10_000 * times, |n| format!("    k{n}: {n}"))
            ),
            ["unknown", "-", ""],
        ),
    ]
}
