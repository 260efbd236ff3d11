//! Versions that read other states than the one before, with `Latest<S>`.

use pravah_runtime::{FlowDef, LoadOptions, prelude::*};

use crate::{done, refusal, steps, upgraded, upgraded_with};

/// A version whose `publish` is its own.
macro_rules! version {
    ($version:ident, $($rest:tt)*) => {
        mod $version {
            use pravah_runtime::prelude::*;

            crate::states!(Text, Draft, Edited, Published);

            #[node]
            fn write(text: Text) -> Draft {
                Draft { n: text.n + 1 }
            }

            #[node]
            fn edit(draft: Draft) -> Edited {
                Edited { n: draft.n * 10 }
            }

            $($rest)*
        }
    };
}

version! { plain,
    #[node]
    fn publish(edited: Edited) -> Published {
        Published { n: edited.n }
    }

    #[flow]
    fn paper(text: Text) -> Published { flow! { write -> edit -> publish } }
}

version! { reading,
    #[node]
    fn publish(edited: Edited, draft: Latest<Draft>) -> Published {
        Published { n: edited.n * 100 + draft.n }
    }

    #[flow]
    fn paper(text: Text) -> Published { flow! { write -> edit -> publish } }
}

// What is read is made behind the new node that reads it first.
version! { reading_in_a_flow,
    #[node]
    fn check(edited: &Edited) -> Draft {
        Draft { n: edited.n + 1 }
    }

    #[node]
    fn publish(draft: Draft, edited: Latest<Edited>, last: Latest<Draft>) -> Published {
        Published { n: edited.n * 1000 + draft.n * 10 + last.n % 10 }
    }

    #[flow(named)]
    fn publishing(edited: Edited) -> Published { flow! { check -> publish } }

    #[flow]
    fn paper(text: Text) -> Published { flow! { write -> edit -> publishing } }
}

mod retyped {
    use pravah_runtime::prelude::*;

    crate::states!(Text, Edited, Printed, Published);

    #[state]
    struct Draft {
        title: String,
    }

    #[node]
    fn write(text: Text) -> Draft {
        Draft {
            title: text.n.to_string(),
        }
    }

    #[node]
    fn edit(_: Draft) -> Edited {
        Edited { n: 0 }
    }

    #[node]
    fn print(edited: Edited) -> Printed {
        Printed { n: edited.n }
    }

    #[node]
    fn publish(printed: Printed, draft: Latest<Draft>) -> Published {
        Published {
            n: printed.n + draft.title.len() as u64,
        }
    }

    #[flow]
    fn paper(text: Text) -> Published {
        flow! { write -> edit -> print -> publish }
    }
}

version! { reading_its_input,
    #[node]
    fn publish(edited: Edited, text: Latest<Text>) -> Published {
        Published { n: edited.n + text.n }
    }

    #[flow]
    fn paper(text: Text) -> Published { flow! { write -> edit -> publish } }
}

version! { making_its_input,
    #[node]
    fn revise(edited: Edited) -> Text {
        Text { n: edited.n }
    }

    #[node]
    fn publish(text: &Text, last: Latest<Text>) -> Published {
        Published { n: text.n + last.n }
    }

    #[flow]
    fn paper(text: Text) -> Published { flow! { write -> edit -> revise -> publish } }
}

const MISSING: &str =
    "`publish` reads `Latest<Draft>`, but the snapshot has no `Draft`, and nothing makes one first";

#[tokio::test]
async fn a_new_reader_takes_over_runs_that_have_yet_to_make_what_it_reads() {
    let run = FlowRuntime::new(plain::Text { n: 1 }).unwrap();
    let mut run = upgraded::<reading::Text, _>(&run);
    assert_eq!(done(&mut run).await, reading::Published { n: 2002 });
}

#[tokio::test]
async fn a_new_reader_refuses_runs_that_kept_nothing_for_it() {
    let mut run = FlowRuntime::new(plain::Text { n: 1 }).unwrap();
    steps(&mut run, 1).await;
    assert_eq!(refusal::<reading::Text, _>(&run), MISSING);
    steps(&mut run, 1).await;
    assert_eq!(refusal::<reading::Text, _>(&run), MISSING);
}

