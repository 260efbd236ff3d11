//! `each` around and inside other things: lists, agents, flows.

use pravah_runtime::prelude::*;
use serde_json::json;

use crate::macros_support::{Recorder, output, restart, states, suspended, through_restarts};

#[state]
#[derive(Clone, Debug, PartialEq)]
struct Text {
    text: String,
}

mod nested {
    use super::*;

    states!(Start, Word, Letter, Seen, Sum);

    #[state]
    #[derive(Clone)]
    struct Pile {
        n: u32,
    }

    #[node]
    fn piles(start: Start) -> Each<Pile> {
        (0..start.n).map(|n| Pile { n }).collect()
    }

    #[node]
    fn open(pile: Pile) -> Each<Letter> {
        (0..pile.n).map(|n| Letter { n }).collect()
    }

    #[node]
    fn read(letter: &Letter) -> Seen {
        Seen { n: letter.n }
    }

    #[node]
    fn close(seen: Each<Seen>) -> Word {
        Word {
            n: seen.iter().map(|seen| seen.n).sum(),
        }
    }

    #[node]
    fn sum(words: Each<Word>) -> Sum {
        Sum {
            n: words.iter().map(|word| word.n).sum(),
        }
    }

    #[flow]
    fn each(start: Start) -> Sum {
        flow! { piles -> each(open -> each(read) -> close) -> sum }
    }

    #[tokio::test]
    async fn a_list_nests_in_a_list() {
        let run = FlowRuntime::new(Start { n: 4 }).unwrap();
        let (sum, steps) = through_restarts(run).await;
        assert_eq!(sum, Sum { n: 4 });
        assert!(
            steps.iter().any(|step| step.contains("read[3][2]")),
            "{steps:?}"
        );
    }

    // What is read is text, and a run that goes on changes nothing of it for the others.
    #[tokio::test]
    async fn runs_of_one_stored_snapshot_with_a_started_list_are_independent() {
        let mut run = FlowRuntime::new(Start { n: 3 }).unwrap();
        for _ in 0..3 {
            run.next(Context::default()).await.unwrap();
        }
        let text = serde_json::to_string(&run.snapshot()).unwrap();
        let stored: FlowSnapshot = serde_json::from_str(&text).unwrap();
        for _ in 0..3 {
            let mut again = FlowRuntime::<Start>::from_snapshot(stored.clone()).unwrap();
            assert_eq!(serde_json::to_string(&again.snapshot()).unwrap(), text);
            let sum = again.run(Context::default()).await;
            assert_eq!(output(sum), Sum { n: 1 });
            assert_eq!(serde_json::to_string(&stored).unwrap(), text);
        }
    }

    // A list straight inside a list.
    #[state]
    #[derive(Clone)]
    struct Rows {
        rows: Vec<Vec<u32>>,
    }

    #[node]
    fn rows(rows: Rows) -> Each<Each<Letter>> {
        let row = |row: Vec<u32>| row.into_iter().map(|n| Letter { n }).collect();
        rows.rows.into_iter().map(row).collect()
    }

    #[node]
    fn row(letters: Each<Letter>) -> Sum {
        Sum {
            n: letters.iter().map(|letter| letter.n).sum(),
        }
    }

    #[node]
    fn table(sums: Each<Sum>) -> Text {
        Text {
            text: format!("{:?}", sums.iter().map(|sum| sum.n).collect::<Vec<_>>()),
        }
    }

    #[flow]
    fn tables(rows: Rows) -> Text {
        flow! { self::rows -> each(row) -> table }
    }

    #[tokio::test]
    async fn an_item_may_be_a_list() {
        let rows = Rows {
            rows: vec![vec![1, 2], vec![], vec![3]],
        };
        let run = FlowRuntime::new(rows).unwrap();
        assert_eq!(through_restarts(run).await.0.text, "[3, 0, 3]");
    }

    #[node]
    fn double(letter: Letter) -> Letter {
        Letter { n: letter.n * 2 }
    }

    #[flow(named)]
    fn doubled(rows: Rows) -> Text {
        flow! { self::rows -> each(each(double) -> row) -> table }
    }

    #[tokio::test]
    async fn each_may_start_with_each() {
        let rows = Rows {
            rows: vec![vec![1, 2], vec![], vec![3]],
        };
        let run = doubled::start(rows).unwrap();
        assert_eq!(through_restarts(run).await.0.text, "[6, 0, 6]");
    }
}

mod agents {
    use super::*;

    states!(Start, Item);

    #[node]
    fn items(start: Start) -> Each<Item> {
        (0..start.n).map(|n| Item { n }).collect()
    }

    /// Asks for a colour.
    #[tool]
    async fn colour(ctx: Context) -> Result<String, ToolError> {
        ctx.resumed()?
            .ok_or_else(|| ToolError::suspend("which colour?"))
    }

    #[agent(model = "openai://m", preamble = "", output = Text, tools = [colour])]
    fn paint(item: &Item) -> String {
        format!("item {}", item.n)
    }

