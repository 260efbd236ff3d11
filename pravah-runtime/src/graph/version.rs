//! Which nodes a version of a flow has.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{FlowGraph, Table};

/// The nodes of one version of a flow, so that later versions can say what they add and leave out: keep it
/// with the release, as JSON, and hand it to [`LoadOptions::with_version`](crate::LoadOptions::with_version).
///
/// A node appears as the first state that it takes, as it does in snapshots; those of a list's chain follow
/// the list: `Each_of_Draft/Draft`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct FlowVersion {
    /// Its [`FlowGraph::fingerprint`], which its snapshots carry.
    pub fingerprint: String,
    /// Its nodes.
    pub nodes: BTreeSet<String>,
}

impl FlowGraph {
    /// The nodes of this version of the flow.
    ///
    /// ```
    /// use pravah_runtime::prelude::*;
    ///
    /// #[state] struct Order { cups: u32 }
    /// #[state] struct Brewed { cups: u32 }
    /// #[state] struct Served { cups: u32 }
    /// #[node] fn brew(order: Order) -> Brewed { Brewed { cups: order.cups } }
    /// #[node] fn serve(brewed: &Brewed) -> Served { Served { cups: brewed.cups } }
    /// #[flow] fn coffee(order: Order) -> Served { flow! { brew -> serve } }
    ///
    /// let version = coffee::graph()?.version();
    /// assert!(version.nodes.iter().eq(["Brewed", "Order"]));
    /// # Ok::<(), FlowError>(())
    /// ```
    pub fn version(&self) -> FlowVersion {
        FlowVersion {
            fingerprint: self.table.fingerprint_text.clone(),
            nodes: self.table.node_keys(),
        }
    }
}

impl Table {
    /// The keys of all nodes, those in lists included.
    pub(crate) fn node_keys(&self) -> BTreeSet<String> {
        let mut keys = BTreeSet::new();
        self.add_node_keys("", &mut keys);
        keys
    }

    fn add_node_keys(&self, around: &str, keys: &mut BTreeSet<String>) {
        for (key, node) in &self.node_by_key {
            let key = format!("{around}{key}");
            if let Some(chain) = self.chain(*node) {
                chain.add_node_keys(&format!("{key}/"), keys);
            }
            keys.insert(key);
        }
    }
}
