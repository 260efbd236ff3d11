//! Agents and their suspensions in forks, on loops, in nested flows, and across restarts.
#![allow(clippy::panic, clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

mod engine_support;

use std::sync::Arc;

use engine_support::{Log, bytes, json, load, ran, restart, states};
use pravah_runtime::{
    __private, Agent, AgentConfig, ClientFactory, Context, Either, Flow, FlowDef, FlowError,
    FlowGraph, FlowRuntime, Limit, ModelClient, ModelFuture, ModelRequest, RunOut, ScriptedModel,
    Suspension, Tool, ToolBox, ToolError,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

/// Asks a person, and then fails where the context says so.
#[derive(Deserialize, JsonSchema)]
struct Ask {
    what: String,
}

/// Makes `Ask` fail after it was answered.
struct Trouble;

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
struct Look {}

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
            .join::<OneDone, TwoDone, End, _>(|one, two, _| Ok(End { n: one.n * 10 + two.n }))
            .build()
    }
}

/// A script that counts what it is asked.
struct Counted(ScriptedModel, Log);

impl ModelClient for Counted {
    fn complete<'a>(&'a self, request: &'a ModelRequest) -> ModelFuture<'a> {
        self.1.add(format!("{} {} {}", request.node, request.model, request.turn()));
        self.0.complete(request)
    }
}

fn asks(script: ScriptedModel, node: &str, n: u64) -> ScriptedModel {
    script.call(node, "ask", json!({ "what": node })).reply(node, json!({ "n": n }))
}

fn both_ask() -> ScriptedModel {
    asks(asks(ScriptedModel::new(), "One", 1), "Two", 2)
}

fn only_one_asks() -> ScriptedModel {
    asks(ScriptedModel::new(), "One", 1).call("Two", "look", json!({})).reply("Two", json!({ "n": 2 }))
}

/// A machine for runs: a model, and what happened on it.
struct Machine {
    model: Arc<Counted>,
    log: Log,
}

impl Machine {
    fn new(script: ScriptedModel) -> Self {
        let log = Log::default();
        Self { model: Arc::new(Counted(script, log.clone())), log }
    }

    fn on<F: FlowDef>(&self, run: FlowRuntime<F>) -> FlowRuntime<F> {
        run.with_factory(ClientFactory::new().with_client(self.model.clone()))
    }

    fn start(&self) -> FlowRuntime<Start> {
        self.on(FlowRuntime::new(Start { n: 0 }).unwrap().with_run_id("r"))
    }

    fn ctx(&self) -> Context {
        self.log.ctx()
    }

    fn restart<F: FlowDef>(&self, run: &FlowRuntime<F>) -> FlowRuntime<F> {
        self.on(restart(run))
    }

    /// Everything that was run, once each.
    fn nothing_twice(&self) {
        let counts = self.log.counts();
        assert!(counts.values().all(|count| *count == 1), "{counts:?}");
    }
}

fn suspended<O: std::fmt::Debug>(out: RunOut<O>) -> String {
    match out {
        RunOut::Suspend { tool_id, .. } => tool_id,
        out => panic!("not suspended: {out:?}"),
    }
}

const END: RunOut<End> = RunOut::Done(End { n: 12 });

/// Runs until someone must answer, restarting before every step.
async fn go_on(machine: &Machine, run: &mut FlowRuntime<Start>) -> RunOut<End> {
    loop {
        *run = machine.restart(run);
        match run.next(machine.ctx()).await.unwrap() {
            RunOut::Continue => {}
            out => return out,
        }
    }
}

// S1.1, S1.27: the branch that is suspended does not hold up the other.
#[tokio::test]
async fn other_branches_go_on_while_one_is_suspended() {
    let machine = Machine::new(only_one_asks());
    let mut run = machine.start();
    assert_eq!(suspended(go_on(&machine, &mut run).await), "One::ask");
    while json(&run)["states"].get("TwoDone").is_none() {
        run = machine.restart(&run);
        assert_eq!(run.next(machine.ctx()).await.unwrap(), RunOut::Continue);
    }
    assert!(matches!(run.next(machine.ctx()).await, Err(FlowError::ResumeRequired(id)) if id == "One::ask"));
    machine.nothing_twice();
    run.resume(machine.ctx(), ("One::ask", "yes")).await.unwrap();
    assert_eq!(go_on(&machine, &mut run).await, END);
}

