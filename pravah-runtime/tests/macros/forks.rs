//! Nodes that are in branches of two forks: a join takes what they bring beside either.

use pravah_runtime::{FlowDef, prelude::*};

use crate::macros_support::{done, restart, states, through_restarts};

states!(Topic, Short, Long, Draft, Source, Page);

/// What a reader of a draft says.
#[state]
#[derive(Clone, Debug, PartialEq)]
struct Note {
    by: String,
}

fn note(by: &str) -> Note {
    Note { by: by.to_owned() }
}

#[node]
fn measure(topic: Topic) -> Either<Short, Long> {
    match topic.n < 5 {
        true => Either::Left(Short { n: topic.n }),
        false => Either::Right(Long { n: topic.n }),
    }
}

#[node]
fn sketch(short: Short) -> Draft {
    Draft { n: short.n }
}

#[node]
fn outline(long: Long) -> Draft {
    Draft { n: long.n }
}

#[node]
fn style(_: &Draft) -> Note {
    note("style")
}

#[node]
async fn facts(_: &Draft) -> Note {
    tokio::task::yield_now().await;
    note("facts")
}

#[node]
fn law(_: &Draft) -> Note {
    note("law")
}

#[node]
fn cite(draft: &Draft) -> Source {
    Source { n: draft.n }
}

#[node]
fn search(draft: &Draft) -> Source {
    Source { n: draft.n * 100 }
}

/// Runs a flow with a restart after every step; answers the nodes too.
async fn nodes<F: FlowDef>(run: FlowRuntime<F>) -> (F::Output, Vec<String>) {
    let (output, steps) = through_restarts(run).await;
    let steps = steps.iter().filter_map(|step| step.split(' ').nth(1));
    (output, steps.map(str::to_owned).collect())
}

/// Runs a flow of a short and of a long topic; answers the pages and the nodes.
async fn both_ways<F>(start: impl Fn(Topic) -> FlowRuntime<F>) -> [(Page, Vec<String>); 2]
where
    F: FlowDef<Output = Page>,
{
    let run = |n| nodes(start(Topic { n }));
    [run(1).await, run(9).await]
}

mod of_one_type {
    use super::*;

    #[node]
    fn publish(first: Note, second: Note) -> Page {
        Page {
            n: match (&*first.by, &*second.by) {
                ("style", "facts") => 1,
                ("style", "law") => 2,
                _ => 0,
            },
        }
    }

    #[flow]
    fn page(topic: Topic) -> Page {
        flow! {
            measure -> either(sketch -> fork(style, facts), outline -> fork(style, law)) -> join(publish)
        }
    }

    // S1.18, S1.19, S1.20
    #[tokio::test]
    async fn a_branch_of_two_forks_comes_beside_the_other_branch_of_each() {
        let [short, long] = both_ways(|topic| FlowRuntime::new(topic).unwrap()).await;
        assert_eq!((short.0.n, long.0.n), (1, 2));
        assert_eq!(short.1, ["measure", "sketch", "style", "facts", "publish"]);
        assert_eq!(long.1, ["measure", "outline", "style", "law", "publish"]);
    }

    #[tokio::test]
    async fn such_branches_run_side_by_side() {
        let run = FlowRuntime::new(Topic { n: 9 }).unwrap();
        let mut run = run.with_concurrency(8);
        let out = run.run(Context::default()).await.unwrap();
        assert_eq!(out, RunOut::Done(Page { n: 2 }));
    }

    #[tokio::test]
    async fn the_states_before_the_join_wait_by_the_names_of_its_parameters() {
        let mut run = FlowRuntime::new(Topic { n: 9 }).unwrap();
        for _ in 0..4 {
            run.next(Context::default()).await.unwrap();
            run = restart(&run);
        }
        let snapshot = serde_json::to_value(run.snapshot()).unwrap();
        assert_eq!(
            snapshot["states"],
            serde_json::json!({
                "Note@publish.first": { "by": "style" },
                "Note@publish.second": { "by": "law" },
            })
        );
    }

