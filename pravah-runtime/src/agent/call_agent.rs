//! The tool with which a model calls other agents, and flows.

use std::{fmt::Write as _, sync::Arc};

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{AgentCall, Delegation, team::CallStart};
use crate::{
    json,
    model::{ToolSpec, explain, strip},
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
}

/// An agent or a flow that may be called, as the calling model knows it.
pub(super) struct KnownCallee {
    name: String,
    description: String,
    /// Of a flow what it takes, with the schema of that.
    takes: Option<(StateFns, Value)>,
}

impl Delegation {
    /// Those that may be called, and what is wrong with them.
    pub(super) fn known(&self) -> (Vec<KnownCallee>, Vec<String>) {
        let mut problems = Vec::new();
        let known = self.agents.iter().map(|callee| {
            let (name, about) = ((callee.name)(), (callee.about)());
            let takes = about.takes.map(|takes| {
                let schema = strip(&takes.root_schema()).unwrap_or_else(|error| {
                    problems.push(format!("the input of `{name}`, which it may call: {error}"));
                    Value::Bool(true)
                });
                (takes, schema)
            });
            let description = about.description.trim().to_owned();
            KnownCallee {
                name,
                description,
                takes,
            }
        });
        (known.collect(), problems)
    }
}

/// The tool with which a model calls these.
pub(super) fn tool(callees: &[KnownCallee]) -> ToolSpec {
    let names: Vec<&str> = callees.iter().map(|callee| &*callee.name).collect();
    let mut description =
        "Lets another agent do a part of the work, and returns its result. The agents:".to_owned();
    for KnownCallee {
        name,
        description: text,
        takes,
    } in callees
    {
        let told = match takes {
            None => "prompt",
            Some(_) => "input",
        };
        // Writing to a string does not fail.
        let _ = write!(description, "\n- `{name}` (takes `{told}`): {text}");
    }
    let inputs: Vec<&Value> = callees
        .iter()
        .filter_map(|callee| callee.takes.as_ref())
        .map(|(_, schema)| schema)
        .collect();
    let mut properties = Map::new();
    let mut required = vec!["agent"];
    let agent = json!({ "type": "string", "enum": names });
    properties.insert("agent".to_owned(), agent);
    if inputs.len() < callees.len() {
        let text = "What the agent is to do. It knows nothing else of this conversation.";
        let prompt = json!({ "type": "string", "description": text });
        properties.insert("prompt".to_owned(), prompt);
    }
    let input = match inputs.as_slice() {
        [] => None,
        [input] => Some((*input).clone()),
        inputs => Some(json!({ "anyOf": inputs })),
    };
    match input {
        None => required.push("prompt"),
        Some(_) if inputs.len() == callees.len() => required.push("input"),
        Some(_) => {}
    }
    properties.extend(input.map(|input| ("input".to_owned(), input)));
    let parameters = json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    });
    ToolSpec {
        name: CALL_AGENT.to_owned(),
        description,
        parameters: Arc::new(parameters),
    }
}

/// The call that these arguments of the tool are, of one of `callees`.
pub(super) fn read_call(callees: &[KnownCallee], arguments: &Value) -> Result<AgentCall, String> {
    let Arguments {
        agent,
        prompt,
        input,
    } = Arguments::deserialize(arguments).map_err(|error| error.to_string())?;
    let callee = callees.iter().position(|callee| callee.name == agent);
    let known = callee.and_then(|callee| Some((callee, callees.get(callee)?)));
    let (callee, known) = known.ok_or_else(|| format!("there is no agent `{agent}`"))?;
    // Where all properties are required, `null` stands for those that are left out.
    let input = input.filter(|input| !input.is_null());
    let start = match (&known.takes, prompt, input) {
        (None, Some(prompt), None) if prompt.trim().is_empty() => {
            return Err("the prompt is empty".to_owned());
        }
        (None, Some(prompt), None) => CallStart::Prompt(prompt),
        (None, ..) => return Err(format!("`{agent}` takes a `prompt`, and no `input`")),
        (Some(takes), None, Some(input)) => CallStart::Input(takes_input(takes, &agent, input)?),
        (Some(_), ..) => return Err(format!("`{agent}` takes an `input`, and no `prompt`")),
    };
    Ok(AgentCall { callee, start })
}

/// The input, if the flow `agent` can take it.
fn takes_input(
    (fns, schema): &(StateFns, Value),
    agent: &str,
    input: Value,
) -> Result<Value, String> {
    if let Some(reason) = explain(schema, &input) {
        return Err(format!("the input of `{agent}` does not fit: {reason}"));
    }
    let checked = Live::new(input.clone()).check((fns.type_of)());
    checked.map_err(|error| format!("the input of `{agent}` does not fit: {error}"))?;
    Ok(input)
}
