//! Agents: `agent.run`, its presets, and `claude.agent`.

mod conversation;
mod settings;

use std::sync::Arc;

use pravah_document::Node;
use serde_json::{Map, Value, json};

use self::settings::Settings;
use super::{
    bodies::{failed, latest},
    bound::BoundTemplate,
    registry::{NodeRegistry, Registered},
    rules::Returns,
};
use crate::{
    agent::{AgentSpec, OutputType},
    error::{FlowError, NodeDataError},
    graph::{AgentNode, NodeKind},
    model::Prompt,
    state::Live,
};

/// The type that talks to a model as a client of Anthropic's does.
const CLAUDE: &str = "claude.agent";

/// What a model is told first by a preset.
fn preamble(type_name: &str) -> &'static str {
    match type_name {
        "agent.plan" => {
            "You plan. Break the task down into steps that can be carried out one after the other. Each step is one \
             short instruction."
        }
        "agent.classify" => {
            "You classify. Choose the label that fits the input best, of those that it names if it names any, and say \
             from 0 to 1 how sure you are."
        }
        "agent.coder" => {
            "You write code. Return whole files, each with its path, and explain in a few sentences what they do."
        }
        "agent.reviewer" => {
            "You review texts and code. List what is wrong, say how severe it is, and approve only what has no severe \
             issue."
        }
        "agent.summarize" => {
            "You summarize. Say what matters in a few sentences, and add nothing that the input does not say."
        }
        _ => "",
    }
}

/// Where the result of the model goes.
pub(super) fn returns(node: &Node) -> Returns {
    match &*node.type_name {
        CLAUDE => Returns::Text,
        _ => Returns::Result,
    }
}

pub(super) fn kind(
    registry: &NodeRegistry,
    node: &Node,
    input: BoundTemplate,
    node_type: Arc<Registered>,
) -> Result<NodeKind, FlowError> {
    let spec = spec(registry, node, &input, &node_type);
    let spec = spec.map_err(|problem| {
        let problem = format!("the agent `{}`: {problem}", node.id);
        FlowError::BuildError(problem.into())
    })?;
    let id: Box<str> = node.id.as_str().into();
    let is_claude = node.type_name == CLAUDE;
    Ok(NodeKind::Agent(AgentNode {
        spec: Arc::new(spec),
        prompt: Arc::new(move |inputs| {
            let prompt = input
                .resolve_as(&node_type.input, latest(inputs))
                .and_then(|input| prompt(&input, is_claude));
            let prompt = prompt.map_err(|error| failed(&id, error))?;
            Ok(prompt.into_messages())
        }),
        team: None,
        is_ad_hoc: false,
    }))
}

fn spec(
    registry: &NodeRegistry,
    node: &Node,
    input: &BoundTemplate,
    node_type: &Registered,
) -> Result<AgentSpec, String> {
    let settings = Settings::of(registry, node, &input.template)?;
    let config = settings.config(
        registry,
        preamble(&node.type_name),
        node.type_name == CLAUDE,
    )?;
    let has_contract = config.contract.is_some();
    let schema = output_schema(&settings, node_type, has_contract)?;
    let is_text = schema.is_none() && !has_contract;
    let schema = schema.unwrap_or_else(|| json!({ "type": "string" }));
    let within = schema.clone();
    let output = OutputType {
        name: "result".to_owned(),
        is_text,
        schema,
        within: Arc::new(move || (within.clone(), Map::new())),
        // It fits the schema, and that is all there is to it.
        read: Arc::new(|value| Ok(Live::new(value.clone()))),
    };
    let spec = AgentSpec::new(config, output);
    match spec.problems() {
        [] => Ok(spec),
        problems => Err(problems.join("; ")),
    }
}

/// What the result has to fit: what the settings say, or else the type. Nothing where it is a text, as it is under a
/// contract.
fn output_schema(
    settings: &Settings,
    node_type: &Registered,
    has_contract: bool,
) -> Result<Option<Value>, String> {
    match (settings.get("outputSchema"), has_contract) {
        (Some(_), true) => Err(
            "under a contract the result is a text, and `outputSchema` says otherwise".to_owned(),
        ),
        (Some(schema), false) => Ok(Some(schema.clone())),
        (None, true) => Ok(None),
        (None, false) => {
            let of_type = node_type.output.pointer("/properties/result");
            Ok(of_type
                .filter(|schema| schema.get("type").is_some())
                .cloned())
        }
    }
}

/// What the model is asked. Texts are as they are, everything else is JSON.
fn prompt(input: &Value, is_claude: bool) -> Result<Prompt, NodeDataError> {
    if is_claude {
        return conversation::prompt(input);
    }
    Ok(match input.get("input") {
        Some(Value::String(text)) => text.as_str().into(),
        input => input.unwrap_or(&Value::Null).to_string().into(),
    })
}
