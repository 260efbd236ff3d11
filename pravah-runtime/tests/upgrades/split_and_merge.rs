//! One state in place of two, and two in place of one, as `docs/upgrades.md` has it.

use pravah_runtime::prelude::*;

use crate::{done, refusal, steps, upgraded, upgraded_with};

/// States and functions that every version may use.
macro_rules! version {
    ($name:ident { $($items:tt)* }) => {
        #[allow(dead_code, reason = "not every version has every node")]
        mod $name {
            use pravah_runtime::prelude::*;

            crate::states!(Topic, Draft, Title, Text, Approved, Page);

            #[node] fn write(topic: Topic) -> Draft { Draft { n: topic.n } }
            #[node] fn split(draft: Draft) -> (Title, Text) { (Title { n: draft.n }, Text { n: draft.n }) }
            #[node] fn print(title: Title, text: Text) -> Page { Page { n: title.n + text.n } }
            #[node] fn merge(title: Title, text: Text) -> Draft { Draft { n: title.n + text.n } }
            #[node] fn publish(draft: Draft) -> Page { Page { n: draft.n } }
            #[node] fn sketch(topic: Topic) -> (Title, Text) { (Title { n: topic.n }, Text { n: topic.n }) }
            #[gate(prompt = "Good?")] fn approve(draft: Draft, yes: bool) -> Page { Page { n: draft.n + u64::from(yes) } }
            #[gate(prompt = "Good?")] fn entitle(title: Title, yes: bool) -> Approved { Approved { n: title.n + u64::from(yes) } }
            #[node] fn bind(approved: Approved, text: Text) -> Page { Page { n: approved.n + text.n } }

            #[flow]
            pub(super) fn writing(topic: Topic) -> Page { flow! { $($items)* } }
        }
    };
}

version!(whole { write -> publish });
version!(parts { write -> split -> fork(join(print), join(print)) });
version!(sketched { sketch -> fork(join(print), join(print)) });
version!(merged { sketch -> fork(join(merge), join(merge)) -> publish });
version!(asking { write -> approve });
version!(asking_behind { write -> split -> fork(entitle -> join(bind), join(bind)) });

#[tokio::test]
async fn a_node_that_takes_the_earlier_state_splits_it() {
    let mut run = FlowRuntime::new(whole::Topic { n: 1 }).unwrap();
    steps(&mut run, 1).await;
    let mut run = upgraded::<parts::Topic, _>(&run);
    assert_eq!(done(&mut run).await, parts::Page { n: 2 });
}

#[tokio::test]
async fn a_node_that_takes_the_earlier_states_merges_them() {
    let mut run = FlowRuntime::new(sketched::Topic { n: 1 }).unwrap();
    steps(&mut run, 1).await;
    let mut run = upgraded::<merged::Topic, _>(&run);
    assert_eq!(done(&mut run).await, merged::Page { n: 2 });
}

#[tokio::test]
async fn a_gate_behind_the_split_asks_again() {
    let mut run = FlowRuntime::new(asking::Topic { n: 1 }).unwrap();
    run.run(Context::default()).await.unwrap();
    let why = refusal::<asking_behind::Topic, _>(&run);
    assert!(
        why.starts_with("a run inside `approve` cannot go on there: it was a gate that returns")
            && why.contains("and is `split`, which does its work in a single step"),
        "{why}"
    );
    let options = LoadOptions::new().drop_progress();
    let mut run = upgraded_with::<asking_behind::Topic, _>(&run, &options).unwrap();
    let out = run.run(Context::default()).await.unwrap();
    assert!(matches!(out, RunOut::Suspend { tool_id, .. } if tool_id == "entitle"));
}
