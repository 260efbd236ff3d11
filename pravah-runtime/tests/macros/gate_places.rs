//! `#[gate]` wherever it may stand: in branches, lists, nested flows, loops.

use pravah_runtime::prelude::*;
use serde_json::{Value, json};

use crate::macros_support::{output, restart, suspended};

#[state]
#[derive(Clone, Debug, PartialEq)]
struct Text {
    text: String,
}

mod join {
    use super::*;

    #[state]
    struct Input {
        n: u32,
    }

    #[state]
    struct One {
        n: u32,
    }

    #[state]
    struct Two {
        n: u32,
    }

    #[state]
    struct Checked {
        n: u32,
    }

    #[node]
    fn split(input: Input) -> (One, Two) {
        (One { n: input.n }, Two { n: input.n })
    }

    #[gate(prompt = "Check this?")]
    fn check(one: One, by: u32) -> Checked {
        Checked { n: one.n + by }
    }

    #[gate(prompt = "Both?")]
    fn both(checked: Checked, two: &Two, answer: String) -> Text {
        Text {
            text: format!("{} {} {answer}", checked.n, two.n),
        }
    }

    #[flow]
    fn joined(input: Input) -> Text {
        flow! { split -> fork(check -> join(both), join(both)) }
    }

    #[tokio::test]
    async fn a_gate_may_stand_in_a_fork_and_be_a_join() {
        let ctx = Context::default();
        let mut run = FlowRuntime::new(Input { n: 1 }).unwrap();
        let (id, asked) = suspended(run.run(ctx.clone()).await);
        assert_eq!((&*id, &asked["state"]), ("check", &json!({ "n": 1 })));
        run.resume(ctx.clone(), (id, 5)).await.unwrap();
        let (id, asked) = suspended(restart(&run).run(ctx.clone()).await);
        assert_eq!(
            (&*id, &asked["state"]),
            ("both", &json!([{ "n": 6 }, { "n": 1 }]))
        );
        run.run(ctx.clone()).await.unwrap();
        assert_eq!(output(run.resume(ctx, (id, "yes")).await).text, "6 1 yes");
    }
}

mod parallel {
    use super::*;

    #[state]
    struct Input {
        n: u32,
    }

    #[state]
    struct One {
        n: u32,
    }

    #[state]
    struct Two {
        n: u32,
    }

    #[state]
    struct First {
        n: u32,
    }

    #[state]
    struct Second {
        n: u32,
    }

    #[node]
    fn split(input: Input) -> (One, Two) {
        (One { n: input.n }, Two { n: input.n })
    }

    #[gate(prompt = "One?")]
    fn one(one: One, add: u32) -> First {
        First { n: one.n + add }
    }

    #[gate(prompt = "Two?")]
    fn two(two: Two, add: u32) -> Second {
        Second { n: two.n + add }
    }

    #[node]
    fn close(first: First, second: Second) -> Text {
        Text {
            text: format!("{} {}", first.n, second.n),
        }
    }

    #[flow]
    fn beside(input: Input) -> Text {
        flow! { split -> fork(one, two) -> join(close) }
    }

    // S1.45
    #[tokio::test]
    async fn two_gates_may_be_open_and_are_answered_in_any_order() {
        let ctx = Context::default();
        let mut run = FlowRuntime::new(Input { n: 0 }).unwrap();
        // Both are asked before the first is returned.
        assert_eq!(suspended(run.run(ctx.clone()).await).0, "one");
        let mut run = restart(&run);
        let open: Vec<String> = run
            .suspensions()
            .into_iter()
            .map(|open| open.tool_id)
            .collect();
        assert_eq!(open, ["one", "two"]);
        run.resume(ctx.clone(), ("two", 2)).await.unwrap();
        run.resume(ctx.clone(), ("one", 1)).await.unwrap();
        assert_eq!(output(run.run(ctx).await).text, "1 2");
    }
}

mod in_a_list {
    use super::*;

    #[state]
    struct Pile {
        n: u32,
    }

    #[state]
    #[derive(Clone)]
    struct Sheet {
        n: u32,
    }

    #[state]
    #[derive(Clone)]
    struct Signed {
        text: String,
    }

    #[node]
    fn sheets(pile: Pile) -> Each<Sheet> {
        (0..pile.n).map(|n| Sheet { n }).collect()
    }

    #[gate(prompt = "Sign?")]
    fn sign(sheet: Sheet, by: String) -> Signed {
        Signed {
            text: format!("{}{by}", sheet.n),
        }
    }

