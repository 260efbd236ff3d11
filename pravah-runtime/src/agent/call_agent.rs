//! The tool with which a model calls other agents, and flows.

use std::{fmt::Write as _, sync::Arc};

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{
    AgentCall, Delegation,
    task::{CallStart, TaskPrompt},
};
use crate::{
    invocation::ContextScope,
    json,
    model::{self, Messages, ToolSpec, explain, strip},
    state::{Live, StateFns},
};

/// What the tool is called.
pub(crate) const CALL_AGENT: &str = "call_agent";

/// The arguments of `call_agent`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    agent: String,
    #[serde(default)]
    prompt: Option<String>,
    #[serde(default, deserialize_with = "json::value")]
    input: Option<Value>,
    #[serde(default)]
    context: Option<ContextScope>,
}

/// An agent or a flow that may be called, as the calling model knows it.
pub(super) struct CalleeSpec {
    name: String,
    description: String,
    /// Of a flow what it takes, with the schema of that.
    takes: Option<(StateFns, Value)>,
}

/// What a model may call with the tool.
pub(super) struct CallAgentTool {
    callees: Vec<CalleeSpec>,
    scopes: Vec<ContextScope>,
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
            if self.allows_handoff() && takes.is_none() && about.returns != output {
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
            }
        });
        let callees = known.collect();
        (CallAgentTool { callees, scopes }, problems)
    }
}

/// The name of the callee in these arguments.
pub(crate) fn callee_name(arguments: &model::Arguments) -> Option<&str> {
    match arguments {
        model::Arguments::Json(arguments) => arguments.get("agent")?.as_str(),
        model::Arguments::Text(_) => None,
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
        let mut text =
            "Lets another agent do a part of the work, and returns its result. The agents:"
                .to_owned();
        for CalleeSpec {
            name,
            description,
            takes,
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
        let takes = self.callees.iter().filter_map(|it| it.takes.as_ref());
        let inputs: Vec<&Value> = takes.map(|(_, schema)| schema).collect();
        let names: Vec<&str> = self.callees.iter().map(|it| &*it.name).collect();
        let mut properties = Map::new();
        let mut required = vec!["agent"];
        let mut add = |name: &str, schema| {
            properties.insert(name.to_owned(), schema);
        };
        add("agent", json!({ "type": "string", "enum": names }));
        if inputs.len() < names.len() {
            let text = self.about_prompt();
            add("prompt", json!({ "type": "string", "description": text }));
            if self.scopes.len() > 1 {
                let text = ABOUT_CONTEXT;
                let scopes = json!({ "enum": self.scopes, "description": text, "type": "string" });
                add("context", scopes);
            }
        }
        match inputs.as_slice() {
            [] => required.push("prompt"),
            [input] => add("input", (*input).clone()),
            inputs => add("input", json!({ "anyOf": inputs })),
        }
        if inputs.len() == names.len() {
            required.push("input");
        }
        json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        })
    }

    fn about_prompt(&self) -> &'static str {
        match self.scopes.as_slice() {
            [ContextScope::Independent] => {
                "What the agent is to do. It knows nothing else of this conversation."
            }
            _ => "What the agent is to do.",
        }
    }

    /// The call that these arguments are.
    pub(super) fn read(&self, arguments: &Value, messages: &Messages) -> Result<AgentCall, String> {
        let Arguments {
            agent,
            prompt,
            input,
            context,
        } = Arguments::deserialize(arguments).map_err(|error| error.to_string())?;
        let callee = self.callee(&agent);
        let known = callee.and_then(|callee| Some((callee, self.callees.get(callee)?)));
        let (callee, known) = known.ok_or_else(|| format!("there is no agent `{agent}`"))?;
        // Where all properties are required, `null` stands for those that are left out.
        let input = input.filter(|input| !input.is_null());
        let (start, scope) = match &known.takes {
            None => {
                let scope = self.scope(context)?;
                let prompt = prompt.filter(|_| input.is_none());
                let prompt = read_prompt(&agent, prompt)?;
                let prompt = TaskPrompt::in_context(prompt, scope, messages);
                (CallStart::Prompt(prompt), scope)
            }
            Some(takes) => {
                let input = input.filter(|_| prompt.is_none());
                let scope = context.unwrap_or_default();
                if scope != ContextScope::Independent {
                    return Err(format!("`{agent}` knows nothing of the conversation"));
                }
                (CallStart::Input(read_input(takes, &agent, input)?), scope)
            }
        };
        Ok(AgentCall {
            callee,
            start,
            is_handoff: scope == ContextScope::Shared,
        })
    }

    /// The context of a call, if it is one of those in which agents may be called.
    fn scope(&self, asked: Option<ContextScope>) -> Result<ContextScope, String> {
        let scope = asked.or_else(|| self.scopes.first().copied());
        let scope = scope.filter(|scope| self.scopes.contains(scope));
        scope.ok_or_else(|| match self.scopes.len() {
            1 => "leave `context` out: there is one only".to_owned(),
            _ => "agents are not called in this `context`".to_owned(),
        })
    }
}

const ABOUT_CONTEXT: &str = "What the agent knows of this conversation: nothing (`independent`), \
    all of it (`inherited`), or all of it and it takes over, so that its result is yours (`shared`). \
    A `shared` call is the only call of an answer.";

/// What the agent is told, if it is told anything.
fn read_prompt(agent: &str, prompt: Option<String>) -> Result<String, String> {
    let prompt = prompt.ok_or_else(|| format!("`{agent}` takes a `prompt`, and no `input`"))?;
    match prompt.trim().is_empty() {
        true => Err("the prompt is empty".to_owned()),
        false => Ok(prompt),
    }
}

/// What the flow `agent` starts with, if it can take that.
pub(crate) fn read_input(
    (fns, schema): &(StateFns, Value),
    agent: &str,
    input: Option<Value>,
) -> Result<Value, String> {
    let input = input.ok_or_else(|| format!("`{agent}` takes an `input`, and no `prompt`"))?;
    if let Some(reason) = explain(schema, &input) {
        return Err(format!("the input of `{agent}` does not fit: {reason}"));
    }
    let checked = Live::new(input.clone()).check((fns.type_of)());
    checked.map_err(|error| format!("the input of `{agent}` does not fit: {error}"))?;
    Ok(input)
}
