//! Multi-turn agents, which wait for messages.

use std::time::Duration;

use pravah_runtime::{
    EventKind, Message, RunStatus, ScriptedModel, StepInfo, StepKind, SystemClock, Turns,
    prelude::*,
};
use serde_json::json;
use tokio::time::{Instant, sleep};

use super::{Draft, Page, now};

#[state]
#[derive(Debug, PartialEq)]
struct Plan {
    n: u32,
}

/// Plans.
#[agent(model = "openai://m", output = Plan, turns(max = 3, idle = "1m"))]
fn plan(draft: &Draft) -> String {
    format!("Plan {}.", draft.n)
}

#[node]
fn print(plan: Plan) -> Page {
    Page { n: plan.n }
}

#[flow(named)]
fn planning(draft: Draft) -> Page {
    flow! { plan -> print }
}

fn answers(numbers: &[u32]) -> ClientFactory {
    let script = numbers.iter().fold(ScriptedModel::new(), |script, n| {
        script.reply("plan", json!({ "n": n }))
    });
    ClientFactory::new().with_scripted(script)
}

fn run_of(answers: &ClientFactory) -> FlowRuntime<planning> {
    let run = planning::start(Draft { n: 1 }).unwrap();
    run.with_run_id("r").with_factory(answers.clone())
}

const AGENT: &str = "r/plan(Draft)#1@1";

// S4.18
#[tokio::test(start_paused = true)]
async fn without_a_message_the_answer_goes_on_after_the_idle_time() {
    let mut run = run_of(&answers(&[1]));
    let started = Instant::now();
    let out = run.run(Context::default()).await.unwrap();
    assert_eq!(out, RunOut::Done(Page { n: 1 }));
    assert_eq!(started.elapsed(), Duration::from_secs(60));
}

// S4.16
#[tokio::test(start_paused = true)]
async fn each_message_starts_a_turn_and_the_last_answer_is_the_output() {
    let mut run = run_of(&answers(&[1, 2, 3]));
    let hub = run.hub();
    let mut turns = hub.events().only(["agent:turn"]);
    let writer = tokio::spawn(async move {
        let mut seen = Vec::new();
        for text in ["Longer.", "Shorter."] {
            let EventKind::TurnEnded { id, turn, .. } = turns.next().await.unwrap().kind else {
                panic!("another event");
            };
            let listening = hub.listening_agents();
            seen.push((turn, listening[0].answer.clone()));
            assert_eq!(listening[0].agent_run, id);
            sleep(Duration::from_secs(50)).await;
            hub.send_to_agent(id, text).await.unwrap();
        }
        seen
    });
    let started = Instant::now();
    let out = run.run(Context::default()).await.unwrap();
    assert_eq!(out, RunOut::Done(Page { n: 3 }));
    // The third turn was the last one.
    assert_eq!(started.elapsed(), Duration::from_secs(100));
    let seen = writer.await.unwrap();
    assert_eq!(seen, [(1, json!({ "n": 1 })), (2, json!({ "n": 2 }))]);
    let said = run.history().get("plan").unwrap();
    let texts = said.messages().iter().filter_map(Message::user_text);
    assert_eq!(
        texts.collect::<Vec<_>>(),
        ["Plan 1.", "Longer.", "Shorter."]
    );
}

// S4.19
#[tokio::test(start_paused = true)]
async fn all_turns_are_one_visit_with_one_start_and_one_end() {
    let mut run = run_of(&answers(&[1, 2]));
    let hub = run.hub();
    let mut events = hub.events();
    hub.send_to("plan", "Longer.");
    run.run(Context::default()).await.unwrap();
    let mut names = Vec::new();
    while let Some(event) = futures_util::FutureExt::now_or_never(events.next()).flatten() {
        if event.node.as_deref() == Some("plan") {
            names.push(event.kind.name().to_owned());
        }
    }
    let expected = [
        "task:start",
        "agent:start",
        "model:answer",
        "agent:turn",
        "step",
        "session:message",
        "model:answer",
        "agent:turn",
        "step",
        "agent:complete",
        "step",
        "task:complete",
    ];
    assert_eq!(names, expected);
}

#[tokio::test(start_paused = true)]
async fn a_closed_agent_goes_on_at_once_and_says_what_kind_of_step_that_was() {
    let mut run = run_of(&answers(&[1]));
    let hub = run.hub();
    let out = run.next(Context::default()).await.unwrap();
    assert_eq!(out, RunOut::Continue);
    let waits = run.status();
    assert!(
        matches!(
            waits,
            RunStatus::Waiting {
                why: WaitReason::Message,
                ..
            }
        ),
        "{waits:?}"
    );
    let mut close = hub.close_agent(AGENT);
    run.next(Context::default()).await.unwrap();
    assert_eq!(now(&mut close).unwrap().unwrap(), 1);
    assert_eq!(run.last_step().unwrap().kind, StepKind::LastTurn);
    let out = run.next(Context::default()).await.unwrap();
    assert_eq!(out, RunOut::Done(Page { n: 1 }));
}

