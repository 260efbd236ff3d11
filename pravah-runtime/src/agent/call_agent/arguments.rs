//! The arguments of `call_agent`: whom to call, what they start with, and what is waited for.

use serde::Deserialize;
use serde_json::Value;

use super::CallAgentTool;
use crate::{
    agent::{
        AgentCall,
        task::{AdHocAgent, CallStart, CallTarget, TaskPrompt},
    },
    invocation::{AD_HOC, ContextScope, Join},
    json,
    model::{self, Messages, explain},
    quoted::quoted,
    state::{Live, StateFns},
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    #[serde(default)]
    agent: Option<String>,
    #[serde(default)]
    system_prompt: Option<String>,
    #[serde(default)]
    tools: Option<Vec<String>>,
    #[serde(default)]
    prompt: Option<String>,
    #[serde(default, deserialize_with = "json::value")]
    input: Option<Value>,
    #[serde(default)]
    targets: Option<Vec<Target>>,
    #[serde(default)]
    context: Option<ContextScope>,
    #[serde(default)]
    join: Option<Join>,
}

/// Whom to call, with what.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Target {
    #[serde(default)]
    agent: Option<String>,
    #[serde(default)]
    system_prompt: Option<String>,
    #[serde(default)]
    tools: Option<Vec<String>>,
    #[serde(default)]
    prompt: Option<String>,
    #[serde(default, deserialize_with = "json::value")]
    input: Option<Value>,
}

impl Arguments {
    /// Whom to call: the one that is named, or that the model `may_describe`, or those of a list.
    fn targets(&mut self, may_describe: bool) -> Result<Vec<Target>, String> {
        let one = Target {
            agent: self.agent.take(),
            system_prompt: self.system_prompt.take(),
            tools: self.tools.take(),
            prompt: self.prompt.take(),
            // Where all properties are required, `null` stands for those that are left out.
            input: self.input.take().filter(|input| !input.is_null()),
        };
        match self.targets.take() {
            Some(targets) if one.is_empty() => Ok(targets),
            None if one.agent.is_some() || one.system_prompt.is_some() => Ok(vec![one]),
            None if may_describe => Err(
                "name an `agent`, give a `system_prompt`, or list several in `targets`".to_owned(),
            ),
            None => Err("name an `agent`, or several in `targets`".to_owned()),
            Some(_) => Err(
                "use either `targets`, or `agent` with its `prompt` or `input`, and not both"
                    .to_owned(),
            ),
        }
    }
}

impl Target {
    fn is_empty(&self) -> bool {
        let texts = [&self.agent, &self.system_prompt, &self.prompt];
        texts.into_iter().all(Option::is_none) && self.tools.is_none() && self.input.is_none()
    }
}

impl CallAgentTool {
    /// The call that these arguments are.
    pub(in crate::agent) fn read(
        &self,
        arguments: &Value,
        messages: &Messages,
    ) -> Result<AgentCall, String> {
        let arguments = Arguments::deserialize(arguments);
        let mut arguments = arguments.map_err(|error| error.to_string())?;
        let targets = arguments.targets(self.ad_hoc().is_some())?;
        let join = self.join(arguments.join)?;
        match (join, targets.len()) {
            (_, 0) => return Err("`targets` is empty: name at least one agent".to_owned()),
            (Join::Single, got) if got > 1 => {
                return Err(format!(
                    "`join` is `single`, which takes one agent, and `targets` names {got}: call them with another \
                     `join`, or one by one"
                ));
            }
            _ => {}
        }
        let mut is_handoff = false;
        let mut read = Vec::with_capacity(targets.len());
        for target in targets {
            let target = self.target(target, arguments.context, messages)?;
            is_handoff = target.context == ContextScope::Shared;
            if is_handoff && join != Join::Single {
                return Err("with the `context` `shared`, `join` has to be `single`".to_owned());
            }
            read.push(target);
        }
        Ok(AgentCall {
            join,
            targets: read,
            is_handoff,
        })
    }

    fn target(
        &self,
        target: Target,
        context: Option<ContextScope>,
        messages: &Messages,
    ) -> Result<CallTarget, String> {
        let Target {
            agent,
            system_prompt,
            tools,
            prompt,
            input,
        } = target;
        let input = input.filter(|input| !input.is_null());
        match (agent, system_prompt) {
            (Some(_), Some(_)) => {
                Err("use either `agent` or `system_prompt`, and not both".to_owned())
            }
            (None, Some(_)) if input.is_some() => {
                Err("the agent of a `system_prompt` takes a `prompt`, and no `input`".to_owned())
            }
            (None, Some(system_prompt)) => {
                let ad_hoc = AdHocAgent {
                    system_prompt,
                    tools,
                };
                self.ad_hoc_target(ad_hoc, prompt, context, messages)
            }
            (_, None) if tools.is_some() => Err(match self.ad_hoc() {
                Some(_) => {
                    "`tools` goes with `system_prompt`: a named agent has its own tools".to_owned()
                }
                None => "unknown field `tools`".to_owned(),
            }),
            (Some(agent), None) => self.named_target(agent, (prompt, input), context, messages),
            (None, None) => Err("a target names no `agent`".to_owned()),
        }
    }

