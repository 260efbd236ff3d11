//! Replays a run that goes wrong, and leaves out what has nothing to do with it.

use std::collections::BTreeMap;

use super::Finding;
use crate::{Firing, Net, Place};

/// The finding at the end of a run that overwrites a place or marks done too early.
///
/// Firings that neither the culprit nor its victim depends on are left out. What is
/// left may go wrong sooner, now that less is taken away, so this is repeated until
/// nothing changes. None if nothing goes wrong.
pub(super) fn shorten(net: &Net, mut run: Vec<Firing>) -> Option<Finding> {
    loop {
        let mishap = replay(net, &run)?;
        if mishap.needed.len() == run.len() {
            return Some(match mishap.kind {
                Kind::LeftBehind(remaining) => Finding::LeftBehind { run, remaining },
                Kind::Overwritten(place) => Finding::Overwritten { run, place },
            });
        }
        run = mishap.needed;
    }
}

struct Mishap {
    kind: Kind,
    /// The firings that it takes, in order.
    needed: Vec<Firing>,
}

enum Kind {
    LeftBehind(Vec<Place>),
    Overwritten(Place),
}

/// What is marked, and which firing marked it; none did for the entry.
type Tokens = BTreeMap<Place, Option<usize>>;

fn replay(net: &Net, run: &[Firing]) -> Option<Mishap> {
    let mut tokens: Tokens = net.entry().map(|place| (place, None)).into_iter().collect();
    let mut causes: Vec<Vec<usize>> = Vec::new();
    for (at, &firing) in run.iter().enumerate() {
        let Firing { node, outcome } = firing;
        let slots = (0..net.slots(node)).map(|slot| Place::Slot { node, slot });
        causes.push(slots.filter_map(|slot| tokens.remove(&slot)?).collect());
        for &place in net.outcomes(node).get(outcome)? {
            if let Some(before) = tokens.insert(place, Some(at)) {
                let kind = match place {
                    Place::Done => Kind::LeftBehind(beside_done(&tokens, true)),
                    Place::Slot { .. } => Kind::Overwritten(place),
                };
                let ends = before.into_iter().chain([at]).collect();
                return Some(Mishap {
                    kind,
                    needed: past(run, &causes, ends),
                });
            }
        }
        if tokens.len() > 1 && tokens.contains_key(&Place::Done) {
            let kind = Kind::LeftBehind(beside_done(&tokens, false));
            return Some(Mishap {
                kind,
                needed: past(run, &causes, vec![at]),
            });
        }
    }
    None
}

fn beside_done(tokens: &Tokens, twice: bool) -> Vec<Place> {
    let places = tokens.keys().copied();
    places
        .filter(|&place| twice || place != Place::Done)
        .collect()
}

/// The firings that `open` depends on, and those themselves.
fn past(run: &[Firing], causes: &[Vec<usize>], mut open: Vec<usize>) -> Vec<Firing> {
    let mut needed = vec![false; run.len()];
    while let Some(at) = open.pop() {
        if let Some(needed @ false) = needed.get_mut(at) {
            *needed = true;
            open.extend(causes.get(at).into_iter().flatten());
        }
    }
    let firings = run.iter().zip(needed);
    firings
        .filter_map(|(&firing, needed)| needed.then_some(firing))
        .collect()
}
