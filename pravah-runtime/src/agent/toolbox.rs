//! The tools of an agent.

use std::{
    fmt,
    future::{Future, ready},
    pin::Pin,
    sync::Arc,
};

use serde_json::Value;

use super::{
    Tool, ToolAnnotations,
    external::{self, Expected},
};
use crate::{
    Context, ToolError,
    invocation::ToolPolicy,
    model::{ToolSpec, object::is_plain_object, strip},
    topology::ParamRef,
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
    approved: Approved,
}

/// Which calls wait for a person's approval, besides those of tools of which it was said one by one.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Approved {
    #[default]
    None,
    Destructive,
    All,
}

/// A tool without its type.
#[derive(Clone)]
pub(super) struct Entry {
    pub(super) spec: ToolSpec,
    pub(super) annotations: ToolAnnotations,
    needs_approval: bool,
    /// Of an external tool, what its answer has to be.
    pub(super) expected: Option<Expected>,
    /// Whether these are its arguments.
    pub(super) accepts: fn(&Value) -> Result<(), serde_json::Error>,
    call: fn(&Value, Context) -> Calling,
    /// What the tool takes.
    asks: &'static [ParamRef],
}

pub(super) type Calling = Pin<Box<dyn Future<Output = Result<Value, CallFailure>> + Send>>;

/// Why a call has no result.
pub(super) enum CallFailure {
    /// The arguments are not the tool's.
    Arguments(serde_json::Error),
    /// The tool says so.
    Tool(ToolError),
}

impl Entry {
    /// Calls the tool; a call of an external one suspends until it is answered.
    pub(super) fn call(&self, arguments: &Value, ctx: Context) -> Calling {
        match &self.expected {
            Some(expected) => Box::pin(ready(external::call(self, expected, arguments, &ctx))),
            None => (self.call)(arguments, ctx),
        }
    }
}

