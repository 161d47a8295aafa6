//! Settings file, environment, locale, terminal.

use super::{REGISTRY, Recorded, diag, done, provider, question, run};

const SERVICE: &str = "com.acme.OrderService";

fn recorded() -> Recorded {
    Recorded::providers(SERVICE, &[&provider("10.0.0.7", SERVICE, "&group=gray")])
}

#[test]
fn language_by_flag_then_locale_and_english_for_programs() {
    let recorded = recorded();
    let args = question(SERVICE, &recorded);
    let home = tempfile::tempdir().unwrap();
    let with = |lang: &str, more: &[&str]| {
        done(diag(home.path()).env("LANG", lang).args(&args).args(more)).stdout
    };
    assert!(with("zh_CN.UTF-8", &[]).contains("没有可用的提供者"));
    assert!(with("en_US.UTF-8", &[]).contains("NO PROVIDER"));
    assert!(with("en_US.UTF-8", &["--lang", "zh"]).contains("没有可用的提供者"));
    assert!(with("zh_CN.UTF-8", &["--lang", "en"]).contains("NO PROVIDER"));
    let json = with("zh_CN.UTF-8", &["-o", "json"]);
    assert!(
        json.contains("other Dubbo group") && !json.contains("分组"),
        "{json}"
    );
    assert!(with("zh_CN.UTF-8", &["-o", "json", "--lang", "zh"]).contains("分组"));
    assert!(with("zh_CN.UTF-8", &["--brief"]).starts_with("none\tDG2101\t"));
    assert!(with("C", &[]).is_ascii(), "signs follow the locale");
}

#[test]
fn colours_only_where_they_are_wanted() {
    let recorded = recorded();
    let args = question(SERVICE, &recorded);
    let home = tempfile::tempdir().unwrap();
    let coloured = |variables: &[(&str, &str)], more: &[&str]| {
        let mut command = diag(home.path());
        command
            .envs(variables.iter().copied())
            .args(&args)
            .args(more);
        done(&mut command).stdout.contains('\u{1b}')
    };
    assert!(!coloured(&[], &[]), "not into a pipe");
    assert!(coloured(&[], &["--color", "always"]));
    assert!(coloured(&[("CLICOLOR_FORCE", "1")], &[]));
    assert!(!coloured(
        &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")],
        &[]
    ));
    assert!(!coloured(&[("CLICOLOR_FORCE", "1")], &["--color", "never"]));
    assert!(!coloured(&[("CLICOLOR_FORCE", "1")], &["-o", "json"]));
    assert!(!coloured(&[("CLICOLOR_FORCE", "1")], &["--brief"]));
}

#[test]
fn a_profile_of_the_usual_file_is_used() {
    let recorded = recorded();
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join(".config/diag");
    std::fs::create_dir_all(&folder).unwrap();
    let text = format!(
        "lang = 'zh'\n[profiles.prod]\nregistry = '{REGISTRY}'\nconsumer-app = 'order-web'\n"
    );
    std::fs::write(folder.join("diag.toml"), text).unwrap();
    let args = [
        "no-provider",
        SERVICE,
        "--snapshot",
        recorded.path(),
        "--profile",
        "prod",
        "--consumer",
        "starting",
    ];
    let done = done(diag(home.path()).args(args));
    assert!(done.stdout.contains("order-web"), "{done:?}");
    assert!(done.stdout.contains("没有可用的提供者"));
}

#[test]
fn no_home_is_no_trouble() {
    let recorded = recorded();
    let home = tempfile::tempdir().unwrap();
    let args = [question(SERVICE, &recorded), vec!["--brief"]].concat();
    for value in ["", "/nowhere"] {
        let done = done(diag(home.path()).env("HOME", value).args(&args));
        assert_eq!((done.exit, done.stderr.as_str()), (1, ""), "{done:?}");
    }
    let done = done(diag(home.path()).env_remove("HOME").args(args));
    assert_eq!(done.exit, 1, "{done:?}");
}

#[test]
fn tables_fit_the_terminal() {
    let urls: Vec<String> = (1..=30)
        .map(|host| provider(&format!("10.0.0.{host}"), SERVICE, "&group=gray"))
        .collect();
    let urls: Vec<&str> = urls.iter().map(String::as_str).collect();
    let recorded = Recorded::providers(SERVICE, &urls);
    let home = tempfile::tempdir().unwrap();
    for columns in ["50", "80", "140"] {
        let mut command = diag(home.path());
        command
            .env("COLUMNS", columns)
            .args(question(SERVICE, &recorded));
        let text = done(command.arg("-v")).stdout;
        let table: Vec<&str> = text
            .lines()
            .skip_while(|line| !line.contains("dropped addresses"))
            .take(30)
            .collect();
        assert_eq!(table.len(), 30, "{text}");
        assert!(
            table
                .iter()
                .all(|line| line.chars().count() <= columns.parse().unwrap()),
            "{text}"
        );
    }
    assert_eq!(
        run(&[question(SERVICE, &recorded), vec!["-o", "json"]].concat())
        .json()["reports"][0]["stages"]
            .as_array()
            .unwrap()
            .iter()
            .map(|s| s["dropped_total"].as_u64().unwrap())
            .max(),
        Some(30)
    );
}

