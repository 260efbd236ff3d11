//! States whose form has changed, and states whose place is gone.

mod everywhere;
mod moved;
mod shared;

use pravah_runtime::{LoadOptions, prelude::*};

use super::{done, steps, upgraded_with};

mod v1 {
    use pravah_runtime::prelude::*;

    #[state]
    #[derive(Clone)]
    pub(super) struct Order {
        pub(super) cups: u32,
    }
    #[state]
    #[derive(Clone)]
    pub(super) struct Brewed {
        pub(super) cups: u32,
    }
    #[state]
    pub(super) struct Served {
        pub(super) cups: u32,
    }
    #[node]
    fn brew(order: Order) -> Brewed {
        Brewed { cups: order.cups }
    }
    #[node]
    fn serve(brewed: Brewed) -> Served {
        Served { cups: brewed.cups }
    }
    #[flow]
    pub(super) fn coffee(order: Order) -> Served {
        flow! { brew -> serve }
    }
}

mod v2 {
    use pravah_runtime::prelude::*;

    #[state]
    #[derive(Clone)]
    pub(super) struct Brewed {
        pub(super) centilitres: u32,
    }
}

/// Millilitres, and a reader of the order.
mod v3 {
    use pravah_runtime::prelude::*;

    #[state]
    #[derive(Clone)]
    pub(super) struct Order {
        pub(super) small_cups: u32,
    }
    #[state]
    #[derive(Clone)]
    pub(super) struct Brewed {
        pub(super) millilitres: u32,
    }
    #[state]
    pub(super) struct Served {
        pub(super) text: String,
    }
    #[node]
    fn brew(order: Order) -> Brewed {
        Brewed {
            millilitres: order.small_cups * 125,
        }
    }
    #[node]
    fn serve(brewed: Brewed, order: Input<Order>) -> Served {
        let (millilitres, cups) = (brewed.millilitres, order.small_cups);
        Served {
            text: format!("{millilitres} ml in {cups} cups"),
        }
    }
    #[flow]
    pub(super) fn coffee(order: Order) -> Served {
        flow! { brew -> serve }
    }
}

fn order() -> v1::Order {
    v1::Order { cups: 2 }
}

fn new_order(old: v1::Order) -> v3::Order {
    v3::Order {
        small_cups: old.cups,
    }
}

fn in_centilitres(old: v1::Brewed) -> v2::Brewed {
    v2::Brewed {
        centilitres: old.cups * 12,
    }
}

fn in_millilitres(old: v2::Brewed) -> v3::Brewed {
    v3::Brewed {
        millilitres: old.centilitres * 10,
    }
}

/// Both steps from the first version to the third.
fn migrations() -> LoadOptions {
    LoadOptions::new()
        .with_migration(in_millilitres)
        .with_migration(new_order)
        .with_migration(in_centilitres)
}

#[tokio::test]
async fn a_state_that_waits_and_the_input_of_the_flow_are_migrated_through_all_versions() {
    let mut run = FlowRuntime::new(order()).unwrap();
    steps(&mut run, 1).await;
    let mut run = upgraded_with::<v3::Order, _>(&run, &migrations()).unwrap();
    let mut migrated = run.load_report().unwrap().migrated.clone();
    migrated.sort();
    assert_eq!(migrated, ["/inputs/Order", "/states/Brewed"]);
    assert_eq!(done(&mut run).await.text, "240 ml in 2 cups");
}

#[tokio::test]
async fn what_can_be_read_as_it_is_is_not_migrated() {
    let mut run = FlowRuntime::new(order()).unwrap();
    steps(&mut run, 1).await;
    let options = LoadOptions::new().with_migration(|old: v1::Brewed| v1::Brewed {
        cups: old.cups + 100,
    });
    let mut run = upgraded_with::<v1::Order, _>(&run, &options).unwrap();
    assert_eq!(run.load_report().unwrap().migrated, [""; 0]);
    assert_eq!(done(&mut run).await.cups, 2);
}

#[tokio::test]
async fn the_output_of_a_finished_run_is_migrated() {
    let mut run = FlowRuntime::new(order()).unwrap();
    done(&mut run).await;
    let options = migrations().with_migration(|old: v1::Served| v3::Served {
        text: format!("{} cups", old.cups),
    });
    let run = upgraded_with::<v3::Order, _>(&run, &options).unwrap();
    assert_eq!(run.output().unwrap().unwrap().text, "2 cups");
}

#[tokio::test]
async fn a_migration_that_fails_or_panics_is_an_error_of_the_load_and_the_snapshot_stays() {
    let mut run = FlowRuntime::new(order()).unwrap();
    steps(&mut run, 1).await;
    let before = serde_json::to_string(&run.snapshot()).unwrap();
    let failing = LoadOptions::new()
        .with_migration(new_order)
        .with_try_migration(|_: v1::Brewed| {
            Err::<v3::Brewed, _>(std::io::Error::other("too much coffee"))
        });
    let panicking = LoadOptions::new()
        .with_migration(new_order)
        .with_migration(|_: v1::Brewed| -> v3::Brewed { panic!("too much coffee") });
    for options in [failing, panicking] {
        let error = upgraded_with::<v3::Order, _>(&run, &options).err().unwrap();
        let text = error.to_string();
        assert!(text.contains("the migration to `Brewed` failed"), "{text}");
        assert!(text.contains("too much coffee"), "{text}");
        assert!(!text.contains("node `"), "{text}");
    }
    assert_eq!(serde_json::to_string(&run.snapshot()).unwrap(), before);
}

