//! `#[flow]`: as a function, as an impl, beside another, inside another, in loops.
#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a helper that fails is a test that fails"
)]

mod macros_support;

use macros_support::{done, output, restart, through_restarts};
use pravah_runtime::{Topology, TopologyNode, prelude::*};

macro_rules! states {
    ($($name:ident),+ $(,)?) => {$(
        #[state]
        #[derive(Clone, Debug, PartialEq)]
        struct $name { n: u32 }
    )+};
}

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
                "2. Start::other -> One",
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

mod nested {
    use super::*;

    states!(Order, Item, Priced, Paid, Good, Bad);

    // Every state of the inner flows has the name of one outside.
    #[node]
    fn to_item(order: Order) -> Item {
        Item { n: order.n }
    }

    #[node]
    fn check(item: Item) -> Next {
        Next { n: item.n }
    }

    #[node]
    fn judge(next: Next, ctx: Context) -> Result<Either<Good, Bad>, FlowError> {
        // The inner flow's input, and the outer one's.
        let (item, order) = (ctx.input::<Item>()?, ctx.input::<Order>()?);
        assert_eq!((item.n, order.n), (next.n, next.n));
        Ok(if next.n > 5 {
            Either::Left(Good { n: next.n })
        } else {
            Either::Right(Bad { n: next.n })
        })
    }

    #[node]
    fn settle(outcome: Either<Good, Bad>) -> Priced {
        match outcome {
            Either::Left(good) => Priced { n: good.n * 2 },
            Either::Right(bad) => Priced { n: bad.n },
        }
    }

    #[flow]
    fn price(item: Item) -> Priced {
        flow! { check -> judge -> either(join(settle), join(settle)) }
    }

    #[node]
    fn go_on(priced: Priced) -> Next {
        Next { n: priced.n }
    }

    #[node]
    fn pay(next: Next, ctx: Context) -> Result<Paid, FlowError> {
        // Outside, the inner input is not to be seen.
        assert!(ctx.input::<Item>().is_err());
        Ok(Paid {
            n: next.n + ctx.input::<Order>()?.n,
        })
    }

    #[flow]
    fn order(order: Order) -> Paid {
        flow! { to_item -> price -> go_on -> pay }
    }

    // S1.22, S1.23
    #[tokio::test]
    async fn the_states_of_a_nested_flow_are_prefixed() {
        let mut run = FlowRuntime::new(Order { n: 7 }).unwrap();
        let mut keys = Vec::new();
        while run.next(Context::default()).await.unwrap() == RunOut::Continue {
            let snapshot = serde_json::to_value(run.snapshot()).unwrap();
            let states = snapshot["states"].as_object().unwrap();
            keys.push(states.keys().cloned().collect::<Vec<_>>().join(" "));
            run = restart(&run);
        }
        assert_eq!(keys, ["Item", "Item::Next", "Item::Good", "Priced", "Next"]);
    }

    #[tokio::test]
    async fn the_nodes_of_a_nested_flow_are_prefixed() {
        let run = FlowRuntime::new(Order { n: 3 }).unwrap();
        let (paid, steps) = through_restarts(run).await;
        assert_eq!(paid, Paid { n: 6 });
        assert_eq!(
            steps,
            [
                "1. to_item -> Item",
                "2. Item::check -> Item::Next",
                "3. Item::judge -> Item::Bad",
                "4. Item::settle -> Priced",
                "5. go_on -> Next",
                "6. pay -> Paid",
            ]
        );
    }

    states!(Deep);

    #[node]
    fn deepen(deep: Deep) -> Order {
        Order { n: deep.n }
    }

    #[flow]
    fn deep(deep: Deep) -> Paid {
        flow! { deepen -> order }
    }

    #[tokio::test]
    async fn a_flow_nests_in_a_nested_flow() {
        let run = FlowRuntime::new(Deep { n: 7 }).unwrap();
        let (paid, steps) = through_restarts(run).await;
        assert_eq!(paid, Paid { n: 21 });
        assert_eq!(steps[2], "3. Order::Item::check -> Order::Item::Next");
    }

    #[flow(named)]
    fn same_input(order: Order) -> End {
        flow! { order -> last }
    }

    #[node]
    fn last(paid: Paid) -> End {
        End { n: paid.n }
    }

