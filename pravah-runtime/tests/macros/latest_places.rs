//! `Latest<S>` in lists, behind failures and over several attempts.

use std::sync::atomic::{AtomicU32, Ordering};

use pravah_runtime::{FlowDef, prelude::*};
use serde_json::{Value, json};

use crate::macros_support::{Recorder, Report, output, restart, states, through_restarts, to_rest};

states!(Topic, Draft, Verdict, Page);

#[node]
fn write(topic: Topic) -> Draft {
    Draft { n: topic.n * 10 }
}

/// Changes what it takes, which is not what others read.
#[node]
fn judge(mut draft: Draft) -> Verdict {
    draft.n %= 7;
    Verdict { n: draft.n }
}

fn json<F: FlowDef>(run: &FlowRuntime<F>) -> Value {
    serde_json::to_value(run.snapshot()).unwrap()
}

mod ends {
    use super::*;

    #[node]
    fn note(verdict: Verdict, draft: Latest<Draft>) -> Page {
        Page {
            n: draft.n * 100 + verdict.n,
        }
    }

    #[node]
    fn tell(page: Page) -> Report {
        Report {
            text: page.n.to_string(),
        }
    }

    #[flow]
    fn told(topic: Topic) -> Report {
        flow! { write -> judge -> note -> tell }
    }

    #[tokio::test]
    async fn a_run_that_a_plain_step_ends_keeps_nothing() {
        let mut run = FlowRuntime::new(Topic { n: 3 }).unwrap();
        assert_eq!(output(run.run(Context::default()).await).text, "3002");
        assert_eq!(json(&run).get("latest"), None);
        assert_eq!(restart(&run).output().unwrap().unwrap().text, "3002");
    }
}

mod failures {
    use super::*;

    /// Draws again from what is left of a topic.
    #[node]
    fn polish(verdict: Verdict, draft: Latest<Draft>) -> Result<Draft, String> {
        match draft.n {
            n @ 0..50 => Err(format!("{n} and {}", verdict.n)),
            n => Ok(Draft { n: n + verdict.n }),
        }
    }

    #[flow(named)]
    fn polished(draft: Draft) -> Draft {
        flow! { judge -> polish -> judge as again -> polish as more }
    }

    #[node(max_visits = 10)]
    fn lengthen(failure: Failure<Draft>, draft: Latest<Draft>) -> Draft {
        assert_eq!(failure.input, *draft);
        Draft { n: draft.n * 2 }
    }

    #[node]
    fn tell(draft: Draft, topic: Latest<Topic>) -> Report {
        Report {
            text: format!("{} of {}", draft.n, topic.n),
        }
    }

    #[flow(named)]
    fn tried(topic: Topic) -> Report {
        flow! { write -> polished -> tell; catch(polished) -> lengthen -> polished }
    }

    #[tokio::test]
    async fn a_flow_that_starts_again_reads_what_it_starts_with() {
        let run = tried::start(Topic { n: 2 }).unwrap();
        // 20 and 40 are too little; 80 % 7 = 3 and 83 % 7 = 6.
        assert_eq!(through_restarts(run).await.0.text, "89 of 2");
    }

    // A flow that takes a failure reads it as its input.
    #[node]
    fn open(failure: &Failure<Draft>) -> Page {
        Page { n: failure.input.n }
    }

    #[node]
    fn close(page: Page, failure: Latest<Failure<Draft>>) -> Report {
        Report {
            text: format!("{}: {}", page.n, failure.message),
        }
    }

    #[flow(named)]
    fn handled(failure: Failure<Draft>) -> Report {
        flow! { open -> close }
    }

    #[node]
    fn report(draft: Draft) -> Report {
        Report {
            text: draft.n.to_string(),
        }
    }

    #[flow(named)]
    fn reported(topic: Topic) -> Report {
        flow! { write -> polished -> report; catch(polished) -> handled }
    }

    #[tokio::test]
    async fn a_flow_reads_the_failure_that_it_starts_with() {
        let run = reported::start(Topic { n: 1 }).unwrap();
        assert_eq!(through_restarts(run).await.0.text, "10: 10 and 3");
    }

    static TRIES: AtomicU32 = AtomicU32::new(0);