// S1.45
#[tokio::test]
async fn two_suspensions_are_announced_once_each_and_answered_in_either_order() {
    for order in [["One::ask", "Two::ask"], ["Two::ask", "One::ask"]] {
        let machine = Machine::new(both_ask());
        let mut run = machine.start();
        assert_eq!(suspended(go_on(&machine, &mut run).await), "One::ask");
        assert_eq!(suspended(go_on(&machine, &mut run).await), "Two::ask");
        let open: Vec<_> = run.suspensions().into_iter().map(|open| (open.tool_id, open.value)).collect();
        assert_eq!(open[0], ("One::ask".to_owned(), json!({ "what": "One" })));
        assert_eq!(open.len(), 2);
        // S1.28: the first that is open, again and again.
        for _ in 0..2 {
            let error = run.next(machine.ctx()).await.unwrap_err();
            assert!(matches!(error, FlowError::ResumeRequired(id) if id == "One::ask"));
        }
        for id in order {
            run = machine.restart(&run);
            assert_eq!(run.resume(machine.ctx(), (id, "yes")).await.unwrap(), RunOut::Continue);
        }
        assert_eq!(run.suspensions(), Vec::<Suspension>::new());
        assert_eq!(go_on(&machine, &mut run).await, END);
    }
}

// S1.30
#[tokio::test]
async fn an_id_that_is_not_open_is_refused_naming_the_first_that_is() {
    let machine = Machine::new(both_ask());
    let mut run = machine.start();
    run.run(machine.ctx()).await.unwrap();
    let before = json(&run);
    let error = run.resume(machine.ctx(), ("Two::ask", "yes")).await.unwrap_err();
    assert!(matches!(error, FlowError::ResumeMismatchError(id) if id == "One::ask"));
    assert_eq!(json(&run), before);
}

#[tokio::test]
async fn a_payload_is_kept_when_the_tool_then_fails() {
    let machine = Machine::new(only_one_asks());
    let mut run = machine.start();
    run.run(machine.ctx()).await.unwrap();
    let troubled = machine.ctx().with_dep(Trouble);
    let error = run.resume(troubled, ("One::ask", "yes")).await.unwrap_err();
    assert!(matches!(&error, FlowError::Tool { node, tool, .. } if node == "One" && tool == "ask"), "{error}");
    assert_eq!(run.suspensions(), Vec::<Suspension>::new());
    let mut run = machine.restart(&run);
    assert_eq!(go_on(&machine, &mut run).await, END);
}

// A crash while one of two open calls of an agent is being resumed.
#[tokio::test]
async fn a_payload_is_kept_while_another_call_of_the_same_agent_is_open() {
    let script = ScriptedModel::new()
        .calls("One", [("ask", json!({ "what": "a" })), ("ask", json!({ "what": "b" }))])
        .reply("One", json!({ "n": 1 }))
        .reply("Two", json!({ "n": 2 }));
    let machine = Machine::new(script);
    let mut run = machine.start();
    assert_eq!(suspended(run.run(machine.ctx()).await.unwrap()), "One::ask");
    // S1.45: the same tool twice in a turn.
    let ids: Vec<_> = run.suspensions().into_iter().map(|open| open.tool_id).collect();
    assert_eq!(ids, ["One::ask", "One::ask#2"]);
    let troubled = machine.ctx().with_dep(Trouble);
    run.resume(troubled, ("One::ask", "yes")).await.unwrap_err();
    let mut run = machine.restart(&run);
    assert_eq!(run.suspensions().len(), 1);
    assert_eq!(suspended(go_on(&machine, &mut run).await), "One::ask#2");
    run = machine.restart(&run);
    run.resume(machine.ctx(), ("One::ask#2", "yes")).await.unwrap();
    assert_eq!(go_on(&machine, &mut run).await, END);
}

#[tokio::test]
async fn a_tool_that_suspends_again_is_announced_again_under_its_name() {
    let machine = Machine::new(only_one_asks());
    let mut run = machine.start();
    run.run(machine.ctx()).await.unwrap();
    let out = run.resume(machine.ctx(), ("One::ask", "again")).await.unwrap();
    assert_eq!(out, RunOut::Suspend { value: json!("really?"), tool_id: "One::ask".into() });
    let mut run = machine.restart(&run);
    run.resume(machine.ctx(), ("One::ask", "yes")).await.unwrap();
    assert_eq!(go_on(&machine, &mut run).await, END);
}

