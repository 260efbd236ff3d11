//! Steps of pure nodes, which are stored with the next one.

use std::time::Duration;

use pravah_runtime::prelude::*;
use pravah_store::{Runs, Status, Worker};
use tokio::time::sleep;

use crate::{
    flows::{Effects, Working, until},
    support::TestStore,
};

crate::over_every_store! {
    steps_of_pure_nodes_are_stored_with_the_next_one,
    a_run_of_pure_nodes_is_stored_now_and_then,
    what_was_not_stored_is_made_again_with_the_same_keys,
}

#[state]
struct Text {
    words: u32,
}
#[state]
struct Counted {
    words: u32,
}
#[state]
struct Priced {
    cents: u32,
}
#[state]
struct Sent {
    cents: u32,
}
#[state]
#[derive(Debug, PartialEq)]
struct Filed {
    cents: u32,
}

#[node(pure)]
fn count(text: Text, effects: Dep<Effects>, ctx: Context) -> Counted {
    effects.happen(&ctx);
    Counted { words: text.words }
}

#[node(pure)]
fn price(counted: Counted) -> Priced {
    Priced {
        cents: counted.words * 5,
    }
}

/// Not pure: somebody gets it.
#[node]
async fn send(priced: Priced, effects: Dep<Effects>, ctx: Context) -> Sent {
    effects.happen(&ctx);
    sleep(Duration::from_secs(5)).await;
    Sent {
        cents: priced.cents,
    }
}

#[node(pure)]
fn file(sent: Sent) -> Filed {
    Filed { cents: sent.cents }
}

#[flow]
fn translation(text: Text) -> Filed {
    flow! { count -> price -> send -> file }
}

fn worker(store: impl pravah_store::RunStore, effects: &Effects) -> Worker {
    let worker = Worker::new(store).serve::<Text>().serve::<Laps>();
    worker.with_context(effects.context())
}

async fn steps_of_pure_nodes_are_stored_with_the_next_one(it: TestStore) {
    let it = it.with_tokio_time();
    let _worker = Working::start(worker(it.store.clone(), &Effects::default()));
    let runs = Runs::new(it.store.clone());
    let id = runs.start::<Text>(Text { words: 3 }).await.unwrap();
    until(&runs, &id, Status::Done).await;
    let history = runs.history(&id).await.unwrap();
    let nodes = history.iter().map(|row| Some(&*row.node.as_ref()?.id));
    // What ends the run is stored.
    assert!(nodes.eq([None, Some("send"), Some("file")]), "{history:?}");
    let output = runs.output::<Text>(&id).await.unwrap();
    assert_eq!(output, Some(Filed { cents: 15 }));
}

async fn what_was_not_stored_is_made_again_with_the_same_keys(it: TestStore) {
    let it = it.with_tokio_time();
    let (effects, runs) = (Effects::default(), Runs::new(it.store.clone()));
    let id = runs.start::<Text>(Text { words: 3 }).await.unwrap();
    let first = Working::start(worker(it.reopen(), &effects));
    while effects.keys().len() < 2 {
        sleep(Duration::from_millis(100)).await;
    }
    // It ends while `send` is at work: nothing was stored.
    drop(first);
    assert_eq!(runs.history(&id).await.unwrap().len(), 1);
    let _second = Working::start(worker(it.reopen(), &effects));
    until(&runs, &id, Status::Done).await;
    let keys = effects.keys();
    let [count, send, count_again, send_again] = &*keys else {
        panic!("{keys:?}")
    };
    assert_eq!((count, send), (count_again, send_again));
}

#[state]
struct Laps {
    left: u32,
}
#[state]
struct Finished {}

#[node(pure)]
fn lap(laps: Laps) -> Either<Laps, Finished> {
    match laps.left {
        0 => Either::Right(Finished {}),
        left => Either::Left(Laps { left: left - 1 }),
    }
}

#[flow]
fn race(laps: Laps) -> Finished {
    flow! { lap -> either(lap, done) }
}

async fn a_run_of_pure_nodes_is_stored_now_and_then(it: TestStore) {
    let it = it.with_tokio_time();
    let _worker = Working::start(worker(it.store.clone(), &Effects::default()));
    let runs = Runs::new(it.store.clone());
    let id = runs.start::<Laps>(Laps { left: 199 }).await.unwrap();
    until(&runs, &id, Status::Done).await;
    // 200 steps, 64 at a time, after the start.
    assert_eq!(runs.history(&id).await.unwrap().len(), 1 + 4);
}
