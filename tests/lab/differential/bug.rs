//! Bugs on purpose, on this side of the comparison only: they show that a disagreement is found and made small.

use std::str::FromStr;

use anyhow::bail;
use serde_json::Value;

#[derive(Debug, Clone, Copy)]
pub(crate) enum Bug {
    /// Takes `!=` for `=`.
    NotEqual,
    /// Overlooks `force`.
    Force,
}

impl FromStr for Bug {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<Self> {
        match text {
            "not-equal" => Ok(Self::NotEqual),
            "force" => Ok(Self::Force),
            _ => bail!("no bug {text}; there are not-equal and force"),
        }
    }
}

impl Bug {
    /// The case as a replay with this bug would see it.
    pub(super) fn seen(self, case: &Value) -> Value {
        let mut seen = case.clone();
        for name in ["rules", "updates"] {
            for rule in seen
                .get_mut(name)
                .and_then(Value::as_array_mut)
                .into_iter()
                .flatten()
            {
                if let Some(text) = rule["content"].as_str() {
                    rule["content"] = match self {
                        Self::NotEqual => text.replace("!=", "="),
                        Self::Force => text.replace("force: true", "force: false"),
                    }
                    .into();
                }
            }
        }
        seen
    }
}
