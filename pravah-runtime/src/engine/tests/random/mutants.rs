//! Snapshots in which somebody changed what is kept, waits or refers to one another: they are refused, or their runs
//! go on and find all that they read.

use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{
    super::json,
    NOTHING_FAILS, config,
    flow::draw,
    play::{Disturbance, Machine, Played},
    runtime,
};
use crate::{FlowSnapshot, LoadOptions, RunOut};

const SECTIONS: [&str; 7] = [
    "latest",
    "shared_latest",
    "captured",
    "latest_states",
    "latest_inputs",
    "states",
    "inputs",
];

/// A change of a snapshot, by numbers that choose among what there is.
type Mutation = (usize, usize, usize, usize, usize);

fn mutation() -> impl Strategy<Value = Mutation> {
    let any = || 0_usize..1_000;
    (any(), any(), 0_usize..7, any(), any())
}

fn mutate(snapshot: &mut Value, (frame, section, change, one, other): Mutation) {
    let keys: Vec<String> = keys(snapshot).into_iter().collect();
    let frames = frames(snapshot, "");
    let frame = snapshot.pointer_mut(&frames[frame % frames.len()]).unwrap();
    let present = SECTIONS.iter().filter(|name| frame.get(**name).is_some());
    let present: Vec<&str> = present.copied().collect();
    let name = match change {
        // A section that was not there, too.
        0 | 1 => SECTIONS[section % SECTIONS.len()],
        _ if present.is_empty() => return,
        _ => present[section % present.len()],
    };
    let entries = frame
        .as_object_mut()
        .unwrap()
        .entry(name)
        .or_insert(json!({}));
    let entries = entries.as_object_mut().unwrap();
    let some_key = |number: usize| keys[number % keys.len()].clone();
    let value = match other % 6 {
        0 => json!({ "n": 5 }),
        1 => json!([{ "n": 5 }]),
        2 => json!({ "n": "five" }),
        3 => Value::Null,
        _ => json!(some_key(other)),
    };
    let present = entries.keys().nth(one % entries.len().max(1)).cloned();
    match (change, present) {
        (0 | 2, _) => drop(entries.insert(some_key(one), value)),
        (3, Some(key)) => drop(entries.insert(key, value)),
        (4, Some(key)) => {
            let value = entries.remove(&key).unwrap();
            entries.insert(some_key(other), value);
        }
        (5, Some(key)) => {
            let value = entries[&key].clone();
            entries.insert(some_key(other), value);
        }
        (_, Some(key)) => drop(entries.remove(&key)),
        (_, None) => {}
    }
}

/// Every key of a state in a snapshot.
fn keys(snapshot: &Value) -> BTreeSet<String> {
    let mut keys = BTreeSet::from(["Nothing".to_owned()]);
    for frame in frames(snapshot, "") {
        let frame = snapshot.pointer(&frame).unwrap();
        let sections = SECTIONS.iter().filter_map(|name| frame[*name].as_object());
        keys.extend(sections.flat_map(|section| section.keys().cloned()));
    }
    keys
}

/// The flow and the items of its lists, as JSON pointers.
fn frames(frame: &Value, at: &str) -> Vec<String> {
    let mut found = vec![at.to_owned()];
    for (name, list) in frame["lists"].as_object().into_iter().flatten() {
        for (index, item) in list["items"].as_object().into_iter().flatten() {
            found.extend(frames(item, &format!("{at}/lists/{name}/items/{index}")));
        }
    }
    found
}

async fn go_on(machine: Machine, snapshot: &Value) -> Result<(), TestCaseError> {
    for options in [LoadOptions::new(), LoadOptions::new().drop_progress()] {
        let Ok(stored) = serde_json::from_value::<FlowSnapshot>(snapshot.clone()) else {
            return Ok(());
        };
        let Ok(mut run) = machine.try_restore(stored, &options) else {
            continue;
        };
        for _ in 0..40 {
            let read = serde_json::from_value(json(&run)).unwrap();
            let again = machine.try_restore(read, &LoadOptions::new());
            prop_assert_eq!(again.map(|it| json(&it)).ok(), Some(json(&run)));
            let open = run.suspensions();
            let out = match open.first() {
                Some(open) => run.answer(machine.ctx(), &open.tool_id, 7).await,
                None => run.next(machine.ctx()).await,
            };
            match out {
                Ok(RunOut::Done(_)) | Err(_) => break,
                Ok(RunOut::Waiting { .. }) => run.wait().await,
                Ok(_) => {}
            }
        }
        prop_assert_eq!(machine.fate.missing(), [""; 0]);
    }
    Ok(())
}

proptest! {
    #![proptest_config(config(60))]

    #[test]
    fn a_changed_snapshot_is_refused_or_its_run_finds_what_it_reads(
        flow: u64,
        size in 2_usize..10,
        seed: u64,
        mutations in prop::collection::vec(mutation(), 1..4),
    ) {
        let graph = draw(flow, size, NOTHING_FAILS);
        runtime().block_on(async {
            let machine = || Machine::new(&graph, seed, 2);
            let mut played = Played::new(machine());
            for _ in 0..40 {
                if played.step(Disturbance::None).await.is_some() {
                    break;
                }
                let mut snapshot = json(&played.run);
                for mutation in &mutations {
                    mutate(&mut snapshot, *mutation);
                }
                go_on(machine(), &snapshot).await?;
            }
            Ok::<(), TestCaseError>(())
        })?;
    }
}
