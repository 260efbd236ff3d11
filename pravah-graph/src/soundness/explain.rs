//! The explanation: a bounded breadth-first search for a run that goes wrong, and where
//! the net is too large for it, a bounded number of steps at random.
//!
//! From each marking one node that can fire is enough, with all its outcomes: what it
//! takes nobody else can take, so every run into a deadlock fires it some time, and can
//! as well fire it now. So the first deadlock found has the shortest run, and parallel
//! branches do not multiply. Only where all successors are known the other nodes fire
//! too, so that a loop in one branch does not hide what goes wrong in another.
//!
//! No other kind of finding is needed. If no run deadlocks, leaves something behind or
//! overwrites, take the markings that a run which never finishes comes back to for
//! ever. Whatever is marked there is taken again, so the nodes that fire there lead to
//! no others, and no path leads from them to done: the structure showed that already.

use std::collections::BTreeSet;
use std::ops::Range;
use std::rc::Rc;

use super::{Finding, replay};
use crate::numbering::{Numbering, hash};
use crate::{Firing, Net, NodeId};

/// How much each search may look at, in places; a marking counts as [`VISIT`] besides its
/// own. Keeps a search within some twenty milliseconds without optimisation.
const BUDGET: usize = 1_200_000;
const VISIT: usize = 60;

/// The first thing that goes wrong, unless the budget is used up before.
pub(super) fn search(net: &Net) -> Option<Finding> {
    let numbering = Numbering::new(net);
    let entry = numbering.number(net.entry()?);
    let start = Marking {
        key: hash(entry),
        places: Rc::new([entry]),
    };
    let visits = Vec::new();
    let mut search = Search {
        net,
        numbering,
        visits,
        known: BTreeSet::new(),
        spent: 0,
    };
    search
        .breadth_first(start.clone())
        .or_else(|| search.wander(start))
}

#[derive(Clone, PartialEq)]
struct Marking {
    /// The sum over the places of [`hash`].
    key: u64,
    /// Ascending.
    places: Rc<[u32]>,
}

struct Search<'a> {
    net: &'a Net,
    numbering: Numbering,
    visits: Vec<Visit>,
    /// The visits, by the key of their marking.
    known: BTreeSet<(u64, usize)>,
    spent: usize,
}

struct Visit {
    marking: Marking,
    /// The visit that it was reached from, and how.
    reached: Option<(usize, Firing)>,
}

impl Search<'_> {
    /// Answers whether the marking is new.
    fn visit(&mut self, marking: Marking, reached: Option<(usize, Firing)>) -> bool {
        self.spent += VISIT + marking.places.len();
        let mut alike = self
            .known
            .range((marking.key, 0)..=(marking.key, usize::MAX));
        if alike.any(|&(_, at)| self.visits.get(at).is_some_and(|it| it.marking == marking)) {
            return false;
        }
        self.known.insert((marking.key, self.visits.len()));
        self.visits.push(Visit { marking, reached });
        true
    }

    fn breadth_first(&mut self, start: Marking) -> Option<Finding> {
        self.visit(start, None);
        let mut next = 0;
        while self.spent <= BUDGET && next < self.visits.len() {
            if let Some(finding) = self.expand(next) {
                return Some(finding);
            }
            next += 1;
        }
        None
    }

    /// Runs from the start again and again, and chooses outcomes as by dice. The visits
    /// are the run; where it comes back to a marking, the circle is cut out.
    fn wander(&mut self, start: Marking) -> Option<Finding> {
        self.restart();
        self.spent = 0;
        let mut throws = 0;
        while self.spent <= BUDGET {
            let Some(here) = self.visits.last().map(|visit| visit.marking.clone()) else {
                self.visit(start.clone(), None);
                continue;
            };
            let at = self.visits.len() - 1;
            let Some((node, held)) = self.next_enabled(&here, 0) else {
                if let Some(deadlock) = self.deadlock(at) {
                    return Some(deadlock);
                }
                self.restart();
                continue;
            };
            throws += 1;
            let outcome = hash(throws) as usize % self.net.outcomes(node).len();
            let firing = Firing { node, outcome };
            let Some(next) = self.fire(&here, firing, held) else {
                return replay::shorten(self.net, self.run(at, Some(firing)));
            };
            if !self.visit(next.clone(), Some((at, firing))) {
                while let Some(visit) = self.visits.pop_if(|visit| visit.marking != next) {
                    self.known.remove(&(visit.marking.key, self.visits.len()));
                }
            }
        }
        None
    }

    fn restart(&mut self) {
        self.visits.clear();
        self.known.clear();
    }

    fn expand(&mut self, at: usize) -> Option<Finding> {
        let marking = self.visits.get(at)?.marking.clone();
        let mut from = 0;
        let mut idle = true;
        while let Some((node, held)) = self.next_enabled(&marking, from) {
            from = held.end;
            idle = false;
            let mut new = false;
            for outcome in 0..self.net.outcomes(node).len() {
                let firing = Firing { node, outcome };
                match self.fire(&marking, firing, held.clone()) {
                    Some(next) => new |= self.visit(next, Some((at, firing))),
                    None => return replay::shorten(self.net, self.run(at, Some(firing))),
                }
            }
            if new {
                return None;
            }
        }
        if idle { self.deadlock(at) } else { None }
    }

    /// Where nothing can fire: a deadlock, unless the run is over.
    fn deadlock(&self, at: usize) -> Option<Finding> {
        let places = &self.visits.get(at)?.marking.places;
        let marked = places
            .iter()
            .map(|&place| self.numbering.place(place))
            .collect();
        let over = places.last() == Some(&self.numbering.done());
        (!over).then(|| Finding::Deadlock {
            run: self.run(at, None),
            marked,
        })
    }

    /// The first node from there on that holds all its slots, and where they are.
    fn next_enabled(&self, marking: &Marking, from: usize) -> Option<(NodeId, Range<usize>)> {
        let mut held = from..from;
        while let Some(&place) = marking.places.get(held.start) {
            let node = self.numbering.owner(place);
            let slots = self.net.slots(NodeId(node as usize));
            while marking
                .places
                .get(held.end)
                .map(|&it| self.numbering.owner(it))
                == Some(node)
            {
                held.end += 1;
            }
            if held.len() == slots {
                return Some((NodeId(node as usize), held));
            }
            held.start = held.end;
        }
        None
    }

    /// The marking that follows, unless something goes wrong.
    fn fire(&self, before: &Marking, firing: Firing, held: Range<usize>) -> Option<Marking> {
        let mut key = before.key;
        let mut places = before.places.to_vec();
        for place in places.drain(held) {
            key = key.wrapping_sub(hash(place));
        }
        for &output in self.net.outcomes(firing.node).get(firing.outcome)? {
            let place = self.numbering.number(output);
            let Err(at) = places.binary_search(&place) else {
                return None;
            };
            places.insert(at, place);
            key = key.wrapping_add(hash(place));
        }
        let too_early = places.len() > 1 && places.last() == Some(&self.numbering.done());
        (!too_early).then(|| Marking {
            key,
            places: places.into(),
        })
    }

    /// The firings that lead to a visit, and one more.
    fn run(&self, at: usize, last: Option<Firing>) -> Vec<Firing> {
        let mut run: Vec<Firing> = last.into_iter().collect();
        let mut visit = self.visits.get(at);
        while let Some((before, firing)) = visit.and_then(|visit| visit.reached) {
            run.push(firing);
            visit = self.visits.get(before);
        }
        run.reverse();
        run
    }
}
