//! What changes cost: as much as the steps put, however large the run is.

use pravah_runtime::{Changes, Context, FlowDef, FlowError, FlowRuntime, RunOut, prelude::*};

use crate::{
    changes::{take, text},
    engine_support::desk,
};

desk::numbered!(Sheaf, Sheet, Inked, Dried, Bound);

#[node]
fn sheets(sheaf: Sheaf) -> Each<Sheet> {
    (0..sheaf.n).map(|n| Sheet { n }).collect()
}

/// Takes longer for some sheets than for others.
#[node]
async fn ink(sheet: Sheet) -> Inked {
    for _ in 0..sheet.n % 3 {
        tokio::task::yield_now().await;
    }
    Inked { n: sheet.n }
}

#[node]
fn dry(inked: Inked) -> Dried {
    Dried { n: inked.n }
}

#[node]
fn bind(dried: &Each<Dried>) -> Bound {
    Bound {
        n: dried.len() as u32,
    }
}

#[flow]
fn binding(sheaf: Sheaf) -> Bound {
    flow! { sheets -> each(ink -> dry) -> bind }
}

/// How large one step's changes are.
pub(crate) struct Size {
    pub(crate) keys: usize,
    pub(crate) bytes: usize,
}

pub(crate) fn size(changes: &Changes) -> Size {
    Size {
        keys: changes.put().count() + changes.deleted().count(),
        bytes: text(changes).len(),
    }
}

/// The changes of each step of a run that needs nobody.
pub(crate) async fn of_each_step<F: FlowDef>(mut run: FlowRuntime<F>) -> Vec<Changes> {
    let mut all = vec![take(&mut run)];
    loop {
        let out = run.next(Context::default()).await.unwrap();
        all.push(take(&mut run));
        if let RunOut::Done(_) = out {
            return all;
        }
    }
}

pub(crate) fn binding_of(n: u32) -> FlowRuntime<Sheaf> {
    FlowRuntime::new(Sheaf { n }).unwrap().with_run_id("r")
}

#[tokio::test]
async fn a_step_of_an_item_changes_as_much_in_a_long_list_as_in_a_short_one() {
    for n in [10, 100, 2_000] {
        let changes = of_each_step(binding_of(n)).await;
        // The start, the list, two steps of each item, and the binding.
        let items = 2 * n as usize;
        assert_eq!(changes.len(), items + 3);
        for changes in &changes[2..2 + items - 1] {
            let Size { keys, bytes } = size(changes);
            // The number of the step, and either a state that came and one that went with what was noted of it, or an
            // item that ended and its output; each key has less than 50 letters.
            assert!(keys <= 5 && bytes < 300, "{n}: {keys} {}", text(changes));
        }
    }
}

#[tokio::test]
async fn what_a_run_of_a_list_writes_is_linear_in_its_items() {
    let mut per_item = Vec::new();
    for n in [100, 2_000] {
        let changes = of_each_step(binding_of(n)).await;
        let bytes: usize = changes.iter().map(|changes| size(changes).bytes).sum();
        per_item.push(bytes / n as usize);
    }
    // Two steps of at most 300 bytes each, the item in its list before and the output in that after.
    assert!(
        per_item.iter().all(|bytes| *bytes < 2 * 300 + 50),
        "{per_item:?}"
    );
    // Longer numbers are all that a longer list adds.
    assert!(per_item[1] - per_item[0] < 50, "{per_item:?}");
}

fn deleted(changes: &Changes) -> Vec<&str> {
    changes.deleted().collect()
}

#[tokio::test]
async fn an_item_that_ends_is_one_deletion() {
    let changes = of_each_step(binding_of(30)).await;
    let ended = changes
        .iter()
        .filter(|changes| changes.put().any(|(key, _)| key.contains("/done/")));
    let deleted: Vec<_> = ended.map(deleted).collect();
    // With the last one the list ends.
    assert_eq!(deleted.len(), 29);
    for (index, deleted) in deleted.into_iter().enumerate() {
        let item = format!("/lists/Each_of_Sheet/items/{index}");
        assert_eq!(deleted, [item.as_str()]);
    }
}

#[tokio::test]
async fn a_list_that_ends_is_one_deletion_however_long_it_was() {
    for n in [2, 30, 300] {
        let changes = of_each_step(binding_of(n)).await;
        let end = &changes[changes.len() - 2];
        assert!(end.put().any(|(key, _)| key == "/states/Each_of_Dried"));
        let mut deleted = deleted(end);
        deleted.sort_unstable();
        assert_eq!(
            deleted,
            [
                "/lists/Each_of_Sheet",
                "/ready/Each_of_Sheet",
                "/states/Each_of_Sheet"
            ]
        );
    }
}

#[tokio::test]
async fn an_item_that_holds_a_list_is_one_deletion() {
    let mut run = desk::start(5);
    let mut ended = 0;
    loop {
        let out = run.next(Context::default()).await;
        let changes = take(&mut run);
        for (key, _) in changes.put() {
            let outer = "/lists/Each_of_Pile/done/";
            let Some(index) = key.strip_prefix(outer) else {
                continue;
            };
            ended += 1;
            let item = format!("/lists/Each_of_Pile/items/{index}");
            let within = |key: &&str| key.starts_with(&item);
            let deleted: Vec<&str> = changes.deleted().filter(within).collect();
            // The first pile is empty, and was done in the step that took it apart.
            assert!(deleted == [item.as_str()] || index == "0", "{deleted:?}");
        }
        match out {
            Ok(RunOut::Done(_)) => break,
            Err(FlowError::ResumeRequired(id)) => {
                run.answer(Context::default(), &id, 7).await.unwrap();
            }
            out => drop(out.unwrap()),
        }
    }
    assert!(ended > 1);
}