#[tokio::test(start_paused = true)]
async fn a_message_waits_while_the_agent_is_at_work_also_across_a_restore() {
    let factory = answers(&[1, 2]);
    let mut run = run_of(&factory);
    let hub = run.hub();
    // It has not even started.
    let mut early = hub.send_to("plan", "Longer.");
    run.next(Context::default()).await.unwrap();
    assert!(now(&mut early).is_none());
    let stored = serde_json::to_value(run.snapshot()).unwrap();
    let message = json!({ "type": "message", "agent": AGENT, "text": "Longer." });
    assert_eq!(stored["inbox"]["1"], message);
    drop(run);
    assert!(matches!(
        now(&mut early).unwrap(),
        Err(FlowError::RunDropped)
    ));

    let run = FlowRuntime::<planning>::from_snapshot(serde_json::from_value(stored).unwrap());
    let mut run = run.unwrap().with_factory(factory);
    let started = Instant::now();
    let out = run.run(Context::default()).await.unwrap();
    assert_eq!(out, RunOut::Done(Page { n: 2 }));
    // For the second message it waited in vain.
    assert_eq!(started.elapsed(), Duration::from_secs(60));
}

#[tokio::test(start_paused = true)]
async fn the_idle_time_goes_on_in_another_process() {
    let factory = answers(&[1]);
    let clock = SystemClock::new();
    let mut run = run_of(&factory).with_clock(clock);
    run.next(Context::default()).await.unwrap();
    sleep(Duration::from_secs(40)).await;
    let listening = run.listening_agents();
    let restored = FlowRuntime::<planning>::from_snapshot(
        serde_json::from_value(serde_json::to_value(run.snapshot()).unwrap()).unwrap(),
    );
    let mut run = restored.unwrap().with_factory(factory).with_clock(clock);
    assert_eq!(run.listening_agents(), listening);
    assert_eq!((&*listening[0].node, listening[0].turn), ("plan", 1));
    let started = Instant::now();
    run.run(Context::default()).await.unwrap();
    assert_eq!(started.elapsed(), Duration::from_secs(20));
}

// S4.17
#[tokio::test(start_paused = true)]
async fn a_message_to_nobody_is_an_error_that_names_those_who_listen() {
    let mut run = run_of(&answers(&[1]));
    let hub = run.hub();
    run.next(Context::default()).await.unwrap();
    let sent = [
        hub.send_to_agent("r/plan(Draft)#1@2", "Hello?"),
        hub.send_to("print", "Hello?"),
        hub.close_agent("plan"),
    ];
    run.next(Context::default()).await.unwrap();
    let mut errors = Vec::new();
    for sent in sent {
        errors.push(sent.await.unwrap_err().to_string());
    }
    let expected = [
        "no agent with `turns` is at work at `r/plan(Draft)#1@2`; known: `r/plan(Draft)#1@1`",
        "no agent with `turns` is at work at `print`; known: `plan`",
        "no agent with `turns` is at work at `plan`; known: `r/plan(Draft)#1@1`",
    ];
    assert_eq!(errors, expected);
    // One that comes too late.
    let (close, mut late) = (hub.close_agent(AGENT), hub.send_to("plan", "Wait!"));
    let out = run.run(Context::default()).await.unwrap();
    assert_eq!(out, RunOut::Done(Page { n: 1 }));
    close.await.unwrap();
    let error = now(&mut late).unwrap().unwrap_err();
    assert_eq!(
        error.to_string(),
        "no agent with `turns` is at work at `r/plan(Draft)#1@1`"
    );
}

#[test]
fn turns_that_cannot_be_are_problems_of_the_agent() {
    let config = |turns| AgentConfig::new("Plan.", "openai://m").with_turns(turns);
    assert_eq!(config(Turns::new()).check(), Ok(()));
    let problems = config(Turns::new().max(0)).check().unwrap_err();
    assert_eq!(problems, ["`turns.max` is 0: the agent would never answer"]);
    let problems = config(Turns::new().idle(Duration::ZERO))
        .check()
        .unwrap_err();
    assert_eq!(
        problems,
        ["`turns.idle` is 0: no message would ever come in time"]
    );
    let contract = pravah_runtime::Contract::new();
    let problems = config(Turns::new()).with_contract(contract).check();
    assert!(problems.unwrap_err()[0].contains("has several"));
}