// S1.31: the same call, under the same id.
#[tokio::test]
async fn a_resumed_call_has_the_id_that_it_had() {
    let machine = Machine::new(only_one_asks());
    let mut run = machine.start();
    run.run(machine.ctx()).await.unwrap();
    run.resume(machine.ctx(), ("One::ask", "yes")).await.unwrap();
    let asked: Vec<_> = machine.log.entries().into_iter().filter(|entry| entry.starts_with("ask")).collect();
    assert_eq!(asked, ["ask r/One#1/1/call_1_1", "ask r/One#1/1/call_1_1"]);
}

#[tokio::test]
async fn a_model_is_swapped_for_one_run_also_for_one_of_a_scheme_of_ones_own() {
    for url in ["anthropic://claude", "acme://own"] {
        let machine = Machine::new(only_one_asks());
        let mut run = machine.start().with_model("Two", url).unwrap();
        run.run(machine.ctx()).await.unwrap();
        run.next(machine.ctx()).await.unwrap();
        let model = url.split("://").nth(1).unwrap();
        let entries = machine.log.entries();
        assert!(entries.contains(&format!("Two {model} 0")), "{entries:?}");
        assert!(entries.contains(&"One gpt-4o 0".to_owned()), "{entries:?}");
    }
}

#[test]
fn a_model_for_a_node_that_is_no_agent_is_refused() {
    let run = || FlowRuntime::new(Start { n: 0 }).unwrap();
    assert!(matches!(run().with_model("Start", "openai://m"), Err(FlowError::NotFound(node)) if node == "Start"));
    assert!(matches!(run().with_model("One", "m"), Err(FlowError::BuildError(_))));
}

// S1.42: kept beside the snapshot, and goes on growing after a restart.
#[tokio::test]
async fn the_history_is_carried_over_a_restart_by_the_caller() {
    let machine = Machine::new(only_one_asks());
    let mut run = machine.start();
    run.run(machine.ctx()).await.unwrap();
    while run.history().get("Two").is_none() {
        run.next(machine.ctx()).await.unwrap();
    }
    let saved = serde_json::to_vec(run.history()).unwrap();
    let mut run = machine.restart(&run).with_history(serde_json::from_slice(&saved).unwrap());
    run.resume(machine.ctx(), ("One::ask", "yes")).await.unwrap();
    run.run(machine.ctx()).await.unwrap();
    assert_eq!(run.history().iter().map(|(node, _)| node).collect::<Vec<_>>(), ["One", "Two"]);
}

// A dropped model call and a dropped batch of tools.
#[tokio::test]
async fn a_dropped_model_call_changes_nothing() {
    struct Never;

    impl ModelClient for Never {
        fn complete<'a>(&'a self, _: &'a ModelRequest) -> ModelFuture<'a> {
            Box::pin(std::future::pending())
        }
    }

    let machine = Machine::new(only_one_asks());
    let mut run = machine.start().with_factory(ClientFactory::new().with_client(Arc::new(Never)));
    run.next(machine.ctx()).await.unwrap();
    let before = json(&run);
    assert!(engine_support::poll_once(run.next(machine.ctx())).is_none());
    assert_eq!(json(&run), before);
    let mut run = machine.on(run);
    assert_eq!(suspended(run.run(machine.ctx()).await.unwrap()), "One::ask");
}

#[tokio::test]
async fn a_panic_of_a_model_client_names_the_agent() {
    struct Falls;

    impl ModelClient for Falls {
        fn complete<'a>(&'a self, _: &'a ModelRequest) -> ModelFuture<'a> {
            panic!("wires crossed")
        }
    }

    let machine = Machine::new(only_one_asks());
    let mut run = machine.start().with_factory(ClientFactory::new().with_client(Arc::new(Falls)));
    run.next(machine.ctx()).await.unwrap();
    let before = json(&run);
    let error = run.next(machine.ctx()).await.unwrap_err();
    assert!(matches!(&error, FlowError::Panicked { node, .. } if node == "One"), "{error}");
    assert_eq!(json(&run), before);
}

states!(Loop, Question, Answer, LoopEnd);
agent!(Question -> Answer);

impl Flow for Loop {
    type Output = LoopEnd;

    fn build() -> Result<FlowGraph, FlowError> {
        FlowGraph::builder()
            .work::<Loop, Question, _, _>(|loops, _| async move { Ok(Question { n: loops.n }) })
            .agent::<Question>()
            .either::<Answer, Question, LoopEnd, _>(|answer, _| {
                Ok(match answer.n {
                    0 => Either::Right(LoopEnd { n: 0 }),
                    n => Either::Left(Question { n }),
                })
            })
            .build()
    }
}

