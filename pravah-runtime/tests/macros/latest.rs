//! `Latest<S>`: the last state of a type that was made in a flow, read and not consumed.

use pravah_runtime::prelude::*;
use serde_json::{Value, json};

use crate::macros_support::{
    Recorder, Report, done, output, restart, states, suspended, through_restarts,
};

states!(Topic, Draft, Verdict, Page);

#[node]
fn write(topic: Topic) -> Draft {
    Draft { n: topic.n * 10 }
}

#[node]
fn judge(draft: Draft) -> Verdict {
    Verdict { n: draft.n % 7 }
}

#[node]
fn publish(verdict: Verdict, draft: Latest<Draft>) -> Page {
    Page {
        n: draft.n * 100 + verdict.n,
    }
}

/// The snapshot of a run as JSON.
fn json<F: Flow>(run: &FlowRuntime<F>) -> Value {
    serde_json::to_value(run.snapshot()).unwrap()
}

mod chains {
    use super::*;

    #[flow]
    fn post(topic: Topic) -> Page {
        flow! { write -> judge -> publish }
    }

    #[tokio::test]
    async fn a_node_reads_what_another_consumed() {
        assert_eq!(done(Topic { n: 3 }).await, Page { n: 3002 });
        let run = FlowRuntime::new(Topic { n: 3 }).unwrap();
        assert_eq!(through_restarts(run).await.0, Page { n: 3002 });
    }

    #[tokio::test]
    async fn a_snapshot_holds_the_value_once_while_it_waits_and_is_kept() {
        let mut run = FlowRuntime::new(Topic { n: 3 }).unwrap();
        run.next(Context::default()).await.unwrap();
        let waiting = json(&run);
        assert_eq!(waiting["latest"], json!({ "Draft": { "n": 30 } }));
        assert_eq!(waiting["latest_states"], json!({ "Draft": "Draft" }));
        assert!(waiting.get("states").is_none());

        let mut run = restart(&run);
        assert_eq!(json(&run), waiting);
        run.next(Context::default()).await.unwrap();
        let kept = json(&run);
        assert_eq!(kept["latest"], json!({ "Draft": { "n": 30 } }));
        assert_eq!(kept["states"], json!({ "Verdict": { "n": 2 } }));
        assert!(kept.get("latest_states").is_none());
    }

    #[tokio::test]
    async fn a_step_does_not_write_a_kept_value_again() {
        let mut run = FlowRuntime::new(Topic { n: 3 }).unwrap();
        run.next(Context::default()).await.unwrap();
        run.take_changes().unwrap();
        run.next(Context::default()).await.unwrap();
        let changes = run.take_changes().unwrap();
        let put: Vec<&str> = changes.put().map(|(key, _)| key).collect();
        assert!(!put.iter().any(|key| key.contains("latest")), "{put:?}");
        assert!(changes.deleted().eq(["/latest_states/Draft"]));
    }

    #[tokio::test]
    async fn a_finished_run_keeps_nothing() {
        let mut run = FlowRuntime::new(Topic { n: 3 }).unwrap();
        output(run.run(Context::default()).await);
        assert!(json(&run).get("latest").is_none());
    }

    // The flow's input is made when it starts.
    #[node]
    fn sign(page: Page, topic: Latest<Topic>) -> Report {
        Report {
            text: format!("{} on {}", page.n, topic.n),
        }
    }

    #[flow(named)]
    fn signed(topic: Topic) -> Report {
        flow! { write -> judge -> publish -> sign }
    }

    #[tokio::test]
    async fn the_input_of_the_flow_counts_as_made() {
        let (out, _) = through_restarts(signed::start(Topic { n: 3 }).unwrap()).await;
        assert_eq!(out.text, "3002 on 3");
    }

