//! Steps in flight answer the same however many there are.

use std::{future::pending, task::Waker};

use proptest::prelude::*;

use crate::{
    engine::{
        flight::{Flight, Flights, Pending},
        state::path::{ItemId, NodePath},
    },
    graph::NodeIx,
};

#[derive(Clone, Copy, Debug)]
enum Op {
    /// A step starts at a node of an item; one that ends at once, or never.
    Start(u32, usize, bool),
    Poll,
    TakeEnded,
    /// All in an item are dropped.
    Drop(usize),
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        6 => (0..4_u32, 0..5_usize, any::<bool>()).prop_map(|(node, item, ends)| Op::Start(node, item, ends)),
        1 => Just(Op::Poll),
        2 => Just(Op::TakeEnded),
        1 => (0..5_usize).prop_map(Op::Drop),
    ]
}

const LIST: NodeIx = NodeIx(9);

/// The items of index 0 are the flow itself.
fn path(node: u32, item: usize) -> NodePath {
    let item = (item > 0).then_some(ItemId {
        list: LIST,
        index: item,
    });
    NodePath {
        frame: item.into_iter().collect(),
        node: NodeIx(node),
    }
}

fn is_in(path: &NodePath, item: usize) -> bool {
    path.items().next().unwrap_or(0) == item
}

fn flight(path: NodePath, ends: bool) -> Flight {
    let body = async move {
        if !ends {
            pending::<()>().await;
        }
        Err("it has ended".into())
    };
    Flight {
        path,
        pending: Pending::Body(Box::pin(body)),
        limit: None,
        cancel: None,
    }
}

/// What is known of each: whether it ends, and whether it was polled since it started.
type Model = Vec<(NodePath, bool, bool)>;

fn agree(flights: &Flights, model: &Model) -> Result<(), TestCaseError> {
    prop_assert_eq!(flights.len(), model.len());
    prop_assert_eq!(flights.is_empty(), model.is_empty());
    for (node, item) in (0..4).flat_map(|node| (0..5).map(move |item| (node, item))) {
        let path = path(node, item);
        let is_there = model.iter().any(|(known, ..)| *known == path);
        prop_assert_eq!(flights.holds(&path.frame, path.node), is_there);
    }
    let in_list = model.iter().filter(|(path, ..)| !is_in(path, 0)).count();
    for limit in 0..20 {
        let has_room = flights.has_room(&[], LIST, Some(limit));
        prop_assert_eq!(has_room, in_list < limit as usize);
    }
    Ok(())
}

proptest! {
    #[test]
    fn they_answer_as_a_plain_list_does(ops in prop::collection::vec(op(), 0..120)) {
        let (mut flights, mut model) = (Flights::default(), Model::new());
        let mut task = std::task::Context::from_waker(Waker::noop());
        for op in ops {
            match op {
                Op::Start(node, item, ends) => {
                    let path = path(node, item);
                    if !flights.holds(&path.frame, path.node) {
                        flights.add(flight(path.clone(), ends));
                        model.push((path, ends, false));
                    }
                }
                Op::Poll => {
                    flights.poll(&mut task, |_| String::new());
                    model.iter_mut().for_each(|(_, _, polled)| *polled = true);
                }
                Op::TakeEnded => {
                    let taken = flights.take_ended(|_| true).map(|landed| landed.path);
                    let at = model.iter().position(|(path, ends, polled)| {
                        taken.as_ref().map_or(*ends && *polled, |taken| taken == path)
                    });
                    // One is taken if one has ended.
                    prop_assert_eq!(taken.is_some(), at.is_some());
                    if let Some(at) = at {
                        let (_, ends, polled) = model.remove(at);
                        prop_assert!(ends && polled);
                    }
                }
                Op::Drop(item) => {
                    flights.drop_where(|path| is_in(path, item));
                    model.retain(|(path, ..)| !is_in(path, item));
                }
            }
            agree(&flights, &model)?;
        }
    }
}
