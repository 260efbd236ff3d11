//! A desk with piles of letters: lists in a list, whose items are nested flows with a gate, an agent that
//! asks, a loop and a catch, beside another gate.

use pravah_runtime::{ClientFactory, FlowRuntime, ScriptedModel, prelude::*};
use serde_json::json;

/// States of the macro that hold a number.
macro_rules! numbered {
    ($($name:ident),+ $(,)?) => {$(
        #[state]
        #[derive(Clone, Debug, PartialEq)]
        pub(crate) struct $name { pub(crate) n: u32 }
    )+};
}

pub(crate) use numbered;

numbered!(
    Desk, Piles, Pile, Letter, Formal, Mixed, Casual, Rough, Sent, Posted, Counted, Locked,
    Unlocked, Cleared
);

#[node]
fn split(desk: Desk) -> (Piles, Locked) {
    (Piles { n: desk.n }, Locked { n: desk.n })
}

#[node]
fn piles(piles: Piles) -> Each<Pile> {
    (0..piles.n).map(|n| Pile { n }).collect()
}

/// The first pile is empty, and each further one has a letter more.
#[node]
fn open(pile: Pile) -> Each<Letter> {
    (0..pile.n).map(|n| Letter { n: pile.n + n }).collect()
}

#[node]
fn sort(letter: Letter) -> Either<Formal, Mixed> {
    match letter.n % 3 {
        0 => Either::Left(Formal { n: letter.n }),
        _ => Either::Right(Mixed { n: letter.n }),
    }
}

#[node]
fn mix(mixed: Mixed) -> Either<Casual, Rough> {
    match mixed.n % 3 {
        1 => Either::Left(Casual { n: mixed.n }),
        _ => Either::Right(Rough { n: 0 }),
    }
}

#[gate(prompt = "Sign?")]
fn sign(formal: &Formal, by: u32) -> Sent {
    Sent { n: formal.n + by }
}

/// Asks for a colour.
#[tool]
async fn colour(of: u32, ctx: Context) -> Result<u32, ToolError> {
    match ctx.resumed::<u32>()? {
        Some(colour) => Ok(colour + of),
        None => Err(ToolError::suspend(json!({ "of": of }))),
    }
}

#[agent(model = "openai://m", preamble = "Paint.", output = Sent, tools = [colour])]
fn paint(casual: &Casual) -> String {
    format!("letter {}", casual.n)
}

/// Fails until it was smoothed often enough.
#[node]
fn rough(rough: &Rough) -> Result<Sent, String> {
    match rough.n {
        3.. => Ok(Sent { n: 3 }),
        _ => Err("too rough".into()),
    }
}

#[node]
fn smooth(failure: Failure<Rough>) -> Rough {
    Rough {
        n: failure.input.n + 1,
    }
}

#[flow(named)]
fn handle(letter: Letter) -> Sent {
    flow! { sort -> either(sign, mix -> either(paint, rough)); catch(rough) -> smooth -> rough }
}

#[node]
fn close(sent: Each<Sent>) -> Posted {
    Posted {
        n: sent.iter().map(|sent| sent.n).sum(),
    }
}

#[node]
fn count(posted: Each<Posted>) -> Counted {
    Counted {
        n: posted.iter().map(|posted| posted.n).sum(),
    }
}

#[gate(prompt = "Unlock?")]
fn unlock(locked: Locked, with: u32) -> Unlocked {
    Unlocked { n: locked.n + with }
}

#[node]
fn clear(counted: Counted, unlocked: Unlocked) -> Cleared {
    Cleared {
        n: 1000 * unlocked.n + counted.n,
    }
}

#[flow]
fn work(desk: Desk) -> Cleared {
    flow! {
        split -> fork(piles -> each(open -> each(handle) -> close) -> count -> join(clear), unlock -> join(clear))
    }
}

/// Every letter that is painted takes two colours, asked for at the same time.
fn factory(piles: u32) -> ClientFactory {
    let letters = (0..piles).flat_map(|pile| (0..pile).map(move |letter| (pile, letter)));
    let script = letters.fold(ScriptedModel::new(), |script, (pile, letter)| {
        let node = format!("handle::paint[{pile}][{letter}]");
        let ask = |of: u32| ("colour", json!({ "of": of }));
        match (pile + letter) % 3 {
            1 => script
                .calls(&*node, [ask(1), ask(2)])
                .reply(&*node, json!({ "n": 5 })),
            _ => script,
        }
    });
    ClientFactory::new().with_scripted(script)
}

pub(crate) fn start(piles: u32) -> FlowRuntime<Desk> {
    let run = FlowRuntime::new(Desk { n: piles }).unwrap();
    run.with_run_id("r").with_factory(factory(piles))
}

pub(crate) fn restored(snapshot: FlowSnapshot, piles: u32) -> FlowRuntime<Desk> {
    let run = FlowRuntime::from_snapshot(snapshot).unwrap();
    run.with_factory(factory(piles))
}
