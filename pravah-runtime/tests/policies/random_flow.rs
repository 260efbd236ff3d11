//! A flow of forks, choices, loops, lists in lists, nested flows, gates and catches, whose bodies do what dice
//! say.

use std::{
    collections::{BTreeMap, BTreeSet, hash_map::DefaultHasher},
    hash::{Hash, Hasher},
    sync::{Arc, Mutex},
};

use pravah_runtime::prelude::*;

use crate::support::{ms, states};

states!(
    Start, Listing, Item, Part, Piece, Whole, Counted, Inner, Left, Right, LeftDone, RightDone,
    InnerDone, Draft, Notes, Approved, Question, Answered, Coin, Heads, Tails, Landed, Deep,
    Deeper, Deepest, End,
);

/// Decides by the seed and the step key what a body does.
#[derive(Clone)]
pub(crate) struct Dice {
    seed: u64,
    known: Arc<Mutex<Known>>,
}

#[derive(Default)]
struct Known {
    /// How often a body has failed, by step key.
    failures: BTreeMap<String, u64>,
    /// The step keys of the bodies that came to their ends.
    effects: BTreeSet<String>,
}

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            seed,
            known: Arc::default(),
        }
    }

    pub(crate) fn roll(&self, what: &str, sides: u64) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.seed, what).hash(&mut hasher);
        hasher.finish() % sides
    }

    /// The step keys of the bodies that came to their ends.
    pub(crate) fn effects(&self) -> BTreeSet<String> {
        self.known.lock().unwrap().effects.clone()
    }

    /// Counts a failure, unless there were so many.
    fn fails(&self, key: &str, times: u64) -> bool {
        let mut known = self.known.lock().unwrap();
        let failures = known.failures.entry(key.into()).or_default();
        let fails = *failures < times;
        *failures += u64::from(fails);
        fails
    }
}

const ATTEMPTS: u64 = 3;

/// What a body does; `may_fail` is whether a `catch` takes its failure.
async fn act(ctx: &Context, may_fail: bool) -> Result<(), String> {
    let dice = Dice::clone(&ctx.dep::<Dice>().unwrap());
    let key = ctx.step_key().unwrap();
    let time = dice.roll(&format!("{key} time"), 8);
    if time > 2 {
        tokio::time::sleep(ms(time * 3)).await;
    }
    match dice.roll(&format!("{key} act"), 12) {
        0 if dice.fails(&key, 1) => return Err("once".into()),
        1 if dice.fails(&key, ATTEMPTS - 1) => return Err("twice".into()),
        2 if dice.fails(&key, 1) => std::panic::resume_unwind(Box::new("fell over")),
        3 if dice.fails(&key, 1) => std::future::pending().await,
        4 | 5 if may_fail => return Err("always".into()),
        _ => {}
    }
    dice.known.lock().unwrap().effects.insert(key);
    Ok(())
}

/// A node that adds a number.
macro_rules! adds {
    ($($name:ident($from:ident) -> $to:ident + $n:literal;)+) => {$(
        #[node(timeout = "40ms", retry(max_attempts = 3, backoff = "5ms", factor = 2.0, jitter))]
        async fn $name(from: $from, ctx: Context) -> Result<$to, String> {
            act(&ctx, false).await?;
            Ok($to { n: from.n * 3 + $n })
        }
    )+};
}

adds! {
    chew(Piece) -> Part + 1;
    left(Left) -> LeftDone + 2;
    revise(Notes) -> Draft + 4;
    heads(Heads) -> Landed + 5;
    deep(Deep) -> Deeper + 7;
    deeper(Deeper) -> Deepest + 8;
}

#[node]
fn open(start: Start) -> (Listing, Inner, Draft, Question, Coin, Deep) {
    let n = start.n;
    (
        Listing { n },
        Inner { n },
        Draft { n: 0 },
        Question { n },
        Coin { n },
        Deep { n },
    )
}

#[node]
fn items(listing: Listing) -> Each<Item> {
    (0..listing.n % 4).map(|n| Item { n }).collect()
}

#[node(retry(max_attempts = 3, backoff = "3ms"), timeout = "40ms")]
async fn pieces(item: Item, ctx: Context) -> Result<Each<Piece>, String> {
    act(&ctx, false).await?;
    Ok((0..=item.n % 3).map(|n| Piece { n }).collect())
}