#[tokio::test]
async fn a_state_from_which_no_migration_leads_is_refused_as_before() {
    let mut run = FlowRuntime::new(order()).unwrap();
    steps(&mut run, 1).await;
    // From version 2 alone, and in a circle.
    let options = LoadOptions::new()
        .with_migration(new_order)
        .with_migration(in_millilitres)
        .with_migration(|old: v3::Brewed| v2::Brewed {
            centilitres: old.millilitres / 10,
        });
    let error = upgraded_with::<v3::Order, _>(&run, &options).err().unwrap();
    let text = error.to_string();
    assert!(text.contains("`Brewed` cannot be read"), "{text}");
}

/// Lists and states that are read later.
mod lists {
    pub(super) mod v1 {
        use pravah_runtime::prelude::*;

        #[state]
        #[derive(Clone)]
        pub(crate) struct Batch {
            pub(crate) sizes: Vec<u32>,
        }
        #[state]
        #[derive(Clone)]
        pub(crate) struct Task {
            pub(crate) size: u32,
        }
        #[state]
        #[derive(Clone)]
        pub(crate) struct Made {
            pub(crate) size: u32,
        }
        #[state]
        pub(crate) struct Sum {
            pub(crate) size: u32,
        }
        #[node]
        fn split(batch: Batch) -> Each<Task> {
            batch
                .sizes
                .iter()
                .map(|size| Task { size: *size })
                .collect()
        }
        #[node]
        fn make(task: Task) -> Made {
            Made { size: task.size }
        }
        #[node]
        fn add(made: Each<Made>) -> Sum {
            Sum {
                size: made.iter().map(|made| made.size).sum(),
            }
        }
        #[flow]
        pub(crate) fn batches(batch: Batch) -> Sum {
            flow! { split -> each(make) -> add }
        }
    }

    pub(super) mod v2 {
        use pravah_runtime::prelude::*;

        use super::v1::{Batch as OldBatch, Task};

        #[state]
        #[derive(Clone)]
        pub(crate) struct Batch {
            pub(crate) sizes: Vec<u32>,
            pub(crate) owner: String,
        }
        #[state]
        #[derive(Clone)]
        pub(crate) struct Made {
            pub(crate) doubled: u32,
        }
        #[state]
        pub(crate) struct Sum {
            pub(crate) size: u32,
            pub(crate) owner: String,
        }
        #[node]
        fn split(batch: Batch) -> Each<Task> {
            batch
                .sizes
                .iter()
                .map(|size| Task { size: *size })
                .collect()
        }
        #[node]
        fn make(task: Task) -> Made {
            Made {
                doubled: 2 * task.size,
            }
        }
        #[node]
        fn add(made: Each<Made>, batch: Latest<Batch>) -> Sum {
            Sum {
                size: made.iter().map(|made| made.doubled / 2).sum(),
                owner: batch.owner.clone(),
            }
        }
        #[flow]
        pub(crate) fn batches(batch: Batch) -> Sum {
            flow! { split -> each(make) -> add }
        }

        pub(crate) fn owned(old: OldBatch) -> Batch {
            let owner = "nobody".to_owned();
            Batch {
                sizes: old.sizes,
                owner,
            }
        }
    }
}

#[tokio::test]
async fn items_that_are_done_and_states_that_are_read_later_are_migrated() {
    let options = LoadOptions::new()
        .with_migration(lists::v2::owned)
        .with_migration(|old: lists::v1::Made| lists::v2::Made {
            doubled: 2 * old.size,
        });
    for made in 0..5 {
        let batch = lists::v1::Batch {
            sizes: vec![1, 2, 3],
        };
        let mut run = FlowRuntime::new(batch).unwrap();
        steps(&mut run, made).await;
        let mut run = match upgraded_with::<lists::v2::Batch, _>(&run, &options) {
            Ok(run) => run,
            Err(error) => panic!("after {made} steps: {error}"),
        };
        let sum = done(&mut run).await;
        assert_eq!((sum.size, &*sum.owner), (6, "nobody"), "after {made} steps");
    }
}

#[tokio::test]
async fn migrations_that_lead_both_ways_are_looked_through_once() {
    macro_rules! forms {
        ($($form:ident),+) => {
            $(
                #[pravah_runtime::state]
                #[allow(non_snake_case, reason = "the field that tells the forms apart")]
                struct $form { $form: u32 }
            )+
        };
    }
    macro_rules! both_ways {
        ($options:expr, $($from:ident, $to:ident);+) => {
            $options$(
                .with_migration(|it: $from| $to { $to: it.$from })
                .with_migration(|it: $to| $from { $from: it.$to })
            )+
        };
    }
    forms!(F0, F1, F2, F3, F4, F5, F6, F7, F8, F9);
    let options = both_ways!(LoadOptions::new(), F0, F1; F1, F2; F2, F3; F3, F4; F4, F5; F5, F6; F6, F7; F7, F8; F8, F9);
    let options = options
        .with_migration(new_order)
        .with_migration(|it: F9| v3::Brewed { millilitres: it.F9 });
    let mut run = FlowRuntime::new(order()).unwrap();
    steps(&mut run, 1).await;
    // Ways that come back would be more than can be counted.
    assert!(upgraded_with::<v3::Order, _>(&run, &options).is_err());
}
