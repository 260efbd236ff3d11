//! The tools of an agent.

use std::{fmt, future::Future, pin::Pin, sync::Arc};

use serde_json::Value;

use super::{Tool, ToolAnnotations};
use crate::{
    Context, ToolError,
    model::{ToolSpec, object::is_plain_object, strip},
};

/// The tools of an agent, in order.
///
/// ```
/// # use pravah_runtime::{Context, Tool, ToolError};
/// # #[derive(serde::Deserialize, schemars::JsonSchema)]
/// # struct Search {}
/// # impl Tool for Search {
/// #     type Output = String;
/// #     fn name() -> &'static str { "search" }
/// #     fn description() -> &'static str { "Searches." }
/// #     async fn call(self, _: Context) -> Result<String, ToolError> { Ok(String::new()) }
/// # }
/// use pravah_runtime::ToolBox;
///
/// let tools = ToolBox::new().with::<Search>();
/// assert_eq!(tools.names().collect::<Vec<_>>(), ["search"]);
/// ```
#[derive(Clone, Default)]
pub struct ToolBox {
    tools: Vec<Entry>,
    /// What is wrong with the tools' arguments.
    problems: Vec<String>,
}

/// A tool without its type.
#[derive(Clone)]
pub(super) struct Entry {
    pub(super) spec: ToolSpec,
    pub(super) annotations: ToolAnnotations,
    pub(super) call: fn(&Value, Context) -> Calling,
}

pub(super) type Calling = Pin<Box<dyn Future<Output = Result<Value, CallFailure>> + Send>>;

/// Why a call has no result.
pub(super) enum CallFailure {
    /// The arguments are not the tool's.
    Arguments(serde_json::Error),
    /// The tool says so.
    Tool(ToolError),
}

impl ToolBox {
    /// No tools.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same tools and `T`.
    #[must_use]
    pub fn with<T: Tool + 'static>(mut self) -> Self {
        let schema = schemars::schema_for!(T).to_value();
        let parameters = strip(&schema).unwrap_or_else(|error| {
            let problem = format!("the arguments of the tool `{}`: {error}", T::name());
            self.problems.push(problem);
            schema
        });
        if !is_plain_object(&parameters) {
            let problem = format!("the arguments of the tool `{}` are no object", T::name());
            self.problems.push(problem);
        }
        self.tools.push(Entry {
            spec: ToolSpec {
                name: T::name().to_owned(),
                description: T::description().to_owned(),
                parameters: Arc::new(parameters),
            },
            annotations: T::ANNOTATIONS,
            call: call::<T>,
        });
        self
    }

    /// The names of the tools, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.tools.iter().map(|tool| tool.spec.name.as_str())
    }

    /// Whether there are no tools.
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    /// What is wrong with the tools' arguments, in words.
    pub(super) fn problems(&self) -> &[String] {
        &self.problems
    }

    pub(super) fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.tools.iter()
    }

    pub(super) fn get(&self, name: &str) -> Option<&Entry> {
        self.tools.iter().find(|tool| tool.spec.name == name)
    }

    pub(super) fn specs(&self) -> impl Iterator<Item = &ToolSpec> {
        self.tools.iter().map(|tool| &tool.spec)
    }
}

impl fmt::Debug for ToolBox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.names()).finish()
    }
}

fn call<T: Tool + 'static>(arguments: &Value, ctx: Context) -> Calling {
    let tool = T::deserialize(arguments).map_err(CallFailure::Arguments);
    Box::pin(async move {
        let tool = tool?;
        let output = tool.call(ctx).await.map_err(CallFailure::Tool)?;
        serde_json::to_value(output).map_err(|error| CallFailure::Tool(ToolError::Serialize(error)))
    })
}
