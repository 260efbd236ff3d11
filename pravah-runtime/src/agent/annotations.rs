//! What a tool does to the world, in the words of the Model Context Protocol.

use serde::{Deserialize, Serialize};

/// What a tool says of its effects: the `ToolAnnotations` of the [Model Context Protocol][mcp], which are hints
/// and no proof. As JSON they have its names, such as `readOnlyHint`; what is not said is left out.
///
/// `#[tool(read_only)]` and the like write them.
///
/// ```
/// use pravah_runtime::ToolAnnotations;
///
/// let annotations = ToolAnnotations::new().destructive(true).open_world(false);
/// assert_eq!(
///     serde_json::to_value(annotations)?,
///     serde_json::json!({ "destructiveHint": true, "openWorldHint": false }),
/// );
/// # Ok::<(), serde_json::Error>(())
/// ```
///
/// [mcp]: https://modelcontextprotocol.io/specification/2025-06-18/schema#toolannotations
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ToolAnnotations {
    /// Whether it changes nothing; the protocol takes `false` where it is not said.
    #[serde(rename = "readOnlyHint", skip_serializing_if = "Option::is_none")]
    pub read_only: Option<bool>,
    /// Whether it may delete or overwrite something, and does not only add; the protocol takes `true` where it
    /// is not said. [`ToolBox::approve_destructive`](crate::ToolBox::approve_destructive) means the tools that
    /// say so.
    #[serde(rename = "destructiveHint", skip_serializing_if = "Option::is_none")]
    pub destructive: Option<bool>,
    /// Whether a second call with the same arguments changes nothing more; the protocol takes `false` where it
    /// is not said.
    #[serde(rename = "idempotentHint", skip_serializing_if = "Option::is_none")]
    pub idempotent: Option<bool>,
    /// Whether it reaches what nobody can list beforehand, such as the web; the protocol takes `true` where it
    /// is not said.
    #[serde(rename = "openWorldHint", skip_serializing_if = "Option::is_none")]
    pub open_world: Option<bool>,
}

impl ToolAnnotations {
    /// Says nothing.
    pub const fn new() -> Self {
        Self {
            read_only: None,
            destructive: None,
            idempotent: None,
            open_world: None,
        }
    }

    /// Says whether it changes nothing.
    #[must_use]
    pub const fn read_only(mut self, is: bool) -> Self {
        self.read_only = Some(is);
        self
    }

    /// Says whether it may delete or overwrite something.
    #[must_use]
    pub const fn destructive(mut self, is: bool) -> Self {
        self.destructive = Some(is);
        self
    }

    /// Says whether a second call with the same arguments changes nothing more.
    #[must_use]
    pub const fn idempotent(mut self, is: bool) -> Self {
        self.idempotent = Some(is);
        self
    }

    /// Says whether it reaches what nobody can list beforehand.
    #[must_use]
    pub const fn open_world(mut self, is: bool) -> Self {
        self.open_world = Some(is);
        self
    }

    /// Whether it says that it is destructive.
    pub const fn is_destructive(&self) -> bool {
        matches!(self.destructive, Some(true))
    }

    /// Whether nothing is said.
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::new()
    }
}