// Each visit begins a conversation of its own, with call ids of its own.
#[tokio::test]
async fn an_agent_on_a_loop_begins_anew_at_each_visit() {
    let script = asks(asks(ScriptedModel::new(), "Question#1", 1), "Question#2", 0);
    let machine = Machine::new(script);
    let mut run = machine.on(FlowRuntime::new(Loop { n: 1 }).unwrap().with_run_id("r"));
    for _ in 0..2 {
        assert_eq!(suspended(run.run(machine.ctx()).await.unwrap()), "Question::ask");
        run = machine.restart(&run);
        run.resume(machine.ctx(), ("Question::ask", "yes")).await.unwrap();
    }
    assert_eq!(run.run(machine.ctx()).await.unwrap(), RunOut::Done(LoopEnd { n: 0 }));
    let ids: std::collections::BTreeSet<_> =
        machine.log.entries().into_iter().filter(|entry| entry.starts_with("ask")).collect();
    assert_eq!(ids.len(), 2, "{ids:?}");
}

states!(Around, AroundEnd);

/// `Start`, nested.
impl Flow for Around {
    type Output = AroundEnd;

    fn build() -> Result<FlowGraph, FlowError> {
        FlowGraph::builder()
            .work::<Around, Start, _, _>(|around, _| async move { Ok(Start { n: around.n }) })
            .flow::<Start>()
            .work::<End, AroundEnd, _, _>(|end, _| async move { Ok(AroundEnd { n: end.n }) })
            .build()
    }
}

// S1.22, S1.27
#[tokio::test]
async fn suspensions_in_a_nested_flow_are_prefixed() {
    let script = asks(asks(ScriptedModel::new(), "Start::One", 1), "Start::Two", 2);
    let machine = Machine::new(script);
    let mut run = machine.on(FlowRuntime::new(Around { n: 0 }).unwrap());
    assert_eq!(suspended(run.run(machine.ctx()).await.unwrap()), "Start::One::ask");
    assert_eq!(suspended(run.run(machine.ctx()).await.unwrap()), "Start::Two::ask");
    for id in ["Start::Two::ask", "Start::One::ask"] {
        run = machine.restart(&run);
        run.resume(machine.ctx(), (id, "yes")).await.unwrap();
    }
    assert_eq!(run.run(machine.ctx()).await.unwrap(), RunOut::Done(AroundEnd { n: 12 }));
}

// A flow as a function that suspends loses nothing.
#[tokio::test]
async fn a_flow_called_as_a_function_answers_with_a_snapshot_when_it_suspends() {
    let machine = Machine::new(both_ask());
    let factory = ClientFactory::new().with_client(machine.model.clone());
    let error = __private::call::<Start>(Start { n: 0 }, machine.ctx().with_dep(factory)).await.unwrap_err();
    let FlowError::Suspended { tool_id, value, snapshot } = error else { panic!("{error}") };
    assert_eq!((tool_id.as_str(), value), ("One::ask", json!({ "what": "One" })));
    let mut run = machine.on(FlowRuntime::<Start>::from_snapshot(*snapshot).unwrap());
    run.resume(machine.ctx(), (tool_id, "yes")).await.unwrap();
    assert_eq!(suspended(go_on(&machine, &mut run).await), "Two::ask");
    run.resume(machine.ctx(), ("Two::ask", "yes")).await.unwrap();
    assert_eq!(go_on(&machine, &mut run).await, END);
}

#[tokio::test]
async fn a_limit_of_an_agent_holds_over_a_restart() {
    states!(Brief, BriefEnd);

    impl Agent for Brief {
        type Output = BriefEnd;

        fn build() -> AgentConfig {
            AgentConfig::new("", "openai://m").with_tools(ToolBox::new().with::<Look>()).max_turns(2)
        }
    }

    impl Flow for Brief {
        type Output = BriefEnd;

        fn build() -> Result<FlowGraph, FlowError> {
            FlowGraph::builder().agent::<Brief>().build()
        }
    }

    let looks = |script: ScriptedModel| script.call("Brief", "look", json!({}));
    let machine = Machine::new(looks(looks(looks(ScriptedModel::new()))));
    let mut run = machine.on(FlowRuntime::new(Brief { n: 0 }).unwrap());
    for _ in 0..4 {
        run.next(machine.ctx()).await.unwrap();
        run = machine.restart(&run);
    }
    let before = bytes(&run);
    let error = run.next(machine.ctx()).await.unwrap_err();
    assert!(matches!(&error, FlowError::Limit { node, limit: Limit::Turns(2) } if node == "Brief"), "{error}");
    assert_eq!(bytes(&run), before);
    assert_eq!(bytes(&load::<Brief>(&before)), before);
}
