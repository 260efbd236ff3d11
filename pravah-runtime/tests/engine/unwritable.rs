//! States that JSON cannot hold: a snapshot of them is refused, and never one that cannot be loaded.

use std::collections::BTreeMap;

use pravah_runtime::prelude::*;

#[state]
struct Order {
    cups: u32,
}

#[state]
struct Price {
    each: f64,
}

#[state]
struct Paid {
    text: String,
}

#[node]
fn price(order: Order) -> Price {
    Price {
        each: 10.0 / f64::from(order.cups),
    }
}

#[node]
fn pay(price: Price) -> Paid {
    Paid {
        text: price.each.to_string(),
    }
}

#[flow]
fn shop(order: Order) -> Paid {
    flow! { price -> pay }
}

#[state]
struct Ground {
    width: u32,
}

// The macro sees no more than the name, and so does not refuse it.
type Cells = BTreeMap<(u32, u32), String>;

#[state]
struct Table {
    rows: Cells,
}

#[node]
fn draw(ground: Ground) -> Table {
    Table {
        rows: BTreeMap::from([((ground.width, 1), "a".to_owned())]),
    }
}

#[node]
fn show(table: Table) -> Paid {
    Paid {
        text: table.rows.into_values().collect(),
    }
}

#[flow]
fn tables(ground: Ground) -> Paid {
    flow! { draw -> show }
}

#[tokio::test]
async fn a_number_that_is_not_finite_is_refused_with_the_state_before_anything_is_stored() {
    let mut run = FlowRuntime::new(Order { cups: 0 }).unwrap();
    run.take_changes().unwrap();
    run.next(Context::default()).await.unwrap();
    let why = "Price` contains `inf`, which no number in JSON can be";
    for _ in 0..2 {
        let error = run.take_changes().unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    }
    let error = serde_json::to_string(&run).unwrap_err().to_string();
    assert!(error.contains(why), "{error}");
    let error = serde_json::to_value(run.snapshot()).unwrap_err();
    assert!(error.to_string().contains(why), "{error}");
}

#[tokio::test]
async fn a_run_in_memory_goes_on_with_numbers_that_are_not_finite() {
    let mut run = FlowRuntime::new(Order { cups: 0 }).unwrap();
    let out = run.run(Context::default()).await.unwrap();
    assert!(matches!(out, RunOut::Done(paid) if paid.text == "inf"));
}

#[tokio::test]
async fn a_map_whose_keys_json_cannot_have_is_refused_with_the_state() {
    let mut run = FlowRuntime::new(Ground { width: 1 }).unwrap();
    run.next(Context::default()).await.unwrap();
    let error = serde_json::to_string(&run).unwrap_err().to_string();
    assert!(
        error.contains("a map in `engine::unwritable::Table`: key must be a string"),
        "{error}"
    );
}

#[state]
struct Nested {
    json: serde_json::Value,
}

impl Nested {
    fn of(levels: usize) -> Self {
        let json = (0..levels).fold(serde_json::Value::Null, |json, _| vec![json].into());
        Self { json }
    }
}

#[gate(prompt = "Well?")]
fn look(_: Nested, _yes: bool) -> Paid {
    Paid {
        text: String::new(),
    }
}

#[flow(named)]
fn looking(nested: Nested) -> Paid {
    flow! { look }
}

/// In a question the state is two levels deep: in it, and in the field of the state.
#[tokio::test]
async fn a_gate_that_asks_what_no_reader_of_json_reads_fails() {
    let mut run = looking::start(Nested::of(125)).unwrap();
    let out = run.run(Context::default()).await.unwrap();
    let RunOut::Suspend { value, .. } = out else {
        panic!("{out:?}")
    };
    assert_eq!(run.suspensions()[0].value, value);
    assert!(value["state"]["json"].is_array());
    let json = serde_json::to_string(&run).unwrap();
    let restored = FlowRuntime::<looking>::from_snapshot(serde_json::from_str(&json).unwrap());
    assert_eq!(restored.unwrap().suspensions()[0].value, value);

    let mut run = looking::start(Nested::of(126)).unwrap();
    let error = run.run(Context::default()).await.unwrap_err();
    assert!(
        error
            .to_string()
            .contains("what `look` asks is nested too deeply"),
        "{error}"
    );
    assert!(run.suspensions().is_empty());
}

#[node]
fn print(nested: Nested) -> Paid {
    Paid {
        text: nested.json.to_string(),
    }
}

#[flow(named)]
fn printing(nested: Nested) -> Paid {
    flow! { print }
}

#[tokio::test]
async fn a_state_is_refused_that_is_nested_too_deeply_to_be_read_back() {
    let text = |levels: usize| format!("{}null{}", "[".repeat(levels), "]".repeat(levels));
    let run = printing::start(Nested::of(126)).unwrap();
    let json = serde_json::to_string(&run).unwrap();
    let mut restored: FlowRuntime<printing> = serde_json::from_str(&json).unwrap();
    let out = restored.run(Context::default()).await.unwrap();
    assert!(matches!(out, RunOut::Done(paid) if paid.text == text(126)));

    let mut run = printing::start(Nested::of(127)).unwrap();
    let why = "Nested` is nested more than 127 levels deep";
    let error = serde_json::to_string(&run).unwrap_err().to_string();
    assert!(error.contains(why), "{error}");
    let error = run.take_changes().unwrap_err().to_string();
    assert!(error.contains(why), "{error}");
    let out = run.run(Context::default()).await.unwrap();
    assert!(matches!(out, RunOut::Done(paid) if paid.text == text(127)));
}
