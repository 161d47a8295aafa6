//! One HTTP connection pool to one member: GET, and the one POST that signs in. Bounded in time and size.

use std::{collections::BTreeMap, error::Error as _, io, sync::Arc, time::Duration};

use reqwest::{Client, Response, StatusCode, Url, header, redirect};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    sync::Semaphore,
    time,
};

use super::{Unobservable, answer::Heard, request::encode};
use crate::{
    model::secret::Secret,
    observe::{Deadline, Failure, choose_cryptography, probe::tcp},
    question::RegistryAddress,
    snapshot::ErrKind,
};

/// Most bytes of an answer, unpacked. 50,000 instances are a tenth of it.
pub(super) const MOST_BYTES: usize = 64 << 20;
/// Answers longer than this are read one after the other: sixteen of them at once would be a gigabyte.
const LARGE: usize = 4 << 20;
/// Redirects on the same host that are followed.
const MOST_HOPS: usize = 3;
/// How long a server may take to greet somebody it does not understand.
const PATIENCE: Duration = Duration::from_millis(1500);
/// Headers of a configuration that are kept: its age, its digest, its type.
const KEPT: [&str; 3] = ["Config-Type", "Content-MD5", "Last-Modified"];

/// How the members of an address are spoken to.
#[derive(Clone)]
pub(super) struct Http {
    client: Client,
    tls: bool,
    /// `/nacos`, or empty.
    context: String,
    /// Header by which servers of a cluster know each other, with its value.
    identity: Option<(header::HeaderName, Secret)>,
    /// Whose turn it is to read a large answer.
    large: Arc<Semaphore>,
}

impl std::fmt::Debug for Http {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Http")
            .field("tls", &self.tls)
            .field("context", &self.context)
            .finish_non_exhaustive()
    }
}

impl Http {
    /// What the address says about how to speak: TLS and its files, context path, identity header.
    ///
    /// # Errors
    /// A file of certificates or the name of a header cannot be used.
    pub(super) fn new(address: &RegistryAddress) -> Result<Self, Unobservable> {
        let mut builder = Client::builder()
            .user_agent(concat!("diag/", env!("CARGO_PKG_VERSION")))
            .no_proxy()
            .http1_only()
            .referer(false)
            .redirect(redirect::Policy::custom(same_host))
            .pool_idle_timeout(Duration::from_secs(5));
        choose_cryptography();
        let param = |name: &str| address.params.get(name).map(String::as_str);
        if !address.tls {
            // Those of the system are read and parsed otherwise, which takes longer than most questions.
            builder = builder.tls_certs_only([]);
        }
        if let Some(file) = param("tls-ca").filter(|_| address.tls) {
            let certificates = reqwest::Certificate::from_pem_bundle(&read(file)?)
                .map_err(|_| Unobservable::Tls(format!("{file}: no certificates in PEM")))?;
            builder = builder.tls_certs_only(certificates);
        }
        if address.tls {
            match (param("tls-cert"), param("tls-key")) {
                (Some(certificate), Some(key)) => {
                    let mut both = read(key)?;
                    both.extend(read(certificate)?);
                    let identity = reqwest::Identity::from_pem(&both).map_err(|_| {
                        Unobservable::Tls(format!(
                            "{certificate}, {key}: no certificate and key in PEM"
                        ))
                    })?;
                    builder = builder.identity(identity);
                }
                (None, None) => {}
                _ => {
                    return Err(Unobservable::Tls(
                        "tls-cert and tls-key belong together".to_owned(),
                    ));
                }
            }
        }
        let client = builder
            .build()
            .map_err(|error| Unobservable::Tls(innermost(&error)))?;
        Ok(Self {
            client,
            tls: address.tls,
            context: context(address),
            identity: identity(address)?,
            large: Arc::new(Semaphore::new(1)),
        })
    }

    /// Path of the API as a request sends it.
    pub(super) fn path(&self, target: &str) -> String {
        format!("{}/{target}", self.context)
    }

    /// Whether requests name us as one of the cluster's own servers.
    pub(super) fn has_identity(&self) -> bool {
        self.identity.is_some()
    }

    fn url(&self, member: &str, target: &str) -> Result<Url, Failure> {
        let scheme = if self.tls { "https" } else { "http" };
        Url::parse(&format!("{scheme}://{member}{}", self.path(target)))
            .map_err(|_| Failure::new(ErrKind::UnknownHost, "no such address can exist"))
    }

