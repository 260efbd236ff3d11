//! `catch` around more than one function: nested flows, lists, agents, loops.

use pravah_runtime::prelude::*;

use crate::macros_support::{Report, done, failed, report, states, through_restarts};

mod nested {
    use super::*;

    states!(Start, Inner, One, Two, First, Second, Given);

    #[node]
    fn begin(start: Start) -> Inner {
        Inner { n: start.n }
    }

    #[node]
    fn split(inner: Inner) -> (One, Two) {
        (One { n: inner.n }, Two { n: inner.n })
    }

    #[node]
    fn one(one: One) -> Result<First, String> {
        if one.n == 0 {
            Err("zero".into())
        } else {
            Ok(First { n: one.n })
        }
    }

    #[node]
    fn two(two: Two) -> Second {
        Second { n: two.n }
    }

    #[node]
    fn sum(first: First, second: Second) -> Given {
        Given {
            n: first.n + second.n,
        }
    }

    #[flow]
    fn inner(inner: Inner) -> Given {
        flow! { split -> fork(one, two) -> join(sum) }
    }

    #[node]
    fn close(given: Given) -> Report {
        Report {
            text: given.n.to_string(),
        }
    }

    #[node]
    fn rescue(failure: Failure<Inner>) -> Report {
        report(&failure)
    }

    #[flow]
    fn outer(start: Start) -> Report {
        flow! { begin -> inner -> close; catch(inner) -> rescue }
    }

    #[tokio::test]
    async fn a_nested_flow_that_fails_leaves_nothing_of_itself() {
        let mut run = FlowRuntime::new(Start { n: 0 }).unwrap();
        let mut states = Vec::new();
        while run.next(Context::default()).await.unwrap() == RunOut::Continue {
            let snapshot = serde_json::to_value(run.snapshot()).unwrap();
            states.push(
                snapshot["states"]
                    .as_object()
                    .unwrap()
                    .keys()
                    .cloned()
                    .collect::<Vec<_>>(),
            );
            run = crate::macros_support::restart(&run);
        }
        assert_eq!(
            states,
            [
                vec!["Inner"],
                vec!["inner::One", "inner::Two"],
                vec!["Failure_of_Inner"]
            ]
        );
    }

    #[tokio::test]
    async fn the_failure_of_a_nested_flow_holds_its_input() {
        assert_eq!(done(Start { n: 0 }).await.text, "Inner { n: 0 } Error zero");
        assert_eq!(done(Start { n: 2 }).await.text, "4");
    }

    states!(Loud);

    // Inside, the failure is caught where it happens.
    #[node]
    fn hush(failure: Failure<One>) -> First {
        First {
            n: failure.input.n + 1,
        }
    }

    #[node]
    fn into_inner(loud: Loud) -> Inner {
        Inner { n: loud.n }
    }

    #[flow(named)]
    fn careful(inner: Inner) -> Given {
        flow! { split -> fork(one, two) -> join(sum); catch(one) -> hush -> join(sum) }
    }

    #[flow]
    fn loud(loud: Loud) -> Report {
        flow! { into_inner -> careful -> close; catch(careful) -> rescue }
    }

    #[tokio::test]
    async fn the_innermost_catch_takes_the_failure() {
        let run = FlowRuntime::new(Loud { n: 0 }).unwrap();
        assert_eq!(through_restarts(run).await.0.text, "1");
    }
}

mod several {
    use super::*;

    states!(Start, One, Two);

    #[node]
    fn choose(start: Start) -> Either<One, Two> {
        if start.n == 1 {
            Either::Left(One { n: 1 })
        } else {
            Either::Right(Two { n: 2 })
        }
    }

    #[node]
    fn one(_: One) -> Result<Report, String> {
        Err("one".into())
    }

    #[node]
    fn two(_: Two) -> Result<Report, String> {
        Err("two".into())
    }

    #[node]
    fn rescue(failure: Either<Failure<One>, Failure<Two>>) -> Report {
        match failure {
            Either::Left(one) => report(&one),
            Either::Right(two) => report(&two),
        }
    }

    #[flow]
    fn rescued(start: Start) -> Report {
        flow! { choose -> either(one, two); catch(one) -> join(rescue); catch(two) -> join(rescue) }
    }

