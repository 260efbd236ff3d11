//! One state with several readers: forks that hand it to every branch, joins of several of one type, and nodes
//! that stand in a flow twice.

use pravah_runtime::prelude::*;
use serde_json::json;

use crate::macros_support::{done, restart, states, through_restarts};

states!(Topic, Draft, Verdict);

#[state]
#[derive(Clone, Debug, PartialEq)]
struct Review {
    by: String,
    n: u32,
}

fn review(by: &str, draft: &Draft) -> Review {
    Review {
        by: by.to_owned(),
        n: draft.n,
    }
}

#[node]
fn write(topic: Topic) -> Draft {
    Draft { n: topic.n + 1 }
}

#[node]
fn style(draft: &Draft) -> Review {
    review("style", draft)
}

#[node]
fn security(draft: Draft) -> Review {
    review("security", &draft)
}

#[node]
async fn tests(draft: Draft) -> Review {
    tokio::task::yield_now().await;
    review("tests", &draft)
}

/// The reviewers in the order of the parameters, as a number.
#[node]
fn decide(first: Review, second: &Review, third: Review) -> Result<Verdict, FlowError> {
    assert_eq!(
        [&*first.by, &*second.by, &*third.by],
        ["style", "security", "tests"]
    );
    Ok(Verdict {
        n: first.n + second.n + third.n,
    })
}

mod broadcast {
    use super::*;

    #[flow]
    fn reviewed(topic: Topic) -> Verdict {
        flow! { write -> fork(style, security, tests) -> join(decide) }
    }

    // S1.18
    #[tokio::test]
    async fn a_fork_after_one_state_hands_it_to_every_branch() {
        assert_eq!(done(Topic { n: 1 }).await, Verdict { n: 6 });
        let run = FlowRuntime::new(Topic { n: 1 }).unwrap();
        assert_eq!(through_restarts(run).await.0, Verdict { n: 6 });
    }

    #[tokio::test]
    async fn branches_that_share_a_state_run_at_the_same_time() {
        let run = FlowRuntime::new(Topic { n: 1 }).unwrap();
        let mut run = run.with_concurrency(8);
        let out = run.run(Context::default()).await.unwrap();
        assert_eq!(out, RunOut::Done(Verdict { n: 6 }));
    }

    #[tokio::test]
    async fn a_state_that_several_nodes_take_is_called_by_each_of_them() {
        let mut run = FlowRuntime::new(Topic { n: 1 }).unwrap();
        run.next(Context::default()).await.unwrap();
        let snapshot = serde_json::to_value(run.snapshot()).unwrap();
        let keys: Vec<&String> = snapshot["states"].as_object().unwrap().keys().collect();
        assert_eq!(keys, ["Draft@tests"]);
        // It is written once.
        assert_eq!(
            snapshot["shared_states"],
            json!({ "Draft@security": "Draft@tests", "Draft@style": "Draft@tests" })
        );
        assert_eq!(*run.peek::<Draft>().unwrap(), Draft { n: 2 });

        let mut run = restart(&run);
        for _ in 0..3 {
            run.next(Context::default()).await.unwrap();
            run = restart(&run);
        }
        let snapshot = serde_json::to_value(run.snapshot()).unwrap();
        assert_eq!(
            snapshot["states"],
            json!({
                "Review@decide.first": { "by": "style", "n": 2 },
                "Review@decide.second": { "by": "security", "n": 2 },
                "Review@decide.third": { "by": "tests", "n": 2 },
            })
        );
    }

    #[flow(named)]
    fn reordered(topic: Topic) -> Verdict {
        flow! {
            write -> fork(style, security, tests);
            tests -> join(decide);
            style -> join(decide);
            security -> join(decide);
        }
    }

    #[tokio::test]
    async fn parameters_of_one_type_follow_the_branches_and_not_the_statements() {
        let mut run = reordered::start(Topic { n: 1 }).unwrap();
        let out = run.run(Context::default()).await.unwrap();
        assert_eq!(out, RunOut::Done(Verdict { n: 6 }));
    }
}

mod at_the_start {
    use super::*;

    #[flow]
    fn reviewed(draft: Draft) -> Verdict {
        flow! { fork(style, security, tests) -> join(decide) }
    }

    #[tokio::test]
    async fn a_flow_may_start_with_branches_that_all_take_its_input() {
        let run = FlowRuntime::new(Draft { n: 2 }).unwrap();
        let (out, _) = through_restarts(run).await;
        assert_eq!(out, Verdict { n: 6 });
        let arcs = reviewed::TOPOLOGY.arcs.iter();
        let inputs = arcs.filter(|arc| arc.from == pravah_runtime::ArcFrom::Input);
        assert_eq!(inputs.count(), 3);
    }