#[node]
fn whole(parts: Each<Part>) -> Whole {
    Whole {
        n: parts
            .iter()
            .fold(1, |sum, part| (sum * 7 + part.n) % 1_000_003),
    }
}

#[node]
fn count(wholes: Each<Whole>) -> Counted {
    Counted {
        n: wholes
            .iter()
            .fold(1, |sum, whole| (sum * 31 + whole.n) % 1_000_003),
    }
}

#[node]
fn split(inner: Inner) -> (Left, Right) {
    (Left { n: inner.n }, Right { n: inner.n })
}

#[node(timeout = "40ms", retry(max_attempts = 3))]
async fn right(right: Right, ctx: Context) -> Result<RightDone, String> {
    act(&ctx, true).await?;
    Ok(RightDone { n: right.n })
}

#[node]
fn meet(left: LeftDone, right: RightDone) -> InnerDone {
    InnerDone {
        n: left.n * 5 + right.n,
    }
}

#[flow]
fn inner(inner: Inner) -> InnerDone {
    flow! { split -> fork(left, right) -> join(meet) }
}

#[node]
fn rescue_inner(failure: Failure<Inner>) -> InnerDone {
    InnerDone {
        n: 1000 + failure.input.n * u64::from(failure.attempts),
    }
}

#[node(timeout = "40ms", retry(max_attempts = 3, backoff = "4ms"))]
async fn review(draft: Draft, ctx: Context) -> Result<Either<Approved, Notes>, String> {
    act(&ctx, false).await?;
    Ok(match draft.n < 10 {
        true => Either::Right(Notes { n: draft.n }),
        false => Either::Left(Approved { n: draft.n }),
    })
}

#[gate(prompt = "Well?", timeout = "50ms")]
async fn ask(question: Question, answer: u64, ctx: Context) -> Result<Answered, String> {
    let dice = ctx.dep::<Dice>().map_err(|error| error.to_string())?;
    tokio::time::sleep(ms(dice.roll("ask", 20))).await;
    match dice.roll("ask fails", 3) {
        0 => Err("always".into()),
        _ => Ok(Answered {
            n: question.n + answer,
        }),
    }
}

#[node]
fn overdue(failure: Failure<Question>) -> Answered {
    Answered {
        n: match failure.kind {
            FailureKind::Timeout => 400,
            _ => 500,
        },
    }
}

#[node]
fn flip(coin: Coin) -> Either<Heads, Tails> {
    match coin.n % 2 {
        0 => Either::Left(Heads { n: coin.n }),
        _ => Either::Right(Tails { n: coin.n }),
    }
}

#[node(timeout = "40ms", retry(max_attempts = 3, backoff = "1ms"))]
async fn tails(tails: Tails, ctx: Context) -> Result<Landed, String> {
    act(&ctx, true).await?;
    Ok(Landed { n: tails.n })
}

#[node]
async fn rescue_tails(failure: Failure<Tails>, ctx: Context) -> Landed {
    let _ = ctx;
    tokio::time::sleep(ms(5)).await;
    Landed {
        n: 70 + u64::from(failure.attempts),
    }
}

#[node]
fn close(
    counted: Counted,
    inner: InnerDone,
    approved: Approved,
    answered: Answered,
    landed: Landed,
    deepest: Deepest,
) -> End {
    let all = [
        counted.n, inner.n, approved.n, answered.n, landed.n, deepest.n,
    ];
    End {
        n: all
            .iter()
            .fold(0, |sum: u64, n| sum.wrapping_mul(1009).wrapping_add(*n)),
    }
}

#[flow]
fn everything(start: Start) -> End {
    flow! {
        open -> fork(
            items -> each(pieces -> each(chew, limit = 2) -> whole, limit = 3) -> count,
            inner,
            review,
            ask,
            flip,
            deep -> deeper,
        ) -> join(close);
        review -> either(join(close), revise);
        revise -> review;
        flip -> either(heads -> join(close), tails -> join(close));
        catch(inner) -> rescue_inner -> join(close);
        catch(ask) -> overdue -> join(close);
        catch(tails) -> rescue_tails -> join(close)
    }
}
