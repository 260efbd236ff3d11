//! An agent, made once for its graph.

use std::sync::Arc;

use serde::de::Error as _;
use serde_json::{Map, Value};

use super::{
    AdHocAgent, AgentConfig, SUBMIT,
    call_agent::CallAgentTool,
    contract::{self, ContractError, Envelope, instruction},
    supervision,
};
use crate::{
    json,
    model::{OutputSpec, ToolSpec, explain, object, strip},
    state::Live,
};

#[derive(Clone)]
pub(crate) struct AgentSpec {
    pub(crate) config: AgentConfig,
    /// What the model is told first.
    pub(super) system: String,
    /// What the output may be.
    pub(super) output_schema: Value,
    /// What the model hands in, but for the object around it: the output, or an envelope around it.
    answer_schema: Value,
    /// Whether its output is what the model says, word for word.
    pub(super) is_text: bool,
    /// Whether there is an object around it.
    is_wrapped: bool,
    /// Reads a value as the output; the error is for the operator.
    read: Arc<ReadOutput>,
    answer: OutputSpec,
    /// What the model may call: the tools, and `submit`. None where it answers with JSON.
    tools: Arc<[ToolSpec]>,
    /// The agents and flows that it may call with one of those tools.
    call_agent: Arc<CallAgentTool>,
    problems: Vec<String>,
}

/// The output of an agent, as its specification needs it.
pub(crate) struct OutputType {
    pub(crate) name: String,
    /// Whether it is what the model says, word for word.
    pub(crate) is_text: bool,
    pub(crate) schema: Value,
    /// Its schema within another, and the definitions that it refers to.
    pub(crate) within: Arc<SchemaWithin>,
    pub(crate) read: Arc<ReadOutput>,
}

/// The schema of an output within another, and the definitions that it refers to.
type SchemaWithin = dyn Fn() -> (Value, Map<String, Value>) + Send + Sync;

/// Reads a value as an output.
type ReadOutput = dyn Fn(&Value) -> Result<Live, serde_json::Error> + Send + Sync;

/// What a model handed in.
pub(super) struct Answer {
    pub(super) output: Live,
    /// What the output came in, under a contract.
    pub(super) envelope: Option<Envelope<Value>>,
}

/// What is wrong with an answer.
pub(super) struct InvalidAnswer {
    /// For the model.
    pub(super) reason: String,
    /// For the operator.
    pub(super) detail: String,
}

impl InvalidAnswer {
    pub(super) fn plain(reason: impl Into<String>) -> Self {
        let reason = reason.into();
        Self {
            detail: reason.clone(),
            reason,
        }
    }
}

impl AgentSpec {
    pub(crate) fn new(config: AgentConfig, output: OutputType) -> Self {
        let mut problems = config.check().err().unwrap_or_default();
        let output_schema = strip(&output.schema).unwrap_or_else(|error| {
            problems.push(format!("its output `{}`: {error}", output.name));
            output.schema
        });
        let mut answer_schema = output_schema.clone();
        if let Some(contract) = &config.contract
            && let (inner, defs) = (output.within)()
            && let Ok(schema) = strip(&contract::schema(inner, defs, contract.sources()))
        {
            answer_schema = schema;
        }
        let system = system_prompt(&config, &answer_schema);
        let answer = OutputSpec {
            name: output.name,
            schema: Arc::new(object::wrap_schema(&answer_schema)),
        };
        let (call_agent, wrong) = config.delegation.tool(&config.tools, &answer.name);
        problems.extend(wrong);
        let tools = tools(&config, &call_agent, (!output.is_text).then_some(&answer));
        Self {
            call_agent: Arc::new(call_agent),
            config,
            system,
            output_schema,
            is_text: output.is_text,
            is_wrapped: !object::is_plain_object(&answer_schema),
            answer_schema,
            read: output.read,
            answer,
            tools,
            problems,
        }
    }

