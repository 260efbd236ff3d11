//! Snapshots that were changed or cut anywhere: loading and stepping never panic.

use pravah_runtime::FlowSnapshot;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::{
    engine_support,
    snapshot_foreign::{after, restore, step},
};

/// Where in a document a change is made, as a walk that wraps around.
fn change(json: &mut Value, path: &[usize], kind: u8, other: &Value) {
    let Some((&at, rest)) = path.split_first() else {
        return replace(json, kind, other);
    };
    match json {
        Value::Object(fields) if !fields.is_empty() => {
            let key = fields.keys().nth(at % fields.len()).unwrap().clone();
            match (rest, kind) {
                ([], 0) => drop(fields.remove(&key)),
                ([], 1) => {
                    let value = fields.remove(&key).unwrap();
                    let names = [
                        "Case", "Brief", "Facts", "Opinion", "Known", "Verdict", "Again", "Closed",
                        "done",
                    ];
                    fields.insert(names[at % names.len()].into(), value);
                }
                _ => change(&mut fields[&key], rest, kind, other),
            }
        }
        Value::Array(items) if !items.is_empty() => {
            let at = at % items.len();
            match (rest, kind) {
                ([], 0) => drop(items.remove(at)),
                ([], 1) => items.push(items[at].clone()),
                _ => change(&mut items[at], rest, kind, other),
            }
        }
        json => replace(json, kind, other),
    }
}

fn replace(json: &mut Value, kind: u8, other: &Value) {
    *json = match kind % 8 {
        0 => Value::Null,
        1 => json!(u64::MAX),
        2 => json!(-1),
        3 => json!([]),
        4 => json!({}),
        5 => json!("Brief"),
        6 => json!(true),
        _ => other.clone(),
    };
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_change_to_a_snapshot_makes_loading_or_stepping_panic(
        steps in 0_usize..12,
        changes in prop::collection::vec((prop::collection::vec(0_usize..16, 1..7), 0_u8..9), 1..4),
    ) {
        runtime().block_on(async {
            let mut json = after(steps).await;
            let other = json.clone();
            for (path, kind) in &changes {
                change(&mut json, path, *kind, &other);
            }
            if let Ok(mut run) = restore(json) {
                for _ in 0..6 {
                    let made = step(&mut run).await.is_ok();
                    // What was loaded can be written and loaded again, wherever it goes.
                    let again = restore(engine_support::json(&run));
                    assert!(again.is_ok() || !made, "{:?}", again.err());
                }
            }
        });
    }

    #[test]
    fn no_cut_of_a_snapshot_makes_reading_panic(steps in 0_usize..12, cut in 0.0_f64..1.0) {
        let text = runtime().block_on(after(steps)).to_string();
        let mut end = (text.len() as f64 * cut) as usize;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        prop_assert!(serde_json::from_str::<FlowSnapshot>(&text[..end]).is_err());
    }
}
