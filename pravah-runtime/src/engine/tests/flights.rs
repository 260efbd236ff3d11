//! Steps in flight are alike however many there are, and of many only those are polled that woke.

use std::{
    future::{pending, poll_fn},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context as Task, Poll, Wake, Waker},
};

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
    /// The first that has ended is taken out: of all, or of an item.
    TakeEnded(Option<usize>),
    /// All in an item are dropped.
    Drop(usize),
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        6 => (0..4_u32, 0..5_usize, any::<bool>()).prop_map(|(node, item, ends)| Op::Start(node, item, ends)),
        1 => Just(Op::Poll),
        2 => prop::option::of(0..5_usize).prop_map(Op::TakeEnded),
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
    flight_of(path, async move {
        if !ends {
            pending::<()>().await;
        }
    })
}

fn flight_of(path: NodePath, body: impl Future<Output = ()> + Send + 'static) -> Flight {
    let body = async {
        body.await;
        Err("it has ended".into())
    };
    Flight {
        path,
        pending: Pending::Body(Box::pin(body)),
        limit: None,
        cancel: None,
        waker: None,
    }
}

/// What is known of each: whether it ends, and which poll was its first.
type Model = Vec<(NodePath, bool, Option<usize>)>;

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
        let task = Task::from_waker(Waker::noop());
        for (number, op) in ops.into_iter().enumerate() {
            match op {
                Op::Start(node, item, ends) => {
                    let path = path(node, item);
                    if !flights.holds(&path.frame, path.node) {
                        flights.add(flight(path.clone(), ends));
                        model.push((path, ends, None));
                    }
                }
                Op::Poll => {
                    flights.poll(&task, |_| String::new());
                    for (_, _, first_poll) in &mut model {
                        first_poll.get_or_insert(number);
                    }
                }
                Op::TakeEnded(item) => {
                    let is_meant = |path: &NodePath| item.is_none_or(|item| is_in(path, item));
                    let taken = flights.take_ended(is_meant).map(|landed| landed.path);
                    let ended = model.iter().filter(|(path, ends, first_poll)| {
                        *ends && first_poll.is_some() && is_meant(path)
                    });
                    // Those that ended in one poll come as they were started.
                    let first = ended.min_by_key(|(_, _, first_poll)| *first_poll);
                    let first = first.map(|(path, ..)| path.clone());
                    prop_assert_eq!(&taken, &first);
                    model.retain(|(path, ..)| Some(path) != first.as_ref());
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

/// The waker that a body was last polled with, and how often it was polled.
#[derive(Default)]
struct Polled {
    waker: Mutex<Option<Waker>>,
    times: AtomicUsize,
}

/// Counts how often a task is woken.
#[derive(Default)]
struct WakeCounter(AtomicUsize);

impl Wake for WakeCounter {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// Starts this many bodies that never end.
fn start_many(count: u32, task: &Task<'_>) -> (Flights, Vec<Arc<Polled>>) {
    let (mut flights, mut all) = (Flights::default(), Vec::new());
    for node in 0..count {
        let polled = Arc::<Polled>::default();
        all.push(Arc::clone(&polled));
        let body = poll_fn(move |task| {
            polled.times.fetch_add(1, Ordering::Relaxed);
            *polled.waker.lock().unwrap() = Some(task.waker().clone());
            Poll::<()>::Pending
        });
        let mut flight = flight_of(path(node, 0), body);
        flight.waker = flights.new_waker(task);
        assert!(flight.poll(task, |_| String::new()).is_pending());
        flights.add(flight);
    }
    (flights, all)
}

fn wake(polled: &Polled) {
    polled.waker.lock().unwrap().as_ref().unwrap().wake_by_ref();
}

#[test]
fn of_many_bodies_only_those_that_woke_are_polled() {
    let task = Task::from_waker(Waker::noop());
    let (mut flights, all) = start_many(100, &task);
    wake(&all[50]);
    wake(&all[99]);
    wake(&all[99]);
    flights.poll(&task, |_| String::new());
    flights.poll(&task, |_| String::new());
    for (n, polled) in all.iter().enumerate() {
        let times = match n {
            // They share the waker of the task.
            0 | 1 => 3,
            50 | 99 => 2,
            _ => 1,
        };
        assert_eq!(polled.times.load(Ordering::Relaxed), times, "body {n}");
    }
}

#[test]
fn many_bodies_wake_their_task_once() {
    let wakes = Arc::<WakeCounter>::default();
    let waker = Waker::from(Arc::clone(&wakes));
    let task = Task::from_waker(&waker);
    let (mut flights, all) = start_many(100, &task);
    let many = &all[10..];
    many.iter().for_each(|polled| wake(polled));
    assert_eq!(wakes.0.load(Ordering::Relaxed), 1);
    flights.poll(&task, |_| String::new());
    many.iter().for_each(|polled| wake(polled));
    assert_eq!(wakes.0.load(Ordering::Relaxed), 2);
}

#[test]
fn a_body_wakes_the_task_that_polled_last() {
    let (before, now) = (Arc::<WakeCounter>::default(), Arc::<WakeCounter>::default());
    let waker = Waker::from(Arc::clone(&before));
    let (mut flights, all) = start_many(10, &Task::from_waker(&waker));
    let waker = Waker::from(Arc::clone(&now));
    flights.poll(&Task::from_waker(&waker), |_| String::new());
    wake(&all[9]);
    let woken = [&before, &now].map(|wakes| wakes.0.load(Ordering::Relaxed));
    assert_eq!(woken, [0, 1]);
}

#[test]
fn once_all_have_ended_no_waker_of_a_task_is_kept() {
    let wakes = Arc::<WakeCounter>::default();
    let waker = Waker::from(Arc::clone(&wakes));
    let (mut flights, all) = start_many(10, &Task::from_waker(&waker));
    drop((waker, all));
    assert!(Arc::strong_count(&wakes) > 1);
    flights.clear();
    assert_eq!(Arc::strong_count(&wakes), 1);
}
