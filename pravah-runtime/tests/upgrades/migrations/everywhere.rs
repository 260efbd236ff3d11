//! All states of a run have another form, wherever it is.

use pravah_runtime::{LoadOptions, prelude::*};

use super::super::{done, steps, upgraded_with};

/// Versions of a flow with a list, a state that is read later, and an output, whose states have another field.
macro_rules! version {
    ($name:ident, $field:ident) => {
        mod $name {
            use pravah_runtime::prelude::*;

            #[state]
            #[derive(Clone)]
            pub(super) struct Batch {
                pub(super) $field: u64,
            }
            #[state]
            #[derive(Clone)]
            pub(super) struct Task {
                pub(super) $field: u64,
            }
            #[state]
            #[derive(Clone)]
            pub(super) struct Made {
                pub(super) $field: u64,
            }
            #[state]
            #[derive(Clone)]
            pub(super) struct Draft {
                pub(super) $field: u64,
            }
            #[state]
            #[derive(Clone)]
            pub(super) struct Checked {
                pub(super) $field: u64,
            }
            #[state]
            #[derive(Clone)]
            pub(super) struct Sum {
                pub(super) $field: u64,
            }
            #[node]
            fn split(batch: Batch) -> Each<Task> {
                (1..=batch.$field).map(|n| Task { $field: n }).collect()
            }
            #[node]
            fn make(task: Task) -> Made {
                Made {
                    $field: task.$field,
                }
            }
            #[node]
            fn write(made: Each<Made>) -> Draft {
                Draft {
                    $field: made.iter().map(|made| made.$field).sum(),
                }
            }
            #[node]
            fn check(draft: Draft) -> Checked {
                Checked {
                    $field: draft.$field,
                }
            }
            #[node]
            fn end(checked: Checked, draft: Latest<Draft>) -> Sum {
                Sum {
                    $field: 1_000 * checked.$field + draft.$field,
                }
            }
            #[flow]
            #[allow(dead_code, reason = "its input starts it")]
            pub(super) fn batches(batch: Batch) -> Sum {
                flow! { split -> each(make) -> write -> check -> end }
            }
        }
    };
}
version!(old, before);
version!(new, after);

macro_rules! renamed {
    ($options:expr, $($state:ident),+) => {
        $options$(.with_migration(|it: old::$state| new::$state { after: it.before }))+
    };
}

#[tokio::test]
async fn a_run_goes_on_with_migrated_states_wherever_it_is() {
    let options = renamed!(LoadOptions::new(), Batch, Task, Made, Draft, Checked, Sum);
    for made in 0..8 {
        let mut run = FlowRuntime::new(old::Batch { before: 3 }).unwrap();
        steps(&mut run, made).await;
        let migrated = upgraded_with::<new::Batch, _>(&run, &options);
        let mut migrated = migrated.unwrap_or_else(|error| panic!("after {made}: {error}"));
        // It is as if the new version had come so far.
        let mut expected = FlowRuntime::new(new::Batch { after: 3 })
            .unwrap()
            .with_run_id(migrated.run_id());
        steps(&mut expected, made).await;
        assert_eq!(
            serde_json::to_value(&migrated).unwrap(),
            serde_json::to_value(&expected).unwrap(),
            "after {made}"
        );
        if made < 7 {
            assert_eq!(done(&mut migrated).await.after, 6_006, "after {made}");
        } else {
            assert_eq!(
                migrated.load_report().unwrap().migrated.last().unwrap(),
                "/output/Sum"
            );
        }
    }
}

#[tokio::test]
async fn what_is_kept_for_later_is_migrated_once_with_what_waits() {
    let mut run = FlowRuntime::new(old::Batch { before: 3 }).unwrap();
    steps(&mut run, 5).await;
    let drafts = std::sync::Arc::new(std::sync::atomic::AtomicU64::new(0));
    let counted = std::sync::Arc::clone(&drafts);
    let options = renamed!(LoadOptions::new(), Batch).with_migration(move |it: old::Draft| {
        let count = counted.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        new::Draft {
            after: it.before + count,
        }
    });
    let snapshot: FlowSnapshot =
        serde_json::from_str(&serde_json::to_string(&run).unwrap()).unwrap();
    let mut migrated = FlowRuntime::<new::Batch>::from_snapshot_with(snapshot, &options).unwrap();
    assert_eq!(done(&mut migrated).await.after, 6_006);
    assert_eq!(drafts.load(std::sync::atomic::Ordering::Relaxed), 1);
}
