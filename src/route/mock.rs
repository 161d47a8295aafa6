//! The mock router: keeps `mock://` addresses away from ordinary calls.
//!
//! Mirrors `MockInvokersSelector` of all lines.

use std::borrow::Cow;
use std::sync::Arc;

use super::call::{Call, JavaValue};
use super::outcome::Outcome;
use super::set::AddressSet;
use super::trace::{Effect, Part, Removal};
use super::{AddressList, Prepared, Router, Thrown};

/// The attachment that asks for mock providers.
const NEED_MOCK: &str = "invocation.need.mock";

pub(super) struct MockRouter;

impl Router for MockRouter {
    fn name(&self) -> Cow<'static, str> {
        Cow::Borrowed("MockInvokersSelector")
    }

    fn prepare(&self, list: &AddressList) -> Box<dyn Prepared> {
        let mocked = list.filter(|provider| provider.url().protocol.as_deref() == Some("mock"));
        Box::new(PreparedMock { mocked })
    }
}

struct PreparedMock {
    mocked: AddressSet,
}

impl Prepared for PreparedMock {
    fn route(&self, _: &AddressList, call: &Call, input: &AddressSet) -> Result<Outcome, Thrown> {
        if input.is_empty() {
            return Ok(Outcome::Only(input.clone()));
        }
        match call.attachments.get(NEED_MOCK) {
            None | Some(JavaValue::Null) => Ok(Outcome::Only(input.without(&self.mocked))),
            Some(JavaValue::Text(text)) if text.eq_ignore_ascii_case("true") => {
                Ok(Outcome::Only(input.and(&self.mocked)))
            }
            Some(JavaValue::Text(_)) => Ok(Outcome::Only(input.clone())),
            Some(_) => Err(Thrown::new(
                "java.lang.ClassCastException",
                format!("the attachment {NEED_MOCK} is no text"),
            )),
        }
    }

    fn bound(&self, list: &AddressList, call: &Call, input: AddressSet) -> AddressSet {
        match self.route(list, call, &input) {
            Ok(output) => output.at_most(),
            Err(_) => AddressSet::none(list.len()),
        }
    }

    fn explain(&self, list: &AddressList, call: &Call, input: &AddressSet) -> Vec<Part> {
        let Ok(output) = self.route(list, call, input) else {
            return Vec::new();
        };
        let removed: Arc<[Removal]> = input
            .without(&output.at_most())
            .iter()
            .map(|address| Removal {
                address,
                by: None,
                value: list.providers[address].url().protocol.clone(),
            })
            .collect();
        if removed.is_empty() {
            return Vec::new();
        }
        vec![Part {
            output,
            removed,
            ..Part::passing(None, "mock://", Effect::Mock, input)
        }]
    }
}
