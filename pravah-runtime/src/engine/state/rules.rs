//! The nodes of a document that do not run: what follows from what others emitted, by their rules; and what rules
//! keep of an output.

use std::sync::Arc;

use super::{
    RunState,
    frame::{AT_ONCE, Fed, Frame},
    path::NodePath,
};
use crate::{
    graph::{Arrived, FailedBody, NodeIx, Rules, SlotIx},
    node::{Emission, Emitted},
    state::Live,
};

impl Frame {
    /// Takes away what a node with rules consumed, and puts in what it emits for what it returned, and what others emit
    /// that do not run then. Returns the net's output, if that was it.
    pub(super) fn fire_by_rules(
        &mut self,
        node: NodeIx,
        returned: Emitted,
        step: u64,
    ) -> Option<Live> {
        let emitted = match (self.rules_of(node), returned.0) {
            (Some(rules), Emission::Branch(_, live)) => rules.emit(live, self.arrived(node)),
            (_, other) => Emitted(other),
        };
        self.fire_emitted(node, emitted, step)
    }

    /// The same for what it emits.
    pub(crate) fn fire_emitted(
        &mut self,
        node: NodeIx,
        emitted: Emitted,
        step: u64,
    ) -> Option<Live> {
        let mut fed = Fed::new();
        let done = self.emit(node, emitted, step, &mut fed);
        done.or_else(|| self.pass(fed, step, true))
    }

    /// Whether the failures of the nodes in a node are none of it.
    pub(crate) fn hands_failures_on(&self, node: NodeIx) -> bool {
        let rules = &self.table.node(node).rules;
        rules
            .as_ref()
            .is_some_and(|rules| rules.rules.hands_failures_on())
    }

    /// What a node emits when it has failed, where something handles that.
    pub(crate) fn emission_of_failure(
        &self,
        node: NodeIx,
        failure: &FailedBody,
    ) -> Option<Emitted> {
        let rules = self.rules_of(node)?;
        rules.emit_failure(failure, self.arrived(node))
    }

    /// Lets a node emit what it does where it must not run.
    pub(crate) fn skip(&mut self, node: NodeIx, step: u64) -> Option<Live> {
        let emitted = self.rules_of(node)?.skip();
        self.fire_emitted(node, emitted, step)
    }

    /// Lets those nodes emit that do not run when a net starts. Its end is left to a step: where it starts nobody waits
    /// for what it returns.
    #[inline]
    pub(super) fn pass_at_start(&mut self, fed: Fed) {
        if !fed.is_empty() {
            self.pass(fed, AT_ONCE, false);
        }
    }

    /// Lets those nodes emit that do not run any more, now that the net is another one.
    pub(crate) fn pass_anew(&mut self, step: u64) {
        if !self.table.is_document() {
            return;
        }
        let ready = self.ready.keys().map(|(_, node)| *node);
        let fed = ready.filter(|node| !self.progress.has_begun(*node));
        let fed: Fed = fed.collect();
        self.pass(fed, step, false);
    }

    /// Lets those nodes emit that do not run, and those that follow from them.
    fn pass(&mut self, mut fed: Fed, step: u64, may_end: bool) -> Option<Live> {
        let mut next = 0;
        while let Some(node) = fed.get(next).copied() {
            next += 1;
            let mut outputs = self.table.node(node).outputs.iter();
            let is_end = outputs.any(|arc| arc.is_output);
            let Some(rules) = self.rules_of(node).filter(|_| may_end || !is_end) else {
                continue;
            };
            let ended = match is_end {
                true => Arc::clone(rules).pass_end(&mut self.latest),
                false => None,
            };
            let passed = || self.rules_of(node)?.pass(self.arrived(node));
            let Some(emitted) = ended.or_else(passed) else {
                continue;
            };
            if let Some(held) = self.still_held_by(node)
                && let Some(rules) = self.rules_of(held)
                && let Some(skipped) = rules.pass(self.arrived(node))
            {
                self.emit(held, skipped, step, &mut fed);
            }
            let done = self.emit(node, emitted, step, &mut fed);
            if done.is_some() {
                return done;
            }
        }
        None
    }

    /// Lets the node run that waits for a token that fired at `node`, if what came to this slot is the first, and
    /// returns it.
    pub(super) fn release_by(&mut self, node: NodeIx, slot: SlotIx, step: u64) -> Option<NodeIx> {
        let held = self.still_held_by(node)?;
        let token = self.tokens.get(&slot).map(|token| &token.live)?;
        let is_released = self.rules_of(node)?.has_fired(token);
        is_released.then(|| self.set_ready(held, step))?;
        Some(held)
    }

    /// The node that waits for a token that fires at `node`, if none has come.
    fn still_held_by(&self, node: NodeIx) -> Option<NodeIx> {
        let rules = self.table.node(node).rules.as_ref()?;
        let held = rules.releases?;
        (self.is_fed(held) && !self.is_ready(held)).then_some(held)
    }

    fn rules_of(&self, node: NodeIx) -> Option<&Arc<dyn Rules>> {
        let rules = self.table.node(node).rules.as_ref()?;
        Some(&rules.rules)
    }

    fn arrived(&self, node: NodeIx) -> Arrived<'_> {
        Arrived {
            slots: &self.table.node(node).slots,
            waiting: &self.tokens,
            latest: &self.latest,
        }
    }
}

impl RunState {
    /// Whether the node at `path` has rules, as those of documents do.
    #[inline]
    pub(crate) fn has_rules(&self, path: &NodePath) -> bool {
        // Only documents have rules; a flow in Rust need not look up the frame.
        self.root.table.is_document() && {
            let table = &self.frame(&path.frame).table;
            table.node(path.node).rules.is_some()
        }
    }

    /// Keeps what the rules of a node take out of its output.
    #[inline]
    pub(super) fn keep_value(&mut self, path: &NodePath, emitted: &Emitted) {
        if self.has_rules(path) {
            self.keep_value_slow(path, emitted);
        }
    }

    #[inline(never)]
    fn keep_value_slow(&mut self, path: &NodePath, emitted: &Emitted) {
        let entry = self.frame(&path.frame).table.node(path.node);
        let (Some(rules), Emission::Branch(_, output)) = (&entry.rules, &emitted.0) else {
            return;
        };
        if let Some((name, value)) = rules.rules.keeps(output) {
            self.values.insert(name, value.in_cell());
        }
    }
}
