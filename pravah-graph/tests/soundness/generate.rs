//! Random nets: sound ones by refinement, unsound ones by mutation, and any at all.

use pravah_graph::{Net, NodeId, Place};

/// A net that can still be changed.
#[derive(Clone, Debug)]
pub(crate) struct Draft {
    pub(crate) entry: Place,
    pub(crate) nodes: Vec<DraftNode>,
}

#[derive(Clone, Debug)]
pub(crate) struct DraftNode {
    pub(crate) slots: usize,
    pub(crate) outcomes: Vec<Vec<Place>>,
}

/// Numbers to decide by, drawn from a seed (xorshift64*).
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number below `bound`, or zero.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let bits = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32;
        (bits as usize) % bound.max(1)
    }

    fn coin(&mut self) -> bool {
        self.below(2) == 0
    }
}

fn slot(node: usize, slot: usize) -> Place {
    Place::Slot {
        node: NodeId(node),
        slot,
    }
}

impl Draft {
    pub(crate) fn net(&self) -> Net {
        let mut net = Net::new();
        for node in &self.nodes {
            net.add_node(node.slots);
        }
        for (id, node) in self.nodes.iter().enumerate() {
            for outputs in &node.outcomes {
                net.add_outcome(NodeId(id), outputs.clone());
            }
        }
        net.set_entry(self.entry);
        net
    }

    /// A sound net of about `size` nodes.
    pub(crate) fn sound(dice: &mut Dice, size: usize) -> Self {
        let states = 1 + dice.below(size.min(4));
        let mut draft = Self::state_machine(dice, states);
        while draft.nodes.len() < size {
            draft.refine(dice);
        }
        draft
    }

    /// Nodes of one slot without forks; everything is reachable and reaches done.
    fn state_machine(dice: &mut Dice, size: usize) -> Self {
        let mut nodes = vec![
            DraftNode {
                slots: 1,
                outcomes: Vec::new()
            };
            size
        ];
        for id in 0..size {
            // From before, so that it is reachable, and onwards, so that it ends.
            if id > 0 {
                let from = dice.below(id);
                nodes[from].outcomes.push(vec![slot(id, 0)]);
            }
            let onwards = id + 1 + dice.below(size - id);
            let target = if onwards < size {
                slot(onwards, 0)
            } else {
                Place::Done
            };
            nodes[id].outcomes.push(vec![target]);
        }
        for _ in 0..dice.below(size + 1) {
            let (from, to) = (dice.below(size), dice.below(size));
            nodes[from].outcomes.push(vec![slot(to, 0)]);
        }
        Self {
            entry: slot(0, 0),
            nodes,
        }
    }

    /// One step that keeps a sound net sound: the reduction rules, backwards.
    pub(crate) fn refine(&mut self, dice: &mut Dice) {
        match dice.below(12) {
            0..3 => self.insert_before_a_place(dice),
            3..6 => self.insert_into_an_outcome(dice),
            6..8 => self.split_a_slot(dice),
            8 | 9 => self.gather_outcomes(dice),
            10 => {
                let node = dice.below(self.nodes.len());
                let outcome =
                    self.nodes[node].outcomes[dice.below(self.nodes[node].outcomes.len())].clone();
                self.nodes[node].outcomes.push(outcome);
            }
            _ => {
                let node = dice.below(self.nodes.len());
                let slots = (0..self.nodes[node].slots)
                    .map(|at| slot(node, at))
                    .collect();
                self.nodes[node].outcomes.push(slots);
            }
        }
    }

    /// A new node in front of a place, for some of the arcs that lead there.
    fn insert_before_a_place(&mut self, dice: &mut Dice) {
        let new = self.nodes.len();
        let node = dice.below(new + 1);
        let place = if node == new {
            Place::Done
        } else {
            slot(node, dice.below(self.nodes[node].slots))
        };
        let mut moved = false;
        if self.entry == place && dice.coin() {
            self.entry = slot(new, 0);
            moved = true;
        }
        for output in self
            .nodes
            .iter_mut()
            .flat_map(|node| node.outcomes.iter_mut().flatten())
        {
            if *output == place && dice.coin() {
                *output = slot(new, 0);
                moved = true;
            }
        }
        if moved {
            self.nodes.push(DraftNode {
                slots: 1,
                outcomes: vec![vec![place]],
            });
        }
    }

