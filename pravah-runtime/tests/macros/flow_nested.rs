//! `#[flow]` inside `#[flow]`: prefixed states and ids, inputs, topology.

use pravah_runtime::{Topology, TopologyNode, prelude::*};

use crate::macros_support::{restart, states, through_restarts};

states!(End, Next, One, Two);

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
        assert_eq!(
            keys,
            ["Item", "price::Next", "price::Good", "Priced", "Next"]
        );
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
                "2. price::check -> price::Next",
                "3. price::judge -> price::Bad",
                "4. price::settle -> Priced",
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
        assert_eq!(steps[2], "3. order::price::check -> order::price::Next");
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
            find(price, "judge").outputs().collect::<Vec<_>>(),
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
                "2. left::step -> left::Next",
                "3. right::other -> right::Next",
                "4. left::step_on -> C",
                "5. right::other_on -> D",
                "6. sum -> End",
            ]
        );
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
        assert_eq!(
            steps[1],
            "2. parts::first::run::begin -> parts::first::run::Middle"
        );
        assert_eq!(
            steps[3],
            "4. parts::second::run::begin -> parts::second::run::Middle"
        );
        assert_eq!(whole::TOPOLOGY.nodes[2].id, "parts::second::run");
    }
}
