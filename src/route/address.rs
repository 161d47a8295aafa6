//! The router that picks one address by an attachment (2.7.12 and later 2.7).
//!
//! Mirrors `AddressInvokersSelector`. What an `Address` object holds cannot be seen from outside.

use std::borrow::Cow;

use super::call::{Call, JavaValue};
use super::outcome::Outcome;
use super::set::AddressSet;
use super::{AddressList, Prepared, Router, Thrown};

/// `AddressInvokersSelector`: an `Address` object in the attachment `address` picks one provider.
pub(super) struct AddressRouter;

impl Router for AddressRouter {
    fn name(&self) -> Cow<'static, str> {
        Cow::Borrowed("AddressInvokersSelector")
    }

    fn prepare(&self, _: &AddressList) -> Box<dyn Prepared> {
        Box::new(Self)
    }
}

impl Prepared for AddressRouter {
    fn route(&self, _: &AddressList, call: &Call, input: &AddressSet) -> Result<Outcome, Thrown> {
        match call.attachments.get("address") {
            _ if input.is_empty() => Ok(Outcome::Only(input.clone())),
            None | Some(JavaValue::Null) => Ok(Outcome::Only(input.clone())),
            Some(JavaValue::Object(_)) => Ok(Outcome::Within(input.clone())),
            Some(_) => Err(Thrown::new(
                "java.lang.ClassCastException",
                "the attachment address is no Address",
            )),
        }
    }
}