    /// Some of what an outcome marks is left to a new node, which may be a join.
    fn insert_into_an_outcome(&mut self, dice: &mut Dice) {
        let new = self.nodes.len();
        let node = dice.below(new);
        let choice = dice.below(self.nodes[node].outcomes.len());
        let outputs = std::mem::take(&mut self.nodes[node].outcomes[choice]);
        let (mut later, mut kept): (Vec<Place>, Vec<Place>) =
            outputs.into_iter().partition(|_| dice.coin());
        if later.is_empty() {
            later.extend(kept.pop());
        }
        let slots = 1 + dice.below(3);
        kept.extend((0..slots).map(|at| slot(new, at)));
        self.nodes[node].outcomes[choice] = kept;
        self.nodes.push(DraftNode {
            slots,
            outcomes: vec![later],
        });
    }

    /// A second slot beside one, marked by whatever marks that.
    fn split_a_slot(&mut self, dice: &mut Dice) {
        let node = dice.below(self.nodes.len());
        let old = slot(node, dice.below(self.nodes[node].slots));
        if self.entry == old {
            return;
        }
        let new = slot(node, self.nodes[node].slots);
        self.nodes[node].slots += 1;
        for outputs in self
            .nodes
            .iter_mut()
            .flat_map(|node| node.outcomes.iter_mut())
        {
            if outputs.contains(&old) {
                outputs.push(new);
            }
        }
    }

    /// Some outcomes of a node that have outputs in common become one, which leads to a
    /// new node that decides between them.
    fn gather_outcomes(&mut self, dice: &mut Dice) {
        let new = self.nodes.len();
        let node = dice.below(new);
        let (gathered, mut kept): (Vec<_>, Vec<_>) = std::mem::take(&mut self.nodes[node].outcomes)
            .into_iter()
            .partition(|_| dice.coin());
        let Some(first) = gathered.first() else {
            self.nodes[node].outcomes = kept;
            return;
        };
        let is_common = |place: &&Place| gathered.iter().all(|outputs| outputs.contains(place));
        let mut common: Vec<Place> = first.iter().filter(is_common).copied().collect();
        if gathered.iter().any(|outputs| outputs.len() == common.len()) {
            common.pop();
        }
        let without = |outputs: &Vec<Place>| {
            outputs
                .iter()
                .filter(|place| !common.contains(place))
                .copied()
                .collect()
        };
        let outcomes = gathered.iter().map(without).collect();
        let slots = 1 + dice.below(2);
        common.extend((0..slots).map(|at| slot(new, at)));
        kept.push(common);
        self.nodes[node].outcomes = kept;
        self.nodes.push(DraftNode { slots, outcomes });
    }

    /// A small change that may do harm.
    pub(crate) fn mutate(&mut self, dice: &mut Dice) {
        let any = self.any_place(dice);
        let node = dice.below(self.nodes.len());
        let choice = dice.below(self.nodes[node].outcomes.len());
        let outputs = &mut self.nodes[node].outcomes[choice];
        let at = dice.below(outputs.len());
        match dice.below(6) {
            0 | 1 => outputs[at] = any,
            2 => outputs.push(any),
            3 if outputs.len() > 1 => drop(outputs.remove(at)),
            4 if self.nodes[node].outcomes.len() > 1 => {
                self.nodes[node].outcomes.remove(choice);
            }
            5 => self.nodes[node].outcomes.push(vec![any]),
            _ => self.nodes[node].slots += 1,
        }
    }

    /// A net without any plan.
    pub(crate) fn any(dice: &mut Dice, size: usize) -> Self {
        let nodes = (0..size).map(|_| DraftNode {
            slots: 1 + dice.below(5) / 3,
            outcomes: Vec::new(),
        });
        let mut draft = Self {
            entry: slot(0, 0),
            nodes: nodes.collect(),
        };
        for node in 0..size {
            for _ in 0..1 + dice.below(5) / 2 {
                let outputs = (0..1 + dice.below(5) / 3)
                    .map(|_| draft.any_place(dice))
                    .collect();
                draft.nodes[node].outcomes.push(outputs);
            }
        }
        draft
    }

    fn any_place(&self, dice: &mut Dice) -> Place {
        let node = dice.below(self.nodes.len() + 1);
        match self.nodes.get(node) {
            Some(found) => slot(node, dice.below(found.slots)),
            None => Place::Done,
        }
    }
}