    #[tokio::test]
    async fn one_node_may_rescue_several() {
        for (n, text) in [(1, "One { n: 1 } Error one"), (2, "Two { n: 2 } Error two")] {
            let run = FlowRuntime::new(Start { n }).unwrap();
            assert_eq!(through_restarts(run).await.0.text, text);
        }
    }
}

mod again {
    use super::*;

    states!(Start, Tried);

    #[node]
    fn start(start: Start) -> Tried {
        Tried { n: start.n }
    }

    #[node]
    fn attempt(tried: &Tried) -> Result<Report, String> {
        if tried.n < 3 {
            Err("too early".into())
        } else {
            Ok(Report {
                text: format!("at {}", tried.n),
            })
        }
    }

    #[node]
    fn once_more(failure: Failure<Tried>) -> Tried {
        Tried {
            n: failure.input.n + 1,
        }
    }

    #[flow]
    fn trying(start: Start) -> Report {
        flow! { self::start -> attempt; catch(attempt) -> once_more -> attempt }
    }

    #[tokio::test]
    async fn a_rescue_may_lead_back_to_the_node_that_failed() {
        let run = FlowRuntime::new(Start { n: 1 }).unwrap();
        let (report, steps) = through_restarts(run).await;
        assert_eq!((report.text.as_str(), steps.len()), ("at 3", 6));
    }
}

mod agents {
    use super::*;

    #[state]
    #[derive(Clone, Debug)]
    struct Question {
        text: String,
    }

    #[agent(model = "openai://m", preamble = "", output = Report)]
    fn think(question: &Question) -> String {
        question.text.clone()
    }

    #[node]
    fn rescue(failure: Failure<Question>) -> Report {
        assert_eq!(failure.kind, FailureKind::Error);
        Report {
            text: format!("no answer to {}", failure.input.text),
        }
    }

    #[flow]
    fn thinking(question: Question) -> Report {
        flow! { think; catch(think) -> rescue }
    }

    #[tokio::test]
    async fn the_failure_of_a_model_is_caught() {
        let script = ScriptedModel::new().error("think", "overloaded");
        let run = FlowRuntime::new(Question { text: "why".into() }).unwrap();
        let mut run = run.with_factory(ClientFactory::new().with_scripted(script));
        let report = crate::macros_support::output(run.run(Context::default()).await);
        assert_eq!(report.text, "no answer to why");
    }
}

mod lists {
    use super::*;

    states!(Start, Item, Seen);

    #[node]
    fn items(start: Start) -> Each<Item> {
        (0..start.n).map(|n| Item { n }).collect()
    }

    #[node]
    fn see(item: Item) -> Result<Seen, String> {
        if item.n == 2 {
            Err("two is blind".into())
        } else {
            Ok(Seen { n: item.n })
        }
    }

    #[node]
    fn count(seen: Each<Seen>) -> Report {
        Report {
            text: seen.len().to_string(),
        }
    }

    #[flow]
    fn listing(start: Start) -> Report {
        flow! { items -> each(see) -> count }
    }

    states!(Around);

    #[node]
    fn unwrap(around: Around) -> Start {
        Start { n: around.n }
    }

    #[node]
    fn keep(text: Report) -> Ended {
        Ended { text: text.text }
    }

    #[node]
    fn keep_too(text: Rescued) -> Ended {
        Ended { text: text.text }
    }

    #[state]
    struct Rescued {
        text: String,
    }

    #[state]
    struct Ended {
        text: String,
    }

    #[node]
    fn rescued(failure: Failure<Start>) -> Rescued {
        Rescued {
            text: report(&failure).text,
        }
    }

    #[flow]
    fn around(around: Around) -> Ended {
        flow! { unwrap -> listing -> keep; catch(listing) -> rescued -> keep_too }
    }

    #[tokio::test]
    async fn an_item_that_fails_stops_a_run_without_catch() {
        assert_eq!(
            failed(Start { n: 5 }).await.to_string(),
            "node `see[2]` failed: two is blind"
        );
        assert_eq!(done(Start { n: 2 }).await.text, "2");
    }

    #[tokio::test]
    async fn a_failure_in_a_list_is_caught_around_its_flow() {
        let run = FlowRuntime::new(Around { n: 4 }).unwrap();
        let (ended, steps) = through_restarts(run).await;
        assert_eq!(ended.text, "Start { n: 4 } Error two is blind");
        assert_eq!(steps.last().unwrap(), "7. keep_too -> Ended");
    }
}
