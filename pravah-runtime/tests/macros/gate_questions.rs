//! What a gate asks, made from what waits at it.

use pravah_runtime::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::macros_support::{output, restart, suspended};

#[state]
#[derive(Debug, PartialEq)]
struct Text {
    text: String,
}

/// The person who is on duty.
struct OnDuty(&'static str);

fn ctx() -> Context {
    Context::default().with_dep(OnDuty("Ada"))
}

async fn asked<F: pravah_runtime::FlowDef>(run: &mut FlowRuntime<F>) -> (String, GateQuestion) {
    let (id, value) = suspended(run.run(ctx()).await);
    (id, serde_json::from_value(value).unwrap())
}

mod draft {
    use super::*;

    /// Not `Clone`: what is asked about stays in the run all the same.
    #[state]
    struct Draft {
        title: String,
        words: u32,
    }

    #[derive(Serialize)]
    struct Labels {
        words: u32,
    }

    #[derive(Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    enum Decision {
        Publish,
        SendBack,
    }

    #[gate(
        prompt = format!("Publish `{}`?", draft.title),
        assignee = ctx.dep::<OnDuty>()?.0,
        metadata = Labels { words: draft.words },
    )]
    fn decide(draft: Draft, decision: Decision, ctx: Context) -> Text {
        let on_duty = ctx.dep::<OnDuty>().unwrap();
        Text {
            text: match decision {
                Decision::Publish => format!("{} by {}", draft.title, on_duty.0),
                Decision::SendBack => "back".into(),
            },
        }
    }

    #[flow]
    fn deciding(draft: Draft) -> Text {
        flow! { decide }
    }

    fn start() -> FlowRuntime<Draft> {
        let title = "Tea".into();
        FlowRuntime::new(Draft { title, words: 3 }).unwrap()
    }

    #[tokio::test]
    async fn a_question_is_made_from_the_state_the_context_and_the_type_of_the_answer() {
        let (id, question) = asked(&mut start()).await;
        assert_eq!(id, "decide");
        assert_eq!(question.prompt, "Publish `Tea`?");
        assert_eq!(question.state, json!({ "title": "Tea", "words": 3 }));
        assert_eq!(question.assignee.as_deref(), Some("Ada"));
        assert_eq!(question.metadata, json!({ "words": 3 }));
        assert_eq!(question.cases, ["publish", "send_back"]);
    }

    #[tokio::test]
    async fn a_question_is_asked_once_and_kept_in_the_snapshot() {
        let mut run = start();
        let (id, question) = asked(&mut run).await;
        let mut run = restart(&run);
        // Nobody is on duty any more: what was asked stays.
        let (_, value) = suspended(run.next(Context::default()).await);
        assert_eq!(
            serde_json::from_value::<GateQuestion>(value).unwrap(),
            question
        );
        let out = run.resume(ctx(), (id, "publish")).await;
        assert_eq!(output(out).text, "Tea by Ada");
    }

    #[tokio::test]
    async fn an_answer_of_another_type_is_refused_with_the_cases_of_the_enum() {
        let mut run = start();
        let (id, _) = asked(&mut run).await;
        for (answer, why) in [
            (json!(true), "invalid type: boolean `true`, expected "),
            (json!(null), "invalid type: null, expected "),
            (json!("drop"), "unknown variant `drop`, expected "),
        ] {
            let error = run.resume(ctx(), (&id, &answer)).await.unwrap_err();
            let text = error.to_string();
            assert!(text.contains(why), "{text}");
            let cases = text.matches("`publish`").count() + text.matches("`send_back`").count();
            assert_eq!(cases, 2, "{text}");
        }
        let out = run.resume(ctx(), (id, "publish")).await;
        assert_eq!(output(out).text, "Tea by Ada");
    }

    #[tokio::test]
    async fn a_question_that_cannot_be_made_fails_the_gate_and_loses_nothing() {
        let mut run = start();
        let error = run.next(Context::default()).await.unwrap_err();
        let text = error.to_string();
        assert!(text.starts_with("node `decide` failed: "), "{text}");
        assert!(text.contains("OnDuty"), "{text}");
        assert_eq!(run.suspensions().len(), 0);
        let (id, _) = asked(&mut run).await;
        let out = run.resume(ctx(), (id, "send_back")).await;
        assert_eq!(output(out).text, "back");
    }
}

