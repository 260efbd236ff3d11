//! Ours: `each`.

use pravah_runtime::prelude::*;

use super::Saved;
use crate::step_time;

#[state]
struct All {
    numbers: Vec<u64>,
}

#[state]
struct Item {
    n: u64,
}

#[state]
struct Counted {
    n: u64,
}

#[state]
struct Sum {
    n: u64,
}

#[node]
fn part(all: &All) -> Each<Item> {
    all.numbers.iter().map(|&n| Item { n }).collect()
}

#[node]
fn count(item: &Item) -> Counted {
    Counted { n: item.n + 1 }
}

#[node]
fn add(counted: &Each<Counted>) -> Sum {
    Sum {
        n: counted.iter().map(|counted| counted.n).sum(),
    }
}

#[flow]
fn counting(all: All) -> Sum {
    flow! { part -> each(count) -> add }
}

fn started(items: u64) -> FlowRuntime<All> {
    let numbers = (0..items).collect();
    FlowRuntime::new(All { numbers }).expect("a run")
}

async fn drive(run: &mut FlowRuntime<All>, ctx: &Context) -> Sum {
    loop {
        if let RunOut::Done(sum) = run.next(ctx.clone()).await.expect("a step") {
            return sum;
        }
    }
}

pub async fn item(items: u64) -> f64 {
    let ctx = Context::default();
    let drive = async |run: &mut FlowRuntime<All>| drive(run, &ctx).await;
    step_time(items, || started(items), drive).await
}

pub async fn once(items: u64, ctx: &Context) {
    drive(&mut started(items), ctx).await;
}

/// Each step of a list of ours is saved as what it changed.
pub async fn saved_step(items: u64) -> Saved {
    let ctx = Context::default();
    let mut bytes = 0;
    let drive = async |run: &mut FlowRuntime<All>| bytes = drive_saved(run, &ctx).await;
    let time = step_time(items, || started_and_saved(items), drive).await;
    Saved {
        bytes: bytes as f64 / items as f64,
        time,
    }
}

pub async fn save_once(items: u64, ctx: &Context) {
    drive_saved(&mut started_and_saved(items), ctx).await;
}

fn started_and_saved(items: u64) -> FlowRuntime<All> {
    let mut run = started(items);
    run.take_changes().expect("changes");
    run
}

/// Takes the changes of each step, and returns how many bytes those of the items have.
async fn drive_saved(run: &mut FlowRuntime<All>, ctx: &Context) -> usize {
    let mut bytes = 0;
    loop {
        let out = run.next(ctx.clone()).await.expect("a step");
        let changes = run.take_changes().expect("changes");
        if matches!(run.last_step(), Some(step) if !step.items.is_empty()) {
            let put = changes.put().map(|(key, json)| key.len() + json.len());
            bytes += put.sum::<usize>();
            bytes += changes.deleted().map(str::len).sum::<usize>();
        }
        if let RunOut::Done(_) = out {
            return bytes;
        }
    }
}