#[test]
fn config_show_tells_the_value_and_where_it_stands() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("diag.toml");
    std::fs::write(
        &file,
        "deadline = '5s'\n[profiles.prod]\nregistry = 'nacos://u:CANARY@h:8848'\n",
    )
    .unwrap();
    let file = file.to_str().unwrap();
    let args = [
        "config",
        "show",
        "--origin",
        "--config",
        file,
        "--profile",
        "prod",
    ];
    let shown = done(diag(home.path()).env("DIAG_NAMESPACE", "blue").args(args));
    assert_eq!(shown.exit, 0, "{shown:?}");
    let line = |name: &str| {
        shown
            .stdout
            .lines()
            .find(|line| line.starts_with(&format!("{name} = ")))
            .unwrap_or_else(|| panic!("{name}: {shown:?}"))
    };
    assert!(line("deadline").ends_with("diag.toml line 1"));
    assert!(line("registry").ends_with("diag.toml line 3 (profile prod)"));
    assert!(line("namespace").ends_with("# environment DIAG_NAMESPACE"));
    assert!(line("request-timeout").ends_with("# default"));
    assert!(!shown.stdout.contains("CANARY"), "{shown:?}");
    let plain = home.path().join("plain.toml");
    let router = "zone: after=tag, keep=same-zone, fallback=none";
    let text = format!(
        "router = ['{router}']\nalso-search = ['nacos://u:CANARY@h:1', 'zookeeper://zk:2181']\n[zones]\na = '2001:db8::/32'\n"
    );
    std::fs::write(&plain, text).unwrap();
    let shown =
        done(diag(home.path()).args(["config", "show", "--config", plain.to_str().unwrap()]));
    for line in [
        format!("router = {router:?}\n"),
        "also-search = [\"nacos://u:***@h:1\", \"zookeeper://zk:2181\"]\n".to_owned(),
        "zone = \"a=2001:db8::/32\"\n".to_owned(),
    ] {
        assert!(shown.stdout.contains(&line), "{line}: {shown:?}");
    }
    let json = run(&["config", "show", "-o", "json"]).json();
    assert!(json["settings"].as_array().unwrap().len() >= 5);

    let template = run(&["config", "init"]);
    assert_eq!((template.exit, template.stderr.as_str()), (0, ""));
    assert!(template.stdout.contains("#[profiles.prod]"));
}

#[test]
fn an_accepted_finding_is_hidden_until_its_day() {
    let recorded = Recorded::providers(SERVICE, &[&provider("127.0.0.1", SERVICE, "")]);
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("diag.toml");
    let ask = |until: Option<&str>, fingerprint: &str| {
        let text = until.map_or_else(String::new, |until| {
            format!(
                "[[accepted]]\nfingerprint = '{fingerprint}'\nreason = 'a test'\nuntil = {until}\n"
            )
        });
        std::fs::write(&file, text).unwrap();
        done(diag(home.path()).args(question(SERVICE, &recorded)).args([
            "--consumer-ip",
            "10.0.0.9",
            "--config",
            file.to_str().unwrap(),
            "-o",
            "json",
        ]))
    };
    let open = ask(None, "").json();
    let finding = &open["reports"][0]["findings"][0];
    let fingerprint = finding["fingerprint"].as_str().unwrap().to_owned();
    let count =
        |report: &serde_json::Value| report["reports"][0]["findings"].as_array().unwrap().len();
    let hidden = ask(Some("2999-12-31"), &fingerprint);
    assert_eq!(hidden.stderr, "");
    assert_eq!(count(&hidden.json()) + 1, count(&open));
    assert_eq!(
        hidden.json()["reports"][0]["stages"],
        open["reports"][0]["stages"]
    );
    let assumed = hidden.json()["reports"][0]["assumed"].clone();
    let mark = assumed
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["what"] == "accepted")
        .unwrap_or_else(|| panic!("{assumed}"));
    let code = finding["code"].as_str().unwrap();
    assert!(mark["value"].as_str().unwrap().starts_with(code), "{mark}");
    let over = ask(Some("2020-01-01"), &fingerprint);
    assert!(
        over.stderr
            .contains("was accepted until 2020-01-01 and is shown again: `a test`"),
        "{over:?}"
    );
    assert_eq!(count(&over.json()), count(&open));
}