    /// GET of a path below the context path.
    ///
    /// # Errors
    /// There is no answer, or not the whole of it.
    pub(super) async fn get(
        &self,
        member: &str,
        target: &str,
        token: Option<&Secret>,
        deadline: &Deadline,
    ) -> Result<Heard, Failure> {
        let mut request = self
            .client
            .get(self.url(member, target)?)
            // A page is what servers send to whoever accepts one.
            .header(header::ACCEPT, "application/json, text/plain, */*;q=0.5");
        if let Some((name, value)) = &self.identity {
            request = request.header(name, sensitive(value)?);
        }
        if let Some(token) = token {
            let bearer = Secret::new(format!("Bearer {}", token.expose()));
            request = request.header(header::AUTHORIZATION, sensitive(&bearer)?);
        }
        let heard = async {
            let response = request.send().await.map_err(|error| lost(&error))?;
            read_whole(response, &self.large).await
        };
        match deadline.request(heard).await {
            Ok(heard) => heard,
            Err(_) => Err(Failure::new(ErrKind::Timeout, "no complete answer in time")),
        }
    }

    /// The one POST: signs in. The answer holds a token or a refusal.
    ///
    /// # Errors
    /// There is no answer.
    pub(super) async fn sign_in(
        &self,
        member: &str,
        path: &str,
        username: &str,
        password: &Secret,
        deadline: &Deadline,
    ) -> Result<Heard, Failure> {
        let mut form = "username=".to_owned();
        encode(username, &mut form);
        form.push_str("&password=");
        encode(password.expose(), &mut form);
        let request = self
            .client
            .post(self.url(member, path)?)
            .header(header::ACCEPT, "application/json, text/plain, */*;q=0.5")
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(form);
        let heard = async {
            let response = request.send().await.map_err(|error| lost(&error))?;
            read_whole(response, &self.large).await
        };
        match deadline.request(heard).await {
            Ok(heard) => heard,
            Err(_) => Err(Failure::new(ErrKind::Timeout, "no answer to the login")),
        }
    }

    /// Who answers where HTTP fails: looked at by hand, because the client only says that it did not understand.
    pub(super) async fn stranger(&self, member: &str, deadline: &Deadline) -> Option<Failure> {
        let deadline = deadline.at_most(PATIENCE);
        let mut stream = match tcp::connect(member, &deadline).await {
            Ok(stream) => stream,
            Err(failure) => return Some(failure),
        };
        if self.tls {
            return None;
        }
        let greeting = format!(
            "GET {} HTTP/1.1\r\nHost: {member}\r\nAccept: */*\r\nConnection: close\r\n\r\n",
            self.path("v3/admin/core/state")
        );
        let mut first = Vec::new();
        let _ = time::timeout(deadline.request_limit(), async {
            stream.write_all(greeting.as_bytes()).await?;
            let mut some = [0; 512];
            while first.len() < 2048 {
                match stream.read(&mut some).await? {
                    0 => break,
                    read => first.extend_from_slice(&some[..read]),
                }
            }
            io::Result::Ok(())
        })
        .await;
        recognised(&first)
    }
}

/// What the first bytes give away.
fn recognised(first: &[u8]) -> Option<Failure> {
    let text = String::from_utf8_lossy(first);
    let bad = |text: String| Some(Failure::new(ErrKind::BadAnswer, text));
    if text.contains("Unexpected HTTP/1.x request")
        || first.starts_with(&[0, 0]) && first.get(3) == Some(&4)
    {
        return bad(
            "a gRPC port answers (HTTP/2 GOAWAY): Nacos' HTTP port is the one 1000 below"
                .to_owned(),
        );
    }
    if matches!(first, [0x15, 0x03, ..]) {
        return bad("the port speaks TLS only: use nacos+https://".to_owned());
    }
    if first.is_empty() || text.starts_with("HTTP/") {
        return None;
    }
    let line: String = text
        .chars()
        .take_while(|c| !matches!(c, '\r' | '\n'))
        .take(80)
        .map(|c| {
            if c.is_control() || c == '\u{fffd}' {
                '.'
            } else {
                c
            }
        })
        .collect();
    bad(format!("another protocol than HTTP: {line}"))
}