    #[tokio::test]
    async fn an_input_that_is_read_is_in_a_snapshot_once() {
        let mut run = signed::start(Topic { n: 3 }).unwrap();
        for _ in 0..3 {
            let snapshot = serde_json::to_string(&run.snapshot()).unwrap();
            assert_eq!(snapshot.matches(r#"{"n":3}"#).count(), 1, "{snapshot}");
            run = restart(&run);
            assert_eq!(serde_json::to_string(&run.snapshot()).unwrap(), snapshot);
            run.next(Context::default()).await.unwrap();
        }
    }
}

mod readers {
    use super::*;

    #[state]
    #[derive(Clone, Debug, PartialEq)]
    struct Answer {
        text: String,
    }

    /// Answers.
    #[agent(model = "openai://gpt-4o-mini", output = Answer)]
    fn ask(verdict: &Verdict, draft: Latest<Draft>) -> String {
        format!("{} of {}", verdict.n, draft.n)
    }

    #[flow(named)]
    fn asked(topic: Topic) -> Answer {
        flow! { write -> judge -> ask }
    }

    #[tokio::test]
    async fn the_prompt_of_an_agent_reads() {
        let model = Recorder::new(ScriptedModel::new().reply("ask", json!({ "text": "yes" })));
        let run = asked::start(Topic { n: 3 }).unwrap();
        let out = output(
            run.with_factory(model.factory())
                .run(Context::default())
                .await,
        );
        assert_eq!(out.text, "yes");
        assert!(model.prompt().contains("2 of 30"));
    }

    #[state]
    struct Decision {
        publish: bool,
    }

    #[gate(prompt = format!("publish {}?", draft.n))]
    fn approve(verdict: Verdict, draft: Latest<Draft>, decision: Decision) -> Page {
        Page {
            n: draft.n + verdict.n + u32::from(decision.publish),
        }
    }

    #[flow(named)]
    fn approved(topic: Topic) -> Page {
        flow! { write -> judge -> approve }
    }

    #[tokio::test]
    async fn a_gate_reads_in_its_prompt_and_in_its_function() {
        let mut run = approved::start(Topic { n: 3 }).unwrap();
        let (id, question) = suspended(run.run(Context::default()).await);
        assert_eq!(question["prompt"], "publish 30?");
        let mut run = restart(&run);
        let answer = json!({ "publish": true });
        let out = run.answer(Context::default(), &id, answer).await;
        assert_eq!(output(out), Page { n: 33 });
    }

    #[node]
    fn fails(verdict: Verdict) -> Result<Page, String> {
        Err(format!("no {}", verdict.n))
    }

    #[node]
    fn rescue(failure: &Failure<Verdict>, draft: Latest<Draft>) -> Page {
        Page {
            n: draft.n + failure.input.n,
        }
    }

    #[flow(named)]
    fn rescued(topic: Topic) -> Page {
        flow! { write -> judge -> fails; catch(fails) -> rescue }
    }

    #[tokio::test]
    async fn a_rescue_reads() {
        let (out, _) = through_restarts(rescued::start(Topic { n: 3 }).unwrap()).await;
        assert_eq!(out, Page { n: 32 });
    }

    #[tokio::test]
    async fn a_test_calls_the_function_of_a_node_with_a_state() {
        let page = publish(Verdict { n: 1 }, Latest::new(Draft { n: 2 }));
        assert_eq!(page, Page { n: 201 });
    }
}

mod loops {
    use super::*;

    #[choice]
    enum Next {
        Again(Verdict),
        Good(Page),
    }

    #[node]
    fn check(draft: Draft) -> Next {
        match draft.n {
            n @ 0..100 => Next::Again(Verdict { n }),
            n => Next::Good(Page { n }),
        }
    }

    #[node(max_visits = 10)]
    fn rewrite(verdict: Verdict, draft: Latest<Draft>) -> Draft {
        assert_eq!(verdict.n, draft.n);
        Draft { n: draft.n * 2 }
    }

    #[node]
    fn close(page: Page, draft: Latest<Draft>) -> Verdict {
        Verdict {
            n: page.n + draft.n,
        }
    }

    #[flow]
    fn polished(draft: Draft) -> Verdict {
        flow! { check -> either(rewrite -> check, close) }
    }

    #[tokio::test]
    async fn each_round_reads_what_the_one_before_made() {
        let run = FlowRuntime::new(Draft { n: 15 }).unwrap();
        let (out, steps) = through_restarts(run).await;
        assert_eq!(out, Verdict { n: 240 });
        assert_eq!(steps.len(), 8);
    }
}

mod nested {
    use super::*;

    #[node]
    fn improve(verdict: Verdict, draft: Latest<Draft>) -> Draft {
        Draft {
            n: draft.n + verdict.n,
        }
    }

    // It reads its own input, and what it makes within it is nobody's outside.
    #[flow(named)]
    fn polish(draft: Draft) -> Draft {
        flow! { judge -> improve -> judge as again -> improve as last }
    }

    #[node]
    fn compare(page: Page, draft: Latest<Draft>, topic: Latest<Topic>) -> Report {
        Report {
            text: format!("{} {} {}", page.n, draft.n, topic.n),
        }
    }

    #[flow(named)]
    fn compared(topic: Topic) -> Report {
        flow! { write -> polish -> judge -> publish -> compare }
    }

    #[tokio::test]
    async fn the_output_of_a_nested_flow_counts_and_what_its_nodes_make_does_not() {
        let (out, _) = through_restarts(compared::start(Topic { n: 3 }).unwrap()).await;
        // 30 % 7 = 2, 32 % 7 = 4: the nested flow returns 36, of which 36 % 7 = 1.
        assert_eq!(out.text, "3601 36 3");
    }

    #[tokio::test]
    async fn a_nested_flow_is_written_by_its_place_and_gone_with_it() {
        let mut run = compared::start(Topic { n: 3 }).unwrap();
        let mut seen = Vec::new();
        while let RunOut::Continue = run.next(Context::default()).await.unwrap() {
            let latest = json_of(&run);
            seen.push(latest.as_object().map_or(0, |it| {
                it.keys().filter(|key| key.starts_with("polish::")).count()
            }));
            run = restart(&run);
        }
        assert_eq!(seen, [0, 0, 1, 1, 0, 0, 0]);
    }

    fn json_of(run: &FlowRuntime<compared>) -> Value {
        let snapshot = serde_json::to_value(run.snapshot()).unwrap();
        snapshot["latest"].clone()
    }

    // A nested flow that fails as a whole has made nothing.
    #[node]
    fn spoil(draft: Draft) -> Result<Draft, String> {
        Err(format!("spoilt {}", draft.n))
    }

    #[flow(named)]
    fn spoiling(draft: Draft) -> Draft {
        flow! { judge -> improve -> spoil }
    }

    #[node]
    fn recover(failure: Failure<Draft>, draft: Latest<Draft>) -> Report {
        Report {
            text: format!("{} {}", failure.input.n, draft.n),
        }
    }

    #[node]
    fn tell(draft: Draft) -> Report {
        Report {
            text: draft.n.to_string(),
        }
    }

    #[flow(named)]
    fn recovered(topic: Topic) -> Report {
        flow! { write -> spoiling -> tell; catch(spoiling) -> recover }
    }

    #[tokio::test]
    async fn a_flow_that_failed_has_made_nothing() {
        let (out, _) = through_restarts(recovered::start(Topic { n: 3 }).unwrap()).await;
        assert_eq!(out.text, "30 30");
    }
}

mod lists {
    use super::*;

    states!(Order, Rate, Item, Priced, Total, Size);

    #[node]
    fn rate(order: &Order) -> Rate {
        Rate { n: order.n }
    }

    #[node]
    fn unpack(rate: Rate) -> Each<Item> {
        (1..=rate.n).map(|n| Item { n }).collect()
    }

    #[node]
    async fn price(item: Item, rate: Latest<Rate>) -> Priced {
        tokio::task::yield_now().await;
        Priced { n: item.n * rate.n }
    }

    // What is made in an item is read in that item alone.
    #[node]
    fn measure(priced: Priced) -> Size {
        Size { n: priced.n % 4 }
    }

    #[node]
    async fn weigh(size: Size, priced: Latest<Priced>, item: Latest<Item>) -> Priced {
        tokio::task::yield_now().await;
        Priced {
            n: size.n + priced.n * 10 + item.n * 1000,
        }
    }

    #[node]
    fn sum(all: Each<Priced>, rate: Latest<Rate>) -> Total {
        Total {
            n: all.iter().map(|it| it.n).sum::<u32>() * 10 + rate.n,
        }
    }

    #[flow]
    fn priced(order: Order) -> Total {
        flow! { rate -> unpack -> each(price -> measure -> weigh) -> sum }
    }

    const TOTAL: u32 = ((33 + 1000) + (62 + 2000) + (91 + 3000)) * 10 + 3;

    #[tokio::test]
    async fn items_read_what_was_made_before_the_list_and_in_themselves() {
        assert_eq!(done(Order { n: 3 }).await, Total { n: TOTAL });
        let run = FlowRuntime::new(Order { n: 3 }).unwrap();
        assert_eq!(through_restarts(run).await.0, Total { n: TOTAL });
        let run = FlowRuntime::new(Order { n: 3 }).unwrap();
        let out = run.with_concurrency(8).run(Context::default()).await;
        assert_eq!(output(out), Total { n: TOTAL });
    }

    #[tokio::test]
    async fn what_items_start_with_is_in_a_snapshot_once() {
        let run = FlowRuntime::new(Order { n: 3 }).unwrap();
        let mut run = run.with_concurrency(8);
        for _ in 0..4 {
            run.next(Context::default()).await.unwrap();
        }
        let snapshot = json(&run);
        assert_eq!(snapshot["latest"], json!({ "Rate": { "n": 3 } }));
        let items = &snapshot["lists"]["Each_of_Item"]["items"];
        assert_eq!(items["0"]["captured"], json!({ "Rate": "Rate" }));
        assert_eq!(json(&restart(&run)), snapshot);
    }
}

mod branches {
    use super::*;

    #[node]
    fn cut(topic: Topic) -> (Draft, Page) {
        (Draft { n: topic.n }, Page { n: topic.n + 1 })
    }

    #[node]
    async fn left(draft: Draft) -> Verdict {
        tokio::task::yield_now().await;
        Verdict { n: draft.n }
    }

    #[node]
    async fn right(page: Page, draft: Latest<Draft>) -> Page {
        tokio::task::yield_now().await;
        Page {
            n: page.n * 10 + draft.n,
        }
    }

    #[node]
    fn meet(verdict: Verdict, page: Page, draft: Latest<Draft>) -> Report {
        Report {
            text: format!("{} {} {}", verdict.n, page.n, draft.n),
        }
    }

    #[flow(named)]
    fn beside(topic: Topic) -> Report {
        flow! { cut -> fork(left, right) -> join(meet) }
    }

    #[tokio::test]
    async fn branches_read_what_was_made_before_the_fork() {
        let run = beside::start(Topic { n: 4 }).unwrap();
        let out = output(run.with_concurrency(8).run(Context::default()).await);
        assert_eq!(out.text, "4 54 4");
        let run = beside::start(Topic { n: 4 }).unwrap();
        assert_eq!(through_restarts(run).await.0.text, "4 54 4");
    }
}
