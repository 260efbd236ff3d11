//! `Latest<S>` at the start and the end of a flow, behind failures, over several attempts, and in agents.

use std::sync::atomic::{AtomicU32, Ordering};

use pravah_runtime::{FlowDef, prelude::*};
use serde_json::{Value, json};

use crate::macros_support::{Recorder, Report, output, restart, states, through_restarts};

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

mod tuples {
    use super::*;

    #[node]
    fn cut(topic: Topic) -> (Draft, Draft) {
        (Draft { n: topic.n }, Draft { n: topic.n + 1 })
    }

    #[node]
    fn left(draft: &Draft) -> Verdict {
        Verdict { n: draft.n }
    }

    #[node]
    fn right(draft: &Draft) -> Page {
        Page { n: draft.n }
    }

    #[node]
    fn meet(verdict: Verdict, page: Page, draft: Latest<Draft>) -> Report {
        Report {
            text: format!("{} {} {}", verdict.n, page.n, draft.n),
        }
    }

    #[flow(named)]
    fn halves(topic: Topic) -> Report {
        flow! { cut -> fork(left, right) -> join(meet) }
    }

    // The branches are written the other way round.
    #[flow(named)]
    fn swapped(topic: Topic) -> Report {
        flow! { cut -> fork(right, left) -> join(meet) }
    }

    #[tokio::test]
    async fn the_latest_of_a_tuple_is_the_last_in_it() {
        let run = halves::start(Topic { n: 4 }).unwrap();
        assert_eq!(through_restarts(run).await.0.text, "4 5 5");
        let run = swapped::start(Topic { n: 4 }).unwrap();
        assert_eq!(through_restarts(run).await.0.text, "5 4 5");
    }
}