    #[test]
    fn a_drawing_has_every_fork_and_one_arc_from_the_branch_of_both() {
        let drawing = page::graph().unwrap().to_mermaid();
        let mut arcs: Vec<&str> = drawing.lines().filter(|it| it.contains("-->")).collect();
        arcs.iter_mut().for_each(|arc| *arc = arc.trim());
        // n1 is `measure`, n2 `sketch`, n3 `style`, n4 `facts`, n5 `outline`, n6 `law` and n7 `publish`.
        assert_eq!(
            arcs,
            [
                "n0 -->|\"Topic\"| n1",
                "n1 -->|\"Short\"| n2",
                "n1 -->|\"Long\"| n5",
                "n2 -->|\"Draft\"| n3",
                "n2 -->|\"Draft\"| n4",
                "n3 -->|\"Note\"| n7",
                "n4 -->|\"Note\"| n7",
                "n5 -->|\"Draft\"| n3",
                "n5 -->|\"Draft\"| n6",
                "n6 -->|\"Note\"| n7",
                "n7 -->|\"Page\"| n8",
            ]
        );
    }
}

mod of_several_types {
    use super::*;

    #[node]
    fn publish(note: Note, source: Source) -> Page {
        assert_eq!(note.by, "style");
        Page { n: source.n }
    }

    // Among the branches of one fork `style` is the first, among those of the other the last.
    #[flow(named)]
    fn page(topic: Topic) -> Page {
        flow! {
            measure -> either(sketch -> fork(style, cite), outline -> fork(search, style)) -> join(publish)
        }
    }

    #[tokio::test]
    async fn what_a_join_takes_decides_where_two_forks_have_other_orders() {
        let [short, long] = both_ways(|topic| page::start(topic).unwrap()).await;
        assert_eq!((short.0.n, long.0.n), (1, 900));
    }

    #[flow(named)]
    fn renamed(topic: Topic) -> Page {
        flow! {
            measure -> either(
                sketch -> fork(style as check -> polish, cite),
                outline -> fork(search, check),
            ) -> join(publish)
        }
    }

    #[node]
    fn polish(note: Note) -> Note {
        note
    }

    #[tokio::test]
    async fn such_a_branch_may_have_another_name_and_go_on() {
        let [short, long] = both_ways(|topic| renamed::start(topic).unwrap()).await;
        assert_eq!((short.0.n, long.0.n), (1, 900));
        assert!(long.1.iter().any(|step| step == "check"), "{:?}", long.1);
    }

    #[state]
    struct Topics {
        all: Each<Topic>,
    }

    #[node]
    fn open(topics: Topics) -> Each<Topic> {
        topics.all
    }

    #[node]
    fn bind(pages: Each<Page>) -> Page {
        Page {
            n: pages.iter().map(|page| page.n).sum(),
        }
    }

    #[flow]
    fn book(topics: Topics) -> Page {
        flow! {
            open -> each(
                measure -> either(sketch -> fork(style, cite), outline -> fork(search, style))
                    -> join(publish)
            ) -> bind
        }
    }

    #[tokio::test]
    async fn an_item_of_a_list_may_go_through_such_forks() {
        let topics = [1, 9, 2].map(|n| Topic { n });
        let all = topics.into_iter().collect();
        assert_eq!(done(Topics { all }).await, Page { n: 1 + 900 + 2 });
    }
}

mod in_a_loop {
    use super::*;

    #[node]
    fn publish(note: Note, source: Source) -> Either<Page, Long> {
        assert_eq!(note.by, "style");
        match source.n < 100 {
            true => Either::Right(Long { n: source.n }),
            false => Either::Left(Page { n: source.n }),
        }
    }

    #[node]
    fn start(topic: Topic) -> Draft {
        Draft { n: topic.n }
    }

    #[flow(named)]
    fn page(topic: Topic) -> Page {
        flow! {
            start -> fork(style, cite) -> join(publish)
                -> either(done, outline -> fork(style, search) -> join(publish))
        }
    }

    #[tokio::test]
    async fn a_loop_may_come_back_through_another_fork() {
        let run = page::start(Topic { n: 3 }).unwrap();
        let (page, steps) = nodes(run).await;
        assert_eq!(page.n, 300);
        assert_eq!(
            steps,
            [
                "start", "style", "cite", "publish", "outline", "style", "search", "publish"
            ]
        );
    }
}