    /// The same agent as one of this configuration calls it, with `depth` levels of agents left below it: with the
    /// tools that the caller hands on, and refusing what the caller refuses.
    pub(crate) fn as_callee(&self, caller: &AgentConfig, depth: u32) -> Self {
        let own = &self.config.tools;
        self.with_config(AgentConfig {
            tools: own.with_tools_of(&caller.tools, &caller.delegation.tools),
            ..self.config_below(caller, depth)
        })
    }

    /// The same agent in a flow that one of this configuration calls.
    pub(crate) fn below(&self, caller: &AgentConfig, depth: u32) -> Self {
        self.with_config(self.config_below(caller, depth))
    }

    fn config_below(&self, caller: &AgentConfig, depth: u32) -> AgentConfig {
        let own = self.config.clone();
        AgentConfig {
            delegation: own.delegation.below(depth),
            constraints: own.constraints.refusing_too(&caller.constraints),
            ..own
        }
    }

    /// The ad-hoc agent that is this and what it has of its own.
    pub(super) fn with_ad_hoc(&self, own: &AdHocAgent) -> Result<Self, String> {
        let mut config = self.config.clone();
        let parts = [&config.preamble, &own.system_prompt].into_iter();
        let parts: Vec<&str> = parts
            .map(|part| &**part)
            .filter(|part| !part.is_empty())
            .collect();
        config.preamble = parts.join("\n\n");
        if let Some(tools) = &own.tools {
            let tools: Vec<&str> = tools.iter().map(String::as_str).collect();
            config.tools = config.tools.only(&tools)?;
        }
        Ok(Self {
            system: system_prompt(&config, &self.answer_schema),
            ..self.with_config(config)
        })
    }

    /// The same agent with other things to call.
    fn with_config(&self, config: AgentConfig) -> Self {
        let (call_agent, wrong) = config.delegation.tool(&config.tools, &self.answer.name);
        let mut problems = config.check().err().unwrap_or_default();
        problems.extend(wrong);
        let answer = (!self.is_text).then_some(&self.answer);
        Self {
            tools: tools(&config, &call_agent, answer),
            call_agent: Arc::new(call_agent),
            config,
            problems,
            ..self.clone()
        }
    }

    /// Whether the model may call anything: tools, or other agents.
    pub(super) fn has_tools(&self) -> bool {
        !self.tools.is_empty()
    }

    /// The names that the model may call.
    pub(super) fn tool_names(&self) -> impl Iterator<Item = &str> {
        self.tools.iter().map(|tool| &*tool.name)
    }

    /// What is wrong with it, in words.
    pub(crate) fn problems(&self) -> &[String] {
        &self.problems
    }

    /// The agents and flows that the model may call.
    pub(super) fn call_agent(&self) -> &CallAgentTool {
        &self.call_agent
    }

    /// Whether the model may start detached tasks, and has the tools to manage them.
    pub(super) fn manages_tasks(&self) -> bool {
        self.config.delegation.allows_detached()
    }

    /// Which of the agents and flows that the model may call has this name.
    pub(crate) fn callee(&self, name: &str) -> Option<usize> {
        self.call_agent.callee(name)
    }

    /// The tools that the model may call, or the JSON that it is to answer with. Neither says that it is to answer
    /// with a text.
    pub(super) fn asks_for(&self) -> (Arc<[ToolSpec]>, Option<OutputSpec>) {
        let is_json = self.tools.is_empty() && !self.is_text;
        let output = is_json.then(|| self.answer.clone());
        (Arc::clone(&self.tools), output)
    }

    /// The answer in what the model returned, if it is one.
    pub(super) fn read(&self, value: &Value) -> Result<Answer, InvalidAnswer> {
        json::check(value)
            .map_err(|unfit| InvalidAnswer::plain(format!("the result is {unfit}")))?;
        let inner = self.is_wrapped.then(|| object::unwrap_value(value));
        let mut invalid = None;
        for value in inner.flatten().into_iter().chain([value]) {
            match self.answer_in(value) {
                Ok(answer) => return Ok(answer),
                Err(why) => invalid = invalid.or(Some(why)),
            }
        }
        Err(invalid.unwrap_or_else(|| InvalidAnswer::plain("there is no result")))
    }

