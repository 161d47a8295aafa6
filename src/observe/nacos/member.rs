//! One member of the address: which generation it is, signed in where that is needed, asked one thing at a time.

use std::sync::{
    Mutex as Plain, PoisonError,
    atomic::{AtomicBool, Ordering},
};

use serde_json::Value;
use tokio::sync::Mutex;

use super::{
    answer::{self, Heard, Meaning},
    generation::Generation,
    http::Http,
};
use crate::{
    model::secret::{MASK, Secret},
    observe::{Deadline, Failure, probe::tcp},
    snapshot::{ErrKind, Key, Line, Payload},
};

/// Name and password, or nothing.
#[derive(Debug, Clone, Default)]
pub(super) struct Login {
    pub(super) username: Option<String>,
    pub(super) password: Option<Secret>,
}

/// A token, and how often one was fetched.
#[derive(Debug, Default)]
struct Pass {
    token: Option<Secret>,
    /// Grows with every login; whoever was refused with an older token tries the newer one.
    number: u32,
    /// Why there is none: in the words of whoever refused the login, or what kept it from being answered.
    refused: Option<String>,
}

/// So often a run signs in to one member: at first, and when the token expires on the way.
const MOST_LOGINS: u32 = 4;

/// The state of 3.x, open to everybody.
const STATE_3: &str = "v3/admin/core/state";
/// The state of 1.x and 2.x, open to everybody.
const STATE: &str = "v1/console/server/state";
/// Answered by all of them, r-nacos included.
const METRICS: &str = "v1/ns/operator/metrics";

/// A member that answers as Nacos does.
pub(super) struct Member {
    pub(super) address: String,
    pub(super) generation: Generation,
    /// As it tells; r-nacos tells none.
    pub(super) version: Option<String>,
    http: Http,
    login: Login,
    pass: Mutex<Pass>,
    lost: Plain<Option<Failure>>,
    /// Its loss was told.
    told: AtomicBool,
    /// The API by which it told its state.
    api: Option<String>,
    closed: AtomicBool,
}

impl std::fmt::Debug for Member {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Member")
            .field("address", &self.address)
            .field("generation", &self.generation)
            .finish_non_exhaustive()
    }
}

/// How a probe turned out.
enum Probe {
    /// The member is known.
    Is(Generation, Option<String>, Box<Line>),
    /// The next probe decides.
    Next,
    /// It is Nacos that says in its own words that it has switched this off; the next probe decides.
    Off(Failure),
    /// It is no Nacos, or lets nobody in.
    Not(Failure),
}

impl Member {
    /// Finds out who answers at `address`. The line is what it said of itself.
    ///
    /// # Errors
    /// Nobody, somebody else, or Nacos that does not let us in or is not ready.
    pub(super) async fn open(
        address: &str,
        http: &Http,
        login: &Login,
        deadline: &Deadline,
    ) -> Result<(Self, Line), Failure> {
        // The plain connection tells unknown hosts, closed ports and silence apart.
        drop(tcp::connect(address, deadline).await?);
        let first = Self::find_out(address, http, None, deadline).await;
        let (generation, version, line, token) = match first {
            Ok((generation, version, line)) => (generation, version, line, None),
            // r-nacos with a login tells strangers nothing at all.
            Err(failure) if failure.kind == ErrKind::Denied && login.username.is_some() => {
                let token = sign_in(address, http, Generation::Rnacos, login, deadline).await?;
                let (generation, version, line) =
                    Self::find_out(address, http, Some(&token), deadline).await?;
                (generation, version, line, Some(token))
            }
            Err(failure) => return Err(failure),
        };
        let mut pass = Pass {
            number: u32::from(token.is_some()),
            token,
            refused: None,
        };
        if pass.token.is_none() && login.username.is_some() {
            // A server without authentication refuses logins and answers all the same.
            match sign_in(address, http, generation, login, deadline).await {
                Ok(token) => pass.token = Some(token),
                Err(failure) => pass.refused = Some(not_in(failure)),
            }
            pass.number = 1;
        }
        let member = Self {
            address: address.to_owned(),
            generation,
            version,
            http: http.clone(),
            login: login.clone(),
            pass: Mutex::new(pass),
            lost: Plain::new(None),
            told: AtomicBool::new(false),
            api: line.field("api").and_then(Value::as_str).map(str::to_owned),
            closed: AtomicBool::new(false),
        };
        Ok((member, line))
    }

