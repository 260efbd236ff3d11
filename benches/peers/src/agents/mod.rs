//! M5: an agent whose model calls one tool and then answers. Each crate gets a stub model that answers
//! immediately.

pub mod graph_flow;
pub mod ours;
mod pravah_02;
mod pravah_04;

use crate::table::Table;

pub async fn turns(table: &mut Table) {
    let peers = [
        Some(pravah_02::turn().await),
        Some(pravah_04::turn().await),
        Some(graph_flow::turn().await),
    ];
    let what = "an agent with one tool call";
    table.row(
        5,
        format!("{what}, hand-written client"),
        ours::turn().await,
        peers,
    );
    table.row(
        5,
        format!("{what}, `ScriptedModel`"),
        ours::scripted().await,
        peers,
    );
}

pub async fn by_hand() {
    println!("\nM5: the same by hand, {:.0} ns", ours::by_hand().await);
}