mod places {
    use super::*;

    #[state]
    struct Order {
        n: u32,
    }

    #[state]
    #[derive(Clone)]
    struct Small {
        n: u32,
    }

    #[state]
    #[derive(Clone)]
    struct Large {
        n: u32,
        note: String,
    }

    #[state]
    struct Checked {
        n: u32,
    }

    #[state]
    struct Stock {
        left: u32,
        keeper: String,
    }

    #[node]
    fn sort(order: Order) -> Either<Small, Large> {
        match order.n {
            n if n < 10 => Either::Left(Small { n }),
            n => Either::Right(Large {
                n,
                note: "a pallet".into(),
            }),
        }
    }

    #[node]
    fn split(order: Checked) -> (Order, Stock) {
        (
            Order { n: order.n },
            Stock {
                left: 7,
                keeper: "Bo".into(),
            },
        )
    }

    #[gate(prompt = match order {
        Either::Left(small) => format!("{} pieces?", small.n),
        Either::Right(large) => format!("{} pieces on {}?", large.n, large.note),
    })]
    fn check(order: Either<Small, Large>, yes: bool) -> Checked {
        let n = match order {
            Either::Left(small) => small.n,
            Either::Right(large) => large.n,
        };
        Checked {
            n: n * u32::from(yes),
        }
    }

    #[gate(prompt = format!("{n} of {}?", stock.left), assignee = stock.keeper)]
    fn take(Order { n }: Order, stock: &Stock, yes: bool) -> Text {
        Text {
            text: format!("{n} of {} {yes}", stock.left),
        }
    }

    #[flow(named)]
    fn checking(order: Order) -> Checked {
        flow! { sort -> either(join(check), join(check)) }
    }

    #[flow(named)]
    fn taking(order: Checked) -> Text {
        flow! { split -> fork(join(take), join(take)) }
    }

    #[tokio::test]
    async fn a_prompt_sees_which_of_two_states_came() {
        for (n, prompt) in [(3, "3 pieces?"), (30, "30 pieces on a pallet?")] {
            let mut run = checking::start(Order { n }).unwrap();
            let (id, question) = asked(&mut run).await;
            assert_eq!(question.prompt, prompt);
            assert!(question.cases.is_empty());
            assert_eq!(output(run.resume(ctx(), (id, true)).await).n, n);
        }
    }

    #[tokio::test]
    async fn a_prompt_sees_all_states_of_a_join_by_the_patterns_of_the_function() {
        let mut run = taking::start(Checked { n: 2 }).unwrap();
        let (id, question) = asked(&mut restart(&run)).await;
        assert_eq!(question.prompt, "2 of 7?");
        assert_eq!(question.assignee.as_deref(), Some("Bo"));
        assert_eq!(
            question.state,
            json!([{ "n": 2 }, { "left": 7, "keeper": "Bo" }])
        );
        asked(&mut run).await;
        let out = run.resume(ctx(), (id, false)).await;
        assert_eq!(output(out).text, "2 of 7 false");
    }
}

mod failing {
    use super::*;

    #[state]
    struct Number {
        n: Option<u32>,
    }

    #[gate(prompt = format!("Is it {}?", number.n.unwrap()))]
    fn guess(number: Number, yes: bool) -> Text {
        Text {
            text: format!("{:?} {yes}", number.n),
        }
    }

    #[node]
    fn give_up(failure: Failure<Number>) -> Text {
        assert_eq!(failure.kind, FailureKind::Panic);
        Text {
            text: format!("{:?}: {}", failure.input.n, failure.message),
        }
    }

    #[flow]
    fn guessing(number: Number) -> Text {
        flow! {
            guess;
            catch(guess) -> give_up
        }
    }

    #[tokio::test]
    async fn a_prompt_that_panics_is_a_failure_of_the_gate() {
        let mut run = FlowRuntime::new(Number { n: None }).unwrap();
        let text = output(run.run(ctx()).await).text;
        assert!(text.starts_with("None: "), "{text}");
        assert!(text.contains("`None`"), "{text}");
    }
}
