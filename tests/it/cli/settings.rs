//! Settings file, environment, locale, terminal.

use super::{REGISTRY, Recorded, diag, done, provider, run};

const SERVICE: &str = "com.acme.OrderService";

fn recorded() -> Recorded {
    Recorded::providers(SERVICE, &[&provider("10.0.0.7", SERVICE, "&group=gray")])
}

#[test]
fn language_by_flag_then_locale_and_english_for_programs() {
    let recorded = recorded();
    let args = [
        "no-provider",
        SERVICE,
        "--registry",
        REGISTRY,
        "--snapshot",
        recorded.path(),
        "--consumer",
        "starting",
    ];
    let home = tempfile::tempdir().unwrap();
    let with = |lang: &str, more: &[&str]| {
        done(diag(home.path()).env("LANG", lang).args(args).args(more)).stdout
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
    let args = [
        "no-provider",
        SERVICE,
        "--registry",
        REGISTRY,
        "--snapshot",
        recorded.path(),
        "--consumer",
        "starting",
    ];
    let home = tempfile::tempdir().unwrap();
    let coloured = |variables: &[(&str, &str)], more: &[&str]| {
        let mut command = diag(home.path());
        command
            .envs(variables.iter().copied())
            .args(args)
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
    let args = [
        "no-provider",
        SERVICE,
        "--registry",
        REGISTRY,
        "--snapshot",
        recorded.path(),
        "--brief",
        "--consumer",
        "starting",
    ];
    for value in ["", "/nowhere"] {
        let done = done(diag(home.path()).env("HOME", value).args(args));
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
            .args(["no-provider", SERVICE, "--registry", REGISTRY]);
        let text = done(command.args(["--snapshot", recorded.path(), "-v"])).stdout;
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
        run(&[
            "no-provider",
            SERVICE,
            "--registry",
            REGISTRY,
            "--snapshot",
            recorded.path(),
            "-o",
            "json"
        ])
        .json()["reports"][0]["stages"]
            .as_array()
            .unwrap()
            .iter()
            .map(|s| s["dropped_total"].as_u64().unwrap())
            .max(),
        Some(30)
    );
}
