//! What a node of a document does besides its body: whether it runs at all, and which of its edges fire.
//!
//! Every edge of a document carries one token, which says whether it fired; so all that waits for a node comes, and
//! what it does with that are its rules.

use std::sync::Arc;

use serde_json::Value;

use super::{NodeIx, SlotIx};
use crate::{
    events::EventKind,
    model::Usage,
    node::{Emission, Emitted, FailureKind, LatestStates, Tokens},
    state::Live,
};

/// The rules of a node, and what it has to do with others.
#[derive(Clone)]
pub(crate) struct NodeRules {
    pub(crate) rules: Arc<dyn Rules>,
    /// The node that may run as soon as a token that fired comes here.
    pub(crate) releases: Option<NodeIx>,
    /// Whether it is such a node, which waits for that though its own state is there.
    pub(crate) is_held: bool,
    /// The nodes that are over once it has run.
    pub(crate) cancels: Vec<NodeIx>,
}

/// What a node of a document emits.
pub(crate) trait Rules: Send + Sync {
    /// What it emits without running, now that all it waits for is there; `None` where it is to run.
    fn pass(&self, arrived: Arrived<'_>) -> Option<Emitted>;

    /// Like [`pass`](Self::pass), but for the end of the net. Nothing reads the kept states afterwards, so an
    /// implementation may move them out instead of cloning them. With `None` the engine calls `pass`, and `kept` must
    /// be unchanged.
    fn pass_end(&self, _kept: &mut LatestStates) -> Option<Emitted> {
        None
    }

    /// What it emits where it must not run.
    fn skip(&self) -> Emitted {
        Emitted(Emission::All(Vec::new()))
    }

    /// What it emits when its body has returned this.
    fn emit(&self, output: Live, _arrived: Arrived<'_>) -> Emitted {
        Emitted::only(output)
    }

    /// What it emits when it has failed, with nothing left to try; `None` where nothing handles that.
    fn emit_failure(&self, _failure: &FailedBody, _arrived: Arrived<'_>) -> Option<Emitted> {
        None
    }

    /// Whether another attempt may come to something else, where the failure itself does not say that it cannot.
    fn may_be_retried(&self) -> bool {
        true
    }

    /// Whether the failures of the nodes in it are none of it: what they leave is what it returns.
    fn hands_failures_on(&self) -> bool {
        false
    }

    /// What an output, or an outcome that is kept, is to whoever watches the run.
    fn shown(&self, _live: &Live) -> Option<Value> {
        None
    }

    /// What its agent has returned, for which models used so many tokens.
    fn with_usage(&self, output: Live, _usage: Usage) -> Live {
        output
    }

    /// What it tells whoever watches the run when its body has returned this.
    fn says(&self, _output: &Live) -> Option<EventKind> {
        None
    }

    /// What it keeps for the run when its body has returned this, and under which name.
    fn keeps(&self, _output: &Live) -> Option<(Arc<str>, Live)> {
        None
    }

    /// Whether what came says that its edge fired.
    fn has_fired(&self, _token: &Live) -> bool {
        true
    }
}

/// What the rules of a node look at.
#[cfg_attr(
    not(feature = "documents"),
    allow(dead_code, reason = "only documents look at all of it")
)]
#[derive(Clone, Copy)]
pub(crate) struct Arrived<'a> {
    pub(crate) slots: &'a [SlotIx],
    pub(crate) waiting: &'a Tokens,
    /// What has become of other nodes.
    pub(crate) latest: &'a LatestStates,
}

#[cfg(feature = "documents")]
impl<'a> Arrived<'a> {
    /// What waits for the node, in the order of its edges.
    pub(crate) fn tokens(self) -> impl Iterator<Item = &'a Live> {
        let tokens = self
            .slots
            .iter()
            .filter_map(move |slot| self.waiting.get(slot));
        tokens.map(|token| &token.live)
    }
}

/// Why a body failed.
#[cfg_attr(
    not(feature = "documents"),
    allow(dead_code, reason = "only documents look at all of it")
)]
pub(crate) struct FailedBody {
    pub(crate) kind: FailureKind,
    /// Whether another attempt may come to something else.
    pub(crate) is_retryable: bool,
    /// In words that may become part of a prompt.
    pub(crate) message: String,
    pub(crate) attempts: u32,
}