    // A flow inside another: its input goes to three of its nodes.
    #[flow(named)]
    fn around(topic: Topic) -> Verdict {
        flow! { write -> reviewed }
    }

    #[tokio::test]
    async fn a_nested_flow_may_start_with_branches() {
        let mut run = around::start(Topic { n: 1 }).unwrap();
        let mut keys = Vec::new();
        loop {
            let out = run.next(Context::default()).await.unwrap();
            if let RunOut::Done(verdict) = out {
                assert_eq!(verdict, Verdict { n: 6 });
                break;
            }
            let snapshot = serde_json::to_value(run.snapshot()).unwrap();
            let states = snapshot["states"].as_object().unwrap();
            keys.push(states.keys().cloned().collect::<Vec<_>>().join(" "));
            run = restart(&run);
        }
        assert_eq!(keys.first().unwrap(), "Draft@reviewed::tests");
        assert_eq!(
            keys.last().unwrap(),
            "reviewed::Review@reviewed::decide.first reviewed::Review@reviewed::decide.second \
             reviewed::Review@reviewed::decide.third"
        );
    }
}

mod lists {
    use super::*;

    states!(Item, Priced);

    #[node]
    fn price(item: Item) -> Priced {
        Priced { n: item.n * 2 }
    }

    #[node]
    fn sum(all: Each<Priced>) -> Verdict {
        Verdict {
            n: all.iter().map(|priced| priced.n).sum(),
        }
    }

    #[flow(named)]
    fn priced(items: Each<Item>) -> Verdict {
        flow! { each(price) -> sum }
    }

    #[tokio::test]
    async fn a_flow_may_start_with_a_list() {
        let items: Each<Item> = (1..4).map(|n| Item { n }).collect();
        let run = priced::start(items).unwrap();
        let (out, _) = through_restarts(run).await;
        assert_eq!(out, Verdict { n: 12 });
    }
}

mod twice {
    use super::*;

    states!(Text, Grown, Closed);

    #[node]
    fn spell(text: Text) -> Text {
        Text { n: text.n * 2 }
    }

    #[node]
    fn expand(text: &Text) -> Text {
        Text { n: text.n + 1 }
    }

    #[node]
    fn close(text: Text) -> Closed {
        Closed { n: text.n }
    }

    #[flow]
    fn edited(text: Text) -> Closed {
        flow! { spell -> expand -> spell as proofread -> close }
    }

    #[tokio::test]
    async fn a_node_may_stand_in_a_flow_twice() {
        let run = FlowRuntime::new(Text { n: 3 }).unwrap();
        let (out, _) = through_restarts(run).await;
        assert_eq!(out, Closed { n: 14 });
        let names: Vec<&str> = edited::TOPOLOGY.nodes.iter().map(|node| node.id).collect();
        assert_eq!(names, ["spell", "expand", "proofread", "close"]);
    }

    #[tokio::test]
    async fn the_second_use_of_a_node_is_called_by_its_own_name() {
        let mut run = FlowRuntime::new(Text { n: 3 }).unwrap();
        let mut steps = Vec::new();
        while run.next(Context::default()).await.unwrap() == RunOut::Continue {
            steps.push(run.last_step().unwrap().to_string());
        }
        assert_eq!(
            steps,
            [
                "1. spell -> Text",
                "2. expand -> Text",
                "3. proofread -> Text"
            ]
        );
    }

    #[flow(named)]
    fn round_trip(text: Text) -> Text {
        flow! { spell -> expand }
    }

    #[tokio::test]
    async fn a_flow_may_end_with_the_state_that_it_starts_with_and_that_waits_in_it() {
        let (out, steps) = through_restarts(round_trip::start(Text { n: 3 }).unwrap()).await;
        assert_eq!(out, Text { n: 7 });
        assert_eq!(steps, ["1. spell -> Text", "2. expand -> Text"]);
    }

    // A flow twice: each use keeps an input of its own.
    #[node]
    fn grow(text: &Text, ctx: Context) -> Result<Grown, FlowError> {
        assert_eq!(ctx.input::<Text>()?.n, text.n);
        Ok(Grown { n: text.n + 1 })
    }

    #[node]
    fn shrink(grown: Grown, ctx: Context) -> Result<Text, FlowError> {
        Ok(Text {
            n: grown.n * ctx.input::<Text>()?.n,
        })
    }

    #[flow(named)]
    fn squared(text: Text) -> Text {
        flow! { grow -> shrink }
    }

    #[flow(named)]
    fn both(text: Text) -> Closed {
        flow! { squared -> squared as again -> close }
    }

