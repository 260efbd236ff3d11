//! Which net a flow is, as a hash of it.

use pravah_graph::Fingerprint;

use super::{
    super::{
        Name, NodeKind,
        flatten::{FlatArc, FlatNode},
    },
    Linker,
};
use crate::topology::ShapeKind;

impl Linker<'_> {
    /// Over the transitions in order: what they are, what they take, and where what they return goes.
    pub(super) fn fingerprint(&self) -> Fingerprint {
        let mut fingerprint = Fingerprint::builder();
        let targets = |name: &Name, arc: &FlatArc| self.targets(name, arc);
        for (index, node) in self.flat.nodes.iter().enumerate() {
            let FlatNode { spec, .. } = node;
            let kind = match (&spec.kind, spec.shape) {
                (NodeKind::Each(_), _) => "each",
                (NodeKind::Gate(_), _) => "gate",
                (NodeKind::Agent(_), _) => "agent",
                (NodeKind::Invoke(_), _) => "invoke",
                (NodeKind::Remote(_), _) => "remote",
                (_, ShapeKind::One) => "work",
                (_, ShapeKind::Choice) => "choice",
                (_, ShapeKind::Fork) => "fork",
            };
            let first = self
                .first_slots
                .get(index)
                .map_or(0, |first| *first as usize);
            let slots = self.slots.iter().skip(first).take(spec.params.len());
            let takes: Vec<String> = slots.map(|slot| slot.keys.join("|")).collect();
            let takes: Vec<&str> = takes.iter().map(|states| &**states).collect();
            let outputs = spec.outputs.iter().zip(&node.outputs);
            let outputs: Vec<String> = outputs.map(|(name, arc)| targets(name, arc)).collect();
            let outputs = outputs.iter().map(|name| &**name);
            fingerprint.transition(kind, takes.iter().copied(), outputs);
            if !spec.reads.is_empty() {
                let reads = spec.reads.iter().map(|state| &**state);
                fingerprint.transition("latest", reads, []);
            }
            let within = match &spec.kind {
                NodeKind::Each(each) => Some(&each.chain),
                kind => kind.team(),
            };
            if let Some(within) = within {
                fingerprint.nested(within.fingerprint());
            }
            if let Some(catch) = &spec.catch {
                fingerprint.transition("catch", takes, [&*targets(&catch.name, &node.catch)]);
            }
        }
        for scope in &self.flat.scopes {
            if scope.parent.is_some() {
                fingerprint.transition("flow", [&*scope.key], [&*scope.output]);
            }
            if let Some(catch) = &scope.catch {
                let caught = targets(&catch.name, &scope.catch_arc);
                fingerprint.transition("catch", [&*scope.entry], [&*caught]);
            }
        }
        fingerprint.finish()
    }

    /// The keys of the places where a state waits next; its name where it ends the flow.
    fn targets(&self, name: &Name, arc: &FlatArc) -> String {
        let Some(state) = self.state_by_key.get(&**name) else {
            return name.to_string();
        };
        let keys = self.places(&arc.to, *state).filter_map(|place| {
            let slot = self.slots.get(place.slot.0 as usize)?;
            slot.keys.get(place.branch as usize)
        });
        let keys: Vec<&str> = keys.map(|key| &**key).collect();
        match keys.is_empty() {
            true => name.to_string(),
            false => keys.join("&"),
        }
    }
}