#[tokio::test(start_paused = true)]
async fn a_snapshot_of_an_agent_that_listens_to_nobody_or_without_its_time_is_refused() {
    let factory = answers(&[1]);
    let mut run = run_of(&factory);
    run.next(Context::default()).await.unwrap();
    let stored = serde_json::to_value(run.snapshot()).unwrap();
    let load = |change: fn(&mut serde_json::Value)| {
        let mut stored = stored.clone();
        change(&mut stored);
        let snapshot = serde_json::from_value(stored).unwrap();
        FlowRuntime::<planning>::from_snapshot(snapshot).map(|run| run.listening_agents().len())
    };
    assert_eq!(load(|_| {}).unwrap(), 1);
    let no_time = load(|stored| stored["timers"] = json!({})).unwrap_err();
    assert!(
        no_time.to_string().contains("neither ready nor suspended"),
        "{no_time}"
    );
    let at_work = load(|stored| {
        let agent = stored["agents"]["Draft"].as_object_mut().unwrap();
        agent.remove("decided").unwrap();
    });
    assert!(
        at_work
            .unwrap_err()
            .to_string()
            .contains("does not wait for a time")
    );
    let no_output = load(|stored| {
        stored["agents"]["Draft"]["decided"] = json!({ "listening": { "output": "many" } });
    });
    // It is read when it goes on, as every state is.
    assert_eq!(no_output.unwrap(), 1);
}

#[state]
struct Trip {
    n: u32,
}

#[state]
struct Trips {
    trips: Vec<Trip>,
}

#[state]
struct Printed {
    pages: Vec<u32>,
}

#[node]
fn each_trip(trips: Trips) -> Each<Trip> {
    trips.trips.into()
}

#[node]
fn draft(trip: Trip) -> Draft {
    Draft { n: trip.n }
}

#[node]
fn print_all(plans: Each<Plan>) -> Printed {
    Printed {
        pages: plans.iter().map(|plan| plan.n).collect(),
    }
}

#[flow(named)]
fn trips(trips: Trips) -> Printed {
    flow! { each_trip -> each(draft -> plan) -> print_all }
}

#[tokio::test(start_paused = true)]
async fn a_message_to_a_node_of_a_list_is_for_an_agent_that_has_started() {
    let trips = vec![Trip { n: 1 }, Trip { n: 2 }];
    let run = trips::start(Trips { trips }).unwrap();
    let mut run = run.with_factory(answers(&[1, 10, 2]));
    let hub = run.hub();
    // The first agent waits for a message, and what the second one takes has been made.
    let is_drafted = |step: StepInfo| step.node == "draft" && step.items == [1];
    while !run.last_step().is_some_and(is_drafted) {
        run.next(Context::default()).await.unwrap();
    }
    let mut messages = hub.events().only(["session:message"]);
    let sent = hub.send_to("plan", "Longer, please.");
    run.next(Context::default()).await.unwrap();
    sent.await.unwrap();
    assert_eq!(messages.next().await.unwrap().items, [0]);
    run.run(Context::default()).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_message_to_a_node_of_a_list_is_for_the_agent_that_started_last_also_in_another_process()
{
    /// Plans; the first attempt at the first trip fails.
    #[agent(model = "openai://m", output = Plan, turns(idle = "1m"), retry(max_attempts = 2, backoff = "5s"))]
    fn plan(draft: &Draft, step: Step) -> Result<String, std::io::Error> {
        match (draft.n, step.attempt()) {
            (1, 1) => Err(std::io::Error::other("no ticket")),
            (n, _) => Ok(format!("Plan {n}.")),
        }
    }
    #[flow(named)]
    fn retried(trips: Trips) -> Printed {
        flow! { each_trip -> each(draft -> plan) -> print_all }
    }

    let factory = answers(&[2, 1, 10]);
    let trips = vec![Trip { n: 1 }, Trip { n: 2 }];
    let mut run = retried::start(Trips { trips }).unwrap();
    run = run.with_factory(factory.clone());
    // The second one waits for a message first; then the first one starts anew.
    while run.listening_agents().len() < 2 {
        run.next(Context::default()).await.unwrap();
        run.wait().await;
    }
    let stored = serde_json::to_value(run.snapshot()).unwrap();
    let snapshot = serde_json::from_value(stored).unwrap();
    let run = FlowRuntime::<retried>::from_snapshot(snapshot).unwrap();
    let mut run = run.with_factory(factory);
    let hub = run.hub();
    let mut messages = hub.events().only("session:message");
    let sent = hub.send_to("plan", "Longer, please.");
    run.next(Context::default()).await.unwrap();
    sent.await.unwrap();
    assert_eq!(messages.next().await.unwrap().items, [0]);
}
