//! Takes away what a telnet session puts around an answer.

/// The banner of every line (`Welcome.txt` of `dubbo-qos`), blanks at the ends left out.
const BANNER: [&str; 4] = [
    r"___   __  __ ___   ___   ____",
    r"/ _ \ / / / // _ ) / _ ) / __ \",
    r"/ // // /_/ // _  |/ _  |/ /_/ /",
    r"/____/ \____//____//____/ \____/",
];

const PROMPT: &str = "dubbo>";

/// The answer alone: without banner, prompts, escape sequences of terminals and empty lines around it; line ends are LF.
///
/// The banner comes 500 ms after the connection and so may stand before, between and behind answers
/// (`QosProcessHandler`); an answer that comes in two parts has a prompt between them (`count`).
pub fn clean(text: &str) -> String {
    let text = without_escapes(text)
        .replace("\r\n", "\n")
        .replace('\r', "\n");
    let mut lines: Vec<&str> = Vec::new();
    for line in text.split('\n') {
        let mut rest = line;
        while let Some(behind) = rest.strip_prefix(PROMPT) {
            rest = behind;
        }
        if BANNER.contains(&rest.trim()) {
            continue;
        }
        lines.push(rest.trim_end());
    }
    let is_blank = |line: &&&str| line.is_empty();
    let before = lines.iter().take_while(is_blank).count();
    let behind = lines[before..].iter().rev().take_while(is_blank).count();
    lines[before..lines.len() - behind].join("\n")
}

/// Without `ESC [ .. letter` and without other control characters than line ends and tabs.
fn without_escapes(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut signs = text.chars().peekable();
    while let Some(sign) = signs.next() {
        if sign == '\u{1b}' {
            if signs.next_if_eq(&'[').is_some() {
                for part in signs.by_ref() {
                    if ('\u{40}'..='\u{7e}').contains(&part) {
                        break;
                    }
                }
            }
        } else if !sign.is_control() || matches!(sign, '\n' | '\r' | '\t') {
            out.push(sign);
        }
    }
    out
}