/// Redirects lead astray: to another host they are not followed, nor to another question than the one that was asked, nor
/// with credentials in hand.
fn same_host(attempt: redirect::Attempt<'_>) -> redirect::Action {
    let same = attempt.previous().first().is_some_and(|first| {
        first.scheme() == attempt.url().scheme()
            && first.host() == attempt.url().host()
            && first.port_or_known_default() == attempt.url().port_or_known_default()
            && first.query() == attempt.url().query()
            && !first.path().ends_with("/login")
    });
    if same && attempt.previous().len() <= MOST_HOPS {
        attempt.follow()
    } else {
        attempt.stop()
    }
}

async fn read_whole(mut response: Response, large: &Semaphore) -> Result<Heard, Failure> {
    let headers = response.headers();
    let text = |name: header::HeaderName| {
        headers
            .get(name)
            .and_then(|value| value.to_str().ok())
            .map(str::to_owned)
    };
    let content_type = text(header::CONTENT_TYPE).unwrap_or_default();
    let content_type = content_type
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase();
    let kept: BTreeMap<String, String> = KEPT
        .iter()
        .filter_map(|name| {
            let value = headers.get(*name)?.to_str().ok()?;
            Some(((*name).to_owned(), value.to_owned()))
        })
        .collect();
    // What is announced may be a lie: no more is set aside than any answer may take anyway.
    let announced = response.content_length().unwrap_or_default();
    let room = usize::try_from(announced).unwrap_or(LARGE).min(LARGE);
    let mut heard = Heard {
        status: response.status().as_u16(),
        content_type,
        location: text(header::LOCATION),
        headers: kept,
        body: Vec::with_capacity(room),
    };
    if response.status() == StatusCode::NO_CONTENT {
        return Ok(heard);
    }
    let mut turn = None;
    loop {
        if turn.is_none() && heard.body.len() > LARGE {
            // Never closed.
            turn = large.acquire().await.ok();
        }
        match response.chunk().await {
            Ok(Some(chunk)) if heard.body.len() + chunk.len() > MOST_BYTES => {
                return Err(Failure::new(
                    ErrKind::TooLarge,
                    format!("more than {} MiB", MOST_BYTES >> 20),
                ));
            }
            Ok(Some(chunk)) => heard.body.extend_from_slice(&chunk),
            Ok(None) => return Ok(heard),
            Err(error) => {
                return Err(match kind_inside(&error) {
                    Some(io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput)
                        if innermost(&error).contains("chunk") =>
                    {
                        Failure::new(ErrKind::BadAnswer, "the chunks of the answer are broken")
                    }
                    Some(io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput) => {
                        Failure::new(ErrKind::BadAnswer, "the packed answer cannot be unpacked")
                    }
                    _ => Failure::new(
                        ErrKind::Cut,
                        format!(
                            "the connection ended within the answer, after {} bytes",
                            heard.body.len()
                        ),
                    ),
                });
            }
        }
    }
}

/// Why there was no answer at all.
fn lost(error: &reqwest::Error) -> Failure {
    if let Some(inner) = find::<io::Error>(error) {
        // What TLS dislikes comes as bad data, or within another error.
        if is_of_tls(inner) || inner.kind() == io::ErrorKind::InvalidData {
            return Failure::new(ErrKind::BadAnswer, format!("TLS: {}", innermost(error)));
        }
        return tcp::io_failure(inner);
    }
    if find::<rustls::Error>(error).is_some() {
        return Failure::new(ErrKind::BadAnswer, format!("TLS: {}", innermost(error)));
    }
    if error.is_connect() {
        return Failure::new(ErrKind::Unreachable, innermost(error));
    }
    Failure::new(
        ErrKind::Reset,
        "closed the connection without an HTTP answer",
    )
}

/// Whether an error of the connection is TLS' own, however often it is wrapped.
fn is_of_tls(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|cause| {
        cause.is::<rustls::Error>() || cause.downcast_ref::<io::Error>().is_some_and(is_of_tls)
    })
}

fn kind_inside(error: &reqwest::Error) -> Option<io::ErrorKind> {
    find::<io::Error>(error).map(io::Error::kind)
}

/// The first cause of a kind.
fn find<E: std::error::Error + 'static>(error: &reqwest::Error) -> Option<&E> {
    let mut cause = error.source();
    while let Some(error) = cause {
        if let Some(found) = error.downcast_ref::<E>() {
            return Some(found);
        }
        cause = error.source();
    }
    None
}

