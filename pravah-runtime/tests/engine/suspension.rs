//! Agents and their suspensions in forks, on loops, in nested flows, and across restarts.

use pravah_runtime::{
    __private, ClientFactory, Flow, FlowError, FlowGraph, FlowRuntime, RunOut, ScriptedModel,
    Suspension,
};
use serde_json::json;

use crate::engine_support::{agents::*, json, states};

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
    // Each restart forgot that it was announced.
    assert_eq!(
        suspended(run.next(machine.ctx()).await.unwrap()),
        "One::ask"
    );
    assert!(
        matches!(run.next(machine.ctx()).await, Err(FlowError::ResumeRequired(id)) if id == "One::ask")
    );
    machine.nothing_twice();
    run.resume(machine.ctx(), ("One::ask", "yes"))
        .await
        .unwrap();
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
        let open: Vec<_> = run
            .suspensions()
            .into_iter()
            .map(|open| (open.tool_id, open.value))
            .collect();
        assert_eq!(open[0], ("One::ask".to_owned(), json!({ "what": "One" })));
        assert_eq!(open.len(), 2);
        // The last restart forgot that the first was announced.
        assert_eq!(
            suspended(run.next(machine.ctx()).await.unwrap()),
            "One::ask"
        );
        // S1.28: the first that is open, again and again.
        for _ in 0..2 {
            let error = run.next(machine.ctx()).await.unwrap_err();
            assert!(matches!(error, FlowError::ResumeRequired(id) if id == "One::ask"));
        }
        for id in order {
            run = machine.restart(&run);
            assert_eq!(
                run.resume(machine.ctx(), (id, "yes")).await.unwrap(),
                RunOut::Continue
            );
        }
        assert_eq!(run.suspensions(), Vec::<Suspension>::new());
        assert_eq!(go_on(&machine, &mut run).await, END);
    }
}

// S1.30
#[tokio::test]
async fn an_id_that_is_not_open_is_refused_naming_those_that_are() {
    let machine = Machine::new(both_ask());
    let mut run = machine.start();
    run.run(machine.ctx()).await.unwrap();
    let before = json(&run);
    let error = run
        .resume(machine.ctx(), ("Three::ask", "yes"))
        .await
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "`Three::ask` asks nothing: `One::ask`, `Two::ask` wait for an answer"
    );
    assert!(matches!(error, FlowError::ResumeMismatchError(id) if id == "One::ask"));
    assert_eq!(json(&run), before);
    run.resume(machine.ctx(), ("One::ask", "yes"))
        .await
        .unwrap();
    let answer = ("Three::ask", "yes");
    let error = run.resume(machine.ctx(), answer).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "`Three::ask` asks nothing: `Two::ask` waits for an answer"
    );
}

#[tokio::test]
async fn answering_twice_says_what_became_of_the_first_answer() {
    let machine = Machine::new(both_ask());
    let mut run = machine.start();
    run.run(machine.ctx()).await.unwrap();
    let answer = ("One::ask", "yes");
    // The step that takes the answer fails.
    let troubled = machine.ctx().with_dep(Trouble);
    run.resume(troubled, answer).await.unwrap_err();
    let error = run.resume(machine.ctx(), answer).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "`One::ask` was answered before, and `next` makes the step that takes that answer"
    );
    run.next(machine.ctx()).await.unwrap();
    let before = json(&run);
    let error = run.resume(machine.ctx(), answer).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "`One::ask` was answered before, and the run has gone on with that answer"
    );
    assert_eq!(json(&run), before);
}

#[tokio::test]
async fn a_payload_is_kept_when_the_tool_then_fails() {
    let machine = Machine::new(only_one_asks());
    let mut run = machine.start();
    run.run(machine.ctx()).await.unwrap();
    let troubled = machine.ctx().with_dep(Trouble);
    let error = run.resume(troubled, ("One::ask", "yes")).await.unwrap_err();
    assert!(
        matches!(&error, FlowError::Tool { node, tool, .. } if node == "One" && tool == "ask"),
        "{error}"
    );
    assert_eq!(run.suspensions(), Vec::<Suspension>::new());
    let mut run = machine.restart(&run);
    assert_eq!(go_on(&machine, &mut run).await, END);
}

