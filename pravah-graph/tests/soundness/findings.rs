//! Which finding each mistake gets. One mistake, one finding.

use pravah_graph::{Finding, Firing, Malformed, Net, NodeId, Place};

/// The slot `at` of a node.
const fn slot(node: usize, slot: usize) -> Place {
    Place::Slot {
        node: NodeId(node),
        slot,
    }
}

/// The first slot of a node.
const fn to(node: usize) -> Place {
    slot(node, 0)
}

const DONE: Place = Place::Done;

/// A net that starts at the first node. A text for each node names the outcomes,
/// separated by bars, and what they mark: `1` is the first slot of node 1, `1.1` the
/// second. A node has as many slots as are marked somewhere, or as the text says first.
fn net(nodes: &[&str]) -> Net {
    let outcomes = |text: &str| -> Vec<Vec<Place>> {
        text.split('|')
            .map(|outcome| outcome.split_whitespace().map(place).collect())
            .collect()
    };
    let nodes: Vec<(usize, Vec<Vec<Place>>)> = nodes
        .iter()
        .map(|text| match text.split_once(':') {
            Some((slots, rest)) => (slots.parse().unwrap(), outcomes(rest)),
            None => (1, outcomes(text)),
        })
        .collect();
    let mut net = Net::new();
    for (id, (slots, _)) in nodes.iter().enumerate() {
        let marked = nodes
            .iter()
            .flat_map(|(_, outcomes)| outcomes.iter().flatten());
        let highest = marked.filter_map(|place| match place {
            Place::Slot { node, slot } if node.0 == id => Some(slot + 1),
            _ => None,
        });
        net.add_node(highest.max().unwrap_or(1).max(*slots));
    }
    for (id, (_, outcomes)) in nodes.into_iter().enumerate() {
        for outputs in outcomes {
            net.add_outcome(NodeId(id), outputs);
        }
    }
    net.set_entry(to(0));
    net
}

fn place(text: &str) -> Place {
    match text.split_once('.') {
        _ if text == "done" => DONE,
        Some((node, at)) => slot(node.parse().unwrap(), at.parse().unwrap()),
        None => to(text.parse().unwrap()),
    }
}

fn run(firings: &[(usize, usize)]) -> Vec<Firing> {
    let firing = |&(node, outcome)| Firing {
        node: NodeId(node),
        outcome,
    };
    firings.iter().map(firing).collect()
}

fn unreachable(node: usize) -> Finding {
    Finding::Unreachable { node: NodeId(node) }
}

fn no_way_to_done(node: usize) -> Finding {
    Finding::NoWayToDone { node: NodeId(node) }
}

#[test]
fn a_chain_is_sound() {
    assert_eq!(net(&["1", "done"]).check(), []);
}

#[test]
fn a_loop_with_a_way_out_is_sound() {
    assert_eq!(net(&["1", "0 | done"]).check(), []);
}

#[test]
fn a_joined_fork_is_sound() {
    assert_eq!(net(&["1 2.1", "2", "done"]).check(), []);
}

#[test]
fn a_loop_around_a_fork_is_sound() {
    assert_eq!(net(&["1 2", "3", "3.1", "0 | done | 1 3.1"]).check(), []);
}

#[test]
fn a_net_that_starts_done_is_sound() {
    let mut net = Net::new();
    net.set_entry(DONE);
    assert_eq!(net.check(), []);
}

#[test]
fn a_detached_chain_is_reported_by_its_first_node() {
    assert_eq!(net(&["done", "done", "3", "1"]).check(), [unreachable(2)]);
}

#[test]
fn a_detached_loop_is_reported_by_its_first_node() {
    assert_eq!(net(&["done", "2", "1 | done"]).check(), [unreachable(1)]);
}

#[test]
fn two_detached_nodes_are_two_findings() {
    assert_eq!(
        net(&["done", "done", "done"]).check(),
        [unreachable(1), unreachable(2)]
    );
}

#[test]
fn a_dead_end_is_reported_by_the_loop_it_runs_into() {
    assert_eq!(
        net(&["1 | done", "2", "3", "2"]).check(),
        [no_way_to_done(2)]
    );
}

#[test]
fn a_node_that_only_repeats_has_no_way_to_done() {
    assert_eq!(net(&["0"]).check(), [no_way_to_done(0)]);
}

#[test]
fn one_missing_arc_is_not_reported_from_both_sides() {
    assert_eq!(net(&["1", "0", "done"]).check(), [unreachable(2)]);
}