/// The words of the deepest cause: those around it name the URL.
fn innermost(error: &reqwest::Error) -> String {
    let mut text = String::new();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = error.to_string();
        cause = error.source();
    }
    if text.is_empty() {
        "no connection".to_owned()
    } else {
        text
    }
}

fn sensitive(secret: &Secret) -> Result<header::HeaderValue, Failure> {
    let mut value = header::HeaderValue::from_str(secret.expose()).map_err(|_| {
        Failure::new(
            ErrKind::Denied,
            "the credentials cannot stand in an HTTP header",
        )
    })?;
    value.set_sensitive(true);
    Ok(value)
}

/// The context path: that of the address, or Nacos' own. An empty one means none.
fn context(address: &RegistryAddress) -> String {
    match address.path.as_deref().map(|path| path.trim_matches('/')) {
        None => "/nacos".to_owned(),
        Some("") => String::new(),
        Some(path) => path.split('/').fold(String::new(), |mut out, part| {
            out.push('/');
            encode(part, &mut out);
            out
        }),
    }
}

/// `identity-key` names the header (`nacos.core.auth.server.identity.key`), `identity-secret` is its value.
fn identity(
    address: &RegistryAddress,
) -> Result<Option<(header::HeaderName, Secret)>, Unobservable> {
    let param = |name: &str| address.params.get(name);
    match (param("identity-key"), param("identity-secret")) {
        (Some(key), Some(value)) => {
            let name = header::HeaderName::from_bytes(key.as_bytes())
                .ok()
                .filter(|name| {
                    ![header::HOST, header::AUTHORIZATION, header::CONTENT_LENGTH].contains(name)
                        && !["client-ip", "x-forwarded-for"].contains(&name.as_str())
                })
                .ok_or_else(|| Unobservable::Identity(key.clone()))?;
            Ok(Some((name, Secret::new(value.as_str()))))
        }
        (None, None) => Ok(None),
        _ => Err(Unobservable::IdentityHalf),
    }
}

#[expect(clippy::disallowed_methods, reason = "certificates are files")]
fn read(file: &str) -> Result<Vec<u8>, Unobservable> {
    std::fs::read(file).map_err(|error| Unobservable::Tls(format!("{file}: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> RegistryAddress {
        RegistryAddress::parse(text).unwrap()
    }

    #[test]
    fn context_paths() {
        for (text, path) in [
            ("nacos://h:8848", "/nacos/x"),
            ("nacos://h:8848/registry", "/registry/x"),
            ("nacos://h:8848?contextPath=/a/b/", "/a/b/x"),
            ("nacos://h:8848?contextPath=/", "/x"),
            ("nacos://h:8848/", "/nacos/x"),
        ] {
            assert_eq!(Http::new(&parse(text)).unwrap().path("x"), path, "{text}");
        }
    }

    #[test]
    fn strangers_are_recognised_by_their_first_bytes() {
        let goaway = b"\0\0\x12\x04\0\0\0\0\0\0\x03Unexpected HTTP/1.x request: GET /nacos/";
        let said = |bytes: &[u8]| recognised(bytes).and_then(|failure| failure.text);
        assert!(said(goaway).unwrap().contains("gRPC"));
        assert!(said(&[0x15, 0x03, 0x01, 0, 2]).unwrap().contains("TLS"));
        assert!(
            said(b"SSH-2.0-OpenSSH_9.2\r\n")
                .unwrap()
                .ends_with(": SSH-2.0-OpenSSH_9.2")
        );
        assert_eq!(said(b""), None);
        assert_eq!(said(b"HTTP/1.1 200"), None);
    }

    #[test]
    fn the_identity_header_is_whole_and_never_shown() {
        let http = Http::new(&parse(
            "nacos://h:8848?identity-key=lab&identity-secret=s3cret",
        ))
        .unwrap();
        assert!(http.has_identity());
        assert!(!format!("{http:?}").contains("s3cret"));
        assert_eq!(
            Http::new(&parse("nacos://h:8848?identity-key=lab")).unwrap_err(),
            Unobservable::IdentityHalf
        );
        assert!(
            Http::new(&parse(
                "nacos://h:8848?identity-key=Client-IP&identity-secret=x"
            ))
            .is_err()
        );
    }
}
