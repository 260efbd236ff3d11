//! What is said of migrations that do not help.

use pravah_runtime::{FlowGraph, FlowLock, prelude::*};

use crate::{refusal, steps};

mod v1 {
    use pravah_runtime::prelude::*;

    crate::states!(Order, Assessed, Closed);

    #[node]
    fn assess(order: Order) -> Assessed {
        Assessed { n: order.n }
    }
    #[node]
    fn close(assessed: Assessed) -> Closed {
        Closed { n: assessed.n }
    }
    #[flow]
    pub(super) fn desk(order: Order) -> Closed {
        flow! { assess -> close }
    }
}

/// An `Assessed` of another form, or of none that was stored.
macro_rules! reading {
    ($name:ident { $($items:tt)* }) => {
        #[allow(dead_code, reason = "only what is said of it matters")]
        mod $name {
            use pravah_runtime::prelude::*;

            crate::states!(Order, Closed);

            #[state] pub(super) struct Assessed { pub(super) points: u64, pub(super) by: String }
            #[node] fn assess(order: Order) -> Assessed { Assessed { points: order.n, by: String::new() } }
            #[node] fn close(assessed: Assessed) -> Closed { Closed { n: assessed.points } }
            $($items)*
        }
    };
}

reading!(of_another_form {
    mod old {
        #[pravah_runtime::state] pub(super) struct Assessed { pub(super) score: u64 }
    }
    #[migrate] fn points(old: old::Assessed) -> Assessed { Assessed { points: old.score, by: String::new() } }
    #[flow(migrate(points))] pub(super) fn desk(order: Order) -> Closed { flow! { assess -> close } }
});

reading!(to_another_state {
    #[migrate] fn closed(old: super::v1::Assessed) -> Closed { Closed { n: old.n } }
    #[flow(migrate(closed))] pub(super) fn desk(order: Order) -> Closed { flow! { assess -> close } }
});

/// Nobody assesses any more.
macro_rules! moving {
    ($name:ident { $($items:tt)* }) => {
        #[allow(dead_code, reason = "only what is said of it matters")]
        mod $name {
            use pravah_runtime::prelude::*;

            crate::states!(Order, Closed);

            #[node] fn close(order: Order) -> Closed { Closed { n: order.n } }
            $($items)*
        }
    };
}

moving!(without_slot {
    #[migrate] fn order(old: super::v1::Assessed) -> Order { Order { n: old.n } }
    #[flow(migrate(order))] pub(super) fn desk(order: Order) -> Closed { flow! { close } }
});

moving!(to_no_place {
    crate::states!(Gone);
    #[migrate(slot)] fn closed(old: super::v1::Assessed) -> Closed { Closed { n: old.n } }
    #[flow(migrate(closed))] pub(super) fn desk(order: Order) -> Closed { flow! { close } }
});

moving!(from_no_state {
    crate::states!(OldAssessed);
    #[migrate(slot)] fn order(old: OldAssessed) -> Order { Order { n: old.n } }
    #[flow(migrate(order))] pub(super) fn desk(order: Order) -> Closed { flow! { close } }
});

moving!(from_another_form {
    mod old {
        #[pravah_runtime::state] pub(super) struct Assessed { pub(super) score: u64 }
    }
    #[migrate(slot)] fn order(old: old::Assessed) -> Order { Order { n: old.score } }
    #[flow(migrate(order))] pub(super) fn desk(order: Order) -> Closed { flow! { close } }
});

/// What is said of runs of the first version.
fn report(new: Result<FlowGraph, FlowError>) -> String {
    let mut lock = FlowLock::new("Order");
    lock.add("1.0.0", &v1::desk::graph().unwrap());
    lock.check(&new.unwrap()).to_string()
}

/// The same without what helps.
fn problems(new: Result<FlowGraph, FlowError>) -> Vec<String> {
    let report = report(new);
    let lines = report.lines().filter(|it| !it.starts_with("  help: "));
    lines.map(ToOwned::to_owned).collect()
}

async fn assessed() -> FlowRuntime<v1::Order> {
    let mut run = FlowRuntime::new(v1::Order { n: 1 }).unwrap();
    steps(&mut run, 1).await;
    run
}