#[tokio::test]
async fn a_state_that_waits_and_is_kept_waits_on_where_nobody_reads_it() {
    let mut run = FlowRuntime::new(reading::Text { n: 1 }).unwrap();
    steps(&mut run, 1).await;
    let mut run = upgraded_with::<plain::Text, _>(&run, &LoadOptions::new()).unwrap();
    let dropped: Vec<String> = run
        .load_report()
        .unwrap()
        .dropped
        .iter()
        .map(|it| format!("{}: {}", it.entry, it.why))
        .collect();
    assert_eq!(dropped, ["/latest/Draft: the flow reads no `Draft`"]);
    assert_eq!(done(&mut run).await, plain::Published { n: 20 });
}

#[tokio::test]
async fn a_reader_that_moved_into_a_flow_reads_what_that_makes() {
    let mut run = FlowRuntime::new(reading::Text { n: 1 }).unwrap();
    steps(&mut run, 1).await;
    let mut early = upgraded::<reading_in_a_flow::Text, _>(&run);
    let published = reading_in_a_flow::Published { n: 20_211 };
    assert_eq!(done(&mut early).await, published);
    // The flow has started with a state that it did not keep.
    steps(&mut run, 1).await;
    assert_eq!(
        refusal::<reading_in_a_flow::Text, _>(&run),
        "`publishing::publish` reads `Latest<Edited>`, but the snapshot has no `Edited`, and nothing makes one first"
    );
}

#[tokio::test]
async fn a_kept_state_of_another_type_is_refused() {
    let mut run = FlowRuntime::new(reading::Text { n: 1 }).unwrap();
    steps(&mut run, 2).await;
    let why = refusal::<retyped::Text, _>(&run);
    assert!(why.starts_with("`Draft` cannot be read"), "{why}");
}

#[tokio::test]
async fn a_new_reader_of_the_input_reads_what_every_run_keeps_of_it() {
    for made in 0..3 {
        let mut run = FlowRuntime::new(plain::Text { n: 1 }).unwrap();
        steps(&mut run, made).await;
        let mut read = upgraded::<reading_its_input::Text, _>(&run);
        let published = reading_its_input::Published { n: 21 };
        assert_eq!(done(&mut read).await, published, "after {made} steps");
    }
}

#[tokio::test]
async fn the_input_is_not_taken_for_the_latest_where_a_node_makes_another() {
    let mut run = FlowRuntime::new(plain::Text { n: 1 }).unwrap();
    steps(&mut run, 2).await;
    let mut read = upgraded::<making_its_input::Text, _>(&run);
    assert!(!keeps_a_latest(&read));
    let published = making_its_input::Published { n: 40 };
    assert_eq!(done(&mut read).await, published);
}

version! { writing_again,
    #[node]
    fn rewrite(text: Text) -> Text {
        Text { n: text.n * 100 }
    }

    #[node]
    fn publish(edited: Edited) -> Published {
        Published { n: edited.n }
    }

    #[flow]
    pub(super) fn paper(text: Text) -> Published { flow! { rewrite -> write -> edit -> publish } }
}

#[tokio::test]
async fn the_input_is_not_the_latest_where_a_node_that_is_gone_made_another() {
    let version = writing_again::paper::graph().unwrap().version();
    let options = LoadOptions::new().with_version(version);
    let mut run = FlowRuntime::new(writing_again::Text { n: 1 }).unwrap();
    let mut started = upgraded_with::<reading_its_input::Text, _>(&run, &options).unwrap();
    assert_eq!(done(&mut started).await.n, 21);
    for _ in 0..3 {
        steps(&mut run, 1).await;
        let refused = upgraded_with::<reading_its_input::Text, _>(&run, &options).map(drop);
        let why = refused.unwrap_err().to_string();
        assert!(why.contains("`publish` reads `Latest<Text>`"), "{why}");
    }
}

#[tokio::test]
async fn the_input_is_not_the_latest_where_another_one_waits() {
    let mut run = FlowRuntime::new(writing_again::Text { n: 1 }).unwrap();
    steps(&mut run, 1).await;
    let why = refusal::<reading_its_input::Text, _>(&run);
    assert!(why.contains("`publish` reads `Latest<Text>`"), "{why}");
}

/// Whether a run keeps the last state of any type.
fn keeps_a_latest<F: FlowDef>(run: &FlowRuntime<F>) -> bool {
    let snapshot = serde_json::to_value(run.snapshot()).unwrap();
    snapshot.get("latest").is_some()
}
