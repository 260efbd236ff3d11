//! Failures that are caught.

use super::{
    Log, Trouble, flow, gate, go_on, json, node, note, restart, start, states, suspended, trouble,
};
use crate::{
    Context, Each, Either, Failure, FailureKind, FlowError, FlowGraph, RunOut, State,
    graph::NodeSpec,
};

states!(Job, Tried, Fixed, Left, Right);

/// Writes a failure as a number: what went in, and its kind.
fn number<I: crate::node::Input>(failure: &Failure<I>, input: u64) -> u64 {
    let kind = match failure.kind {
        FailureKind::Error => 1,
        FailureKind::Panic => 2,
        FailureKind::Limit => 3,
        FailureKind::Data => 4,
        _ => 5,
    };
    input * 10 + kind
}

flow!(Risky, Job => Fixed, [
    node!("risk", Job => Tried, |job, _| match job.n {
        0 => Ok(Tried { n: 0 }),
        1 => Err("broke".into()),
        n => panic!("fell {n}"),
    })
    .caught::<Job>(),
    node!("go on", Tried => Fixed, |tried, _| Ok(Fixed { n: tried.n })),
    node!("rescue", Failure<Job> => Fixed, |failure, ctx| {
        note(&ctx, failure.message.clone());
        Ok(Fixed { n: number(&failure, failure.input.n) })
    }),
]);

#[tokio::test]
async fn a_failure_carries_what_went_in_why_and_in_which_way() {
    for (n, fixed, message) in [(1, 11, "broke"), (2, 22, "node `risk` panicked: fell 2")] {
        let log = Log::default();
        let mut run = start::<Risky>(Job { n });
        assert_eq!(run.next(log.ctx()).await.unwrap(), RunOut::Continue);
        assert_eq!(run.last_step().unwrap().to_string(), "1. risk (failed)");
        assert_eq!(
            go_on(&mut run, &log.ctx()).await,
            RunOut::Done(Fixed { n: fixed })
        );
        assert_eq!(log.take(), [message]);
    }
}

#[tokio::test]
async fn what_does_not_fail_is_not_caught() {
    let mut run = start::<Risky>(Job { n: 0 });
    assert_eq!(
        go_on(&mut run, &Context::default()).await,
        RunOut::Done(Fixed { n: 0 })
    );
}

#[tokio::test]
async fn a_state_that_cannot_be_read_is_not_caught_since_it_cannot_be_handed_on() {
    let mut json = json(&start::<Risky>(Job { n: 0 }));
    json["states"]["Job"] = serde_json::json!("no job");
    let snapshot = serde_json::from_value(json).unwrap();
    let mut run = crate::FlowRuntime::<Risky>::from_snapshot(snapshot).unwrap();
    assert!(
        matches!(run.next(Context::default()).await, Err(FlowError::State { state, .. }) if state == "Job")
    );
}

flow!(Meeting, Job => Fixed, [
    node!("split", Job => (Left, Right), |job, _| Ok((Left { n: job.n }, Right { n: job.n + 1 }))),
    node!("meet", (Left, Right) => Tried, |_, _| Err("no".into())).caught::<(Left, Right)>(),
    node!("go on", Tried => Fixed, |tried, _| Ok(Fixed { n: tried.n })),
    node!("rescue", Failure<(Left, Right)> => Fixed, |failure, _| {
        let (left, right) = &failure.input;
        Ok(Fixed { n: number(&failure, left.n * 10 + right.n) })
    }),
]);

#[tokio::test]
async fn the_failure_of_a_join_carries_all_that_it_took() {
    let mut run = start::<Meeting>(Job { n: 3 });
    assert_eq!(
        go_on(&mut run, &Context::default()).await,
        RunOut::Done(Fixed { n: 341 })
    );
}

flow!(Merging, Job => Fixed, [
    node!("choose", Job => Either<Left, Right>, |job, _| Ok(match job.n {
        0 => Either::Left(Left { n: 5 }),
        _ => Either::Right(Right { n: 6 }),
    })),
    node!("merge", Either<Left, Right> => Tried, |_, _| Err("no".into())).caught::<Either<Left, Right>>(),
    node!("go on", Tried => Fixed, |tried, _| Ok(Fixed { n: tried.n })),
    node!("rescue", Failure<Either<Left, Right>> => Fixed, |failure, _| {
        let n = match &failure.input {
            Either::Left(left) => left.n,
            Either::Right(right) => right.n,
        };
        Ok(Fixed { n: number(&failure, n) })
    }),
]);

#[tokio::test]
async fn the_failure_of_a_merge_carries_the_way_that_came() {
    for (n, fixed) in [(0, 51), (1, 61)] {
        let mut run = start::<Merging>(Job { n });
        assert_eq!(
            go_on(&mut run, &Context::default()).await,
            RunOut::Done(Fixed { n: fixed })
        );
    }
}

flow!(Stubborn, Job => Fixed, [
    node!("risk", Job => Fixed, |_, ctx| {
        note(&ctx, ctx.step_key().unwrap());
        Err("again".into())
    })
    .caught::<Job>(),
    node!("retry", Failure<Job> => Job, |failure, _| Ok(failure.input)),
]);

// A caught failure is a visit: it has a step key of its own, and a limit.
#[tokio::test]
async fn a_node_that_fails_on_a_loop_is_counted() {
    let log = Log::default();
    let mut run = start::<Stubborn>(Job { n: 0 });
    for _ in 0..4 {
        run = restart(&run);
        run.next(log.ctx()).await.unwrap();
    }
    assert_eq!(log.take(), ["r/risk(Job)#1", "r/risk(Job)#2"]);
    let error = loop {
        if let Err(error) = run.next(Context::default()).await {
            break error;
        }
    };
    // The limit is caught as well, until the node that rescues reaches its own.
    assert!(
        matches!(&error, FlowError::MaxVisits { node, cycle, .. } if node == "retry" && cycle.len() == 2),
        "{error}"
    );
}

