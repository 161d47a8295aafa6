//! An address of the directory, as the routers ask it.

use super::ServiceUrl;
use crate::model::url::Url;
use crate::route::provider::Provider;

impl Provider for ServiceUrl {
    fn url(&self) -> &Url {
        self.own()
    }

    fn path(&self) -> Option<&str> {
        self.path()
    }

    fn parameter(&self, key: &str) -> Option<&str> {
        self.parameter(key)
    }

    /// `side` and `category` are the consumer's, everything else the provider's (`ServiceAddressURL`, 3.2 on).
    fn original_parameter(&self, key: &str) -> Option<&str> {
        match (self.consumer(), key) {
            (Some(consumer), "side") => consumer.parameter(key),
            (Some(_), "category") => Some("providers"),
            _ => self.own().parameter(key),
        }
    }

    fn remote_application(&self) -> Option<&str> {
        if let Some(application) = self.instance_of() {
            return Some(application);
        }
        self.own().parameter(if self.consumer().is_some() {
            "application"
        } else {
            "remote.application"
        })
    }
}