    fn named_target(
        &self,
        agent: String,
        (prompt, input): (Option<String>, Option<Value>),
        context: Option<ContextScope>,
        messages: &Messages,
    ) -> Result<CallTarget, String> {
        let mut callees = self.callees.iter().enumerate();
        let known = callees.find(|(_, callee)| callee.name == agent);
        let (callee, known) = known.ok_or_else(|| match self.skill(&agent) {
            Some(_) => format!("`{agent}` is a skill: run it with `run_skill`"),
            None => format!("there is no agent `{agent}`"),
        })?;
        let Some(takes) = &known.takes else {
            let context = match known.is_remote {
                true => independent(&agent, context)?,
                false => self.allowed_context(context)?,
            };
            let prompt = prompt.filter(|_| input.is_none());
            let prompt = read_prompt(&agent, prompt)?;
            return Ok(callee_with(agent, callee, (prompt, context), messages));
        };
        let input = input.filter(|_| prompt.is_none());
        let context = independent(&agent, context)?;
        let start = CallStart::Input(read_input(takes, &agent, input)?);
        Ok(CallTarget {
            agent,
            callee,
            context,
            start,
        })
    }

    fn ad_hoc_target(
        &self,
        ad_hoc: AdHocAgent,
        prompt: Option<String>,
        context: Option<ContextScope>,
        messages: &Messages,
    ) -> Result<CallTarget, String> {
        let known = self.ad_hoc().zip(self.ad_hoc_tools.as_ref());
        let (callee, known) = known.ok_or_else(|| {
            "you cannot describe an agent with `system_prompt`: name an `agent`".to_owned()
        })?;
        if ad_hoc.system_prompt.trim().is_empty() {
            return Err("the system prompt is empty".to_owned());
        }
        let mut tools = ad_hoc.tools.iter().flatten();
        if let Some(unknown) = tools.find(|tool| !known.contains(tool)) {
            return Err(match known.as_slice() {
                [] => format!("it cannot have the tool `{unknown}`: it has no tools"),
                known => format!(
                    "it cannot have the tool `{unknown}`: its tools are {}",
                    quoted(known)
                ),
            });
        }
        let context = self.allowed_context(context)?;
        let prompt = prompt.ok_or("`prompt` is missing: what the agent is to do")?;
        let prompt = read_prompt(AD_HOC, Some(prompt))?;
        let prompt = TaskPrompt::in_context(prompt, context, messages).for_ad_hoc(ad_hoc);
        Ok(CallTarget {
            agent: AD_HOC.to_owned(),
            callee,
            context,
            start: CallStart::Prompt(prompt),
        })
    }

    /// The context of a call, if it is one of those in which agents may be called.
    fn allowed_context(&self, asked: Option<ContextScope>) -> Result<ContextScope, String> {
        let scope = asked.or_else(|| self.scopes.first().copied());
        let scope = scope.filter(|scope| self.scopes.contains(scope));
        scope.ok_or_else(|| match self.scopes.len() {
            1 => "leave `context` out: there is one only".to_owned(),
            _ => "agents are not called in this `context`".to_owned(),
        })
    }

    /// What is waited for, if it is one of those joins that the agent may use.
    fn join(&self, asked: Option<Join>) -> Result<Join, String> {
        let join = asked.or_else(|| self.joins.first().copied());
        let join = join.filter(|join| self.joins.contains(join));
        join.ok_or_else(|| {
            let allowed: Vec<&str> = self.joins.iter().map(|join| join.quoted()).collect();
            format!("`join` may be {}", allowed.join(" or "))
        })
    }
}

/// Accepts the independent context alone.
fn independent(agent: &str, asked: Option<ContextScope>) -> Result<ContextScope, String> {
    match asked.unwrap_or_default() {
        ContextScope::Independent => Ok(ContextScope::Independent),
        _ => Err(format!("`{agent}` knows nothing of the conversation")),
    }
}

/// The names of those that these arguments call, in order.
pub(crate) fn callee_names(arguments: &model::Arguments) -> Vec<&str> {
    let model::Arguments::Json(arguments) = arguments else {
        return Vec::new();
    };
    match arguments.get("targets").and_then(Value::as_array) {
        Some(targets) => targets.iter().filter_map(callee_name).collect(),
        None => callee_name(arguments).into_iter().collect(),
    }
}

fn callee_name(target: &Value) -> Option<&str> {
    let name = |key| target.get(key)?.as_str();
    let ad_hoc = || name("system_prompt").map(|_| AD_HOC);
    name("agent").or_else(|| name("skill")).or_else(ad_hoc)
}

/// The call of an agent that is told `prompt`, and knows so much of the conversation.
pub(super) fn callee_with(
    agent: String,
    callee: usize,
    (prompt, context): (String, ContextScope),
    messages: &Messages,
) -> CallTarget {
    let prompt = TaskPrompt::in_context(prompt, context, messages);
    CallTarget {
        agent,
        callee,
        context,
        start: CallStart::Prompt(prompt),
    }
}

/// What the agent is told, if it is told anything.
pub(super) fn read_prompt(agent: &str, prompt: Option<String>) -> Result<String, String> {
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
