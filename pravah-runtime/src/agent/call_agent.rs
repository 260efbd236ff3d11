//! The tool with which a model calls other agents, and flows.

mod arguments;

use std::{fmt::Write as _, sync::Arc};

use serde::Serialize;
use serde_json::{Map, Value, json};

pub(crate) use self::arguments::{callee_names, read_input};
use super::Delegation;
use crate::{
    invocation::{ContextScope, Join},
    model::{ToolSpec, strip},
    state::StateFns,
};

/// What the tool is called.
pub(crate) const CALL_AGENT: &str = "call_agent";

/// An agent or a flow that may be called, as the calling model knows it.
pub(super) struct CalleeSpec {
    name: String,
    description: String,
    /// Of a flow what it takes, with the schema of that.
    takes: Option<(StateFns, Value)>,
    /// Whether it is remote, and knows nothing of the conversation.
    is_remote: bool,
}

/// What a model may call with the tool.
pub(super) struct CallAgentTool {
    callees: Vec<CalleeSpec>,
    scopes: Vec<ContextScope>,
    joins: Vec<Join>,
}

impl Delegation {
    /// What the model of an agent that returns `output` may call, and what is wrong with that.
    pub(super) fn tool(&self, output: &str) -> (CallAgentTool, Vec<String>) {
        let mut problems = Vec::new();
        let scopes = self.scopes();
        let is_shared = scopes == [ContextScope::Shared];
        let known = self.agents.iter().map(|callee| {
            let (name, about) = ((callee.name)(), (callee.about)());
            let takes = about.takes.map(|takes| {
                if is_shared {
                    problems.push(format!("the flow `{name}` cannot take over a conversation"));
                }
                let schema = strip(&takes.root_schema()).unwrap_or_else(|error| {
                    problems.push(format!("the input of `{name}`, which it may call: {error}"));
                    Value::Bool(true)
                });
                (takes, schema)
            });
            let is_remote = about.runner.is_some();
            if is_shared && is_remote {
                problems.push(format!(
                    "the remote agent `{name}` cannot take over a conversation"
                ));
            }
            let may_take_over = takes.is_none() && !is_remote;
            if self.allows_handoff() && may_take_over && about.returns != output {
                let returns = &about.returns;
                problems.push(format!(
                    "`{name}` may take over and returns `{returns}`, and not `{output}`"
                ));
            }
            let description = about.description.trim().to_owned();
            CalleeSpec {
                name,
                description,
                takes,
                is_remote,
            }
        });
        let callees = known.collect();
        let joins = self.join_modes();
        if is_shared && !joins.contains(&Join::Single) {
            problems.push(SHARED_NEEDS_SINGLE.to_owned());
        }
        let tool = CallAgentTool {
            callees,
            scopes,
            joins,
        };
        (tool, problems)
    }
}

impl CallAgentTool {
    /// Which of those that may be called has this name.
    pub(super) fn callee(&self, name: &str) -> Option<usize> {
        self.callees.iter().position(|callee| callee.name == name)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.callees.is_empty()
    }

    /// The tool.
    pub(super) fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: CALL_AGENT.to_owned(),
            description: self.description(),
            parameters: Arc::new(self.parameters()),
        }
    }

    fn description(&self) -> String {
        let mut text = "Lets other agents do parts of the work.".to_owned();
        text.push_str(match self.joins.as_slice() {
            [Join::Single] => " Returns the result.",
            [Join::All] => " Returns all results.",
            [Join::Detached] => " Returns the ids of background tasks at once.",
            _ => " `join` says what is returned.",
        });
        text.push_str(" The agents:");
        for CalleeSpec {
            name,
            description,
            takes,
            ..
        } in &self.callees
        {
            let told = match takes {
                None => "prompt",
                Some(_) => "input",
            };
            // Writing to a string does not fail.
            let _ = write!(text, "\n- `{name}` (takes `{told}`): {description}");
        }
        text
    }

    /// The schema of the arguments.
    fn parameters(&self) -> Value {
        let (mut properties, mut required) = self.target_properties();
        let target = object_schema(&properties, &required);
        if self.has_agents() && self.scopes.len() > 1 {
            let scopes =
                json!({ "enum": self.scopes, "description": ABOUT_CONTEXT, "type": "string" });
            properties.insert("context".to_owned(), scopes);
        }
        if self.joins.len() > 1 {
            let about = self.about_join();
            let joins = json!({ "enum": self.joins, "description": about, "type": "string" });
            properties.insert("join".to_owned(), joins);
        }
        if self.takes_several() {
            let targets = json!({ "type": "array", "items": target, "description": ABOUT_TARGETS });
            properties.insert("targets".to_owned(), targets);
            required.clear();
        }
        object_schema(&properties, &required)
    }

    /// What says whom to call, and what is required of that.
    fn target_properties(&self) -> (Map<String, Value>, Vec<&'static str>) {
        let takes = self.callees.iter().filter_map(|it| it.takes.as_ref());
        let inputs: Vec<&Value> = takes.map(|(_, schema)| schema).collect();
        let names: Vec<&str> = self.callees.iter().map(|it| &*it.name).collect();
        let mut properties = Map::new();
        let mut required = vec!["agent"];
        let mut add = |name: &str, schema| {
            properties.insert(name.to_owned(), schema);
        };
        add("agent", json!({ "type": "string", "enum": names }));
        if self.has_agents() {
            let text = self.about_prompt();
            add("prompt", json!({ "type": "string", "description": text }));
        }
        match inputs.as_slice() {
            [] => required.push("prompt"),
            [input] => add("input", (*input).clone()),
            inputs => add("input", json!({ "anyOf": inputs })),
        }
        if inputs.len() == names.len() {
            required.push("input");
        }
        (properties, required)
    }

    /// Whether any that may be called is an agent, which takes a prompt, and no flow.
    fn has_agents(&self) -> bool {
        self.callees.iter().any(|callee| callee.takes.is_none())
    }

    /// Whether several may be called at once.
    fn takes_several(&self) -> bool {
        self.joins.iter().any(|join| *join != Join::Single)
    }

    fn about_join(&self) -> String {
        let about = self.joins.iter().map(|join| match join {
            Join::Single => "`single` waits for one agent and returns its result",
            Join::All => "`all` waits for all `targets` and returns their results in that order",
            Join::Detached => {
                "`detached` does not wait: it starts background tasks and returns their ids"
            }
        });
        let about: Vec<&str> = about.collect();
        let first = self.joins.first().copied().unwrap_or_default();
        format!(
            "{}. Unless given it is {}.",
            about.join("; "),
            first.quoted()
        )
    }

    fn about_prompt(&self) -> &'static str {
        match self.scopes.as_slice() {
            [ContextScope::Independent] => {
                "What the agent is to do. It knows nothing else of this conversation."
            }
            _ => "What the agent is to do.",
        }
    }
}

const ABOUT_CONTEXT: &str = "What the agent knows of this conversation: nothing (`independent`), \
    all of it (`inherited`), or all of it and it takes over, so that its result is yours (`shared`). \
    A `shared` call is the only call of an answer.";

const ABOUT_TARGETS: &str = "The agents to call, instead of `agent`.";

const SHARED_NEEDS_SINGLE: &str = "the context `shared` needs the join `single`";

/// The schema of an object with these properties and no others.
pub(super) fn object_schema(properties: &impl Serialize, required: &[&str]) -> Value {
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}
