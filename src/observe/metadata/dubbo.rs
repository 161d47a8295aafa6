//! The call over the dubbo protocol: one request in hessian2 (`DubboCodec.encodeRequestData`), its response.

use serde_json::Value;
use tokio::net::TcpStream;

use super::{
    Asked, METHOD, MOST_BYTES, SERVICE, VERSION,
    hessian::{Reader, put_map, put_text},
    nothing, refusal,
};
use crate::{
    observe::{
        Deadline, Failure,
        probe::dubbo::{Frame, Talk},
    },
    snapshot::ErrKind,
};

/// Version of the protocol in the body of a request.
const PROTOCOL: &str = "2.0.2";
/// Status of a response that has a result.
const OK: u8 = 20;
const ID: u64 = 1;

/// Calls on a connection that is there.
///
/// # Errors
/// What the connection did or the other side said.
pub(super) async fn call(
    stream: TcpStream,
    asked: Asked<'_>,
    deadline: &Deadline,
) -> Result<String, Failure> {
    let mut talk = Talk::new(stream, MOST_BYTES);
    let exchange = async {
        talk.send(&Frame::request(ID, request(asked))).await?;
        talk.answer(ID).await
    };
    let frame = deadline
        .request(exchange)
        .await
        .map_err(|_| Failure::new(ErrKind::Timeout, "connected, and no answer to the call"))??;
    response(&frame)
}

fn request(asked: Asked<'_>) -> Vec<u8> {
    let mut body = Vec::new();
    for text in [PROTOCOL, SERVICE, VERSION, METHOD, "Ljava/lang/String;"] {
        put_text(&mut body, text);
    }
    put_text(&mut body, asked.revision);
    put_map(
        &mut body,
        &[
            ("path", SERVICE),
            ("interface", SERVICE),
            ("version", VERSION),
            ("group", asked.application),
            ("remote.application", env!("CARGO_PKG_NAME")),
        ],
    );
    body
}

/// What a response says: the number in front of the result tells what follows (`DubboCodec`).
fn response(frame: &Frame) -> Result<String, Failure> {
    if frame.serialization() != 2 {
        return Err(Failure::new(
            ErrKind::BadAnswer,
            format!(
                "the answer is in serialization {}, hessian2 was asked for",
                frame.serialization()
            ),
        ));
    }
    let bad = |error: super::hessian::BadHessian| {
        Failure::new(
            ErrKind::BadAnswer,
            format!("the answer is no hessian2: {error}"),
        )
    };
    let mut reader = Reader::new(&frame.body);
    let first = reader.value().map_err(bad)?;
    if frame.status != OK {
        let words = first.as_str().unwrap_or("no words");
        return Err(refusal(words));
    }
    match first.as_u64() {
        // An exception, without and with attachments.
        Some(0 | 3) => {
            let thrown = reader.value().map_err(bad)?;
            Err(refusal(
                thrown
                    .get("detailMessage")
                    .and_then(Value::as_str)
                    .unwrap_or("an exception without words"),
            ))
        }
        Some(1 | 4) => match reader.value().map_err(bad)? {
            Value::Null => Err(nothing()),
            value => Ok(value.to_string()),
        },
        Some(2 | 5) => Err(nothing()),
        _ => Err(Failure::new(
            ErrKind::BadAnswer,
            "the answer has a result of no known kind",
        )),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn answered(status: u8, body: Vec<u8>) -> Result<String, Failure> {
        response(&Frame {
            flags: 2,
            status,
            id: ID,
            body,
        })
    }

    #[test]
    fn results_refusals_and_nothing_are_told_apart() {
        let mut body = vec![0x94];
        put_map(&mut body, &[("app", "order")]);
        assert_eq!(answered(20, body).unwrap(), r#"{"app":"order"}"#);
        assert_eq!(
            answered(20, vec![0x92]).unwrap_err().kind,
            ErrKind::NotFound
        );
        let mut words = Vec::new();
        put_text(&mut words, "Not found exported service: x in [y]");
        assert_eq!(answered(40, words).unwrap_err().kind, ErrKind::NotFound);
        let mut thrown = vec![0x90];
        put_map(&mut thrown, &[("detailMessage", "boom\n at x")]);
        let failure = answered(20, thrown).unwrap_err();
        assert_eq!(failure, Failure::new(ErrKind::BadAnswer, "it says: boom"));
        assert_eq!(
            answered(20, vec![0x99]).unwrap_err().kind,
            ErrKind::BadAnswer
        );
    }

    proptest! {
        #[test]
        fn any_answer_is_read(status in any::<u8>(), flags in any::<u8>(), body in proptest::collection::vec(any::<u8>(), 0..60)) {
            let _ = response(&Frame { flags, status, id: ID, body });
        }
    }
}