    #[node]
    fn bind(signed: Each<Signed>) -> Text {
        Text {
            text: signed.into_iter().map(|signed| signed.text).collect(),
        }
    }

    #[flow]
    fn signing(pile: Pile) -> Text {
        flow! { sheets -> each(sign) -> bind }
    }

    #[tokio::test]
    async fn a_gate_in_a_list_asks_for_each_item() {
        let ctx = Context::default();
        let mut run = FlowRuntime::new(Pile { n: 3 }).unwrap();
        assert_eq!(suspended(run.run(ctx.clone()).await).0, "sign[0]");
        let mut run = restart(&run);
        // Whoever has only the snapshot learns of each of them.
        for item in 0..3 {
            let (id, asked) = suspended(run.next(ctx.clone()).await);
            assert_eq!(id, format!("sign[{item}]"));
            assert_eq!(asked["state"], json!({ "n": item }));
        }
        let error = run.next(ctx.clone()).await.unwrap_err();
        assert!(matches!(error, FlowError::ResumeRequired(id) if id == "sign[0]"));
        for (item, by) in [(1, "b"), (2, "c"), (0, "a")] {
            run.resume(ctx.clone(), (format!("sign[{item}]"), by))
                .await
                .unwrap();
        }
        assert_eq!(output(run.run(ctx).await).text, "0a1b2c");
    }
}

mod nested {
    use super::*;

    #[state]
    struct Order {
        n: u32,
    }

    #[state]
    #[derive(Clone)]
    struct Payment {
        n: u32,
    }

    #[state]
    #[derive(Clone)]
    struct Checked {
        n: u32,
    }

    #[state]
    struct Paid {
        n: u32,
    }

    #[node]
    fn bill(order: Order) -> Payment {
        Payment { n: order.n }
    }

    #[node]
    fn check(payment: Payment) -> Checked {
        Checked { n: payment.n }
    }

    #[gate(prompt = "Pay?")]
    fn confirm(checked: &Checked, answer: u32) -> Paid {
        Paid {
            n: checked.n + answer,
        }
    }

    #[flow]
    fn pay(payment: Payment) -> Paid {
        flow! { check -> confirm }
    }

    #[node]
    fn ship(paid: Paid) -> Text {
        Text {
            text: paid.n.to_string(),
        }
    }

    #[flow]
    fn order(order: Order) -> Text {
        flow! { bill -> pay -> ship }
    }

    // S1.22
    #[tokio::test]
    async fn a_gate_in_a_nested_flow_is_called_by_its_prefix() {
        let ctx = Context::default();
        let mut run = FlowRuntime::new(Order { n: 1 }).unwrap();
        let (id, _) = suspended(run.run(ctx.clone()).await);
        assert_eq!(id, "pay::confirm");
        run = restart(&run);
        run.resume(ctx.clone(), (id, 4)).await.unwrap();
        assert_eq!(output(run.run(ctx).await).text, "5");
    }

    #[tokio::test]
    async fn the_nested_flow_alone_calls_it_by_its_name() {
        let mut run = FlowRuntime::new(Payment { n: 1 }).unwrap();
        assert_eq!(suspended(run.run(Context::default()).await).0, "confirm");
    }
}

mod in_a_loop {
    use super::*;

    #[state]
    #[derive(Clone)]
    struct Draft {
        version: u32,
    }

    #[state]
    struct Notes {
        version: u32,
    }

    #[gate(prompt = "Good enough?")]
    fn review(draft: Draft, answer: bool) -> Either<Text, Notes> {
        match answer {
            true => Either::Left(Text {
                text: format!("version {}", draft.version),
            }),
            false => Either::Right(Notes {
                version: draft.version,
            }),
        }
    }

    #[node]
    fn revise(notes: Notes) -> Draft {
        Draft {
            version: notes.version + 1,
        }
    }

    #[flow]
    fn writing(draft: Draft) -> Text {
        flow! { review -> either(done, revise); revise -> review }
    }

    #[tokio::test]
    async fn a_gate_in_a_loop_asks_at_every_visit() {
        let ctx = Context::default();
        let mut run = FlowRuntime::new(Draft { version: 1 }).unwrap();
        for version in 1..4 {
            let (id, asked) = suspended(run.run(ctx.clone()).await);
            assert_eq!(
                (&*id, &asked["state"]),
                ("review", &json!({ "version": version }))
            );
            run = restart(&run);
            let answer = Value::from(version == 3);
            let out = run.resume(ctx.clone(), (id, answer)).await;
            if version == 3 {
                assert_eq!(output(out).text, "version 3");
            }
        }
    }
}
