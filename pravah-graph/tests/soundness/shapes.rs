//! Large nets of the shapes that flows have.

use pravah_graph::{Net, NodeId, Place};

/// Sound nets of about `size` nodes.
pub(crate) fn sound(size: usize) -> Vec<(&'static str, Net)> {
    vec![
        ("chain", chain(size, true)),
        ("ladder of forks", ladder_of_forks(size, true)),
        ("choices with loops", choices_with_loops(size)),
        ("nested loops around forks", nested_loops(size, true)),
        ("one wide fork", wide(size, true, true)),
        ("one wide choice", wide(size, false, false)),
        ("failures into one chain", failures(size)),
        ("any node to any other", tangle(size)),
    ]
}

/// Unsound nets of about `size` nodes, with the mistake far from the entry.
pub(crate) fn unsound(size: usize) -> Vec<(&'static str, Net)> {
    vec![
        ("chain, fork at the end", chain(size, false)),
        ("ladder, last join a choice", ladder_of_forks(size, false)),
        ("nested loops, way out of a fork", nested_loops(size, false)),
        ("one wide choice, joined", wide(size, false, true)),
        ("one wide fork, merged", wide(size, true, false)),
        ("wide fork, last branch chooses", wide_with_a_choice(size)),
    ]
}

/// A net that is written from its end: every part knows where it goes on.
struct Sketch(Net);

impl Sketch {
    fn work(&mut self, next: Place) -> Place {
        let node = self.0.add_node(1);
        self.0.add_outcome(node, vec![next]);
        slot(node, 0)
    }

    fn node(&mut self, slots: usize, outcomes: Vec<Vec<Place>>) -> NodeId {
        let node = self.0.add_node(slots);
        for outputs in outcomes {
            self.0.add_outcome(node, outputs);
        }
        node
    }

    fn from(mut self, entry: Place) -> Net {
        self.0.set_entry(entry);
        self.0
    }
}

fn slot(node: NodeId, slot: usize) -> Place {
    Place::Slot { node, slot }
}

fn chain(size: usize, sound: bool) -> Net {
    let mut sketch = Sketch(Net::new());
    let mut next = Place::Done;
    if !sound {
        let ways = vec![sketch.work(Place::Done), sketch.work(Place::Done)];
        next = slot(sketch.node(1, vec![ways]), 0);
    }
    while sketch.0.node_count() < size {
        next = sketch.work(next);
    }
    sketch.from(next)
}

/// A fork of two branches, joined, again and again; the last fork may be a choice.
fn ladder_of_forks(size: usize, sound: bool) -> Net {
    let mut sketch = Sketch(Net::new());
    let mut next = Place::Done;
    while sketch.0.node_count() < size {
        let join = sketch.node(2, vec![vec![next]]);
        let ways = vec![sketch.work(slot(join, 0)), sketch.work(slot(join, 1))];
        let outcomes = if sound || next != Place::Done {
            vec![ways]
        } else {
            ways.into_iter().map(|way| vec![way]).collect()
        };
        next = slot(sketch.node(1, outcomes), 0);
    }
    sketch.from(next)
}

/// Do, then go on, go another way, or do again.
fn choices_with_loops(size: usize) -> Net {
    let mut sketch = Sketch(Net::new());
    let mut next = Place::Done;
    while sketch.0.node_count() < size {
        let other = sketch.work(next);
        let review = sketch.node(1, vec![vec![next], vec![other]]);
        let draft = sketch.work(slot(review, 0));
        sketch.0.add_outcome(review, vec![draft]);
        next = draft;
    }
    sketch.from(next)
}

/// A loop around a fork, one branch of which is a loop around a fork, and so on. The
/// innermost branch may have a way to done.
fn nested_loops(size: usize, sound: bool) -> Net {
    let mut sketch = Sketch(Net::new());
    let (entry, exit) = (sketch.0.add_node(1), sketch.0.add_node(1));
    sketch.0.add_outcome(exit, vec![Place::Done]);
    let (mut before, mut after) = (entry, exit);
    while sketch.0.node_count() + 3 < size {
        let join = sketch.0.add_node(2);
        sketch.0.add_outcome(join, vec![slot(after, 0)]);
        sketch.0.add_outcome(join, vec![slot(before, 0)]);
        let side = sketch.work(slot(join, 1));
        let (inner, last) = (sketch.0.add_node(1), sketch.0.add_node(1));
        sketch.0.add_outcome(before, vec![slot(inner, 0), side]);
        sketch.0.add_outcome(last, vec![slot(join, 0)]);
        (before, after) = (inner, last);
    }
    sketch.0.add_outcome(before, vec![slot(after, 0)]);
    if !sound {
        sketch.0.add_outcome(before, vec![Place::Done]);
    }
    sketch.from(slot(entry, 0))
}

/// One fork or choice of many ways, then one join or merge of all of them.
fn wide(size: usize, fork: bool, join: bool) -> Net {
    let mut sketch = Sketch(Net::new());
    let end = sketch.node(if join { size } else { 1 }, vec![vec![Place::Done]]);
    let ends = (0..size).map(|at| slot(end, if join { at } else { 0 }));
    let ways: Vec<Place> = ends.map(|end| sketch.work(end)).collect();
    let outcomes = if fork {
        vec![ways]
    } else {
        ways.into_iter().map(|way| vec![way]).collect()
    };
    let start = sketch.node(1, outcomes);
    sketch.from(slot(start, 0))
}

/// A wide fork and its join, but the last branch may skip the join.
fn wide_with_a_choice(size: usize) -> Net {
    let mut sketch = Sketch(Net::new());
    let end = sketch.node(size, vec![vec![Place::Done]]);
    let mut ways: Vec<Place> = (0..size).map(|at| sketch.work(slot(end, at))).collect();
    if let Some(Place::Slot { node, .. }) = ways.last().copied() {
        sketch.0.add_outcome(node, vec![ways[0]]);
        ways.swap(0, size - 1);
    }
    let start = sketch.node(1, vec![ways]);
    sketch.from(slot(start, 0))
}

/// Nodes that each choose between three others, without any order.
fn tangle(size: usize) -> Net {
    let mut sketch = Sketch(Net::new());
    for id in 0..size {
        let onwards = [id + 1, (id * 7 + 3) % size, (id * id + 11) % size];
        let place = |&to: &usize| {
            if to < size {
                slot(NodeId(to), 0)
            } else {
                Place::Done
            }
        };
        sketch.node(1, onwards.iter().map(|to| vec![place(to)]).collect());
    }
    sketch.from(slot(NodeId(0), 0))
}

/// A chain whose every node may fail into the start of another chain.
fn failures(size: usize) -> Net {
    let mut sketch = Sketch(Net::new());
    let mut rescue = Place::Done;
    while sketch.0.node_count() < size / 2 {
        rescue = sketch.work(rescue);
    }
    let mut next = Place::Done;
    while sketch.0.node_count() < size {
        next = slot(sketch.node(1, vec![vec![next], vec![rescue]]), 0);
    }
    sketch.from(next)
}
