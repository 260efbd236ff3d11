//! What a flow knows of itself: topology, drawings, fingerprint; and large flows.

use pravah_runtime::{ArcFrom, ArcTo, FlowDef, prelude::*};

use crate::macros_support::{done, states, through_restarts};

mod everything {
    use super::*;

    states!(
        Start, Plan, Small, Large, Draft, Item, Read, Joined, Done, Refused
    );

    /// Plans.
    #[agent(model = "openai://m", output = Plan)]
    fn plan(start: &Start) -> String {
        start.n.to_string()
    }

    #[node]
    fn size(plan: Plan) -> Either<Small, Large> {
        if plan.n < 5 {
            Either::Left(Small { n: plan.n })
        } else {
            Either::Right(Large { n: plan.n })
        }
    }

    #[gate(prompt = "Really?")]
    fn confirm(large: Large, answer: bool) -> Either<Draft, Refused> {
        if answer {
            Either::Left(Draft { n: large.n })
        } else {
            Either::Right(Refused { n: large.n })
        }
    }

    #[node]
    fn shrink(refused: Refused) -> Plan {
        Plan { n: refused.n / 2 }
    }

    #[node]
    fn split(came: Either<Small, Draft>) -> (Each<Item>, Joined) {
        let n = match came {
            Either::Left(small) => small.n,
            Either::Right(draft) => draft.n,
        };
        ((0..n).map(|n| Item { n }).collect(), Joined { n })
    }

    #[node]
    fn read(item: Item) -> Result<Read, String> {
        Ok(Read { n: item.n })
    }

    #[node]
    fn inner_step(joined: Joined) -> Refused {
        Refused { n: joined.n }
    }

    states!(Failed, Outcome, Wrapped);

    #[node]
    fn rescue(failure: Failure<Joined>) -> Failed {
        Failed { n: failure.input.n }
    }

    #[node]
    fn close(read: Each<Read>, kept: Either<Outcome, Failed>) -> Done {
        let n = match kept {
            Either::Left(outcome) => outcome.n,
            Either::Right(failed) => failed.n,
        };
        Done {
            n: read.len() as u32 + n,
        }
    }

    #[node]
    fn wrap(wrapped: Wrapped) -> Outcome {
        Outcome { n: wrapped.n }
    }

    #[node]
    fn end_inner(refused: Refused) -> Wrapped {
        Wrapped { n: refused.n }
    }

    #[flow(named)]
    fn within(joined: Joined) -> Wrapped {
        flow! { inner_step -> end_inner }
    }

    #[flow]
    fn whole(start: Start) -> Done {
        flow! {
            plan -> size -> either(join(split), confirm);
            confirm -> either(join(split), shrink -> size);
            split -> fork(each(read) -> join(close), within -> wrap -> join(close));
            catch(within) -> rescue -> join(close)
        }
    }

    #[test]
    fn the_topology_names_nodes_and_arcs() {
        let topology = whole::TOPOLOGY;
        let ids: Vec<&str> = topology.nodes.iter().map(|node| node.id).collect();
        assert_eq!(
            ids,
            [
                "plan",
                "size",
                "split",
                "confirm",
                "shrink",
                "each(read)",
                "close",
                "within",
                "wrap",
                "rescue",
            ]
        );
        assert_eq!(
            (topology.arcs[0].from, topology.arcs[0].to),
            (ArcFrom::Input, ArcTo::Node(0))
        );
        let caught = topology
            .arcs
            .iter()
            .find(|arc| arc.from == ArcFrom::Failure { node: 7 });
        assert_eq!(caught.unwrap().to, ArcTo::Node(9));
        let last = topology.arcs.iter().filter(|arc| arc.to == ArcTo::Done);
        assert_eq!(
            last.map(|arc| arc.from).collect::<Vec<_>>(),
            [ArcFrom::Output { node: 6, output: 0 }]
        );
        assert_eq!(
            topology.nodes[3].outputs().collect::<Vec<_>>(),
            ["Draft", "Refused"]
        );
        assert_eq!(topology.nodes[5].inside.unwrap().nodes[0].id, "read");
        assert_eq!(topology.nodes[7].inside.unwrap().name, "within");
    }

    #[test]
    fn a_mermaid_drawing_has_every_node() {
        let drawing = Start::build().unwrap().to_mermaid();
        assert_eq!(drawing, Start::build().unwrap().to_mermaid());
        for name in [
            "plan",
            "size",
            "split",
            "confirm",
            "shrink",
            "read",
            "close",
            "within",
            "end_inner",
            "rescue",
        ] {
            assert!(drawing.contains(name), "{name} in\n{drawing}");
        }
    }

    #[test]
    fn a_dot_drawing_has_every_edge() {
        let drawing = Start::build().unwrap().to_dot();
        for state in [
            "Plan",
            "Small",
            "Large",
            "Draft",
            "Refused",
            "Each_of_Item",
            "Failure_of_Joined",
        ] {
            assert!(drawing.contains(state), "{state} in\n{drawing}");
        }
    }

