//! Secrets on the command line, in the environment and in files of settings.

use crate::cli::{REGISTRY, Recorded, diag, done, provider, run};

use super::{CANARY, silent};

const SERVICE: &str = "com.acme.OrderService";
#[test]
fn passwords_of_the_command_line() {
    let recorded = Recorded::providers(SERVICE, &[&provider("10.0.0.7", SERVICE, "")]);
    let snapshot = ["--snapshot", recorded.path()];
    for address in [
        format!("zookeeper://user:{CANARY}@10.0.0.2:2181"),
        format!("zookeeper://10.0.0.2:2181?username=u&password={CANARY}"),
        format!("zookeeper://10.0.0.2:2181?password={CANARY}&{CANARY}=1"),
        format!("nacos://10.0.0.2:8848?accessKey={CANARY}&secretKey={CANARY}"),
        format!("nacos://user:p#{CANARY}@10.0.0.2:8848"),
        format!("nacos://user:p/{CANARY}@10.0.0.2:8848"),
        format!("nacos://user:{CANARY}?x@10.0.0.2:8848"),
        format!("nacos://user:{CANARY};x@10.0.0.2:8848"),
        format!("nope://user:{CANARY}@10.0.0.2:8848"),
        format!("user:{CANARY}@10.0.0.2:8848"),
    ] {
        for flag in ["--registry", "--also-search", "--config-center"] {
            for more in [&["-vv"][..], &["-o", "json"], &["--brief"]] {
                let args = [
                    &["no-provider", SERVICE, flag, &address][..],
                    &snapshot,
                    more,
                ]
                .concat();
                silent(&run(&args), &format!("{args:?}"));
            }
        }
        for args in [
            vec!["no-provider", &address],
            vec!["no-provider", SERVICE, &address, "--nope"],
            vec!["no-provider", SERVICE, "--consumer", &address],
            vec!["no-provider", SERVICE, "--deadline", &address],
            vec!["no-provider", SERVICE, "--attach", &address],
            vec!["no-provider", SERVICE, "--from-log", &address],
            vec!["no-provider", SERVICE, "--snapshot", &address],
            vec![&address],
        ] {
            silent(&run(&args), &format!("{args:?}"));
        }
        let equals = format!("--regstry={address}");
        silent(&run(&["no-provider", SERVICE, &equals]), &equals);
    }
}

#[test]
fn passwords_of_environment_and_files() {
    let home = tempfile::tempdir().unwrap();
    let word = home.path().join("word");
    std::fs::write(&word, CANARY).unwrap();
    let config = home.path().join("diag.toml");
    std::fs::write(
        &config,
        format!("registry = 'zookeeper://u:{CANARY}@127.0.0.1:1'\n"),
    )
    .unwrap();
    let broken = home.path().join("broken.toml");
    std::fs::write(
        &broken,
        format!("registry = 'zookeeper://u:{CANARY}@127.0.0.1:1\n"),
    )
    .unwrap();
    let command = format!("echo {CANARY}");
    let live = [
        "no-provider",
        SERVICE,
        "--registry",
        "zookeeper://127.0.0.1:1",
        "--username",
        "u",
        "--deadline",
        "2s",
    ];
    let (word, config, broken) = (
        word.to_str().unwrap(),
        config.to_str().unwrap(),
        broken.to_str().unwrap(),
    );
    for more in [
        vec!["-vv"],
        vec!["-vv", "--password-env", "OTHER"],
        vec!["-vv", "--password-file", word],
        vec!["-o", "json", "--password-command", &command],
    ] {
        let mut binary = diag(home.path());
        binary
            .env("DIAG_PASSWORD", CANARY)
            .env("OTHER", CANARY)
            .args(live)
            .args(&more);
        let done = done(&mut binary);
        assert_eq!(done.exit, 3, "{done:?}");
        silent(&done, &format!("{more:?}"));
    }
    for config in [config, broken] {
        silent(
            &run(&[
                "no-provider",
                SERVICE,
                "--config",
                config,
                "--deadline",
                "2s",
                "-vv",
            ]),
            config,
        );
    }
    let mut binary = diag(home.path());
    binary
        .env("DIAG_REGISTRY", format!("nacos://u:{CANARY}@h:x"))
        .args(["no-provider", SERVICE]);
    let done = done(&mut binary);
    assert_eq!(done.exit, 2);
    silent(&done, "DIAG_REGISTRY");
}

#[test]
fn passwords_in_what_was_recorded_or_attached() {
    let url = provider(
        "10.0.0.7",
        SERVICE,
        &format!("&password={CANARY}&token={CANARY}&group=gray"),
    );
    let recorded = Recorded::providers(SERVICE, &[&url]);
    let home = tempfile::tempdir().unwrap();
    let log = home.path().join("consumer.log");
    let text = format!(
        "java.lang.IllegalStateException: Failed to check the status of the service {SERVICE}. No provider available for \
         the service {SERVICE} from the url zookeeper://u:{CANARY}@10.0.0.2:2181/org.apache.dubbo.registry.RegistryService?\
         application=order-web&password={CANARY}&interface={SERVICE}&side=consumer to the consumer 10.0.0.9 use dubbo \
         version 2.7.8\n"
    );
    std::fs::write(&log, text).unwrap();
    let settings = home.path().join("dubbo.properties");
    std::fs::write(
        &settings,
        format!("dubbo.registry.address={REGISTRY}\ndubbo.registry.password={CANARY}\n"),
    )
    .unwrap();
    let (log, settings) = (
        format!("consumer:{}", log.display()),
        format!("consumer:{}", settings.display()),
    );
    for more in [
        vec!["-v"],
        vec!["-o", "json"],
        vec!["-vv", "--attach", &log],
        vec!["-o", "json", "--attach", &log, "--attach", &settings],
    ] {
        let args = [
            &[
                "no-provider",
                SERVICE,
                "--registry",
                REGISTRY,
                "--snapshot",
                recorded.path(),
            ][..],
            &more,
        ]
        .concat();
        let done = run(&args);
        assert!(matches!(done.exit, 1 | 3), "{done:?}");
        silent(&done, &format!("{more:?}"));
    }
}

#[test]
fn a_password_on_the_command_line_is_warned_about() {
    let recorded = Recorded::providers(SERVICE, &[]);
    let address = format!("zookeeper://u:{CANARY}@10.0.0.2:2181");
    let done = run(&[
        "no-provider",
        SERVICE,
        "--registry",
        &address,
        "--snapshot",
        recorded.path(),
    ]);
    assert!(
        done.stderr
            .contains("other users of this host can see a password"),
        "{}",
        done.stderr
    );
}