    #[tokio::test]
    async fn a_flow_may_be_nested_twice() {
        let (out, _) = through_restarts(both::start(Text { n: 2 }).unwrap()).await;
        // 2 * 3 = 6, 6 * 7 = 42
        assert_eq!(out, Closed { n: 42 });
    }
}

mod beside_each_other {
    use super::*;

    states!(Plan, Half, Whole);

    #[node]
    fn halve(plan: Plan) -> (Half, Half) {
        (Half { n: plan.n }, Half { n: plan.n + 1 })
    }

    #[node]
    fn double(half: Half) -> Half {
        Half { n: half.n * 2 }
    }

    #[node]
    fn triple(half: Half) -> Half {
        Half { n: half.n * 3 }
    }

    #[node]
    fn whole(left: Half, right: Half) -> Whole {
        Whole {
            n: left.n * 100 + right.n,
        }
    }

    #[flow]
    fn planned(plan: Plan) -> Whole {
        flow! { halve -> fork(double, triple) -> join(whole) }
    }

    #[tokio::test]
    async fn a_tuple_gives_each_branch_a_state_of_one_type() {
        let run = FlowRuntime::new(Plan { n: 1 }).unwrap();
        let (out, _) = through_restarts(run).await;
        assert_eq!(out, Whole { n: 206 });
    }

    // Two nested flows of one input side by side, each of which has that as its own.
    #[node]
    fn first(half: &Half, ctx: Context) -> Result<Plan, FlowError> {
        Ok(Plan {
            n: half.n + ctx.input::<Half>()?.n,
        })
    }

    #[node]
    fn last(plan: Plan, ctx: Context) -> Result<Half, FlowError> {
        Ok(Half {
            n: plan.n * ctx.input::<Half>()?.n,
        })
    }

    #[flow(named)]
    fn inner(half: Half) -> Half {
        flow! { first -> last }
    }

    #[flow]
    fn sides(half: Half) -> Whole {
        flow! { fork(inner, double -> inner as other) -> join(whole) }
    }

    #[tokio::test]
    async fn nested_flows_side_by_side_keep_their_own_inputs() {
        let run = FlowRuntime::new(Half { n: 3 }).unwrap();
        let (out, _) = through_restarts(run).await;
        // (3 + 3) * 3 and (6 + 6) * 6
        assert_eq!(out, Whole { n: 18 * 100 + 72 });
    }
}

mod failures {
    use super::*;
    use crate::macros_support::Report;

    states!(Start, Part, End);

    #[node]
    fn left(start: Start) -> Part {
        Part { n: start.n }
    }

    #[node]
    fn right(start: &Start) -> Part {
        Part { n: start.n + 1 }
    }

    #[node]
    fn refuse(one: Part, other: Part) -> Result<End, String> {
        Err(format!("{} and {}", one.n, other.n))
    }

    #[node]
    fn rescue(failure: Failure<(Part, Part)>) -> End {
        let (one, other) = failure.input;
        assert!(failure.message.contains("4 and 5"));
        End {
            n: one.n * 10 + other.n,
        }
    }

    #[flow]
    fn caught(start: Start) -> End {
        flow! { fork(left, right) -> join(refuse); catch(refuse) -> rescue }
    }

    #[tokio::test]
    async fn a_failed_join_hands_on_all_that_it_took_in_order() {
        let run = FlowRuntime::new(Start { n: 4 }).unwrap();
        let (out, _) = through_restarts(run).await;
        assert_eq!(out, End { n: 45 });
    }

    // A flow that starts with branches, and fails as a whole.
    #[node]
    fn broken(start: Start) -> Result<Part, String> {
        Err(format!("no {}", start.n))
    }

    #[node]
    fn meet(one: Part, other: Part) -> End {
        End { n: one.n + other.n }
    }

    #[flow(named)]
    fn inner(start: Start) -> End {
        flow! { fork(left, broken) -> join(meet) }
    }

    #[node]
    fn shown(end: End) -> Report {
        Report {
            text: end.n.to_string(),
        }
    }

    #[node]
    fn told(failure: &Failure<Start>) -> Report {
        Report {
            text: format!("{}: {}", failure.input.n, failure.message),
        }
    }

    #[flow(named)]
    fn outer(start: Start) -> Report {
        flow! { inner -> shown; catch(inner) -> told }
    }

    #[tokio::test]
    async fn a_flow_that_starts_with_branches_fails_as_a_whole() {
        let (out, _) = through_restarts(outer::start(Start { n: 4 }).unwrap()).await;
        assert_eq!(out.text, "4: no 4");
    }
}
