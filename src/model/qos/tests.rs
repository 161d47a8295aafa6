use super::*;
use proptest::prelude::*;

const COMMANDS: [&str; 16] = [
    "ls",
    "getAddress a.B",
    "getRouterSnapshot a",
    "getRecentRouterSnapshot",
    "getEnabledRouterSnapshot",
    "getConfig",
    "ready",
    "live",
    "version",
    "ps",
    "help",
    "serializeCheckStatus",
    "loggerInfo",
    "metrics",
    "metrics_default",
    "other",
];

#[test]
fn the_shapes_of_older_lines_are_read() {
    let text = "As Provider side:\n+-+\n|Provider Service Name|PUB|\n+-+\n|g/a.B:1.0| Y |\nAs Consumer side:\n|Consumer Service Name|NUM|\n|a.C| 3 |\n";
    let Answer::Listing(listing) = read("ls", None, text) else {
        panic!("no listing");
    };
    assert_eq!(listing.provider[0].key, "g/a.B:1.0");
    assert!(listing.provider[0].published[0].yes);
    assert_eq!(listing.consumer[0].number, Some(3));
    assert!(listing.consumer[0].lists.is_empty());
}

#[test]
fn a_registry_may_have_a_name_with_hyphens_and_a_model_without_invoker() {
    let text = "As Provider side:\n|N|P|\n|a.B|my-reg-A(N)/my-reg-I(Y)|\nAs Consumer side:\n|N|N|\n|a.C|my-reg-AF(I--,A-2)/other-I(0)|\n";
    let Answer::Listing(listing) = read("ls", Some(200), text) else {
        panic!("no listing");
    };
    let published = &listing.provider[0].published;
    assert_eq!(published[0].registry.as_deref(), Some("my-reg"));
    assert_eq!((published[0].yes, published[1].yes), (false, true));
    let lists = &listing.consumer[0].lists;
    assert_eq!((lists[0].interface, lists[0].application), (None, Some(2)));
    assert_eq!(
        (lists[1].registry.as_str(), lists[1].interface),
        ("other", Some(0))
    );
}

#[test]
fn refusals_are_told_apart() {
    let refused = |http, text| match read("ls", http, text) {
        Answer::Refused(refusal) => refusal,
        other => panic!("{other:?}"),
    };
    assert_eq!(
        refused(None, "\r\nForeign Ip Not Permitted.\r\n"),
        Refusal::ForeignIp { whitelist: false }
    );
    assert_eq!(
        refused(
            None,
            "dubbo>\r\nForeign Ip Not Permitted, Consider Config It In Whitelist.\r\n"
        ),
        Refusal::ForeignIp { whitelist: true }
    );
    assert_eq!(
        refused(None, "ls :permission deny\r\ndubbo>"),
        Refusal::Permission
    );
    assert_eq!(refused(Some(403), ""), Refusal::Permission);
    assert_eq!(refused(Some(404), ""), Refusal::NoSuchCommand);
    assert_eq!(refused(Some(404), "<html>nginx</html>"), Refusal::NotQos);
    assert_eq!(
        refused(None, "Unsupported command: ls\r\ndubbo>"),
        Refusal::ServicePort { disabled: false }
    );
    assert_eq!(
        refused(
            None,
            "Command: ls disabled for security reasons, please enable support by listing the commands through 'telnet'\r\ndubbo>"
        ),
        Refusal::ServicePort { disabled: true }
    );
}

#[test]
fn banner_prompt_and_colours_are_taken_away() {
    let text = "   ___   __  __ ___   ___   ____     \r\n  / _ \\ / / / // _ ) / _ ) / __ \\  \r\n / // // /_/ // _  |/ _  |/ /_/ /    \r\n/____/ \\____//____//____/ \\____/   \r\ndubbo>\u{1b}[32mtrue\u{1b}[0m\r\ndubbo>";
    assert_eq!(clean(text), "true");
    assert_eq!(read("live", None, text), Answer::Flag(true));
}

#[test]
fn a_pattern_means_the_service_alone() {
    let service = crate::model::service_key::ServiceKey::new(Some("g"), "a.B$C", Some("1.0"));
    let command = Command::Routers(service);
    assert_eq!(command.to_string(), r"getRouterSnapshot g/a\.B\$C:1\.0");
}

proptest! {
    #[test]
    fn any_text_is_read(command in 0..COMMANDS.len(), http in proptest::option::of(100_u16..600), text in any::<String>()) {
        let _ = read(COMMANDS[command], http, &text);
    }

    #[test]
    fn cut_and_spliced_answers_are_read(command in 0..COMMANDS.len(), text in r"(As (Provider|Consumer) side:|\||\+-|ConsumerModel: |Registry: |All Invokers:|\[ |\] | -> |\(Total: |\(Input: |\) \(Current Node Output: |\) \(Chain Node Output: |Router message:|\{|\}|:|@|[0-9]|a|\n|,){0,40}") {
        let _ = read(COMMANDS[command], None, &text);
    }

    #[test]
    fn cleaning_twice_is_cleaning_once(text in "(dubbo>|true|\r\n|\n| |\u{1b}\\[0m){0,12}") {
        let once = clean(&text);
        prop_assert_eq!(clean(&once), once);
    }
}
