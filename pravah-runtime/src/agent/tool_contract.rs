//! The tools of an agent, as data.

use serde::Serialize;
use serde_json::Value;

use super::{ToolAnnotations, ToolBox};

/// What a tool is called, takes and does, as data; see [`ToolBox::contracts`] and
/// [`NodeContract`](crate::NodeContract).
///
/// As JSON it has the fields of a tool of the Model Context Protocol, `name`, `description`, `inputSchema` and
/// `annotations`, and `needsApproval` and `external` where they are true.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ToolContract {
    /// The name that the model calls it by.
    pub name: String,
    /// What it is for, as the model reads it.
    pub description: String,
    /// The JSON Schema of its arguments.
    pub input_schema: Value,
    /// What it says of its effects.
    #[serde(skip_serializing_if = "ToolAnnotations::is_empty")]
    pub annotations: ToolAnnotations,
    /// Whether each of its calls waits for a person's approval.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub needs_approval: bool,
    /// Whether it is external: each of its calls suspends with an [`ExternalCall`](crate::ExternalCall), for whoever
    /// drives the run to execute.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub external: bool,
}

impl ToolBox {
    /// The tools as data, in order.
    ///
    /// ```
    /// use pravah_runtime::prelude::*;
    ///
    /// /// Looks up an order.
    /// #[tool(read_only)]
    /// async fn order(number: u32) -> Result<String, ToolError> {
    ///     Ok(format!("order {number}"))
    /// }
    ///
    /// let tools = ToolBox::new().with::<order>().contracts();
    /// assert_eq!(tools[0].annotations.read_only, Some(true));
    /// assert_eq!(tools[0].input_schema["properties"]["number"]["type"], "integer");
    /// ```
    pub fn contracts(&self) -> Vec<ToolContract> {
        let contract = |tool: &super::toolbox::Entry| ToolContract {
            name: tool.spec.name.clone(),
            description: tool.spec.description.clone(),
            input_schema: (*tool.spec.parameters).clone(),
            annotations: tool.annotations,
            needs_approval: self.needs_approval(tool),
            external: tool.expected.is_some(),
        };
        self.entries().map(contract).collect()
    }
}
