//! What bindings and conditions name, and where a run has it.

use std::{collections::BTreeMap, sync::Arc};

use pravah_document::Scope;
use serde_json::Value;
use smallvec::SmallVec;

use super::outcome::Outcome;
use crate::{
    graph::LatestIx,
    node::{LatestState, LatestStates},
    state::Live,
};

/// Where a frame keeps what can be named in it.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    /// The outputs of nodes, and the flow's input.
    pub(super) kept: BTreeMap<Box<str>, LatestIx>,
    /// What a body has for its items: a field of what is kept there.
    pub(super) fields: BTreeMap<Box<str>, LatestIx>,
}

impl Names {
    /// Where these names lead, of those that lead anywhere.
    pub(super) fn references<'a>(&self, roots: impl IntoIterator<Item = &'a str>) -> References {
        let reference = |name: &str| {
            let field = self.fields.get(name).map(|latest| (*latest, true));
            let kept = || self.kept.get(name).map(|latest| (*latest, false));
            let (latest, is_field) = field.or_else(kept)?;
            Some(Reference {
                name: name.into(),
                latest,
                is_field,
            })
        };
        let mut references: Vec<Reference> = roots.into_iter().filter_map(reference).collect();
        references.sort_by(|one, other| one.name.cmp(&other.name));
        references.dedup_by(|one, other| one.name == other.name);
        References(references)
    }
}

/// What a template or a condition names, sorted.
#[derive(Clone, Debug, Default)]
pub(super) struct References(Vec<Reference>);

#[derive(Clone, Debug)]
struct Reference {
    name: Box<str>,
    latest: LatestIx,
    is_field: bool,
}

impl References {
    /// What is there of it.
    pub(super) fn values<'a>(&'a self, latest: &LatestStates) -> Values<'a> {
        let mut held = SmallVec::new();
        for Reference {
            name,
            latest: kept,
            is_field,
        } in &self.0
        {
            if let Some(outcome) = latest.get(kept).and_then(outcome) {
                held.push((&**name, outcome, *is_field));
            }
        }
        Values {
            held,
            own: Vec::new(),
        }
    }
}

/// Values by the names of a document.
pub(super) struct Values<'a> {
    held: SmallVec<[(&'a str, Arc<Outcome>, bool); 4]>,
    /// What is named here alone, before all others.
    own: Vec<(&'a str, &'a Value)>,
}

impl<'a> Values<'a> {
    /// The same, where `name` is this value.
    pub(super) fn with(mut self, name: &'a str, value: &'a Value) -> Self {
        self.own.push((name, value));
        self
    }
}

impl Scope for Values<'_> {
    fn get(&self, name: &str) -> Option<&Value> {
        let mut own = self.own.iter();
        if let Some((_, value)) = own.find(|(known, _)| *known == name) {
            return Some(value);
        }
        let place = self.held.binary_search_by(|(known, ..)| (*known).cmp(name));
        let (_, outcome, is_field) = self.held.get(place.ok()?)?;
        match is_field {
            true => outcome.value().get(name),
            false => Some(outcome.value()),
        }
    }
}

/// What has become of a node, as it is kept.
pub(super) fn outcome(kept: &LatestState) -> Option<Arc<Outcome>> {
    outcome_in(&kept.live)
}

/// The same of any state.
pub(super) fn outcome_in(live: &Live) -> Option<Arc<Outcome>> {
    // What a snapshot has is read when it is loaded.
    live.get().ok()
}
