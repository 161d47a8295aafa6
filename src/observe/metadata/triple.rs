//! The call over triple: one unary request on HTTP/2, its arguments in hessian2 inside a message of protobuf
//! (`TripleRequestWrapper`); where an instance of 3.3 exports only the second form of the service, that one.

use std::net::SocketAddr;

use bytes::Bytes;
use h2::{RecvStream, client};
use http::{HeaderMap, Request, Uri};
use serde_json::Value;

use super::{
    Asked, METHOD, MOST_BYTES, SERVICE, VERSION,
    hessian::{Reader, put_text},
    nothing,
    protobuf::{self, Field, fields, put},
    refusal,
};
use crate::{
    observe::{Deadline, Failure, probe::connected},
    snapshot::ErrKind,
};

/// The service of 3.3 whose messages are protobuf.
const SERVICE_V2: &str = "org.apache.dubbo.metadata.MetadataServiceV2";
const METHOD_V2: &str = "GetMetadataInfo";
const VERSION_V2: &str = "2.0.0";
/// `grpc-status` of a method that is not there.
const UNIMPLEMENTED: u32 = 12;
/// `grpc-status` of something that is not there.
const NOT_FOUND: u32 = 5;
const UNAUTHENTICATED: u32 = 16;
const PERMISSION_DENIED: u32 = 7;

/// One of the two forms of the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Wrapped,
    Messages,
}

impl Form {
    fn path(self) -> String {
        match self {
            Self::Wrapped => ["/", SERVICE, "/", METHOD].concat(),
            Self::Messages => ["/", SERVICE_V2, "/", METHOD_V2].concat(),
        }
    }

    fn version(self) -> &'static str {
        match self {
            Self::Wrapped => VERSION,
            Self::Messages => VERSION_V2,
        }
    }

    fn message(self, revision: &str) -> Vec<u8> {
        let mut message = Vec::new();
        match self {
            Self::Wrapped => {
                let mut argument = Vec::new();
                put_text(&mut argument, revision);
                put(&mut message, 1, b"hessian4");
                put(&mut message, 2, &argument);
                put(&mut message, 3, b"java.lang.String");
            }
            Self::Messages => put(&mut message, 1, revision.as_bytes()),
        }
        message
    }

    fn read(self, message: &[u8]) -> Result<String, Failure> {
        let bad = |what: String| Failure::new(ErrKind::BadAnswer, what);
        match self {
            Self::Messages => protobuf::metadata(message)
                .map(|value| value.to_string())
                .map_err(|error| bad(format!("the answer is {error}"))),
            Self::Wrapped => {
                let (mut serialization, mut data): (&[u8], &[u8]) = (b"", &[]);
                let found =
                    fields(message).map_err(|error| bad(format!("the answer is {error}")))?;
                for (number, field) in found {
                    match (number, field) {
                        (1, Field::Bytes(bytes)) => serialization = bytes,
                        (2, Field::Bytes(bytes)) => data = bytes,
                        _ => {}
                    }
                }
                if data.is_empty() {
                    return Err(nothing());
                }
                if !serialization.starts_with(b"hessian") {
                    return Err(bad(OTHER_SERIALIZATION.to_owned()));
                }
                match Reader::new(data).value() {
                    Ok(Value::Null) => Err(nothing()),
                    Ok(value) => Ok(value.to_string()),
                    Err(error) => Err(bad(format!("the answer is no hessian2: {error}"))),
                }
            }
        }
    }
}

const OTHER_SERIALIZATION: &str = "the answer is in a serialization that is not read";

/// Calls, on a connection of its own for each form.
///
/// # Errors
/// What the connection did or the other side said.
pub(super) async fn call(
    socket: SocketAddr,
    asked: Asked<'_>,
    deadline: &Deadline,
) -> Result<String, Failure> {
    let first = match form(socket, asked, Form::Wrapped, deadline).await {
        Ok(text) => return Ok(text),
        Err(failure) => failure,
    };
    let other =
        first.kind == ErrKind::NotFound || first.text.as_deref() == Some(OTHER_SERIALIZATION);
    if !other || deadline.passed() {
        return Err(first);
    }
    form(socket, asked, Form::Messages, deadline)
        .await
        .map_err(|_| first)
}

async fn form(
    socket: SocketAddr,
    asked: Asked<'_>,
    form: Form,
    deadline: &Deadline,
) -> Result<String, Failure> {
    let stream = connected(socket, deadline).await?;
    let exchange = async {
        let (mut sender, connection) = client::handshake(stream).await.map_err(|e| failed(&e))?;
        let talk = async {
            let request = request(socket, asked, form)?;
            let (response, mut body) = sender
                .send_request(request, false)
                .map_err(|error| failed(&error))?;
            let message = form.message(asked.revision);
            let length = u32::try_from(message.len()).unwrap_or(u32::MAX);
            let mut framed = vec![0];
            framed.extend(length.to_be_bytes());
            framed.extend(message);
            body.send_data(Bytes::from(framed), true)
                .map_err(|error| failed(&error))?;
            let response = response.await.map_err(|error| failed(&error))?;
            let status = response.status().as_u16();
            let (head, body) = response.into_parts();
            answer(status, &head.headers, body).await
        };
        // The connection works only while somebody asks it to.
        tokio::select! {
            answered = talk => answered,
            ended = connection => Err(match ended {
                Ok(()) => Failure::new(ErrKind::Reset, "closed the connection without an answer"),
                Err(error) => failed(&error),
            }),
        }
    };
    let message = deadline
        .request(exchange)
        .await
        .map_err(|_| Failure::new(ErrKind::Timeout, "connected, and no answer to the call"))??;
    form.read(&message)
}

