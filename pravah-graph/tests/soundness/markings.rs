//! Which markings can finish, by the definition: every marking from there on is visited.

use std::collections::{HashMap, HashSet};

use pravah_graph::{Firing, Net, NodeId, Place};

use crate::generate::Dice;

/// How many markings are visited before one is given up as too large.
const LIMIT: usize = 2_000;

/// How many tokens each place of a net has, in the order of [`Space::places`].
pub(crate) type Tokens = Vec<u16>;

/// A net, ready to be fired from any marking.
pub(crate) struct Space {
    /// All of them, done last.
    pub(crate) places: Vec<Place>,
    transitions: Vec<Transition>,
    /// Parts of the net that can be emptied whenever something is marked there; a place outside is marked
    /// then.
    pub(crate) scopes: Vec<(Vec<usize>, usize)>,
}

struct Transition {
    firing: Firing,
    takes: Vec<usize>,
    marks: Vec<usize>,
}

/// The markings that can be reached from one.
pub(crate) struct Reached {
    pub(crate) markings: HashSet<Tokens>,
    /// From which marking a firing leads to which.
    pub(crate) firings: Vec<(Tokens, Firing, Tokens)>,
}

impl Space {
    pub(crate) fn new(net: &Net) -> Self {
        let nodes = || (0..net.node_count()).map(NodeId);
        let mut places: Vec<Place> = nodes().flat_map(|node| slots(net, node)).collect();
        places.push(Place::Done);
        let number = |place: &Place| places.binary_search(place).unwrap();
        let transition = |node, outcome: usize| Transition {
            firing: Firing { node, outcome },
            takes: slots(net, node).map(|slot| number(&slot)).collect(),
            marks: net.outcomes(node)[outcome].iter().map(number).collect(),
        };
        let transitions = nodes().flat_map(|node| {
            (0..net.outcomes(node).len()).map(move |outcome| transition(node, outcome))
        });
        Self {
            transitions: transitions.collect(),
            places,
            scopes: Vec::new(),
        }
    }

    pub(crate) fn tokens(&self, marked: impl IntoIterator<Item = Place>) -> Tokens {
        let mut tokens = vec![0; self.places.len()];
        for place in marked {
            tokens[self.places.binary_search(&place).unwrap()] += 1;
        }
        tokens
    }

    pub(crate) fn marked(&self, tokens: &Tokens) -> Vec<Place> {
        let counted = self.places.iter().zip(tokens);
        counted
            .flat_map(|(place, &count)| vec![*place; count.into()])
            .collect()
    }

    fn done(&self) -> usize {
        self.places.len() - 1
    }

    /// Everything that can be reached; `None` if that is too much to visit.
    pub(crate) fn reached(&self, start: &Tokens) -> Option<Reached> {
        let mut markings = HashSet::from([start.clone()]);
        let mut firings = Vec::new();
        let mut open = vec![start.clone()];
        while let Some(tokens) = open.pop() {
            let fired = self.fired(&tokens);
            let next = fired.iter().map(|(_, next)| next.clone());
            for next in next.chain(self.emptied(&tokens)) {
                if markings.insert(next.clone()) {
                    open.push(next);
                }
            }
            let fired = fired.into_iter();
            firings.extend(fired.map(|(firing, next)| (tokens.clone(), firing, next)));
            if markings.len() > LIMIT {
                return None;
            }
        }
        Some(Reached { markings, firings })
    }

    /// Whether every run from here can end with done alone, and marks it only so; `None` if that is too
    /// much to visit.
    pub(crate) fn can_finish(&self, start: &Tokens) -> Option<bool> {
        let reached = self.reached(start)?;
        let finished = self.tokens([Place::Done]);
        let is_over = |tokens: &Tokens| tokens[self.done()] > 0;
        if reached
            .markings
            .iter()
            .any(|it| is_over(it) && *it != finished)
        {
            return Some(false);
        }
        let mut before: HashMap<&Tokens, Vec<&Tokens>> = HashMap::new();
        for (earlier, _, later) in &reached.firings {
            before.entry(later).or_default().push(earlier);
        }
        let mut can = HashSet::from([&finished]);
        let mut open = vec![&finished];
        while let Some(tokens) = open.pop() {
            for &earlier in before.get(tokens).into_iter().flatten() {
                if can.insert(earlier) {
                    open.push(earlier);
                }
            }
        }
        Some(reached.markings.iter().all(|it| can.contains(it)))
    }

    fn fired(&self, tokens: &Tokens) -> Vec<(Firing, Tokens)> {
        let is_possible = |it: &&Transition| it.takes.iter().all(|&place| tokens[place] > 0);
        let fire = |transition: &Transition| {
            let mut next = tokens.clone();
            transition.takes.iter().for_each(|&place| next[place] -= 1);
            transition.marks.iter().for_each(|&place| next[place] += 1);
            (transition.firing, next)
        };
        self.transitions
            .iter()
            .filter(is_possible)
            .map(fire)
            .collect()
    }

    fn emptied(&self, tokens: &Tokens) -> Vec<Tokens> {
        let is_started =
            |(inside, _): &&(Vec<usize>, usize)| inside.iter().any(|&it| tokens[it] > 0);
        let empty = |(inside, handler): &(Vec<usize>, usize)| {
            let mut next = tokens.clone();
            inside.iter().for_each(|&place| next[place] = 0);
            next[*handler] += 1;
            next
        };
        self.scopes.iter().filter(is_started).map(empty).collect()
    }

    /// Markings to try: in small nets all with up to two tokens in each place, in larger ones all with up to
    /// two tokens, and some that a run reaches, as they are or with a few tokens more, fewer or moved.
    pub(crate) fn candidates(&self, start: Place, dice: &mut Dice) -> Vec<Tokens> {
        let mut all = vec![vec![0; self.places.len()]];
        let (each, total) = if self.places.len() > 5 {
            (2, 2)
        } else {
            (2, 2 * self.places.len())
        };
        for place in 0..self.places.len() {
            let more = |tokens: &Tokens| {
                let most =
                    each.min(total - tokens.iter().map(|&it| usize::from(it)).sum::<usize>());
                let with = |count| {
                    let mut tokens = tokens.clone();
                    tokens[place] = count as u16;
                    tokens
                };
                (0..=most).map(with).collect::<Vec<_>>()
            };
            all = all.iter().flat_map(more).collect();
        }
        let mut tokens = self.tokens([start]);
        for _ in 0..20 {
            let mut changed = tokens.clone();
            for _ in 0..dice.below(4) {
                self.change(&mut changed, dice);
            }
            all.push(changed);
            let fired = self.fired(&tokens);
            tokens = match fired.get(dice.below(fired.len())) {
                Some((_, next)) => next.clone(),
                None => self.tokens([start]),
            };
        }
        all
    }

    fn change(&self, tokens: &mut Tokens, dice: &mut Dice) {
        let kind = dice.below(3);
        if kind != 0 {
            let filled: Vec<usize> = (0..tokens.len()).filter(|&it| tokens[it] > 0).collect();
            if let Some(&place) = filled.get(dice.below(filled.len())) {
                tokens[place] -= 1;
            }
        }
        if kind != 1 {
            tokens[dice.below(self.places.len())] += 1;
        }
    }
}

pub(crate) fn slots(net: &Net, node: NodeId) -> impl Iterator<Item = Place> {
    (0..net.slots(node)).map(move |slot| Place::Slot { node, slot })
}