states!(Inner, Deep, Deeper, Inside, Outside);

fn inner() -> Result<FlowGraph, FlowError> {
    FlowGraph::link_by_state(
        Inner::NAME,
        Outside::NAME,
        vec![
            node!("fork", Inner => (Deep, Deeper), |inner, _| Ok((Deep { n: inner.n }, Deeper { n: inner.n }))),
            gate!("ask", Deep, u64 => Inside, |_, n, _| Ok(Inside { n })),
            node!("fail", Deeper => Tried, |deeper, ctx| {
                note(&ctx, ctx.step_key().unwrap());
                trouble(&ctx)?;
                Ok(Tried { n: deeper.n })
            }),
            node!("meet", (Inside, Tried) => Outside, |(inside, tried), _| Ok(Outside { n: inside.n + tried.n })),
        ],
    )
}

flow!(Around, Job => Fixed, [
    node!("enter", Job => Inner, |job, _| Ok(Inner { n: job.n })),
    NodeSpec::flow(super::signature::<Inner, Outside>("inner"), inner()).caught::<Inner>(),
    node!("go on", Outside => Fixed, |outside, _| Ok(Fixed { n: outside.n })),
    node!("again", Failure<Inner> => Either<Inner, Fixed>, |failure, _| {
        Ok(match failure.input.n {
            0 => Either::Right(Fixed { n: number(&failure, 7) }),
            n => Either::Left(Inner { n: n - 1 }),
        })
    }),
]);

#[tokio::test]
async fn a_failure_within_a_nested_flow_clears_all_of_it_and_its_suspensions() {
    let mut run = start::<Around>(Job { n: 0 });
    assert_eq!(
        suspended(go_on(&mut run, &Context::default()).await),
        "inner::ask"
    );
    let troubled = Context::default().with_dep(Trouble);
    assert_eq!(run.next(troubled).await.unwrap(), RunOut::Continue);
    let mut run = restart(&run);
    assert!(run.suspensions().is_empty());
    assert_eq!(
        json(&run)["states"]
            .as_object()
            .unwrap()
            .keys()
            .collect::<Vec<_>>(),
        ["Failure_of_Inner"]
    );
    assert_eq!(
        json(&run)["inputs"]
            .as_object()
            .unwrap()
            .keys()
            .collect::<Vec<_>>(),
        ["Job"]
    );
    assert_eq!(
        go_on(&mut run, &Context::default()).await,
        RunOut::Done(Fixed { n: 71 })
    );
}

#[tokio::test]
async fn a_nested_flow_that_comes_again_after_its_failure_is_counted() {
    let log = Log::default();
    let troubled = log.ctx().with_dep(Trouble);
    let mut run = start::<Around>(Job { n: 1 });
    assert_eq!(suspended(go_on(&mut run, &troubled).await), "inner::ask");
    assert_eq!(suspended(go_on(&mut run, &troubled).await), "inner::ask");
    assert_eq!(
        go_on(&mut run, &troubled).await,
        RunOut::Done(Fixed { n: 71 })
    );
    assert_eq!(
        log.take(),
        [
            "r/inner::fail(inner::Deeper)#1",
            "r/inner::fail(inner::Deeper)#2"
        ]
    );
}

flow!(Items, Job => Fixed, [
    node!("split", Job => Each<Deeper>, |job, _| Ok((0..job.n).map(|n| Deeper { n }).collect())),
    NodeSpec::each::<Deeper, Tried>("each(try)", FlowGraph::link_by_state(Deeper::NAME, Tried::NAME, vec![
        node!("try", Deeper => Tried, |deeper, _| match deeper.n {
            1 => Err("odd".into()),
            n => Ok(Tried { n }),
        }),
    ]))
    .caught::<Each<Deeper>>(),
    node!("sum", Each<Tried> => Fixed, |tried, _| Ok(Fixed { n: tried.len() as u64 })),
    node!("rescue", Failure<Each<Deeper>> => Fixed, |failure, _| {
        Ok(Fixed { n: number(&failure, failure.input.len() as u64) })
    }),
]);

#[tokio::test]
async fn a_failure_of_an_item_is_caught_for_the_whole_list() {
    let mut run = start::<Items>(Job { n: 3 });
    assert_eq!(
        go_on(&mut run, &Context::default()).await,
        RunOut::Done(Fixed { n: 31 })
    );
    let mut run = start::<Items>(Job { n: 1 });
    assert_eq!(
        go_on(&mut run, &Context::default()).await,
        RunOut::Done(Fixed { n: 1 })
    );
}

flow!(Calling, Job => Fixed, [
    node!("call", Job => Fixed, |_, _| {
        let snapshot = Box::new(start::<Risky>(Job { n: 0 }).snapshot());
        Err(FlowError::Suspended { tool_id: "x".into(), value: serde_json::Value::Null, snapshot }.into())
    })
    .caught::<Job>(),
    node!("rescue", Failure<Job> => Fixed, |failure, _| Ok(Fixed { n: number(&failure, 0) })),
]);

#[tokio::test]
async fn a_suspension_of_a_flow_called_as_a_function_is_not_caught() {
    let mut run = start::<Calling>(Job { n: 0 });
    let error = run.next(Context::default()).await.unwrap_err();
    assert!(
        error.to_string().contains("`x` waits for an answer"),
        "{error}"
    );
}
