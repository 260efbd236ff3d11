//! Runs that a generated document has stored anywhere, and a changed one resumes: as far as it can finish them.

use std::{collections::BTreeSet, fmt::Write as _, sync::Arc, time::Duration};

use pravah_runtime::{LoadOptions, LoadedFlow, document::DocumentFlow, prelude::*};
use pravah_store::{RunInfo, RunStore, Runs, Status, Worker};
use serde_json::json;

use crate::{
    dice::Dice,
    documents::document,
    faults::Faulty,
    flows::{Effects, Working},
    support::TestStore,
};

crate::over_every_store! {
    a_run_that_a_generated_version_can_finish_is_finished_and_any_other_is_left_as_it_was,
}

/// How many pairs of versions there are for each store.
const PAIRS: u64 = 40;

/// The nodes of a document in their order, by their numbers, each with the places of those before it that it waits for.
#[derive(Clone, Debug)]
struct Draft(Vec<(usize, BTreeSet<usize>)>);

impl Draft {
    fn random(dice: &mut Dice) -> Self {
        let nodes = 3 + dice.below(4);
        let mut draft = Self((0..nodes).map(|node| (node, BTreeSet::new())).collect());
        draft.connect(dice);
        draft
    }

    /// Lets each node wait for one or two of the three before it.
    fn connect(&mut self, dice: &mut Dice) {
        for (place, (_, before)) in self.0.iter_mut().enumerate() {
            let edges = if place == 0 { 0 } else { 1 + dice.below(2) };
            let edges = (0..edges).map(|_| place - 1 - dice.below(place.min(3)));
            *before = edges.collect();
        }
    }

    /// Another version: with a node more or less, two that have changed places, or other edges.
    fn changed(&self, dice: &mut Dice) -> Self {
        let mut new = self.clone();
        let place = dice.below(new.0.len());
        match dice.below(4) {
            0 => new.0.insert(place, (7 + dice.below(3), BTreeSet::new())),
            1 => drop(new.0.remove(place)),
            2 => new.0.swap(0, place),
            _ => {}
        }
        new.connect(dice);
        new
    }

    fn document(&self) -> DocumentFlow {
        let mut text = "flow: { name: generated }\nnodes:\n".to_owned();
        for (node, _) in &self.0 {
            let _ = writeln!(
                text,
                "  - {{ id: n{node}, type: note, input: {{ text: n{node} }} }}"
            );
        }
        text.push_str("edges:\n");
        for (node, before) in &self.0 {
            for before in before {
                let _ = writeln!(text, "  - {{ from: n{}, to: n{node} }}", self.0[*before].0);
            }
        }
        document(&text)
    }
}

fn serving(store: Arc<dyn RunStore>, effects: &Effects, document: DocumentFlow) -> Working {
    let worker = Worker::new(store)
        .serve_document(document)
        .with_context(effects.context())
        .with_max_failed_claims(1);
    Working::start(worker)
}

/// Waits until the run is done, or no worker can go on with it.
async fn rest(runs: &Runs, id: &str) -> RunInfo {
    loop {
        let info = runs.status(id).await.unwrap();
        if matches!(info.status, Status::Done | Status::Failed) {
            return info;
        }
        tokio::time::sleep(Duration::from_millis(250)).await;
    }
}

async fn a_run_that_a_generated_version_can_finish_is_finished_and_any_other_is_left_as_it_was(
    it: TestStore,
) {
    let it = it.with_tokio_time();
    let (mut finished, mut refused) = (0, 0);
    for seed in 1..=PAIRS {
        let mut dice = Dice::new(seed);
        let old = Draft::random(&mut dice);
        let new = old.changed(&mut dice);
        match resume_in(&it, &mut dice, (&old, &new)).await {
            true => finished += 1,
            false => refused += 1,
        }
    }
    assert!(finished > 5 && refused > 5, "{finished} {refused}");
}

/// Resumes a run of the old version, which is somewhere on its way, in the new one. Returns whether that finishes it.
async fn resume_in(it: &TestStore, dice: &mut Dice, (old, new): (&Draft, &Draft)) -> bool {
    let (runs, effects) = (Runs::new(it.store.clone()), Effects::default());
    let (before, after) = (old.document(), new.document());
    let id = runs.start_document(&before, json!({})).await.unwrap();
    let store = Faulty::new(it.reopen()).with_commits(dice.below(old.0.len()));
    let working = serving(Arc::new(store.clone()), &effects, old.document());
    while store.commits_left() > 0 {
        tokio::time::sleep(Duration::from_millis(250)).await;
    }
    working.kill().await;

    let step = runs.status(&id).await.unwrap().step;
    let entries = runs.entries_at(&id, step).await.unwrap();
    let snapshot = FlowSnapshot::from_entries(&entries).unwrap();
    let can_finish = after.restore_run(snapshot, &LoadOptions::new()).is_ok();
    let working = serving(it.reopen(), &effects, after);
    let info = rest(&runs, &id).await;
    working.kill().await;
    let case = format!("{old:?} {new:?} after {step}");
    match can_finish {
        true => assert_eq!(info.status, Status::Done, "{case}: {:?}", info.error),
        false => {
            assert_eq!((info.status, info.step), (Status::Failed, step), "{case}");
            let left = runs.entries_at(&id, step).await.unwrap();
            assert!(left.iter().eq(entries.iter()), "{case}");
            // The version that it is of can finish it.
            runs.retry(&id).await.unwrap();
            let working = serving(it.reopen(), &effects, before);
            assert_eq!(rest(&runs, &id).await.status, Status::Done, "{case}");
            working.kill().await;
        }
    }
    let history = runs.history(&id).await.unwrap();
    let committed = history.iter().filter(|row| row.node.is_some()).count();
    let keys: BTreeSet<String> = effects.keys().into_iter().collect();
    // Of the steps whose commits failed, some were never made again.
    assert!(keys.len() >= committed, "{case}: {keys:?}");
    can_finish
}
