//! Soundness by its definition: every marking is visited.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use pravah_graph::{Firing, Net, NodeId, Place};

/// A safe marking.
pub(crate) type Marking = BTreeSet<Place>;

/// How many markings are visited before the net is given up as too large.
const LIMIT: usize = 3_000;

pub(crate) struct Verdict {
    pub(crate) sound: bool,
    /// The length of the shortest run into a deadlock.
    pub(crate) nearest_deadlock: Option<usize>,
}

/// None if the net has too many markings.
pub(crate) fn verdict(net: &Net) -> Option<Verdict> {
    let mut distance = BTreeMap::new();
    let mut reversed: BTreeMap<Marking, Vec<Marking>> = BTreeMap::new();
    let mut fired = BTreeSet::new();
    let mut safe = true;
    let mut nearest_deadlock = None;
    let start = start(net);
    distance.insert(start.clone(), 0);
    let mut open = VecDeque::from([start]);
    while let Some(marking) = open.pop_front() {
        if distance.len() > LIMIT {
            return None;
        }
        let steps = distance[&marking];
        let enabled = enabled(net, &marking);
        if enabled.is_empty() && !marking.contains(&Place::Done) {
            nearest_deadlock.get_or_insert(steps);
        }
        for firing in enabled {
            fired.insert(firing.node);
            let Ok(next) = fire(net, &marking, firing) else {
                safe = false;
                continue;
            };
            reversed
                .entry(next.clone())
                .or_default()
                .push(marking.clone());
            if !distance.contains_key(&next) {
                distance.insert(next.clone(), steps + 1);
                open.push_back(next);
            }
        }
    }
    let finished = Marking::from([Place::Done]);
    let mut can_finish = BTreeSet::from([finished.clone()]);
    let mut open = vec![finished.clone()];
    while let Some(marking) = open.pop() {
        for before in reversed.get(&marking).into_iter().flatten() {
            if can_finish.insert(before.clone()) {
                open.push(before.clone());
            }
        }
    }
    let sound = safe
        && distance.keys().all(|marking| can_finish.contains(marking))
        && distance
            .keys()
            .all(|m| !m.contains(&Place::Done) || *m == finished)
        && fired.len() == net.node_count();
    Some(Verdict {
        sound,
        nearest_deadlock,
    })
}

pub(crate) fn start(net: &Net) -> Marking {
    net.entry().into_iter().collect()
}

/// Every firing that is possible.
pub(crate) fn enabled(net: &Net, marking: &Marking) -> Vec<Firing> {
    let nodes = (0..net.node_count()).map(NodeId);
    let ready = nodes.filter(|&node| slots(net, node).all(|slot| marking.contains(&slot)));
    let firings = ready.flat_map(|node| {
        (0..net.outcomes(node).len()).map(move |outcome| Firing { node, outcome })
    });
    firings.collect()
}

/// The marking that follows, or the places that are marked twice.
pub(crate) fn fire(net: &Net, marking: &Marking, firing: Firing) -> Result<Marking, Vec<Place>> {
    let mut next = marking.clone();
    for slot in slots(net, firing.node) {
        assert!(next.remove(&slot), "{firing:?} is not possible");
    }
    let outputs = net.outcomes(firing.node)[firing.outcome].iter();
    let twice: Vec<Place> = outputs
        .filter(|&&place| !next.insert(place))
        .copied()
        .collect();
    if twice.is_empty() {
        Ok(next)
    } else {
        Err(twice)
    }
}

fn slots(net: &Net, node: NodeId) -> impl Iterator<Item = Place> {
    (0..net.slots(node)).map(move |slot| Place::Slot { node, slot })
}