    async fn find_out(
        address: &str,
        http: &Http,
        token: Option<&Secret>,
        deadline: &Deadline,
    ) -> Result<(Generation, Option<String>, Line), Failure> {
        let (mut refused, mut off) = (None, None);
        for api in [STATE_3, STATE, METRICS] {
            let heard = match http.get(address, api, token, deadline).await {
                Ok(heard) => heard,
                Err(failure) if matches!(failure.kind, ErrKind::Reset | ErrKind::Cut) => {
                    return Err(http.stranger(address, deadline).await.unwrap_or(failure));
                }
                Err(failure) => return Err(failure),
            };
            match probed(api, &heard) {
                Probe::Is(generation, version, line) => return Ok((generation, version, *line)),
                Probe::Next => {}
                Probe::Off(failure) => {
                    off.get_or_insert(failure);
                }
                Probe::Not(failure) if failure.kind == ErrKind::Denied => {
                    refused.get_or_insert(failure);
                }
                Probe::Not(failure) => return Err(failure),
            }
        }
        Err(refused.or(off).unwrap_or_else(|| {
            Failure::new(
                ErrKind::BadAnswer,
                format!(
                    "an HTTP server without the API of Nacos below {}",
                    http.path("")
                ),
            )
        }))
    }

    /// Why nothing more can be had from it.
    pub(super) fn lost(&self) -> Option<Failure> {
        self.lost
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Takes it for lost after a question that nobody answered. When that is new, returns its state now.
    pub(super) fn lose(&self, line: &Line) -> Option<Line> {
        let kind = line.err_kind()?;
        let is_gone = matches!(
            kind,
            ErrKind::Refused | ErrKind::Unreachable | ErrKind::Timeout | ErrKind::Reset
        );
        if !is_gone || self.told.swap(true, Ordering::Relaxed) {
            return None;
        }
        let failure = Failure {
            kind: kind.clone(),
            text: line.err_text().map(str::to_owned),
        };
        let mut lost = self.lost.lock().unwrap_or_else(PoisonError::into_inner);
        let state = Line::new(Key::NacosState, lost.get_or_insert(failure).payload());
        // Under the same name as the state that it takes the place of.
        Some(match &self.api {
            Some(api) => state.with("api", api.as_str()),
            None => state,
        })
    }

    /// Asks no more.
    pub(super) fn close(&self) {
        self.closed.store(true, Ordering::Relaxed);
    }

    /// What it answers to a GET, and what that means. Signs in again when the token has expired meanwhile.
    pub(super) async fn ask(
        &self,
        key: &Key,
        api: &str,
        target: &str,
        deadline: &Deadline,
    ) -> (Option<Heard>, Meaning) {
        loop {
            let (token, number) = {
                let pass = self.pass.lock().await;
                (pass.token.clone(), pass.number)
            };
            if self.closed.load(Ordering::Relaxed) {
                let failure = Failure::new(ErrKind::Timeout, "stopped");
                return (None, Meaning::Failure(failure));
            }
            let mut heard = match self
                .http
                .get(&self.address, target, token.as_ref(), deadline)
                .await
            {
                Ok(heard) => heard,
                Err(failure) => {
                    if matches!(failure.kind, ErrKind::Refused | ErrKind::Unreachable) {
                        *self.lost.lock().unwrap_or_else(PoisonError::into_inner) =
                            Some(failure.clone());
                    }
                    return (None, Meaning::Failure(failure));
                }
            };
            let mut meaning = answer::meaning(key, api, &mut heard);
            if let (Meaning::Failure(failure) | Meaning::NoSuchApi(failure), Some(token)) =
                (&mut meaning, &token)
            {
                // A refusal may repeat what it refuses.
                failure.text = failure
                    .text
                    .take()
                    .map(|text| text.replace(token.expose(), MASK));
            }
            if let Meaning::Failure(failure) = &mut meaning
                && failure.kind == ErrKind::Denied
            {
                // The number of logins is bounded, and with it how often this is tried.
                if is_about_token(&heard) && self.renew(number, deadline).await {
                    continue;
                }
                // What the login was told says more than what strangers are told.
                if let Some(refused) = &self.pass.lock().await.refused {
                    failure.text = Some(refused.clone());
                }
            }
            return (Some(heard), meaning);
        }
    }

    /// A newer token than that of `number`, unless nobody can sign in. Returns whether there is one.
    async fn renew(&self, number: u32, deadline: &Deadline) -> bool {
        let mut pass = self.pass.lock().await;
        if pass.number > number {
            return pass.token.is_some();
        }
        if pass.token.is_none() || pass.number >= MOST_LOGINS {
            return false;
        }
        pass.number += 1;
        match sign_in(
            &self.address,
            &self.http,
            self.generation,
            &self.login,
            deadline,
        )
        .await
        {
            Ok(token) => {
                pass.token = Some(token);
                true
            }
            Err(failure) => {
                pass.token = None;
                pass.refused = Some(not_in(failure));
                false
            }
        }
    }
}

/// Why there is no token. Credentials are to blame only where somebody refused them.
fn not_in(failure: Failure) -> String {
    let kind = failure.kind;
    let text = failure.text.unwrap_or_else(|| kind.to_string());
    if kind == ErrKind::Denied {
        format!("the login was refused: {text}")
    } else {
        format!("the login was not answered: {text}")
    }
}

/// Tells a token that is no longer good from a right that is not there: only the first is worth a new login.
fn is_about_token(heard: &Heard) -> bool {
    let text = String::from_utf8_lossy(&heard.body).to_ascii_lowercase();
    [
        "token",
        "invalid signature",
        "unknown user",
        "user not found",
    ]
    .iter()
    .any(|word| text.contains(word))
}

/// What a probe's answer says about the server.
fn probed(api: &str, heard: &Heard) -> Probe {
    let text = String::from_utf8_lossy(&heard.body);
    let line = || {
        let mut line =
            Line::new(Key::NacosState, Payload::verbatim(heard.body.clone())).with("api", api);
        line.http = Some(heard.status);
        line
    };
    if heard.status == 200 {
        let value = serde_json::from_slice::<Value>(&heard.body).ok();
        let version = value.as_ref().and_then(|value| {
            let inside = if api == STATE_3 {
                value.get("data")?
            } else {
                value
            };
            inside.get("version")?.as_str().map(str::to_owned)
        });
        if let Some(generation) = version.as_deref().and_then(Generation::of_version) {
            return Probe::Is(generation, version, Box::new(line()));
        }
        // Whoever has neither state and still counts like Nacos.
        let status = value.as_ref().and_then(|value| value.get("status"));
        if api == METRICS && status.is_some_and(Value::is_string) {
            return Probe::Is(Generation::Rnacos, None, Box::new(line()));
        }
        return match answer::meaning(&Key::NacosState, api, &mut heard.clone()) {
            Meaning::Failure(failure) | Meaning::NoSuchApi(failure) => Probe::Not(failure),
            Meaning::Answer { .. } => Probe::Not(answer::page(heard, &text)),
        };
    }
    // 404 on the first probe is what all but 3.x say.
    match answer::refusal(heard, &text) {
        Meaning::NoSuchApi(failure) if answer::is_deprecation(&heard.body) => Probe::Off(failure),
        Meaning::NoSuchApi(_) | Meaning::Answer { .. } => Probe::Next,
        Meaning::Failure(failure) if failure.kind == ErrKind::NotFound => Probe::Next,
        Meaning::Failure(failure) => Probe::Not(failure),
    }
}

/// A token.
///
/// # Errors
/// `denied` with the server's words, or no answer.
async fn sign_in(
    address: &str,
    http: &Http,
    generation: Generation,
    login: &Login,
    deadline: &Deadline,
) -> Result<Secret, Failure> {
    let username = login.username.as_deref().unwrap_or_default();
    let none = Secret::new("");
    let password = login.password.as_ref().unwrap_or(&none);
    let mut last = Failure::new(ErrKind::Denied, "no way to sign in");
    for path in generation.logins() {
        let heard = http
            .sign_in(address, path, username, password, deadline)
            .await?;
        let value = serde_json::from_slice::<Value>(&heard.body).ok();
        let token = value.as_ref().and_then(|value| {
            let inside = value.get("data").filter(|data| data.is_object());
            inside.unwrap_or(value).get("accessToken")?.as_str()
        });
        match token {
            Some(token) if heard.status == 200 && !token.is_empty() => {
                return Ok(Secret::new(token));
            }
            _ if heard.status == 200 => {
                let text = String::from_utf8_lossy(&heard.body);
                return Err(if answer::is_page(&heard, &text) {
                    answer::page(&heard, &text)
                } else {
                    Failure::new(ErrKind::Denied, "the answer to the login has no token")
                });
            }
            _ => {}
        }
        let text = String::from_utf8_lossy(&heard.body);
        last = match answer::refusal(&heard, &text) {
            // 2.x and 3.x refuse a login with 500 as well as with 403, and in many words.
            Meaning::Failure(failure)
                if !matches!(failure.kind, ErrKind::Unreachable | ErrKind::NotReady)
                    && !answer::is_page(&heard, &text)
                    && !matches!(heard.status, 300..=399) =>
            {
                Failure {
                    kind: ErrKind::Denied,
                    ..failure
                }
            }
            Meaning::Failure(failure) => return Err(failure),
            Meaning::NoSuchApi(_) | Meaning::Answer { .. } => Failure::new(
                ErrKind::Denied,
                format!("the server has no login at {path}"),
            ),
        };
        if !matches!(heard.status, 404 | 405 | 410 | 501) {
            break;
        }
    }
    Err(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(status: u16, body: &str) -> Heard {
        Heard {
            status,
            body: body.into(),
            ..Heard::default()
        }
    }

    #[test]
    fn generations_are_told_by_what_they_say() {
        let is = |api: &str, status, body: &str| match probed(api, &heard(status, body)) {
            Probe::Is(generation, ..) => generation.name().to_owned(),
            Probe::Next => "next".to_owned(),
            Probe::Off(failure) => format!("off {}", failure.kind),
            Probe::Not(failure) => failure.kind.to_string(),
        };
        assert_eq!(
            is(STATE_3, 200, r#"{"code":0,"data":{"version":"3.0.3"}}"#),
            "Nacos 3.x"
        );
        let moved = r#"{"code":40000,"message":"Current API will be deprecated","data":null}"#;
        assert_eq!(is(STATE, 410, moved), "off switched-off");
        assert_eq!(is(STATE, 410, "{}"), "next");
        assert_eq!(
            is(
                STATE_3,
                404,
                r#"{"status":404,"message":"No message available"}"#
            ),
            "next"
        );
        assert_eq!(is(STATE_3, 404, ""), "next");
        assert_eq!(is(STATE_3, 403, "{}"), "denied");
        assert_eq!(
            is(STATE_3, 500, "caused: No static resource nacos/v3/x.;"),
            "bad-answer"
        );
        assert_eq!(is(STATE, 200, r#"{"version":"1.4.8"}"#), "Nacos 1.x");
        assert_eq!(is(STATE, 200, r#"{"version":"2.5.1"}"#), "Nacos 2.x");
        assert_eq!(is(STATE, 200, "[]"), "bad-answer");
        assert_eq!(is(METRICS, 200, r#"{"status":"UP"}"#), "r-nacos");
        assert_eq!(is(METRICS, 503, "server is STARTING now"), "not-ready");
    }

    #[test]
    fn a_missing_right_is_no_expired_token() {
        assert!(is_about_token(&heard(
            403,
            "Code: 401, Message: token expired!."
        )));
        assert!(!is_about_token(&heard(
            403,
            r#"{"message":"authorization failed!"}"#
        )));
    }
}
