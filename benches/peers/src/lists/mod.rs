//! M10 and M12: a list whose items count one up, in one step each. `graph-flow` and pravah 0.2.0 have no lists: there a
//! node takes one item off a list and puts it on another, and goes on with itself while there are more.

pub mod graph_flow;
pub mod ours;
mod pravah_02;
mod pravah_04;

use crate::table::Table;

pub async fn items(table: &mut Table) {
    for (items, label) in [(100, "100"), (1_000, "1,000"), (10_000, "10,000")] {
        let peers = [
            Some(pravah_02::item(items).await),
            Some(pravah_04::item(items).await),
            Some(graph_flow::item(items).await),
        ];
        let what = format!("an item of a list of {label}");
        table.row(10, what, ours::item(items).await, peers);
    }
}

/// What a step costs that is saved.
#[derive(Clone, Copy)]
pub struct Saved {
    bytes: f64,
    time: f64,
}

/// The peers save the whole run at each step, of which the first twenty are measured: all take as much.
const PEERS_STEPS: u64 = 20;

pub async fn saved_steps(table: &mut Table) {
    for (items, label) in [(10, "10"), (1_000, "1,000"), (100_000, "100,000")] {
        let ours = ours::saved_step(items).await;
        let peers = [
            pravah_02::saved_step(items).await,
            pravah_04::saved_step(items).await,
            graph_flow::saved_step(items).await,
        ];
        let what = format!("a saved step of a list of {label}");
        let bytes = peers.map(|saved: Saved| Some(saved.bytes));
        table.row(12, format!("{what}, bytes"), ours.bytes, bytes);
        let time = peers.map(|saved| Some(saved.time));
        table.beside(12, what, ours.time, time);
    }
}