    #[tokio::test]
    async fn a_flow_may_begin_with_a_flow_of_its_own_input() {
        // Both consume `Order`: the outer flow hands its input on.
        let run = same_input::start(Order { n: 7 }).unwrap();
        assert_eq!(through_restarts(run).await.0, End { n: 21 });
    }

    #[test]
    fn the_topology_of_a_nested_flow_is_a_child() {
        let find = |topology: &'static Topology, id: &str| -> &'static TopologyNode {
            topology.nodes.iter().find(|node| node.id == id).unwrap()
        };
        let order = find(deep::TOPOLOGY, "order").inside.unwrap();
        let price = find(order, "price").inside.unwrap();
        assert_eq!(price.name, "price");
        assert_eq!(
            find(price, "judge").gives().collect::<Vec<_>>(),
            ["Good", "Bad"]
        );
        assert!(find(price, "judge").inside.is_none());
        assert_eq!(price.arcs.len(), 5);
    }
}

mod in_two_branches {
    use super::*;

    states!(Start, A, B, C, D);

    #[node]
    fn split(start: Start) -> (A, B) {
        (A { n: start.n }, B { n: start.n + 1 })
    }

    #[node]
    fn step(a: A) -> Next {
        Next { n: a.n }
    }

    #[node]
    fn step_on(next: Next) -> C {
        C { n: next.n }
    }

    #[flow]
    fn left(a: A) -> C {
        flow! { step -> step_on }
    }

    #[node]
    fn other(b: B) -> Next {
        Next { n: b.n }
    }

    #[node]
    fn other_on(next: Next) -> D {
        D { n: next.n }
    }

    #[flow]
    fn right(b: B) -> D {
        flow! { other -> other_on }
    }

    #[node]
    fn sum(c: C, d: D) -> End {
        End { n: c.n + d.n }
    }

    #[flow]
    fn both(start: Start) -> End {
        flow! { split -> fork(left, right) -> join(sum) }
    }

    #[tokio::test]
    async fn two_nested_flows_run_side_by_side() {
        let run = FlowRuntime::new(Start { n: 1 }).unwrap();
        let (end, steps) = through_restarts(run).await;
        assert_eq!(end, End { n: 3 });
        assert_eq!(
            steps,
            [
                "1. split -> A, B",
                "2. A::step -> A::Next",
                "3. B::other -> B::Next",
                "4. A::step_on -> C",
                "5. B::other_on -> D",
                "6. sum -> End",
            ]
        );
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
        let error = macros_support::failed(Start { n: 9 }).await;
        let FlowError::MaxVisits { node, cycle, limit } = &error else {
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

mod in_modules {
    use super::*;

    states!(Start);

    #[allow(
        private_interfaces,
        reason = "a node may stand over states that its module keeps to itself"
    )]
    mod parts {
        pub(super) mod first {
            use super::super::*;

            states!(Middle);

            #[node]
            fn begin(next: Next) -> Middle {
                Middle { n: next.n + 1 }
            }

            #[node]
            fn end(middle: Middle) -> One {
                One { n: middle.n }
            }

            #[flow]
            pub(in super::super) fn run(next: Next) -> One {
                flow! { begin -> end }
            }
        }

        pub(super) mod second {
            use super::super::*;

            // Another type of the name of one in the first flow: they are kept apart.
            states!(Middle);

            #[node]
            fn begin(one: One) -> Middle {
                Middle { n: one.n * 10 }
            }

            #[node]
            fn end(middle: Middle) -> Two {
                Two { n: middle.n }
            }

            #[flow]
            pub(in super::super) fn run(one: One) -> Two {
                flow! { begin -> end }
            }
        }
    }

    #[node]
    fn begin(start: Start) -> Next {
        Next { n: start.n }
    }

    #[flow]
    fn whole(start: Start) -> Two {
        flow! { begin -> parts::first::run -> parts::second::run }
    }

    #[tokio::test]
    async fn flows_of_one_name_nest_with_states_of_one_name() {
        let run = FlowRuntime::new(Start { n: 1 }).unwrap();
        let (two, steps) = through_restarts(run).await;
        assert_eq!(two, Two { n: 20 });
        assert_eq!(steps[1], "2. Next::begin -> Next::Middle");
        assert_eq!(steps[3], "4. One::begin -> One::Middle");
        assert_eq!(whole::TOPOLOGY.nodes[2].id, "parts::second::run");
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
        let error = macros_support::failed(Start { n: 1 }).await;
        let FlowError::Node { node, source } = error else {
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
