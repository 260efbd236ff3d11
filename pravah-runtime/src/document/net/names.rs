//! What is kept in a net, and what bindings and conditions in it can name.

use pravah_document::{Member, Work};

use super::{
    Body, Captures, Frame, NetBuilder, Outer,
    roots::{ids_in, roots_in},
};
use crate::graph::{KeptState, LatestIx};

impl NetBuilder<'_, '_> {
    /// Gives everything a place that is kept in the net: what its start keeps first. Returns that, and what the net
    /// takes over from around it.
    pub(super) fn name_all(
        &mut self,
        frame: Frame<'_>,
        outer: Option<Outer<'_>>,
    ) -> (LatestIx, Captures) {
        let start = match frame {
            Frame::Flow => {
                let flow = self.keep("flow", false);
                self.names.kept.insert("flow".into(), flow);
                flow
            }
            Frame::Body(Body { region, names, .. }) => {
                let item = self.keep(&format!("{region}@item"), false);
                let names = names.iter().map(|name| (Box::from(*name), item));
                self.names.fields.extend(names);
                item
            }
        };
        let mut captures = Captures::new();
        let has_rounds = matches!(frame, Frame::Body(body) if body.has_rounds);
        for id in ids_in(self.graph) {
            let kept = self.keep(id, has_rounds);
            self.names.kept.insert(id.into(), kept);
            let outside = outer.and_then(|outer| outer.keys.get(id)).copied();
            if let Some(outside) = outside.filter(|_| has_rounds) {
                captures.push((outside, kept));
            }
        }
        self.keep_rounds();
        if let Some(outer) = outer {
            self.capture(outer, &mut captures);
        }
        (start, captures)
    }

    /// What the rounds of a loop leave for the next one is kept around it; only they can name it.
    fn keep_rounds(&mut self) {
        for member in &self.graph.members {
            if let Member::Node(node) = member
                && let Work::Loop { body, .. } = &node.work
            {
                for id in ids_in(body) {
                    self.keep(id, false);
                }
            }
        }
    }

    /// Takes over what is named in the net, or in a body in it, and is kept around it.
    fn capture(&mut self, outer: Outer<'_>, captures: &mut Captures) {
        for root in roots_in(self.graph) {
            if self.names.fields.contains_key(root) || self.names.kept.contains_key(root) {
                continue;
            }
            let field = outer.names.fields.get(root);
            let Some(outside) = field.or_else(|| outer.names.kept.get(root)) else {
                continue;
            };
            let kept = outer.latest.get(outside.0 as usize);
            let key = kept.map_or(root, |kept| &kept.key);
            let inner = match self.keys.get(key) {
                Some(known) => *known,
                None => {
                    let inner = self.keep(key, true);
                    captures.push((*outside, inner));
                    inner
                }
            };
            let names = match field {
                Some(_) => &mut self.names.fields,
                None => &mut self.names.kept,
            };
            names.insert(root.into(), inner);
        }
    }

    fn keep(&mut self, key: &str, is_captured: bool) -> LatestIx {
        let latest = LatestIx(u32::try_from(self.latest.len()).unwrap_or(u32::MAX));
        self.latest.push(KeptState {
            key: key.to_owned(),
            is_captured,
        });
        self.keys.insert(key.to_owned(), latest);
        latest
    }
}