    #[node(retry(max_attempts = 3))]
    async fn publish(verdict: Verdict, draft: Latest<Draft>) -> Result<Page, String> {
        match TRIES.fetch_add(1, Ordering::Relaxed) {
            0 | 1 => Err(draft.n.to_string()),
            _ => Ok(Page {
                n: draft.n + verdict.n,
            }),
        }
    }

    #[flow(named)]
    fn published(topic: Topic) -> Page {
        flow! { write -> judge -> publish }
    }

    #[tokio::test]
    async fn every_attempt_reads_the_same() {
        let mut run = published::start(Topic { n: 3 }).unwrap();
        let mut last = None;
        for _ in 0..5 {
            if let RunOut::Done(page) = run.next(Context::default()).await.unwrap() {
                last = Some(page);
                break;
            }
            run = restart(&run);
            assert_eq!(json(&run)["latest"], json!({ "Draft": { "n": 30 } }));
        }
        assert_eq!(last, Some(Page { n: 32 }));
    }
}

mod lists {
    use super::*;

    states!(Item, Priced, Total);

    #[node]
    fn unpack(draft: Draft) -> Each<Item> {
        (1..=draft.n / 10).map(|n| Item { n }).collect()
    }

    #[node]
    fn price(item: Item, draft: Latest<Draft>, all: Latest<Each<Item>>) -> Verdict {
        Verdict {
            n: item.n * all.len() as u32 + draft.n,
        }
    }

    #[node]
    fn settle(verdict: Verdict, item: Latest<Item>, all: Latest<Each<Item>>) -> Priced {
        Priced {
            n: verdict.n + item.n + all.iter().map(|it| it.n).sum::<u32>() * 100,
        }
    }

    #[node]
    fn sum(all: Each<Priced>, items: Latest<Each<Item>>, draft: Latest<Draft>) -> Total {
        Total {
            n: all.iter().map(|it| it.n).sum::<u32>() + (items.len() as u32) * 10_000 + draft.n,
        }
    }

    #[flow(named)]
    fn priced(topic: Topic) -> Total {
        flow! { write -> unpack -> each(price -> settle) -> sum }
    }

    #[tokio::test]
    async fn the_list_itself_is_read_in_its_items_and_behind_them() {
        let total = (33 + 601) + (36 + 602) + (39 + 603) + 30_000 + 30;
        let run = priced::start(Topic { n: 3 }).unwrap();
        assert_eq!(through_restarts(run).await.0, Total { n: total });
        let run = priced::start(Topic { n: 3 }).unwrap();
        let out = run.with_concurrency(8).run(Context::default()).await;
        assert_eq!(output(out), Total { n: total });
    }

    // What is in the flow of an item is read there, and around it what the item has.
    #[node]
    fn weigh(item: &Item) -> Verdict {
        Verdict { n: item.n }
    }

    #[node]
    fn add(verdict: Verdict, item: Latest<Item>) -> Result<Priced, String> {
        match verdict.n {
            2 => Err("too heavy".into()),
            n => Ok(Priced { n: n + item.n }),
        }
    }

    #[flow(named)]
    fn weighed(item: Item) -> Priced {
        flow! { weigh -> add }
    }

    #[node]
    fn leave(failure: Failure<Item>, item: Latest<Item>) -> Priced {
        assert_eq!(failure.input, *item);
        Priced { n: item.n * 100 }
    }

    #[flow(named)]
    fn safe(item: Item) -> Priced {
        flow! { weighed -> done; catch(weighed) -> leave }
    }

    #[node]
    fn raise(priced: Priced, draft: Latest<Draft>, item: Latest<Item>) -> Priced {
        Priced {
            n: priced.n + draft.n + item.n,
        }
    }

    #[node]
    fn total(all: Each<Priced>) -> Total {
        Total {
            n: all.iter().map(|it| it.n).sum(),
        }
    }

    #[flow(named)]
    fn list(draft: Draft) -> Total {
        flow! { unpack -> each(safe -> raise) -> total }
    }

    #[node]
    fn tell(total: Total, draft: Latest<Draft>) -> Report {
        Report {
            text: format!("{} of {}", total.n, draft.n),
        }
    }

