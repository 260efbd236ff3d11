//! Two agents side by side, and a machine to run them on.

use std::sync::Arc;

use pravah_runtime::{
    Agent, AgentConfig, ClientFactory, Context, Flow, FlowDef, FlowError, FlowGraph, FlowRuntime,
    ModelClient, ModelFuture, ModelRequest, RunOut, ScriptedModel, Tool, ToolBox, ToolError,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{Log, ran, restart, states};

/// Asks a person, and then fails where the context says so.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Ask {
    what: String,
}

/// Makes `Ask` fail after it was answered.
pub(crate) struct Trouble;

impl Tool for Ask {
    type Output = String;

    fn name() -> &'static str {
        "ask"
    }

    fn description() -> &'static str {
        "Asks a person."
    }

    async fn call(self, ctx: Context) -> Result<String, ToolError> {
        ran(&ctx, &format!("ask {}", ctx.call_id().unwrap_or_default()));
        match ctx.resumed::<String>()? {
            None => Err(ToolError::suspend(json!({ "what": self.what }))),
            Some(_) if ctx.dep::<Trouble>().is_ok() => Err(ToolError::fatal("trouble")),
            Some(answer) if answer == "again" => Err(ToolError::suspend("really?")),
            Some(answer) => Ok(answer),
        }
    }
}

/// Looks something up.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Look {}

impl Tool for Look {
    type Output = u64;

    fn name() -> &'static str {
        "look"
    }

    fn description() -> &'static str {
        "Looks."
    }

    async fn call(self, ctx: Context) -> Result<u64, ToolError> {
        ran(&ctx, "look");
        Ok(1)
    }
}

macro_rules! agent {
    ($from:ident -> $out:ident) => {
        impl Agent for $from {
            type Output = $out;

            fn build() -> AgentConfig {
                AgentConfig::new("You help.", "openai://gpt-4o")
                    .with_tools(ToolBox::new().with::<Ask>().with::<Look>())
            }
        }
    };
}
pub(crate) use agent;

states!(Start, One, Two, OneDone, TwoDone, End);
agent!(One -> OneDone);
agent!(Two -> TwoDone);

/// Two agents side by side.
impl Flow for Start {
    type Output = End;

    fn build() -> Result<FlowGraph, FlowError> {
        FlowGraph::builder()
            .fork::<Start, One, Two, _>(|start, _| Ok((One { n: start.n }, Two { n: start.n })))
            .agent::<One>()
            .agent::<Two>()
            .join::<OneDone, TwoDone, End, _>(|one, two, _| {
                Ok(End {
                    n: one.n * 10 + two.n,
                })
            })
            .build()
    }
}

/// A script that counts what it is asked.
pub(crate) struct Counted(ScriptedModel, Log);

impl ModelClient for Counted {
    fn complete<'a>(&'a self, request: &'a ModelRequest) -> ModelFuture<'a> {
        self.1.add(format!(
            "{} {} {}",
            request.node,
            request.model,
            request.turn()
        ));
        self.0.complete(request)
    }
}

pub(crate) fn asks(script: ScriptedModel, node: &str, n: u64) -> ScriptedModel {
    script
        .call(node, "ask", json!({ "what": node }))
        .reply(node, json!({ "n": n }))
}

pub(crate) fn both_ask() -> ScriptedModel {
    asks(asks(ScriptedModel::new(), "One", 1), "Two", 2)
}

pub(crate) fn only_one_asks() -> ScriptedModel {
    asks(ScriptedModel::new(), "One", 1)
        .call("Two", "look", json!({}))
        .reply("Two", json!({ "n": 2 }))
}

/// A machine for runs: a model, and what happened on it.
pub(crate) struct Machine {
    pub(crate) model: Arc<Counted>,
    pub(crate) log: Log,
}

impl Machine {
    pub(crate) fn new(script: ScriptedModel) -> Self {
        let log = Log::default();
        Self {
            model: Arc::new(Counted(script, log.clone())),
            log,
        }
    }

    pub(crate) fn on<F: FlowDef>(&self, run: FlowRuntime<F>) -> FlowRuntime<F> {
        run.with_factory(ClientFactory::new().with_client(self.model.clone()))
    }

    pub(crate) fn start(&self) -> FlowRuntime<Start> {
        self.on(FlowRuntime::new(Start { n: 0 }).unwrap().with_run_id("r"))
    }

    pub(crate) fn ctx(&self) -> Context {
        self.log.ctx()
    }

    pub(crate) fn restart<F: FlowDef>(&self, run: &FlowRuntime<F>) -> FlowRuntime<F> {
        self.on(restart(run))
    }

    /// Everything that was run, once each.
    pub(crate) fn nothing_twice(&self) {
        let counts = self.log.counts();
        assert!(counts.values().all(|count| *count == 1), "{counts:?}");
    }
}

pub(crate) fn suspended<O: std::fmt::Debug>(out: RunOut<O>) -> String {
    match out {
        RunOut::Suspend { tool_id, .. } => tool_id,
        out => panic!("not suspended: {out:?}"),
    }
}

pub(crate) const END: RunOut<End> = RunOut::Done(End { n: 12 });

/// Runs until someone must answer, restarting before every step.
pub(crate) async fn go_on(machine: &Machine, run: &mut FlowRuntime<Start>) -> RunOut<End> {
    loop {
        *run = machine.restart(run);
        match run.next(machine.ctx()).await.unwrap() {
            RunOut::Continue => {}
            out => return out,
        }
    }
}
