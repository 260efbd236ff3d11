//! `#[flow]`: as a function, as an impl, beside another, in loops.

use pravah_runtime::prelude::*;

use crate::macros_support::{done, output, states, through_restarts};

states!(End, Next, One, Two);

mod forms {
    use super::*;

    states!(Start);

    #[node]
    fn first(start: Start) -> Next {
        Next { n: start.n + 1 }
    }

    #[node]
    fn second(next: Next) -> End {
        End { n: next.n * 10 }
    }

    #[flow]
    impl Flow for Start {
        type Output = End;

        fn build() -> Result<FlowGraph, FlowError> {
            flow! { first -> second }
        }
    }

    #[node]
    fn other(start: &Start) -> One {
        One { n: start.n }
    }

    /// The other way.
    #[flow(named)]
    fn another(start: Start) -> One {
        flow! { other }
    }

    #[flow(named)]
    fn third(ctx: Start) -> End {
        flow! { first -> second }
    }

    #[tokio::test]
    async fn a_flow_may_be_an_impl() {
        assert_eq!(done(Start { n: 1 }).await, End { n: 20 });
        assert_eq!(<Start as Flow>::node_id(), "Start");
        assert_eq!(Start::TOPOLOGY.name, "Start");
    }

    #[tokio::test]
    async fn several_flows_may_have_one_input() {
        let ctx = Context::default();
        assert_eq!(
            another(Start { n: 1 }, ctx.clone()).await.unwrap(),
            One { n: 1 }
        );
        assert_eq!(third(Start { n: 2 }, ctx).await.unwrap(), End { n: 30 });
    }

    #[tokio::test]
    async fn a_named_flow_is_started_by_its_name() {
        let run = another::start(Start { n: 5 }).unwrap();
        assert_eq!(through_restarts(run).await.0, One { n: 5 });
        assert_eq!(another::TOPOLOGY.name, "another");
    }

    #[tokio::test]
    async fn a_snapshot_says_which_of_two_flows_it_is_of() {
        let run = another::start(Start { n: 5 }).unwrap();
        let snapshot = serde_json::to_value(run.snapshot()).unwrap();
        assert!(snapshot.to_string().contains("another"), "{snapshot}");
        let error = FlowRuntime::<Start>::from_snapshot(run.snapshot()).unwrap_err();
        assert!(matches!(error, FlowError::SnapLoadError(_)), "{error}");
    }

    states!(Around);

    #[node]
    fn unwrap(around: Around) -> Start {
        Start { n: around.n }
    }

    #[node]
    fn wrap(one: One) -> Two {
        Two { n: one.n }
    }

    #[flow]
    fn outer(around: Around) -> Two {
        flow! { unwrap -> another -> wrap }
    }

    #[tokio::test]
    async fn a_named_flow_is_a_node() {
        let run = FlowRuntime::new(Around { n: 3 }).unwrap();
        let (two, steps) = through_restarts(run).await;
        assert_eq!(two, Two { n: 3 });
        assert_eq!(
            steps,
            [
                "1. unwrap -> Start",
                "2. another::other -> One",
                "3. wrap -> Two"
            ]
        );
    }

    states!(Wide);

    #[node]
    fn widen(wide: Wide) -> Start {
        Start { n: wide.n }
    }

    #[flow]
    fn over_impl(wide: Wide) -> End {
        flow! { widen -> Start }
    }

    #[tokio::test]
    async fn an_impl_is_a_node_by_the_name_of_its_input() {
        assert_eq!(done(Wide { n: 1 }).await, End { n: 20 });
    }
}

mod loops {
    use super::*;

    states!(Draft, Notes, Start);

    #[node]
    fn begin(start: Start) -> Draft {
        Draft { n: start.n }
    }

    #[node(max_visits = 5)]
    fn review(draft: Draft) -> Either<End, Notes> {
        if draft.n == 0 {
            Either::Left(End { n: 100 })
        } else {
            Either::Right(Notes { n: draft.n - 1 })
        }
    }

    #[node]
    fn revise(notes: Notes) -> Draft {
        Draft { n: notes.n }
    }

    #[flow]
    fn writing(start: Start) -> End {
        flow! { begin -> review -> either(done, revise); revise -> review }
    }

    // S1.44
    #[tokio::test]
    async fn a_loop_ends_when_it_chooses_to() {
        let run = FlowRuntime::new(Start { n: 3 }).unwrap();
        let (end, steps) = through_restarts(run).await;
        assert_eq!((end, steps.len()), (End { n: 100 }, 8));
    }

    #[tokio::test]
    async fn a_loop_that_runs_too_often_names_itself() {
        let error = crate::macros_support::failed(Start { n: 9 }).await;
        let FlowError::MaxVisits {
            node, cycle, limit, ..
        } = &error
        else {
            panic!("{error}")
        };
        assert_eq!((node.as_str(), *limit), ("review", 5));
        assert_eq!(cycle, &["review", "revise"]);
    }

    states!(Entry);

    // The first node takes the input or what the loop brings back.
    #[node]
    fn turn(came: Either<Entry, Notes>) -> Either<End, Draft> {
        let n = match came {
            Either::Left(entry) => entry.n,
            Either::Right(notes) => notes.n,
        };
        if n == 0 {
            Either::Left(End { n: 7 })
        } else {
            Either::Right(Draft { n })
        }
    }

    #[node]
    fn back(draft: Draft) -> Notes {
        Notes { n: draft.n - 1 }
    }

    #[flow]
    fn turning(entry: Entry) -> End {
        flow! { turn -> either(done, back -> turn) }
    }

    #[tokio::test]
    async fn a_loop_may_lead_back_into_a_merge_at_the_entry() {
        assert_eq!(done(Entry { n: 4 }).await, End { n: 7 });
    }
}

mod suspended_inside {
    use super::*;

    states!(Start, Inner);

    #[gate(prompt = "How many?")]
    fn ask(inner: Inner, more: u32) -> One {
        One { n: inner.n + more }
    }

    #[flow]
    fn asking(inner: Inner) -> One {
        flow! { ask }
    }

    // A flow called as a function within a body.
    #[node]
    async fn call(start: Start, ctx: Context) -> Result<End, FlowError> {
        Ok(End {
            n: asking(Inner { n: start.n }, ctx).await?.n,
        })
    }

    #[flow]
    fn calling(start: Start) -> End {
        flow! { call }
    }

    #[tokio::test]
    async fn a_flow_that_a_body_calls_keeps_its_snapshot_when_it_suspends() {
        let error = crate::macros_support::failed(Start { n: 1 }).await;
        let FlowError::Node { node, source, .. } = error else {
            panic!("{error}")
        };
        assert_eq!(node, "call");
        let Some(FlowError::Suspended {
            tool_id, snapshot, ..
        }) = source.downcast_ref()
        else {
            panic!("{source}");
        };
        let mut run = FlowRuntime::<Inner>::from_snapshot((**snapshot).clone()).unwrap();
        let out = run.resume(Context::default(), (tool_id, 4)).await;
        assert_eq!(output(out), One { n: 5 });
    }
}