// A crash while one of two open calls of an agent is being resumed.
#[tokio::test]
async fn a_payload_is_kept_while_another_call_of_the_same_agent_is_open() {
    let script = ScriptedModel::new()
        .calls(
            "One",
            [
                ("ask", json!({ "what": "a" })),
                ("ask", json!({ "what": "b" })),
            ],
        )
        .reply("One", json!({ "n": 1 }))
        .reply("Two", json!({ "n": 2 }));
    let machine = Machine::new(script);
    let mut run = machine.start();
    assert_eq!(suspended(run.run(machine.ctx()).await.unwrap()), "One::ask");
    // S1.45: the same tool twice in a turn.
    let ids: Vec<_> = run
        .suspensions()
        .into_iter()
        .map(|open| open.tool_id)
        .collect();
    assert_eq!(ids, ["One::ask", "One::ask#2"]);
    let troubled = machine.ctx().with_dep(Trouble);
    run.resume(troubled, ("One::ask", "yes")).await.unwrap_err();
    let mut run = machine.restart(&run);
    assert_eq!(run.suspensions().len(), 1);
    assert_eq!(suspended(go_on(&machine, &mut run).await), "One::ask#2");
    run = machine.restart(&run);
    run.resume(machine.ctx(), ("One::ask#2", "yes"))
        .await
        .unwrap();
    assert_eq!(go_on(&machine, &mut run).await, END);
}

#[tokio::test]
async fn a_tool_that_suspends_again_is_announced_again_under_its_name() {
    let machine = Machine::new(only_one_asks());
    let mut run = machine.start();
    run.run(machine.ctx()).await.unwrap();
    let out = run
        .resume(machine.ctx(), ("One::ask", "again"))
        .await
        .unwrap();
    assert_eq!(
        out,
        RunOut::Suspend {
            value: json!("really?"),
            tool_id: "One::ask".into()
        }
    );
    let mut run = machine.restart(&run);
    run.resume(machine.ctx(), ("One::ask", "yes"))
        .await
        .unwrap();
    assert_eq!(go_on(&machine, &mut run).await, END);
}

// S1.31: the same call, under the same id.
#[tokio::test]
async fn a_resumed_call_has_the_id_that_it_had() {
    let machine = Machine::new(only_one_asks());
    let mut run = machine.start();
    run.run(machine.ctx()).await.unwrap();
    run.resume(machine.ctx(), ("One::ask", "yes"))
        .await
        .unwrap();
    let asked: Vec<_> = machine
        .log
        .entries()
        .into_iter()
        .filter(|entry| entry.starts_with("ask"))
        .collect();
    assert_eq!(asked, ["ask r/One#1/1/call_1_1", "ask r/One#1/1/call_1_1"]);
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
    assert_eq!(
        suspended(run.run(machine.ctx()).await.unwrap()),
        "Start::One::ask"
    );
    let open: Vec<_> = run
        .suspensions()
        .into_iter()
        .map(|open| open.tool_id)
        .collect();
    assert_eq!(open, ["Start::One::ask", "Start::Two::ask"]);
    for id in ["Start::Two::ask", "Start::One::ask"] {
        run = machine.restart(&run);
        run.resume(machine.ctx(), (id, "yes")).await.unwrap();
    }
    assert_eq!(
        run.run(machine.ctx()).await.unwrap(),
        RunOut::Done(AroundEnd { n: 12 })
    );
}

// A flow as a function that suspends loses nothing.
#[tokio::test]
async fn a_flow_called_as_a_function_answers_with_a_snapshot_when_it_suspends() {
    let machine = Machine::new(both_ask());
    let factory = ClientFactory::new().with_client(machine.model.clone());
    let error = __private::call::<Start>(Start { n: 0 }, machine.ctx().with_dep(factory))
        .await
        .unwrap_err();
    let FlowError::Suspended {
        tool_id,
        value,
        snapshot,
    } = error
    else {
        panic!("{error}")
    };
    assert_eq!(
        (tool_id.as_str(), value),
        ("One::ask", json!({ "what": "One" }))
    );
    let mut run = machine.on(FlowRuntime::<Start>::from_snapshot(*snapshot).unwrap());
    run.resume(machine.ctx(), (tool_id, "yes")).await.unwrap();
    assert_eq!(suspended(go_on(&machine, &mut run).await), "Two::ask");
    run.resume(machine.ctx(), ("Two::ask", "yes"))
        .await
        .unwrap();
    assert_eq!(go_on(&machine, &mut run).await, END);
}

#[tokio::test]
async fn a_payload_that_a_tool_cannot_read_is_refused_and_the_suspension_stays() {
    let machine = Machine::new(both_ask());
    let mut run = machine.start();
    assert_eq!(suspended(go_on(&machine, &mut run).await), "One::ask");
    assert_eq!(suspended(go_on(&machine, &mut run).await), "Two::ask");
    let before = json(&run);
    let payload = ("One::ask", json!({ "no": "text" }));
    let error = run.resume(machine.ctx(), payload).await.unwrap_err();
    assert!(
        matches!(&error, FlowError::ResumePayload { id, .. } if id == "One::ask"),
        "{error}"
    );
    assert_eq!(json(&run), before);
    for id in ["One::ask", "Two::ask"] {
        run.resume(machine.ctx(), (id, "yes")).await.unwrap();
    }
    assert_eq!(go_on(&machine, &mut run).await, END);
}
