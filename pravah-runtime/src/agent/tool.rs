//! Tools: functions that a model may call.

use std::future::Future;

use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};

use super::{ToolAnnotations, external::ExternalAnswer};
use crate::{Context, ToolError, node::Param, topology::ParamRef};

/// The tool that ends an agent with tools: its arguments are the agent's output.
pub(crate) const SUBMIT: &str = "submit";

/// A function that a model may call. The type is its arguments.
///
/// `#[tool]` on an async function writes the type and the impl.
///
/// ```
/// use pravah_runtime::{Context, Tool, ToolError};
/// use schemars::JsonSchema;
/// use serde::Deserialize;
///
/// #[derive(Deserialize, JsonSchema)]
/// struct RecentOrders {
///     /// The customer's e-mail address.
///     email: String,
/// }
///
/// impl Tool for RecentOrders {
///     type Output = Vec<String>;
///
///     fn name() -> &'static str { "recent_orders" }
///     fn description() -> &'static str { "Looks up the customer's recent orders." }
///
///     async fn call(self, _: Context) -> Result<Vec<String>, ToolError> {
///         Ok(vec![format!("an order of {}", self.email)])
///     }
/// }
///
/// assert_eq!(RecentOrders::name(), "recent_orders");
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tool",
    label = "not a tool",
    note = "write `#[tool]` above an async function; an agent or a `#[flow]` goes into `agents = […]`; to let the model ask a person, list a flow with a `#[gate]` there"
)]
pub trait Tool: DeserializeOwned + JsonSchema + Send {
    /// What it returns.
    type Output: Serialize + Send;

    /// What it does to the world: nothing is said unless set.
    const ANNOTATIONS: ToolAnnotations = ToolAnnotations::new();

    /// Whether each call waits for a person's approval before it runs, whichever agent makes it; see
    /// [`ToolBox::with_approval`](crate::ToolBox::with_approval).
    const NEEDS_APPROVAL: bool = false;

    /// Of an external tool, what its answer has to be; `None` where the tool runs here.
    #[doc(hidden)]
    const EXTERNAL_ANSWER: Option<ExternalAnswer> = None;

    /// What it takes: by hand the whole context.
    #[doc(hidden)]
    const PARAMS: &'static [ParamRef] = &[<Context as Param>::REF];

    /// The name that the model calls it by.
    fn name() -> &'static str;

    /// What it is for, for the model to read.
    fn description() -> &'static str;

    /// Does it. May be called again with the same arguments: after a crash, and after a suspension.
    ///
    /// # Errors
    ///
    /// The model is told of a [`ToolError`] in a few words, and the agent goes on;
    /// [`ToolError::fatal`] and [`ToolError::suspend`] are the exceptions.
    fn call(self, ctx: Context) -> impl Future<Output = Result<Self::Output, ToolError>> + Send;
}
