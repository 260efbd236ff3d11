//! Which tools of the caller an agent has.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which tools of the caller an agent has besides its own. Those with which it would call agents itself are never among
/// them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(
    tag = "kind",
    rename_all = "snake_case",
    expecting = "tools as an object, such as { \"kind\": \"none\" }"
)]
#[non_exhaustive]
pub enum ToolPolicy {
    /// All of them.
    #[default]
    Inherit,
    /// Those of these names.
    #[non_exhaustive]
    Exact {
        /// The names.
        tools: Vec<String>,
    },
    /// None.
    None,
}

impl ToolPolicy {
    pub(crate) const fn none() -> Self {
        Self::None
    }

    pub(crate) const fn is_none(&self) -> bool {
        matches!(self, Self::None)
    }

    /// The tools of these names.
    #[must_use]
    pub fn exact(names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let tools = names.into_iter().map(Into::into).collect();
        Self::Exact { tools }
    }
}
