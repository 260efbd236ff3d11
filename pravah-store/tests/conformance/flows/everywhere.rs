//! Flows that the tests of every host serve. What is around this file has `Effects`.

use pravah_runtime::prelude::*;

use super::Effects;

// --- Two steps.

#[state]
pub(crate) struct Order {
    pub(crate) cups: u32,
}
#[state]
pub(crate) struct Brewed {
    cups: u32,
}
#[state]
#[derive(Debug, PartialEq)]
pub(crate) struct Served {
    pub(crate) cups: u32,
}

#[node]
fn brew(order: Order, effects: Dep<Effects>, ctx: Context) -> Brewed {
    effects.happen(&ctx);
    Brewed { cups: order.cups }
}

#[node]
fn serve(brewed: Brewed, effects: Dep<Effects>, ctx: Context) -> Served {
    effects.happen(&ctx);
    Served { cups: brewed.cups }
}

#[flow]
pub(crate) fn coffee(order: Order) -> Served {
    flow! { brew -> serve }
}

/// Another flow of the same input, which has its own name.
#[flow(named)]
pub(crate) fn to_go(order: Order) -> Served {
    flow! { brew -> serve }
}

// --- A question that is asked until the answer is yes.

#[state]
pub(crate) struct Draft {
    pub(crate) version: u32,
}
#[state]
#[derive(Debug, PartialEq)]
pub(crate) struct Published {
    pub(crate) version: u32,
}

#[gate(prompt = "Publish this?")]
fn approve(draft: Draft, yes: bool) -> Either<Draft, Published> {
    match yes {
        true => Either::Right(Published {
            version: draft.version,
        }),
        false => Either::Left(Draft {
            version: draft.version + 1,
        }),
    }
}

#[flow]
pub(crate) fn publish(draft: Draft) -> Published {
    flow! { approve -> either(approve, done) }
}