    /// Whether a person may put this in place of the output.
    pub(crate) fn accepts(&self, output: &Value) -> Result<(), serde_json::Error> {
        self.read_valid_output(output).map(drop)
    }

    /// Reads a value of others as the output.
    pub(crate) fn read_valid_output(&self, output: &Value) -> Result<Live, serde_json::Error> {
        let read = self.read_output(output)?;
        match explain(&self.output_schema, output) {
            Some(reason) => Err(serde_json::Error::custom(reason)),
            None => Ok(read),
        }
    }

    /// Whether a person may put these in place of the arguments of a call.
    pub(super) fn accepts_arguments(
        &self,
        tool: &str,
        arguments: &Value,
    ) -> Result<(), serde_json::Error> {
        let Some(tool) = self.config.tools.get(tool) else {
            return Err(serde_json::Error::custom(format!(
                "there is no tool `{tool}`"
            )));
        };
        if let Some(reason) = explain(&tool.spec.parameters, arguments) {
            return Err(serde_json::Error::custom(reason));
        }
        (tool.accepts)(arguments)
    }

    pub(crate) fn has_tool(&self, name: &str) -> bool {
        self.config.tools.get(name).is_some()
    }

    /// Reads a value as the output.
    pub(super) fn read_output(&self, output: &Value) -> Result<Live, serde_json::Error> {
        (self.read)(output)
    }

    /// Reads a value as the answer: its envelope, its type, and what its schema says beyond the type.
    fn answer_in(&self, value: &Value) -> Result<Answer, InvalidAnswer> {
        let unfit = explain(&self.answer_schema, value)
            .map(|reason| format!("the result does not fit: {reason}"));
        let invalid = |detail: String| {
            let schema = || "the result does not fit the schema".to_owned();
            let reason = unfit.clone().unwrap_or_else(schema);
            let detail = format!("{reason} ({detail})");
            InvalidAnswer { reason, detail }
        };
        let of_contract = |error: ContractError| invalid(error.to_string());
        let envelope = match &self.config.contract {
            Some(contract) => {
                let envelope = Envelope::<Value>::read(value).map_err(of_contract)?;
                contract.check_envelope(&envelope).map_err(of_contract)?;
                Some(envelope)
            }
            None => None,
        };
        let output = envelope.as_ref().map_or(value, |it| &it.primary_output);
        let output = (self.read)(output).map_err(|error| invalid(error.to_string()))?;
        if let Some(reason) = unfit {
            return Err(InvalidAnswer::plain(reason));
        }
        Ok(Answer { output, envelope })
    }
}

/// What the model is told about itself: the preamble, and under a contract what its answers come in.
fn system_prompt(config: &AgentConfig, answer_schema: &Value) -> String {
    let preamble = &config.preamble;
    match &config.contract {
        None => preamble.clone(),
        Some(contract) => {
            let envelope = instruction(answer_schema, contract.sources());
            let gap = if preamble.is_empty() { "" } else { "\n\n" };
            format!("{preamble}{gap}{envelope}")
        }
    }
}

/// What the model of an agent may call: its tools, `call_agent` where it may call other agents, `run_skill` where it has
/// skills, the tools for detached tasks where it may start some, and `submit` for its answer, unless that is a text.
fn tools(
    config: &AgentConfig,
    call_agent: &CallAgentTool,
    answer: Option<&OutputSpec>,
) -> Arc<[ToolSpec]> {
    if !config.has_tools() {
        return Arc::default();
    }
    let submit = answer.map(|answer| ToolSpec {
        name: SUBMIT.to_owned(),
        description: "Hands in the result and ends the work.".to_owned(),
        parameters: Arc::clone(&answer.schema),
    });
    let run_skill = call_agent.skills_spec();
    let call_agent = (!call_agent.is_empty()).then(|| call_agent.spec());
    let manages_tasks = config.delegation.allows_detached();
    let of_tasks = manages_tasks.then(supervision::specs).into_iter().flatten();
    let own = config.tools.specs().cloned();
    own.chain(call_agent)
        .chain(run_skill)
        .chain(of_tasks)
        .chain(submit)
        .collect()
}
