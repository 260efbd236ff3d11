//! The tool with which a model calls other agents, and flows.

mod arguments;
mod skills;

use std::{fmt::Write as _, sync::Arc};

use serde::Serialize;
use serde_json::{Map, Value, json};

pub(crate) use self::arguments::{callee_names, read_input};
pub(crate) use self::skills::RUN_SKILL;
use super::{
    Delegation, ToolBox,
    callee::{AboutCallee, Callee},
};
use crate::{
    invocation::{AD_HOC, ContextScope, Join},
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

/// What a model may call with the tools `call_agent` and `run_skill`. The numbers of callees are those of
/// [`Delegation::callees`]: agents and flows, ad-hoc agents, skills.
pub(super) struct CallAgentTool {
    callees: Vec<CalleeSpec>,
    /// The tools that an ad-hoc agent may have, if the model may make some.
    ad_hoc_tools: Option<Vec<String>>,
    /// The skills, which are agents.
    skills: Vec<CalleeSpec>,
    scopes: Vec<ContextScope>,
    joins: Vec<Join>,
}

impl Delegation {
    /// What the model of an agent with `own` tools that returns `output` may call, and what is wrong with that.
    pub(super) fn tool(&self, own: &ToolBox, output: &str) -> (CallAgentTool, Vec<String>) {
        let mut problems = Vec::new();
        let callees = self.agents.iter();
        let callees = callees.map(|callee| self.callee_spec(callee, output, &mut problems));
        let callees = callees.collect();
        let ad_hoc_tools = self.ad_hoc.map(|base| {
            let about = self.check_base(&base, "the base of ad-hoc agents", &mut problems);
            self.check_handoff(&base.name(), &about, output, &mut problems);
            let tools = about.tools.with_tools_of(own, &self.tools);
            tools.names().map(str::to_owned).collect()
        });
        let skills = self.skills.iter().map(|skill| {
            let about = self.check_base(skill, "a skill", &mut problems);
            CalleeSpec {
                name: skill.name(),
                description: about.description.trim().to_owned(),
                takes: None,
                is_remote: false,
            }
        });
        let skills = skills.collect();
        let (scopes, joins) = (self.scopes(), self.join_modes());
        if self.is_shared() && !joins.contains(&Join::Single) {
            problems.push(SHARED_NEEDS_SINGLE.to_owned());
        }
        let tool = CallAgentTool {
            callees,
            ad_hoc_tools,
            skills,
            scopes,
            joins,
        };
        (tool, problems)
    }

    fn callee_spec(&self, callee: &Callee, output: &str, problems: &mut Vec<String>) -> CalleeSpec {
        let (name, about) = (callee.name(), (callee.about)());
        self.check_handoff(&name, &about, output, problems);
        let is_remote = about.runner.is_some();
        if self.is_shared() && is_remote {
            problems.push(format!(
                "the remote agent `{name}` cannot take over a conversation"
            ));
        }
        let takes = about.takes.map(|takes| {
            if self.is_shared() {
                problems.push(format!("the flow `{name}` cannot take over a conversation"));
            }
            let schema = strip(&takes.root_schema()).unwrap_or_else(|error| {
                problems.push(format!("the input of `{name}`, which it may call: {error}"));
                Value::Bool(true)
            });
            (takes, schema)
        });
        CalleeSpec {
            name,
            description: about.description.trim().to_owned(),
            takes,
            is_remote,
        }
    }

    /// Whether agents are called in the shared context alone.
    fn is_shared(&self) -> bool {
        self.scopes() == [ContextScope::Shared]
    }

    fn check_handoff(
        &self,
        name: &str,
        about: &AboutCallee,
        output: &str,
        problems: &mut Vec<String>,
    ) {
        let returns = &about.returns;
        let may_take_over = about.takes.is_none() && about.runner.is_none();
        if self.allows_handoff() && may_take_over && returns != output {
            problems.push(format!(
                "`{name}` may take over and returns `{returns}`, and not `{output}`"
            ));
        }
    }

    /// Fails where `callee` is to be `what`, and has no model.
    fn check_base(&self, callee: &Callee, what: &str, problems: &mut Vec<String>) -> AboutCallee {
        let about = (callee.about)();
        let is = match (&about.takes, &about.runner) {
            (Some(_), _) => "a flow",
            (_, Some(_)) => "a remote agent",
            _ => return about,
        };
        let name = callee.name();
        problems.push(format!(
            "`{name}` is {is}, and {what} is an agent with a model"
        ));
        about
    }
}

impl CallAgentTool {
    /// Which of those that may be called has this name.
    pub(super) fn callee(&self, name: &str) -> Option<usize> {
        let is_meant = |callee: &CalleeSpec| callee.name == name;
        let agent = self.callees.iter().position(is_meant);
        let ad_hoc = || self.ad_hoc().filter(|_| name == AD_HOC);
        agent.or_else(ad_hoc).or_else(|| self.skill(name))
    }

    /// The number of the ad-hoc agents, if the model may make some.
    fn ad_hoc(&self) -> Option<usize> {
        self.ad_hoc_tools.as_ref().map(|_| self.callees.len())
    }

    /// Whether there is nobody for `call_agent`.
    pub(super) fn is_empty(&self) -> bool {
        self.callees.is_empty() && self.ad_hoc_tools.is_none()
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
        if self.callees.is_empty() {
            return format!("{text} {ABOUT_AD_HOC}");
        }
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
        match self.ad_hoc_tools {
            Some(_) => format!("{text}\n{ABOUT_AD_HOC}"),
            None => text,
        }
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
        let mut required = match (&self.ad_hoc_tools, names.is_empty()) {
            (None, _) => vec!["agent"],
            (Some(_), true) => vec!["system_prompt"],
            (Some(_), false) => Vec::new(),
        };
        let mut add = |name: &str, schema| {
            properties.insert(name.to_owned(), schema);
        };
        if !names.is_empty() {
            add("agent", json!({ "type": "string", "enum": names }));
        }
        if let Some(tools) = &self.ad_hoc_tools {
            add(
                "system_prompt",
                json!({ "type": "string", "description": ABOUT_SYSTEM_PROMPT }),
            );
            if !tools.is_empty() {
                let items = json!({ "type": "string", "enum": tools });
                let tools = json!({ "type": "array", "items": items, "description": ABOUT_TOOLS });
                add("tools", tools);
            }
        }
        if self.has_agents() {
            let text = self.about_prompt();
            add("prompt", json!({ "type": "string", "description": text }));
        }
        match inputs.as_slice() {
            [] => required.push("prompt"),
            [input] => add("input", (*input).clone()),
            inputs => add("input", json!({ "anyOf": inputs })),
        }
        if inputs.len() == names.len() && self.ad_hoc_tools.is_none() {
            required.push("input");
        }
        (properties, required)
    }

    /// Whether any that may be called is an agent, which takes a prompt, and no flow.
    fn has_agents(&self) -> bool {
        let mut callees = self.callees.iter();
        self.ad_hoc_tools.is_some() || callees.any(|callee| callee.takes.is_none())
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

const ABOUT_AD_HOC: &str =
    "Without an `agent`, a `system_prompt` makes one for this call (takes `prompt`).";

const ABOUT_SYSTEM_PROMPT: &str =
    "Makes an agent for this call, in place of `agent`: what it is, and how it is to work.";

const ABOUT_TOOLS: &str =
    "The tools of the agent that `system_prompt` makes: all of these, unless given.";

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
