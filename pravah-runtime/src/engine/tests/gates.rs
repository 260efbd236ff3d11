//! Gates and merges.

use serde_json::json;

use super::{
    Log, Trouble, fails, flow, gate, go_on, json, node, note, restart, start, states, suspended,
    trouble,
};
use crate::{Context, Either, FlowError, RunOut};

states!(Draft, Approved, Rejected, Published, Work, Worked, Done);

flow!(Publish, Draft => Published, [
    gate!("approve", Draft, bool => Either<Approved, Rejected>, |draft, yes, ctx| {
        note(&ctx, format!("approve {}", ctx.step_key().unwrap()));
        trouble(&ctx)?;
        Ok(if yes { Either::Left(Approved { n: draft.n }) } else { Either::Right(Rejected { n: draft.n }) })
    }),
    node!("publish", Either<Approved, Rejected> => Published, |verdict, _| {
        Ok(match verdict {
            Either::Left(approved) => Published { n: approved.n },
            Either::Right(rejected) => Published { n: rejected.n + 100 },
        })
    }),
]);

#[tokio::test]
async fn a_gate_asks_with_its_prompt_its_state_and_the_schema_of_the_answer() {
    let mut run = start::<Publish>(Draft { n: 1 });
    let out = run.next(Context::default()).await.unwrap();
    let RunOut::Suspend { value, tool_id } = out else {
        panic!("{out:?}")
    };
    assert_eq!(
        (&value["prompt"], &value["state"], &value["schema"]["type"]),
        (&json!("ok?"), &json!({ "n": 1 }), &json!("boolean"))
    );
    assert_eq!(tool_id, "approve");
    assert_eq!(run.last_step().unwrap().to_string(), "1. approve (asks)");
    // Whoever restores it is asked again, once.
    let mut again = restart(&run);
    let asked = again.next(Context::default()).await;
    assert_eq!(suspended(asked.unwrap()), "approve");
    assert!(
        matches!(fails(&mut again, &Context::default()).await, FlowError::ResumeRequired(id) if id == "approve")
    );
}

#[tokio::test]
async fn the_body_of_a_gate_runs_once_when_it_is_answered_and_a_merge_takes_either_way() {
    for (answer, n) in [(true, 1), (false, 101)] {
        let log = Log::default();
        let mut run = start::<Publish>(Draft { n: 1 });
        assert_eq!(suspended(go_on(&mut run, &log.ctx()).await), "approve");
        run = restart(&run);
        assert_eq!(
            run.resume(log.ctx(), ("approve", answer)).await.unwrap(),
            RunOut::Continue
        );
        assert_eq!(
            go_on(&mut run, &log.ctx()).await,
            RunOut::Done(Published { n })
        );
        assert_eq!(log.take(), ["approve r/approve(Draft)#1"]);
    }
}

#[tokio::test]
async fn an_answer_that_does_not_fit_is_an_error_and_the_gate_stays_open() {
    let mut run = start::<Publish>(Draft { n: 1 });
    run.next(Context::default()).await.unwrap();
    let before = json(&run);
    let error = run
        .resume(Context::default(), ("approve", "maybe"))
        .await
        .unwrap_err();
    assert!(
        matches!(&error, FlowError::ResumePayload { id, .. } if id == "approve"),
        "{error}"
    );
    assert_eq!(json(&run), before);
    run.resume(Context::default(), ("approve", true))
        .await
        .unwrap();
}

#[tokio::test]
async fn an_answer_is_kept_when_the_body_then_fails() {
    let mut run = start::<Publish>(Draft { n: 1 });
    run.next(Context::default()).await.unwrap();
    let troubled = Context::default().with_dep(Trouble);
    let error = run
        .resume(troubled.clone(), ("approve", true))
        .await
        .unwrap_err();
    assert_eq!(error.to_string(), "node `approve` failed: trouble");
    let mut run = restart(&run);
    assert!(run.suspensions().is_empty());
    assert_eq!(
        fails(&mut run, &troubled).await.to_string(),
        "node `approve` failed: trouble"
    );
    assert_eq!(
        go_on(&mut run, &Context::default()).await,
        RunOut::Done(Published { n: 1 })
    );
}

flow!(Side, Draft => Done, [
    node!("split", Draft => (Approved, Work), |draft, _| Ok((Approved { n: draft.n }, Work { n: draft.n }))),
    gate!("sign", Approved, u64 => Published, |_, n, _| Ok(Published { n })),
    node!("work", Work => Worked, |work, ctx| {
        note(&ctx, "work");
        Ok(Worked { n: work.n })
    }),
    node!("meet", (Worked, Published) => Done, |(worked, published), _| Ok(Done { n: worked.n + published.n })),
]);

#[tokio::test]
async fn a_gate_in_a_fork_does_not_hold_up_the_other_branch() {
    let log = Log::default();
    let mut run = start::<Side>(Draft { n: 1 });
    assert_eq!(suspended(go_on(&mut run, &log.ctx()).await), "sign");
    assert_eq!(run.next(log.ctx()).await.unwrap(), RunOut::Continue);
    assert_eq!(log.take(), ["work"]);
    run = restart(&run);
    run.resume(log.ctx(), ("sign", 5)).await.unwrap();
    assert_eq!(
        go_on(&mut run, &log.ctx()).await,
        RunOut::Done(Done { n: 6 })
    );
}

#[tokio::test]
async fn an_answer_may_come_before_the_other_branch_has_gone_on() {
    let mut run = start::<Side>(Draft { n: 1 });
    go_on(&mut run, &Context::default()).await;
    run.resume(Context::default(), ("sign", 5)).await.unwrap();
    assert_eq!(
        go_on(&mut run, &Context::default()).await,
        RunOut::Done(Done { n: 6 })
    );
}