fn request(socket: SocketAddr, asked: Asked<'_>, form: Form) -> Result<Request<()>, Failure> {
    let unsayable = || {
        Failure::new(
            ErrKind::BadAnswer,
            "the name of the application cannot stand in a request",
        )
    };
    let uri = Uri::builder()
        .scheme("http")
        .authority(socket.to_string())
        .path_and_query(form.path())
        .build()
        .map_err(|_| unsayable())?;
    Request::post(uri)
        .header("content-type", "application/grpc+proto")
        .header("te", "trailers")
        .header("tri-service-version", form.version())
        .header("tri-service-group", asked.application)
        .header("tri-consumer-appname", env!("CARGO_PKG_NAME"))
        .body(())
        .map_err(|_| unsayable())
}

/// The message of an answer, or the refusal in its headers.
async fn answer(
    status: u16,
    headers: &HeaderMap,
    mut body: RecvStream,
) -> Result<Vec<u8>, Failure> {
    if let Some(refused) = refused(headers) {
        return Err(refused);
    }
    if status == 404 {
        return Err(Failure::new(ErrKind::NotFound, "HTTP 404"));
    }
    if status != 200 {
        return Err(Failure::new(ErrKind::BadAnswer, format!("HTTP {status}")));
    }
    let mut bytes = Vec::new();
    while let Some(part) = body.data().await {
        let part = part.map_err(|error| failed(&error))?;
        let _ = body.flow_control().release_capacity(part.len());
        bytes.extend_from_slice(&part);
        if bytes.len() > MOST_BYTES {
            return Err(Failure::new(
                ErrKind::TooLarge,
                format!("more than {MOST_BYTES} bytes"),
            ));
        }
    }
    let trailers = body.trailers().await.map_err(|error| failed(&error))?;
    if let Some(refused) = trailers.as_ref().and_then(refused) {
        return Err(refused);
    }
    message(&bytes).map(<[u8]>::to_vec).ok_or_else(|| {
        Failure::new(
            ErrKind::BadAnswer,
            "the answer is no uncompressed message of gRPC",
        )
    })
}

/// The message in a frame of gRPC.
fn message(bytes: &[u8]) -> Option<&[u8]> {
    let (head, rest) = bytes.split_at_checked(5)?;
    let length = u32::from_be_bytes([head[1], head[2], head[3], head[4]]);
    (head[0] == 0)
        .then(|| rest.get(..usize::try_from(length).ok()?))
        .flatten()
}

/// A status that is no success.
fn refused(headers: &HeaderMap) -> Option<Failure> {
    let status: u32 = headers.get("grpc-status")?.to_str().ok()?.parse().ok()?;
    if status == 0 {
        return None;
    }
    let words = headers
        .get("grpc-message")
        .and_then(|value| value.to_str().ok())
        .unwrap_or("no words");
    let failure = refusal(words);
    let kind = match status {
        UNIMPLEMENTED | NOT_FOUND => ErrKind::NotFound,
        UNAUTHENTICATED | PERMISSION_DENIED => ErrKind::Denied,
        _ => failure.kind,
    };
    Some(Failure { kind, ..failure })
}

/// What the connection of HTTP/2 did.
fn failed(error: &h2::Error) -> Failure {
    match error.get_io() {
        Some(io) => super::super::probe::tcp::io_failure(io),
        None => Failure::new(ErrKind::BadAnswer, format!("HTTP/2: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_frame_of_grpc_holds_one_message() {
        assert_eq!(message(&[0, 0, 0, 0, 2, 7, 8, 9]), Some(&[7, 8][..]));
        assert_eq!(message(&[1, 0, 0, 0, 2, 7, 8]), None);
        assert_eq!(message(&[0, 0, 0, 0, 2, 7]), None);
        assert_eq!(message(&[0]), None);
    }

    #[test]
    fn null_is_nothing() {
        let mut wrapped = Vec::new();
        put(&mut wrapped, 1, b"hessian4");
        put(&mut wrapped, 2, b"N");
        assert_eq!(Form::Wrapped.read(&wrapped), Err(nothing()));
        assert_eq!(Form::Wrapped.read(&[]), Err(nothing()));
    }

    proptest! {
        #[test]
        fn any_message_is_read(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
            let _ = message(&bytes);
            let _ = Form::Wrapped.read(&bytes);
            let _ = Form::Messages.read(&bytes);
        }
    }
}