impl ToolBox {
    /// No tools.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same tools and `T`.
    #[must_use]
    pub fn with<T: Tool + 'static>(self) -> Self {
        self.add::<T>(T::NEEDS_APPROVAL)
    }

    /// The same tools and `T`, each of whose calls a person approves before it runs.
    ///
    /// The run waits with [`RunOut::Suspend`](crate::RunOut::Suspend) and an
    /// [`ApprovalQuestion`](crate::ApprovalQuestion). The answer is a [`Review`](crate::Review): it lets the call
    /// run, changes its arguments, or rejects it; then the model reads why, and goes on.
    ///
    /// ```
    /// use pravah_runtime::prelude::*;
    ///
    /// /// Looks up an order.
    /// #[tool]
    /// async fn order(number: u32) -> Result<String, ToolError> {
    ///     Ok(format!("order {number}"))
    /// }
    ///
    /// /// Pays a customer.
    /// #[tool]
    /// async fn pay(euros: u32) -> Result<String, ToolError> {
    ///     Ok(format!("paid {euros} euros"))
    /// }
    ///
    /// let tools = ToolBox::new().with::<order>().with_approval::<pay>();
    /// let waiting = tools.contracts().into_iter().filter(|tool| tool.needs_approval);
    /// assert_eq!(waiting.map(|tool| tool.name).collect::<Vec<_>>(), ["pay"]);
    /// ```
    #[must_use]
    pub fn with_approval<T: Tool + 'static>(self) -> Self {
        self.add::<T>(true)
    }

    /// Lets a person approve the calls of every tool that says that it is
    /// [destructive](ToolAnnotations::destructive), as [`with_approval`](Self::with_approval) does.
    #[must_use]
    pub fn approve_destructive(mut self) -> Self {
        self.approved = self.approved.max(Approved::Destructive);
        self
    }

    /// Lets a person approve the calls of every tool, as [`with_approval`](Self::with_approval) does.
    #[must_use]
    pub fn approve_all(mut self) -> Self {
        self.approved = Approved::All;
        self
    }

    fn add<T: Tool + 'static>(mut self, needs_approval: bool) -> Self {
        let parameters = self.stripped("arguments", T::name(), schemars::schema_for!(T).to_value());
        if !is_plain_object(&parameters) {
            let problem = format!("the arguments of the tool `{}` are no object", T::name());
            self.problems.push(problem);
        }
        let expected = T::EXTERNAL_ANSWER.map(|answer| Expected {
            answer,
            schema: Arc::new(self.stripped("answer", T::name(), answer.schema())),
        });
        self.tools.push(Entry {
            spec: ToolSpec {
                name: T::name().to_owned(),
                description: T::description().to_owned(),
                parameters: Arc::new(parameters),
            },
            annotations: T::ANNOTATIONS,
            needs_approval,
            accepts: |arguments| T::deserialize(arguments).map(drop),
            expected,
            call: call::<T>,
            asks: T::PARAMS,
        });
        self
    }

    /// The schema of a part of a tool as it is sent; what is wrong with it is noted.
    fn stripped(&mut self, part: &str, tool: &str, schema: Value) -> Value {
        strip(&schema).unwrap_or_else(|error| {
            let problem = format!("the {part} of the tool `{tool}`: {error}");
            self.problems.push(problem);
            schema
        })
    }

    /// Those of these names, in that order.
    pub(crate) fn only(&self, names: &[&str]) -> Result<Self, String> {
        let mut only = Self {
            problems: self.problems.clone(),
            ..Self::default()
        };
        for name in names {
            let known = self
                .get(name)
                .ok_or_else(|| format!("there is no tool `{name}`"))?;
            if only.get(name).is_none() {
                let needs_approval = self.needs_approval(known);
                only.tools.push(Entry {
                    needs_approval,
                    ..known.clone()
                });
            }
        }
        Ok(only)
    }

    /// The same tools, and those of a caller's that its policy lets agents have; of one name these stay.
    pub(super) fn with_tools_of(&self, caller: &Self, policy: &ToolPolicy) -> Self {
        let mut tools = self.clone();
        let is_handed_on = |name: &str| match policy {
            ToolPolicy::None => false,
            ToolPolicy::Inherit => true,
            ToolPolicy::Exact { tools } => tools.iter().any(|tool| tool == name),
        };
        for tool in &caller.tools {
            let name = &tool.spec.name;
            if is_handed_on(name) && self.get(name).is_none() {
                let needs_approval = caller.needs_approval(tool);
                tools.tools.push(Entry {
                    needs_approval,
                    ..tool.clone()
                });
            }
        }
        tools
    }

    /// The names of the tools that are executed outside the run.
    pub(crate) fn external_names(&self) -> impl Iterator<Item = &str> {
        let external = self.tools.iter().filter(|tool| tool.expected.is_some());
        external.map(|tool| tool.spec.name.as_str())
    }

    /// The names of the tools, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.tools.iter().map(|tool| tool.spec.name.as_str())
    }

    /// Whether there are no tools.
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    /// What each tool takes, by its name.
    pub(crate) fn asks(&self) -> impl Iterator<Item = (&str, &'static [ParamRef])> {
        let tools = self.tools.iter();
        tools.map(|tool| (tool.spec.name.as_str(), tool.asks))
    }

    /// What is wrong with the tools' arguments, and with what is said of all tools, in words.
    pub(super) fn problems(&self) -> Vec<String> {
        let is_destructive = |tool: &Entry| tool.annotations.is_destructive();
        let nothing = match self.approved {
            Approved::Destructive if !self.tools.iter().any(is_destructive) => {
                Some("`approve_destructive` approves nothing: no tool is destructive")
            }
            Approved::All if self.is_empty() => {
                Some("`approve_all` approves nothing: there are no tools")
            }
            _ => None,
        };
        let problems = self.problems.iter().cloned();
        problems.chain(nothing.map(str::to_owned)).collect()
    }

    /// Whether a person approves the calls of this tool.
    pub(super) fn needs_approval(&self, tool: &Entry) -> bool {
        let by_all = match self.approved {
            Approved::None => false,
            Approved::Destructive => tool.annotations.is_destructive(),
            Approved::All => true,
        };
        tool.needs_approval || by_all
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