#[test]
fn a_join_of_alternatives_is_a_deadlock() {
    let (run, marked) = (run(&[(0, 0)]), vec![slot(1, 1)]);
    assert_eq!(
        net(&["1.1 | 1", "done"]).check(),
        [Finding::Deadlock { run, marked }]
    );
}

#[test]
fn a_slot_that_nothing_marks_is_a_deadlock() {
    let (run, marked) = (run(&[]), vec![to(0)]);
    assert_eq!(
        net(&["2: done"]).check(),
        [Finding::Deadlock { run, marked }]
    );
}

#[test]
fn of_two_deadlocks_the_nearer_one_is_shown() {
    let (run, marked) = (run(&[(0, 1)]), vec![slot(2, 1)]);
    assert_eq!(
        net(&["1 | 2.1", "2", "done"]).check(),
        [Finding::Deadlock { run, marked }]
    );
}

#[test]
fn a_branch_that_leaves_its_fork_leaves_the_others_behind() {
    let (run, remaining) = (run(&[(0, 0), (2, 1)]), vec![to(1)]);
    let found = net(&["1 2", "3", "3.1 | done", "done"]).check();
    assert_eq!(found, [Finding::LeftBehind { run, remaining }]);
}

#[test]
fn a_fork_into_done_twice_marks_done_twice() {
    let (run, remaining) = (run(&[(0, 0)]), vec![DONE]);
    assert_eq!(
        net(&["done done"]).check(),
        [Finding::LeftBehind { run, remaining }]
    );
}

#[test]
fn parallel_branches_into_one_slot_overwrite() {
    let (run, place) = (run(&[(0, 0), (1, 0), (2, 0)]), to(3));
    let found = net(&["1 2", "3", "3", "done"]).check();
    assert_eq!(found, [Finding::Overwritten { run, place }]);
}

#[test]
fn a_run_leaves_out_what_has_nothing_to_do_with_the_mistake() {
    // Branches 1 and 2 are in order, 3 overwrites its own second state.
    let (run, place) = (run(&[(0, 0), (3, 0), (4, 0), (5, 0)]), to(6));
    let found = net(&["1 2 3", "6.1", "6.2", "4 5", "6", "6", "done"]).check();
    assert_eq!(found, [Finding::Overwritten { run, place }]);
}

#[test]
fn a_loop_that_forks_overwrites() {
    let (run, place) = (run(&[(0, 0), (0, 0)]), to(1));
    let found = net(&["0 1 | 1.1", "done"]).check();
    assert_eq!(found, [Finding::Overwritten { run, place }]);
}

#[test]
fn a_loop_in_one_branch_does_not_hide_what_another_does() {
    let found = net(&["1 2", "1 | 3", "done", "done"]).check();
    assert!(
        matches!(found.as_slice(), [Finding::LeftBehind { .. }]),
        "{found:?}"
    );
}

fn malformed(net: &Net) -> Vec<Malformed> {
    let only = |finding| match finding {
        Finding::Malformed(malformed) => malformed,
        other => panic!("{other:?}"),
    };
    net.check().into_iter().map(only).collect()
}

#[test]
fn a_net_without_entry_is_malformed() {
    assert_eq!(malformed(&Net::new()), [Malformed::NoEntry]);
}

#[test]
fn places_that_do_not_exist_are_malformed() {
    let mut net = net(&["1: 7 9.1"]);
    net.set_entry(to(9));
    let at = Firing {
        node: NodeId(0),
        outcome: 0,
    };
    let unknown = [to(7), slot(9, 1)].map(|place| Malformed::UnknownOutput { at, place });
    let entry = Malformed::UnknownEntry { place: to(9) };
    assert_eq!(malformed(&net), [[entry].as_slice(), &unknown].concat());
}

#[test]
fn an_outcome_of_no_node_is_malformed() {
    let mut net = net(&["done"]);
    net.add_outcome(NodeId(1), vec![DONE]);
    assert_eq!(
        malformed(&net),
        [Malformed::UnknownNode { node: NodeId(1) }]
    );
}

#[test]
fn nodes_without_slots_outcomes_or_outputs_are_malformed() {
    let mut net = net(&[""]);
    net.add_node(0);
    net.add_outcome(NodeId(1), vec![DONE]);
    net.add_node(1);
    let at = Firing {
        node: NodeId(0),
        outcome: 0,
    };
    let expected = [
        Malformed::NoOutputs { at },
        Malformed::NoSlots { node: NodeId(1) },
        Malformed::NoOutcomes { node: NodeId(2) },
    ];
    assert_eq!(malformed(&net), expected);
}
