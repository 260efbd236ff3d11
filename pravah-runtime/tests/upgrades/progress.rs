//! What nodes have done towards the ends of their steps, where they take other states now.

use pravah_runtime::{ClientFactory, LoadOptions, ScriptedModel, prelude::*};
use serde_json::json;

use crate::{done, lock_problems, steps, upgraded_with};

/// Two versions of a flow in which a node waits for a second state, which is another one in the new version.
macro_rules! deciding {
    ($old:ident, $new:ident, ($($option:tt)*), |$left:ident, $second:ident $(, $answer:ident: $of:ty)?| -> $returns:ty { $($body:tt)* }) => {
        deciding! { @version $old, { $($option)* fn decide($left: Left, $second: Right $(, $answer: $of)?) -> $returns { $($body)* } }, join(decide) }
        deciding! { @version $new, { $($option)* fn decide($left: Left, $second: Fine $(, $answer: $of)?) -> $returns { $($body)* } }, refine -> join(decide) }
    };
    (@version $version:ident, { $($decide:tt)* }, $($branch:tt)*) => {
        #[allow(dead_code, unused_variables, reason = "not every version has every node")]
        mod $version {
            use pravah_runtime::prelude::*;

            crate::states!(Memo, Left, Right, Fine, Done);

            #[node]
            fn split(memo: Memo) -> (Left, Right) {
                (Left { n: memo.n }, Right { n: memo.n })
            }

            #[node]
            fn refine(right: Right) -> Fine {
                Fine { n: right.n }
            }

            $($decide)*

            #[flow(named)]
            pub(super) fn desk(memo: Memo) -> Done {
                flow! { split -> fork(join(decide), $($branch)*) }
            }
        }
    };
}

deciding! { gate, other_gate, (#[gate(prompt = "Well?")]), |left, second, yes: bool| -> Done {
    Done { n: left.n + second.n + u64::from(yes) }
} }
deciding! { agent, other_agent, (#[agent(model = "openai://m", preamble = "You decide.", output = Done)]), |left, second| -> String {
    format!("{} {}", left.n, second.n)
} }
deciding! { failing, other_failing, (#[node(retry(max_attempts = 5))]), |left, second| -> Result<Done, String> {
    match left.n {
        3 => Err("no".into()),
        n => Ok(Done { n }),
    }
} }

fn started_problem(what: &str) -> [String; 1] {
    [format!(
        "version 1: a run inside `decide` cannot go on there: it was {what}, and is one that takes other states"
    )]
}

#[tokio::test]
async fn a_gate_that_has_asked_and_takes_another_state_is_refused_as_the_lock_says() {
    let mut run = FlowRuntime::<gate::desk>::start(gate::Memo { n: 3 }).unwrap();
    steps(&mut run, 2).await;
    let options = LoadOptions::new();
    assert!(upgraded_with::<other_gate::desk, _>(&run, &options).is_err());
    let problems = lock_problems(
        ("1", gate::desk::graph()),
        other_gate::desk::graph(),
        &options,
    );
    assert_eq!(
        problems,
        started_problem("a gate that returns `Done (answer: boolean)`")
    );
    assert!(upgraded_with::<other_gate::desk, _>(&run, &options.drop_progress()).is_ok());
}

#[tokio::test]
async fn an_agent_that_has_started_and_takes_another_state_is_refused_as_the_lock_says() {
    let script = ScriptedModel::new()
        .reply("decide", json!({ "m": 7 }))
        .reply("decide", json!({ "n": 7 }));
    let factory = ClientFactory::new().with_scripted(script);
    let run = FlowRuntime::<agent::desk>::start(agent::Memo { n: 3 }).unwrap();
    let mut run = run.with_factory(factory);
    steps(&mut run, 2).await;
    let options = LoadOptions::new();
    assert!(upgraded_with::<other_agent::desk, _>(&run, &options).is_err());
    let problems = lock_problems(
        ("1", agent::desk::graph()),
        other_agent::desk::graph(),
        &options,
    );
    assert_eq!(problems, started_problem("an agent that returns `Done`"));
}

#[tokio::test]
async fn the_attempts_of_a_node_that_takes_another_state_are_dropped() {
    let mut run = FlowRuntime::<failing::desk>::start(failing::Memo { n: 3 }).unwrap();
    steps(&mut run, 1).await;
    run.next(Context::default()).await.unwrap();
    let options = LoadOptions::new();
    let after = upgraded_with::<other_failing::desk, _>(&run, &options).unwrap();
    let dropped = &after.load_report().unwrap().dropped;
    assert_eq!(dropped[0].entry, "/attempts/Left", "{dropped:?}");
    let new = other_failing::desk::graph();
    let problems = lock_problems(("1", failing::desk::graph()), new, &options);
    assert_eq!(problems, [""; 0]);
}

/// A list that is read as a whole, and item by item.
macro_rules! reading {
    ($version:ident, $read:ident($($takes:tt)*) -> $returns:ty, $body:expr, $($flow:tt)*) => {
        #[allow(dead_code, reason = "nobody calls the flow as a function")]
        mod $version {
            use pravah_runtime::prelude::*;

            crate::states!(Book, Page, Read, Report);

            #[node]
            fn split(book: Book) -> Each<Page> {
                (0..book.n).map(|n| Page { n }).collect()
            }

            #[node(retry(max_attempts = 3, backoff = "10s"))]
            fn $read($($takes)*) -> $returns {
                $body
            }

            #[node]
            fn sum(read: Each<Read>) -> Report {
                Report { n: read.iter().map(|it| it.n).sum() }
            }

            #[flow(named)]
            pub(super) fn desk(book: Book) -> Report {
                flow! { split -> $($flow)* -> sum }
            }
        }
    };
}
reading! { at_once, read(_pages: Each<Page>) -> Result<Each<Read>, String>, Err("no".into()), read }
reading! { one_by_one, read(page: Page) -> Result<Read, String>, Ok(Read { n: page.n }), each(read) }

#[tokio::test(start_paused = true)]
async fn a_node_that_is_to_be_tried_again_and_is_a_list_now_starts_at_once() {
    let mut run = FlowRuntime::<at_once::desk>::start(at_once::Book { n: 3 }).unwrap();
    steps(&mut run, 2).await;
    let mut after = upgraded_with::<one_by_one::desk, _>(&run, &LoadOptions::new()).unwrap();
    let dropped = &after.load_report().unwrap().dropped;
    assert!(
        dropped.iter().any(|it| it.entry == "/timers/Each_of_Page"),
        "{dropped:?}"
    );
    assert_eq!(done(&mut after).await.n, 3);
}
