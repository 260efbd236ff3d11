//! M1 to M4 and M14: a chain of nodes that count one up and hand a string on.

pub mod graph_flow;
pub mod ours;
pub mod pravah_02;
pub mod pravah_04;

use std::{borrow::Cow, hint::black_box};

use serde::{Deserialize, Serialize};

use crate::{step_time, table::Table};

/// The state in place `N`. A chain of ten starts at 0 and one of a hundred at 100.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Link<const N: usize> {
    pub n: u64,
    pub payload: String,
}

impl<const N: usize> schemars::JsonSchema for Link<N> {
    fn schema_name() -> Cow<'static, str> {
        format!("Link{N}").into()
    }

    // `pravah` 0.4 checks values against it.
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "object",
            "properties": { "n": { "type": "integer" }, "payload": { "type": "string" } },
            "required": ["n", "payload"],
        })
    }
}

/// The same for `pravah` 0.2.0, which has another version of the crate.
impl<const N: usize> schemars_08::JsonSchema for Link<N> {
    fn schema_name() -> String {
        format!("Link{N}")
    }

    fn json_schema(
        generator: &mut schemars_08::r#gen::SchemaGenerator,
    ) -> schemars_08::schema::Schema {
        String::json_schema(generator)
    }
}

pub fn state<const N: usize>(size: usize) -> Link<N> {
    Link {
        n: 0,
        payload: "x".repeat(size),
    }
}

/// What every node does.
pub fn next<const N: usize, const M: usize>(state: Link<N>) -> Link<M> {
    Link {
        n: state.n + 1,
        payload: state.payload,
    }
}

/// Calls `$add!` for each node of the chain of ten.
#[macro_export]
macro_rules! ten {
    ($add:ident $($of:ident)?) => { $crate::ten_from!($add $($of)? 0); };
}

/// Calls `$add!` for each node of the chain of a hundred.
#[macro_export]
macro_rules! hundred {
    ($add:ident $($of:ident)?) => {
        $crate::ten_from!($add $($of)? 100); $crate::ten_from!($add $($of)? 110);
        $crate::ten_from!($add $($of)? 120); $crate::ten_from!($add $($of)? 130);
        $crate::ten_from!($add $($of)? 140); $crate::ten_from!($add $($of)? 150);
        $crate::ten_from!($add $($of)? 160); $crate::ten_from!($add $($of)? 170);
        $crate::ten_from!($add $($of)? 180); $crate::ten_from!($add $($of)? 190);
    };
}

#[macro_export]
macro_rules! ten_from {
    ($add:ident $($of:ident)? $n:literal) => {
        $add!($($of)? $n { $n + 1 }); $add!($($of)? { $n + 1 } { $n + 2 });
        $add!($($of)? { $n + 2 } { $n + 3 }); $add!($($of)? { $n + 3 } { $n + 4 });
        $add!($($of)? { $n + 4 } { $n + 5 }); $add!($($of)? { $n + 5 } { $n + 6 });
        $add!($($of)? { $n + 6 } { $n + 7 }); $add!($($of)? { $n + 7 } { $n + 8 });
        $add!($($of)? { $n + 8 } { $n + 9 }); $add!($($of)? { $n + 9 } { $n + 10 });
    };
}

/// How long the strings are, beyond the 16 bytes of M1.
const SIZES: [(&str, usize); 3] = [
    ("1 KB", 1 << 10),
    ("100 KB", 100 << 10),
    ("10 MB", 10 << 20),
];

pub async fn steps(table: &mut Table) {
    for (label, size) in [("16 B", 16)].into_iter().chain(SIZES) {
        let peers = [
            Some(pravah_02::step::<0>(10, size).await),
            Some(pravah_04::step(pravah_04::ten, 10, size).await),
            Some(graph_flow::step::<0>(graph_flow::ten(), 10, size).await),
        ];
        let (by_value, shared) = if size == 16 { (1, 1) } else { (14, 2) };
        let step = format!("a step of a chain of 10, {label}");
        let ours = ours::by_value::<0>(10, size).await;
        table.row(by_value, format!("{step}, `work`"), ours, peers);
        let ours = ours::shared(size).await;
        table.row(shared, format!("{step}, `work_shared`"), ours, peers);
    }
    let peers = [
        Some(pravah_02::step::<100>(100, 16).await),
        Some(pravah_04::step(pravah_04::hundred, 100, 16).await),
        Some(graph_flow::step::<100>(graph_flow::hundred(), 100, 16).await),
    ];
    let ours = ours::by_value::<100>(100, 16).await;
    table.row(1, "a step of a chain of 100, 16 B, `work`", ours, peers);
}

pub async fn starts(table: &mut Table) {
    let peers = [
        Some(pravah_02::start::<0>().await),
        Some(pravah_04::start(pravah_04::ten).await),
        Some(graph_flow::start::<0>().await),
    ];
    let ours = ours::start::<0>().await;
    table.row(3, "starting a run of a chain of 10", ours, peers);
    let peers = [
        Some(pravah_02::start::<100>().await),
        Some(pravah_04::start(pravah_04::hundred).await),
        Some(graph_flow::start::<100>().await),
    ];
    let ours = ours::start::<100>().await;
    table.row(3, "starting a run of a chain of 100", ours, peers);
}

pub async fn stored_steps(table: &mut Table) {
    let peers = [
        Some(pravah_02::stored_step::<0>(10).await),
        Some(pravah_04::stored_step(pravah_04::ten, 10).await),
        Some(graph_flow::stored_step::<0>(graph_flow::ten(), 10).await),
    ];
    let step = "a step, stored and restored before it, of a chain of";
    let ours = ours::stored_step::<0>(10).await;
    table.row(4, format!("{step} 10"), ours, peers);
    let peers = [
        Some(pravah_02::stored_step::<100>(100).await),
        Some(pravah_04::stored_step(pravah_04::hundred, 100).await),
        Some(graph_flow::stored_step::<100>(graph_flow::hundred(), 100).await),
    ];
    let ours = ours::stored_step::<100>(100).await;
    table.row(4, format!("{step} 100"), ours, peers);
}

/// The time of a clone where as many are made as a run has steps, and one is kept, as a run keeps its input.
async fn cloned(state: &Link<0>) -> f64 {
    let start = || state.clone();
    step_time(10, start, async |state| {
        let kept = state.clone();
        for _ in 1..10 {
            drop(black_box(state.clone()));
        }
        kept
    })
    .await
}

/// What a step by value costs for its payload, against one clone of it. Both are measured by turns, since
/// the machine is not always equally fast.
pub async fn clones() {
    println!("\nM14: what `work` costs over 16 B, ns\n| | over 16 B | a clone | ratio |");
    println!("|---|---|---|---|");
    let small = ours::by_value::<0>(10, 16).await;
    for (label, size) in SIZES {
        let state = state::<0>(size);
        let (mut step, mut clone) = (f64::MAX, f64::MAX);
        for _ in 0..5 {
            step = step.min(ours::by_value::<0>(10, size).await);
            clone = clone.min(cloned(&state).await);
        }
        let over = step - small;
        println!("| {label} | {over:.0} | {clone:.0} | {:.2} |", over / clone);
    }
}