    #[node]
    fn list(texts: Each<Text>) -> Painted {
        Painted {
            text: texts.into_iter().map(|text| text.text).collect(),
        }
    }

    #[state]
    struct Painted {
        text: String,
    }

    #[flow]
    fn each(start: Start) -> Painted {
        flow! { items -> each(paint) -> list }
    }

    #[tokio::test]
    async fn an_item_that_is_suspended_does_not_stop_the_others() {
        let script = ScriptedModel::new()
            .reply("paint[0]", json!({ "text": "a" }))
            .call("paint[1]", "colour", json!({}))
            .reply("paint[1]", json!({ "text": "b" }))
            .reply("paint[2]", json!({ "text": "c" }));
        let model = Recorder::new(script);
        let ctx = Context::default();
        let mut run = FlowRuntime::new(Start { n: 3 })
            .unwrap()
            .with_factory(model.factory());
        // The others go on before it is asked.
        let (id, asked) = suspended(run.run(ctx.clone()).await);
        assert_eq!((&*id, asked), ("paint::colour[1]", json!("which colour?")));
        assert_eq!(model.asked().len(), 3);
        assert!(
            matches!(run.next(ctx.clone()).await, Err(FlowError::ResumeRequired(open)) if open == id)
        );
        let mut run = restart(&run).with_factory(model.factory());
        run.resume(ctx.clone(), (id, "red")).await.unwrap();
        assert_eq!(output(run.run(ctx).await).text, "abc");
    }
}

mod lists_of_one_name {
    use super::*;

    states!(Start, One, Two, First, Second, Sum);

    #[node]
    fn split(start: Start) -> (Each<One>, Each<Two>) {
        let one = (0..start.n).map(|n| One { n }).collect();
        (one, (0..start.n).map(|n| Two { n }).collect())
    }

    mod one {
        use super::*;

        #[node]
        pub(super) fn see(one: One) -> First {
            First { n: one.n }
        }
    }

    mod two {
        use super::*;

        #[node]
        pub(super) fn see(two: Two) -> Second {
            Second { n: two.n * 10 }
        }
    }

    #[node]
    fn close(first: Each<First>, second: Each<Second>) -> Sum {
        let first = first.iter().map(|first| first.n).sum::<u32>();
        Sum {
            n: first + second.iter().map(|second| second.n).sum::<u32>(),
        }
    }

    #[flow]
    fn each(start: Start) -> Sum {
        flow! { split -> fork(each(one::see), each(two::see)) -> join(close) }
    }

    #[tokio::test]
    async fn two_lists_are_told_apart_by_their_paths() {
        let run = FlowRuntime::new(Start { n: 3 }).unwrap();
        assert_eq!(through_restarts(run).await.0, Sum { n: 33 });
        let ids: Vec<&str> = each::TOPOLOGY.nodes.iter().map(|node| node.id).collect();
        assert_eq!(ids, ["split", "each(one::see)", "each(two::see)", "close"]);
    }
}

mod flows {
    use super::*;

    states!(Start, Item, Next, Seen);

    #[node]
    fn items(start: Start) -> Each<Item> {
        (0..start.n).map(|n| Item { n }).collect()
    }

    #[node]
    fn first(item: Item) -> Next {
        Next { n: item.n }
    }

    #[node]
    fn second(next: Next, ctx: Context) -> Result<Seen, FlowError> {
        Ok(Seen {
            n: next.n + ctx.input::<Item>()?.n,
        })
    }

    #[flow]
    fn inner(item: Item) -> Seen {
        flow! { first -> second }
    }

    #[node]
    fn sum(seen: Each<Seen>) -> Text {
        Text {
            text: seen.iter().map(|seen| seen.n).sum::<u32>().to_string(),
        }
    }

    #[flow]
    fn outer(start: Start) -> Text {
        flow! { items -> each(inner) -> sum }
    }

    #[tokio::test]
    async fn an_item_may_run_through_a_flow() {
        let run = FlowRuntime::new(Start { n: 3 }).unwrap();
        let (text, steps) = through_restarts(run).await;
        assert_eq!(text.text, "6");
        assert!(
            steps.iter().any(|step| step.contains("inner::second[2]")),
            "{steps:?}"
        );
    }

    states!(Around);

    #[node]
    fn unwrap(around: Around) -> Start {
        Start { n: around.n }
    }

    #[flow]
    fn around(around: Around) -> Text {
        flow! { unwrap -> outer }
    }

    #[tokio::test]
    async fn a_list_may_stand_in_a_nested_flow() {
        let run = FlowRuntime::new(Around { n: 2 }).unwrap();
        let (text, steps) = through_restarts(run).await;
        assert_eq!(text.text, "2");
        assert!(
            steps
                .iter()
                .any(|step| step.contains("outer::inner::first[1]")),
            "{steps:?}"
        );
    }
}
