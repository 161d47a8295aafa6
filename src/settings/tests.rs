#![expect(clippy::disallowed_methods, reason = "tests lay out their own files")]

use clap::Parser as _;

use super::*;
use crate::{
    cli::{Cli, Output, Verb},
    diagnose::code::Severity,
    question::GroupOrigin,
    report::words::Lang,
};

struct Home {
    dir: tempfile::TempDir,
}

impl Home {
    fn with(text: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("diag.toml"), text).unwrap();
        Self { dir }
    }

    fn settings(
        &self,
        args: &[&str],
        environment: &[(&str, &str)],
    ) -> Result<Settings, SettingsError> {
        let config = self.dir.path().join("diag.toml").display().to_string();
        let args = ["diag", "no-provider", "a.B", "--config", &config]
            .into_iter()
            .chain(args.iter().copied());
        let Verb::NoProvider(args) = Cli::try_parse_from(args).unwrap().verb else {
            panic!("another verb")
        };
        Settings::new(&args.common, &environment_of(environment))
    }
}

fn environment_of(pairs: &[(&str, &str)]) -> Environment {
    pairs
        .iter()
        .fold(Environment::default(), |environment, (name, value)| {
            environment.with(name, value)
        })
}

fn shown(settings: &Settings) -> Vec<String> {
    settings
        .registries
        .iter()
        .map(ToString::to_string)
        .collect()
}

const FILE: &str = "registry = 'zookeeper://top:1'
lang = 'zh'
deadline = '7s'
[profiles.prod]
registry = ['nacos://prod:8848']
namespace = 'p'
username = 'file-user'
password-env = 'PROD_PASSWORD'
fail-on = 'warning'
";

#[test]
fn later_layers_win() {
    let home = Home::with(FILE);
    let settings = home.settings(&[], &[]).unwrap();
    assert_eq!(shown(&settings), ["zookeeper://top:1"]);
    assert_eq!(settings.lang, Some(Lang::Zh));
    assert_eq!(settings.fail_on, Severity::Error);

    let settings = home.settings(&["--profile", "prod"], &[]).unwrap();
    assert_eq!(
        shown(&settings),
        ["nacos://prod:8848?namespace=p&username=file-user"]
    );
    assert_eq!(settings.fail_on, Severity::Warning);
    assert_eq!(settings.deadline, Some(std::time::Duration::from_secs(7)));

    let settings = home
        .settings(&["--profile", "prod"], &[("DIAG_NAMESPACE", "e")])
        .unwrap();
    assert_eq!(
        shown(&settings),
        ["nacos://prod:8848?namespace=e&username=file-user"]
    );

    let settings = home
        .settings(
            &["--context", "prod", "-n", "f", "--fail-on", "info"],
            &[("DIAG_NAMESPACE", "e")],
        )
        .unwrap();
    assert_eq!(
        shown(&settings),
        ["nacos://prod:8848?namespace=f&username=file-user"]
    );
    assert_eq!(settings.fail_on, Severity::Info);

    let settings = home
        .settings(
            &["-o", "json"],
            &[("DIAG_PROFILE", "prod"), ("DIAG_REGISTRY", "nacos://env:1")],
        )
        .unwrap();
    assert_eq!(
        shown(&settings),
        ["nacos://env:1"],
        "attributes of a file belong to the file's registry"
    );
    assert_eq!(settings.output, Output::Json);
}

#[test]
fn attributes_of_the_same_layer_must_agree() {
    let home = Home::with("");
    let error = home
        .settings(&["--registry", "nacos://h:1?namespace=a", "-n", "b"], &[])
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "--namespace: the namespace is b here and a in the address (--registry)"
    );
    assert!(error.is_usage());
    assert!(
        home.settings(&["--registry", "nacos://h:1?namespace=a", "-n", "a"], &[])
            .is_ok()
    );
    let settings = home
        .settings(
            &["--registry", "nacos://h:1?namespace=a"],
            &[("DIAG_NAMESPACE", "b")],
        )
        .unwrap();
    assert_eq!(settings.registries[0].namespace.as_deref(), Some("a"));
    let settings = home
        .settings(
            &["--registry", "zookeeper://h:1", "--registry-group", "g"],
            &[],
        )
        .unwrap();
    assert_eq!(
        settings.registries[0].group,
        Some(("g".to_owned(), GroupOrigin::Attribute))
    );
    assert!(
        home.settings(
            &[
                "--registry",
                "zookeeper://h:1?group=x",
                "--registry-group",
                "g"
            ],
            &[]
        )
        .is_err()
    );
}

#[test]
fn several_registries_and_their_roles() {
    let home = Home::with("");
    let settings = home
        .settings(
            &[
                "--registry",
                "nacos://a:1|zookeeper://b:2",
                "--registry",
                "zookeeper://c:3",
                "--also-search",
                "zookeeper://d:4",
                "--config-center",
                "zookeeper://e:5",
                "--no-sweep",
            ],
            &[],
        )
        .unwrap();
    assert_eq!(
        shown(&settings),
        ["nacos://a:1", "zookeeper://b:2", "zookeeper://c:3"]
    );
    assert_eq!(settings.also_search[0].to_string(), "zookeeper://d:4");
    assert_eq!(
        settings.config_center.unwrap().to_string(),
        "zookeeper://e:5"
    );
    assert!(!settings.sweep);
}