    #[tokio::test]
    async fn a_flow_of_every_kind_of_node_runs() {
        let script = ScriptedModel::new().reply("plan", serde_json::json!({ "n": 9 }));
        let factory = ClientFactory::new().with_scripted(script);
        let ctx = Context::default();
        let mut run = FlowRuntime::new(Start { n: 1 })
            .unwrap()
            .with_factory(factory.clone());
        let (id, _) = crate::macros_support::suspended(run.run(ctx.clone()).await);
        let mut run = crate::macros_support::restart(&run).with_factory(factory);
        run.resume(ctx.clone(), (id, false)).await.unwrap();
        assert_eq!(
            crate::macros_support::output(run.run(ctx).await),
            Done { n: 8 }
        );
    }
}

mod fingerprints {
    use super::*;

    states!(Start, End, Next, Other);

    mod before {
        use super::*;

        #[node]
        pub(super) fn first(start: Start) -> Next {
            Next { n: start.n }
        }

        #[agent(model = "openai://m", preamble = "One.", output = End)]
        pub(super) fn second(next: &Next) -> String {
            next.n.to_string()
        }
    }

    #[flow(named)]
    fn first_version(start: Start) -> End {
        flow! { before::first -> before::second }
    }

    mod after {
        use super::*;

        #[node]
        pub(super) async fn renamed(start: &Start, _: Context) -> Result<Next, FlowError> {
            Ok(Next { n: start.n })
        }

        #[agent(model = "openai://other", preamble = "Another.", output = End, max_turns = 2)]
        pub(super) fn prompted(next: Next) -> String {
            format!("What of {}?", next.n)
        }
    }

    #[flow(named)]
    fn second_version(start: Start) -> End {
        flow! { after::renamed -> after::prompted }
    }

    #[node]
    fn to_other(start: Start) -> Other {
        Other { n: start.n }
    }

    #[agent(model = "openai://m", preamble = "One.", output = End)]
    fn from_other(other: &Other) -> String {
        other.n.to_string()
    }

    #[flow(named)]
    fn other_state(start: Start) -> End {
        flow! { to_other -> from_other }
    }

    #[node]
    fn no_agent(next: Next) -> End {
        End { n: next.n }
    }

    #[flow(named)]
    fn other_kind(start: Start) -> End {
        flow! { before::first -> no_agent }
    }

    fn of<F: FlowDef>() -> String {
        F::graph().unwrap().fingerprint().to_string()
    }

    #[test]
    fn a_new_name_or_prompt_leaves_the_fingerprint() {
        assert_eq!(of::<first_version>(), of::<second_version>());
    }

    #[test]
    fn another_state_or_kind_of_node_changes_the_fingerprint() {
        assert_ne!(of::<first_version>(), of::<other_state>());
        assert_ne!(of::<first_version>(), of::<other_kind>());
    }
}

mod generated {
    use super::*;

    /// A flow whose names come out of a macro of the user's own.
    macro_rules! pipeline {
        ($flow:ident: $input:ident $(-> $step:ident $state:ident)+) => {
            states!($input $(, $state)+);
            pipeline!(@nodes $input $($step $state)+);
            pipeline!(@flow $flow $input [$($step)+] $($state)+);
        };
        (@nodes $from:ident) => {};
        (@nodes $from:ident $step:ident $to:ident $($rest:ident)*) => {
            #[node]
            fn $step(state: $from) -> $to {
                $to { n: state.n + 1 }
            }
            pipeline!(@nodes $to $($rest)*);
        };
        (@flow $flow:ident $input:ident $steps:tt $state:ident $($rest:ident)+) => {
            pipeline!(@flow $flow $input $steps $($rest)+);
        };
        (@flow $flow:ident $input:ident [$first:ident $($step:ident)*] $last:ident) => {
            #[flow]
            fn $flow(input: $input) -> $last {
                flow! { $first $(-> $step)* }
            }
        };
    }

    pipeline!(short: A -> b B -> c C -> d D);

    #[tokio::test]
    async fn a_flow_may_come_out_of_a_macro() {
        let run = FlowRuntime::new(A { n: 0 }).unwrap();
        let (d, steps) = through_restarts(run).await;
        assert_eq!((d, steps.len()), (D { n: 3 }, 3));
        assert_eq!(short::TOPOLOGY.nodes.len(), 3);
    }
}

mod large {
    use super::*;

    #[state]
    #[derive(Clone, Debug, PartialEq)]
    struct S0 {
        n: u32,
    }

    macro_rules! chain {
        ($(($node:ident $from:ident $to:ident))+) => {
            $(
                #[state]
                #[derive(Clone, Debug, PartialEq)]
                struct $to { n: u32 }

                #[node]
                fn $node(state: $from) -> $to {
                    $to { n: state.n + 1 }
                }
            )+

            chain!(@flow $($node)+);
        };
        (@flow $first:ident $($node:ident)+) => {
            #[flow]
            fn chain(start: S0) -> S300 {
                flow! { $first $(-> $node)+ }
            }
        };
    }

    include!("../macros_support/chain.rs");

    #[tokio::test]
    async fn a_flow_of_three_hundred_nodes_runs() {
        assert_eq!(chain::TOPOLOGY.nodes.len(), 300);
        assert_eq!(done(S0 { n: 0 }).await, S300 { n: 300 });
    }
}