#[tokio::test]
async fn a_migration_that_cannot_read_the_stored_form_either_is_named() {
    let either = "the migration `points` cannot read it either: missing field `score`";
    assert_eq!(
        report(of_another_form::desk::graph()),
        format!(
            "version 1.0.0: an `Assessed` that was stored cannot be read: missing field `points`; {either}\n  help: if \
             `points` is the field that was called `n`, write `#[serde(alias = \"n\")]` above it, since \
             `#[serde(default)]` would lose what was stored; otherwise let the migration take the earlier `Assessed` as \
             it was stored, with the fields `n`\nnote: the migration `points` is not used: no state of a version in the \
             lock file was stored in the form that it reads\n"
        )
    );
    let refused = refusal::<of_another_form::Order, _>(&assessed().await);
    assert!(refused.ends_with(either), "{refused}");
}

#[tokio::test]
async fn a_migration_that_makes_another_state_is_named() {
    let why = "the migration `closed` makes a `Closed` of it";
    let found = problems(to_another_state::desk::graph());
    assert!(found[0].ends_with(why), "{found:?}");
    let refused = refusal::<to_another_state::Order, _>(&assessed().await);
    assert!(refused.ends_with(why), "{refused}");
}

#[tokio::test]
async fn a_migration_that_reads_a_state_without_a_place_and_does_not_move_it_is_named() {
    let why =
        "the migration `order` reads `Assessed`, and does not move it: write `#[migrate(slot)]`";
    assert_eq!(
        problems(without_slot::desk::graph())[0],
        format!(
            "version 1.0.0: after `assess`, an `Assessed` waits, and no node of this version takes it; {why}"
        )
    );
    let refused = refusal::<without_slot::Order, _>(&assessed().await);
    assert_eq!(refused, format!("the flow has no state `Assessed`; {why}"));
}

#[tokio::test]
async fn a_migration_that_moves_a_state_of_another_form_is_named() {
    assert_eq!(
        report(from_another_form::desk::graph()),
        "version 1.0.0: an `Assessed` that was stored cannot be read: missing field `score`; the migration `order`, which \
         moves it, takes another form\n  help: let the migration take the earlier `Assessed` as it was stored, with the \
         fields `n`\n"
    );
    let refused = refusal::<from_another_form::Order, _>(&assessed().await);
    let why = "`Assessed` cannot be read by the migration `order`: missing field `score`";
    assert!(refused.starts_with(why), "{refused}");
}

#[tokio::test]
async fn a_migration_that_moves_a_state_to_where_there_is_no_place_is_named() {
    let refused = refusal::<to_no_place::Order, _>(&assessed().await);
    assert!(
        refused.starts_with("`Assessed` cannot be moved by the migration `closed`: "),
        "{refused}"
    );
    let found = problems(to_no_place::desk::graph());
    let why = "the migration `closed` moves it to `Closed`, which no node takes";
    assert!(found[0].ends_with(why), "{found:?}");
}

#[test]
fn a_migration_that_moves_a_state_of_no_version_is_noted() {
    assert_eq!(
        problems(from_no_state::desk::graph())[1],
        "note: the migration `order` is not used: it moves `OldAssessed`, which is a state of no version in the lock file"
    );
}

#[test]
fn a_migration_that_moves_a_state_which_has_a_place_is_noted() {
    let options =
        LoadOptions::new().with_moved_state("Assessed", |old: v1::Assessed| v1::Order { n: old.n });
    let graph = v1::desk::graph().unwrap();
    let mut lock = FlowLock::new("Order");
    lock.add("1.0.0", &graph);
    assert_eq!(
        lock.check_with(&graph, &options).to_string(),
        "note: the migration from `Assessed` to `Order` is not used: `Assessed` still has a place in this version\n"
    );
}

#[test]
fn a_migration_whose_version_is_no_longer_in_the_lock_is_noted() {
    let options = LoadOptions::new()
        .with_migration(|old: v1::Assessed| v1::Closed { n: old.n })
        .with_migration(|old: v1::Order| to_no_place::Gone { n: old.n });
    let graph = v1::desk::graph().unwrap();
    let mut lock = FlowLock::new("Order");
    assert_eq!(lock.check_with(&graph, &options).to_string(), "");
    lock.add("1.0.0", &graph);
    assert_eq!(
        lock.check_with(&graph, &options).to_string(),
        "note: the migration from `Assessed` to `Closed` is not used: no state of a version in the lock file was stored \
         in the form that it reads\nnote: the migration from `Order` to `Gone` is not used: it makes a `Gone`, which is \
         no state of this flow\n"
    );
}