#[test]
fn the_zone_of_the_consumer_must_be_one_of_the_zones() {
    let recorded = recorded();
    let ask = |more: &[&str]| run(&[&question(SERVICE, &recorded), more].concat());
    let lost = ask(&["--consumer-zone", "nope"]);
    assert_eq!((lost.exit, lost.stdout.as_str()), (2, ""), "{lost:?}");
    assert!(lost.stderr.contains("no zone is known"), "{lost:?}");
    // A room without providers needs no network; a slip looks the same.
    let warned = ask(&["--zone", "hz=10.0.0.0/24", "--consumer-zone", "nope"]);
    assert_eq!(warned.exit, 1, "{warned:?}");
    assert!(
        warned
            .stderr
            .contains("--consumer-zone: no network is named for zone `nope`, only for hz"),
        "{warned:?}"
    );
    for more in [
        &["--zone", "a=10.0.0.0/24", "--consumer-zone", "a"][..],
        // Only the providers know which zones there are.
        &["--zone-key", "region", "--consumer-zone", "b"],
    ] {
        let done = ask(more);
        assert_eq!((done.exit, done.stderr.as_str()), (1, ""), "{done:?}");
    }
}

/// What fails the run stands in the line, also where nothing hides the providers.
#[test]
fn a_brief_line_names_the_finding_that_fails_the_run() {
    let recorded = Recorded::providers(SERVICE, &[&provider("127.0.0.1", SERVICE, "")]);
    let ask = |fail_on: &str| {
        let consumer = ["--consumer-ip", "10.0.0.9", "--dubbo", "3.2.16"];
        let shown = ["--brief", "--fail-on", fail_on];
        run(&[&question(SERVICE, &recorded)[..], &consumer, &shown].concat())
    };
    let fine = ask("error");
    assert_eq!(fine.exit, 0, "{fine:?}");
    assert!(fine.stdout.starts_with("reachable\t-\t-\t"), "{fine:?}");
    let failed = ask("info");
    assert_eq!(failed.exit, 1, "{failed:?}");
    assert!(
        failed.stdout.starts_with("reachable\tDG3007\t"),
        "{failed:?}"
    );
    assert_eq!(failed.stdout.lines().count(), 1, "{failed:?}");
}

#[cfg(unix)]
#[test]
fn files_that_others_may_read_or_write_are_told() {
    use std::os::unix::fs::PermissionsExt as _;
    let recorded = Recorded::providers(SERVICE, &[&provider("10.0.0.7", SERVICE, "")]);
    let home = tempfile::tempdir().unwrap();
    let mode = |name: &str, text: &str, mode: u32| {
        let file = home.path().join(name);
        std::fs::write(&file, text).unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
        file.display().to_string()
    };
    let args = [question(SERVICE, &recorded), vec!["--username", "u"]].concat();
    let password = mode("pw", "x\n", 0o644);
    let told = done(
        diag(home.path())
            .args(&args)
            .args(["--password-file", &password]),
    );
    assert!(
        told.stderr.contains("others may read the password file"),
        "{told:?}"
    );
    let password = mode("pw", "x\n", 0o600);
    let fine = done(
        diag(home.path())
            .args(&args)
            .args(["--password-file", &password]),
    );
    assert!(!fine.stderr.contains("others may"), "{fine:?}");
    let config = mode("diag.toml", "password-command = 'echo x'\n", 0o666);
    let refused = done(diag(home.path()).args(&args).args(["--config", &config]));
    assert_eq!(refused.exit, 4, "{refused:?}");
    assert!(refused.stderr.contains("chmod go-w"), "{refused:?}");
}

#[test]
fn another_place_is_compared_and_waiting_ends() {
    let here = Recorded::providers(SERVICE, &[&provider("10.0.0.7", SERVICE, "&group=blue")]);
    let there = Recorded::providers(SERVICE, &[&provider("10.0.0.7", SERVICE, "")]);
    let args = question(SERVICE, &here);
    let compared = run(&[&args[..], &["--compare", there.path()]].concat());
    assert_eq!(compared.exit, 1, "{compared:?}");
    assert!(
        compared.stdout.contains("compared with") && compared.stdout.contains("reachable"),
        "{compared:?}"
    );
    let json = run(&[&args[..], &["--compare", there.path(), "-o", "json"]].concat()).json();
    let comparison = &json["reports"][0]["comparison"];
    assert_eq!(comparison["outcome"], "reachable");
    assert_eq!(comparison["differences"][0]["what"], "outcome");
    let same = run(&[&args[..], &["--compare", here.path(), "-o", "json"]].concat()).json();
    assert_eq!(
        same["reports"][0]["comparison"]["differences"],
        serde_json::json!([])
    );
    let nothing = run(&[&args[..], &["--compare", "no-such"]].concat());
    assert_eq!(nothing.exit, 2, "{nothing:?}");
    assert!(
        nothing.stderr.contains("there is no profile no-such"),
        "{nothing:?}"
    );

    let waited = run(&[&args[..], &["--wait", "1s"]].concat());
    assert_eq!(waited.exit, 2, "{waited:?}");
    // Nobody listens on this port: it stays as it is until the time is over.
    let closed = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let registry = format!("zookeeper://{closed}");
    let waited = run(&[
        "no-provider",
        SERVICE,
        "--registry",
        &registry,
        "--wait",
        "1s",
    ]);
    assert_eq!(waited.exit, 1, "{waited:?}");
    let lines: Vec<&str> = waited.stderr.lines().collect();
    assert_eq!(lines.len(), 1, "one transition: {waited:?}");
    assert!(lines[0].contains(SERVICE), "{waited:?}");
}