    #[flow(named)]
    fn listed(topic: Topic) -> Report {
        flow! { write -> list -> tell }
    }

    #[tokio::test]
    async fn an_item_reads_in_a_flow_within_a_list_within_a_flow() {
        let run = listed::start(Topic { n: 3 }).unwrap();
        // 2, 200 and 6, each with 30 and the item.
        assert_eq!(through_restarts(run).await.0.text, "304 of 30");
    }

    // Lists within lists read what was made before the outer one.
    states!(Part, Sized);

    #[node]
    fn split(item: &Item) -> Each<Part> {
        (0..item.n).map(|n| Part { n }).collect()
    }

    #[node]
    fn size(part: Part, item: Latest<Item>, draft: Latest<Draft>) -> Sized {
        Sized {
            n: part.n + item.n * 10 + draft.n * 100,
        }
    }

    #[node]
    fn gather(all: Each<Sized>, draft: Latest<Draft>) -> Priced {
        Priced {
            n: all.iter().map(|it| it.n).sum::<u32>() + draft.n,
        }
    }

    #[flow(named)]
    fn within(topic: Topic) -> Total {
        flow! { write -> unpack -> each(split -> each(size) -> gather) -> total }
    }

    #[tokio::test]
    async fn a_list_in_a_list_reads_what_was_made_before_both() {
        // One part of the first item and two of the second.
        let expected = (10 + 2000) + (20 + 2000) + (21 + 2000) + 2 * 20;
        let run = within::start(Topic { n: 2 }).unwrap();
        assert_eq!(through_restarts(run).await.0, Total { n: expected });
        let run = within::start(Topic { n: 2 }).unwrap();
        let out = run.with_concurrency(8).run(Context::default()).await;
        assert_eq!(output(out), Total { n: expected });
    }

    #[node]
    fn fails(item: Item, all: Latest<Each<Item>>) -> Result<Priced, String> {
        Err(format!("{} of {}", item.n, all.len()))
    }

    #[flow(named)]
    fn fragile(items: Each<Item>) -> Total {
        flow! { each(fails) -> total }
    }

    #[node]
    fn give_up(
        failure: Failure<Each<Item>>,
        all: Latest<Each<Item>>,
        draft: Latest<Draft>,
    ) -> Total {
        assert_eq!(failure.input.len(), all.len());
        Total {
            n: draft.n + all.len() as u32,
        }
    }

    #[flow(named)]
    fn given_up(topic: Topic) -> Total {
        flow! { write -> unpack -> fragile -> done; catch(fragile) -> give_up }
    }

    #[tokio::test]
    async fn who_rescues_a_list_reads() {
        let run = given_up::start(Topic { n: 3 }).unwrap();
        assert_eq!(through_restarts(run).await.0, Total { n: 33 });
    }

    // A gate asks about an item, with what was made before the list and in the item.
    #[state]
    struct Decision {
        keep: bool,
    }

    #[gate(prompt = format!("keep {} of {}?", item.n, draft.n))]
    fn decide(
        verdict: Verdict,
        draft: Latest<Draft>,
        item: Latest<Item>,
        decision: Decision,
    ) -> Priced {
        assert_eq!(verdict.n, item.n);
        Priced {
            n: u32::from(decision.keep) * (item.n + draft.n),
        }
    }

    #[flow(named)]
    fn decided(topic: Topic) -> Total {
        flow! { write -> unpack -> each(weigh -> decide) -> total }
    }

    #[tokio::test]
    async fn a_gate_in_a_list_reads_the_same_when_it_is_answered_in_another_process() {
        let mut run = decided::start(Topic { n: 2 }).unwrap();
        to_rest(&mut run).await;
        let questions = run.suspensions();
        let prompts: Vec<&str> = questions
            .iter()
            .map(|it| it.value["prompt"].as_str().unwrap())
            .collect();
        assert_eq!(prompts, ["keep 1 of 20?", "keep 2 of 20?"]);
        for question in &questions {
            run = restart(&run);
            let answer = json!({ "keep": true });
            let out = run
                .answer(Context::default(), &question.tool_id, answer)
                .await;
            out.unwrap();
        }
        let out = restart(&run).run(Context::default()).await;
        assert_eq!(output(out), Total { n: 21 + 22 });
    }
}