#[test]
fn passwords_come_from_where_the_user_says() {
    let home = Home::with(FILE);
    let file = home.dir.path().join("pw");
    std::fs::write(&file, "from-file\n").unwrap();
    let file = file.display().to_string();
    let nacos = ["--registry", "nacos://h:1", "--username", "u"];
    let get =
        |args: &[&str], environment: &[(&str, &str)]| -> Result<Option<String>, SettingsError> {
            let all: Vec<&str> = nacos.iter().chain(args).copied().collect();
            let mut settings = home.settings(&all, environment)?;
            settings.with_password(&environment_of(environment))?;
            Ok(settings.registries[0]
                .password
                .as_ref()
                .map(|secret| secret.expose().to_owned()))
        };
    assert_eq!(get(&[], &[]).unwrap(), None);
    assert_eq!(
        get(&[], &[("DIAG_PASSWORD", "usual")]).unwrap().as_deref(),
        Some("usual")
    );
    assert_eq!(
        get(
            &["--password-env", "X"],
            &[("X", "x"), ("DIAG_PASSWORD", "y")]
        )
        .unwrap()
        .as_deref(),
        Some("x")
    );
    assert_eq!(
        get(&["--password-file", &file], &[]).unwrap().as_deref(),
        Some("from-file")
    );
    assert_eq!(
        get(&["--password-command", "printf 'a b\\n'"], &[])
            .unwrap()
            .as_deref(),
        Some("a b")
    );
    let layers = Layers::gather(
        &Common::default(),
        &environment_of(&[("DIAG_PASSWORD", "hidden")]),
    )
    .unwrap();
    let shown = layers.setting("password-env").unwrap();
    assert_eq!(shown.values, ["DIAG_PASSWORD"]);
    // A profile's password is for the profile's registry, never for one from a flag.
    assert_eq!(
        get(&["--profile", "prod"], &[("PROD_PASSWORD", "secret")]).unwrap(),
        None
    );
    for (args, problem) in [
        (
            ["--password-env", "MISSING"],
            "--password-env: the environment has no variable MISSING",
        ),
        (
            ["--password-command", "exit 3"],
            "--password-command: the command failed (exit status: 3)",
        ),
        (
            ["--password-command", "true"],
            "--password-command: the password is empty",
        ),
    ] {
        assert_eq!(get(&args, &[]).unwrap_err().to_string(), problem);
    }
    let slow = [
        "--password-command",
        "sleep 20; echo x",
        "--deadline",
        "300ms",
    ];
    assert_eq!(
        get(&slow, &[]).unwrap_err().to_string(),
        "--password-command: the command printed nothing within 0.3 s (--deadline)"
    );
}

#[test]
fn warnings_for_what_dubbo_does_unasked() {
    let home = Home::with("");
    let settings = home
        .settings(&["--registry", "nacos://u:CANARY@h"], &[])
        .unwrap();
    assert_eq!(settings.warnings.len(), 2, "{:?}", settings.warnings);
    assert!(settings.warnings[0].contains("9090"));
    assert!(settings.warnings[1].contains("--password-env"));
    assert!(!format!("{settings:?}").contains("CANARY"));
    let settings = home
        .settings(&[], &[("DIAG_REGISTRY", "nacos://u:CANARY@h:1")])
        .unwrap();
    assert_eq!(settings.warnings, Vec::<String>::new());
}

#[test]
fn errors_name_the_place() {
    let home = Home::with("deadline = 'soon'\n");
    assert!(home.settings(&[], &[]).unwrap_err().to_string().ends_with(
        "diag.toml line 1: deadline `soon`: expected a number with a unit, for example 500ms, 10s, 2m"
    ));
    let home = Home::with("");
    for (args, problem) in [
        (
            ["--dubbo", "4.0"],
            "--dubbo: dubbo `4.0`: Dubbo 4.0 is of a line that is not known: the known lines are 2.5 to 2.7 and 3.0 to 3.3",
        ),
        (
            ["--profile", "x"],
            "there is no profile x: the settings file has none",
        ),
        (
            ["--registry", "zk://h:1"],
            "--registry: registry address `zk://h:1`: no registry of Dubbo has the scheme `zk`",
        ),
    ] {
        let error = home.settings(&args, &[]).unwrap_err();
        assert_eq!(error.to_string(), problem);
        assert!(error.is_usage());
    }
    assert_eq!(
        home.settings(&["--client", "go", "--dubbo", "1.5.8"], &[])
            .unwrap()
            .consumer
            .dubbo,
        None
    );
    let Verb::NoProvider(args) =
        Cli::try_parse_from(["diag", "no-provider", "a.B", "--config", "/nowhere/x"])
            .unwrap()
            .verb
    else {
        panic!("another verb")
    };
    let error = Settings::new(&args.common, &Environment::default()).unwrap_err();
    assert!(matches!(error, SettingsError::Unreadable { .. }) && !error.is_usage());
}