mod agents {
    use super::*;

    #[state]
    #[derive(Clone, Debug, PartialEq)]
    struct Answer {
        text: String,
    }

    /// Looks something up.
    #[tool]
    async fn look_up(word: String) -> Result<String, ToolError> {
        Ok(word)
    }

    /// Answers.
    #[agent(model = "openai://gpt-4o-mini", output = Answer, tools = [look_up])]
    fn ask(verdict: &Verdict, draft: Latest<Draft>) -> String {
        format!("{} of {}", verdict.n, draft.n)
    }

    #[node]
    fn tell(answer: Answer, draft: Latest<Draft>) -> Report {
        Report {
            text: format!("{} {}", answer.text, draft.n),
        }
    }

    #[flow(named)]
    fn asked(topic: Topic) -> Report {
        flow! { write -> judge -> ask -> tell }
    }

    #[tokio::test]
    async fn an_agent_goes_on_in_another_process_with_what_it_read() {
        let script = ScriptedModel::new()
            .call("ask", "look_up", json!({ "word": "x" }))
            .reply("ask", json!({ "text": "yes" }));
        let model = Recorder::new(script);
        let mut run = asked::start(Topic { n: 3 }).unwrap();
        let report = loop {
            run = restart(&run).with_factory(model.factory());
            if let RunOut::Done(report) = run.next(Context::default()).await.unwrap() {
                break report;
            }
        };
        assert_eq!(report.text, "yes 30");
        assert!(model.prompt().contains("2 of 30"));
    }
}

mod starts {
    use super::*;

    states!(Item, Side, Sum);

    #[node]
    fn left(topic: &Topic) -> Draft {
        Draft { n: topic.n }
    }

    #[node]
    fn right(topic: &Topic, read: Latest<Topic>) -> Side {
        Side {
            n: topic.n + read.n,
        }
    }

    #[node]
    fn both(draft: Draft, side: Side, topic: Latest<Topic>) -> Sum {
        Sum {
            n: draft.n + side.n * 10 + topic.n * 100,
        }
    }

    #[flow(named)]
    fn forked(topic: Topic) -> Sum {
        flow! { fork(left, right) -> join(both) }
    }

    #[tokio::test]
    async fn the_branches_that_a_flow_starts_with_read_its_input() {
        let run = forked::start(Topic { n: 3 }).unwrap();
        assert_eq!(through_restarts(run).await.0, Sum { n: 363 });
    }

    #[node]
    fn double(item: &Item, all: Latest<Each<Item>>) -> Side {
        Side {
            n: item.n * all.len() as u32,
        }
    }

    #[node]
    fn add(all: Each<Side>, items: Latest<Each<Item>>) -> Sum {
        Sum {
            n: all.iter().map(|it| it.n).sum::<u32>() + items.len() as u32 * 100,
        }
    }

    #[flow(named)]
    fn listed(items: Each<Item>) -> Sum {
        flow! { each(double) -> add }
    }

    #[tokio::test]
    async fn the_items_of_the_list_that_a_flow_starts_with_read_it() {
        let items: Each<Item> = [1, 2, 3].map(|n| Item { n }).into_iter().collect();
        let run = listed::start(items).unwrap();
        assert_eq!(through_restarts(run).await.0, Sum { n: 318 });
    }

    // Used twice, a flow reads what is its own.
    #[node]
    fn shrink(verdict: Verdict, draft: Latest<Draft>) -> Draft {
        Draft {
            n: draft.n - verdict.n,
        }
    }

    #[flow(named)]
    fn short(draft: Draft) -> Draft {
        flow! { judge -> shrink }
    }

    #[node]
    fn finish(draft: Draft, last: Latest<Draft>) -> Sum {
        assert_eq!(draft, *last);
        Sum { n: draft.n }
    }

    #[flow(named)]
    fn twice(topic: Topic) -> Sum {
        flow! { write -> short -> short as shorter -> finish }
    }

    #[tokio::test]
    async fn a_flow_that_is_used_twice_reads_its_own_input_each_time() {
        let run = twice::start(Topic { n: 3 }).unwrap();
        assert_eq!(through_restarts(run).await.0, Sum { n: 28 });
    }
}
