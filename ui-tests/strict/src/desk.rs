//! A desk that answers letters.

use core::{future::ready, num::ParseIntError};

use pravah_runtime::{
    Context, Each, Either, Failure, Flow, FlowError, FlowGraph, ToolError, agent, choice, flow,
    gate, node, state, tool,
};

/// What came in.
#[state]
pub struct Letter {
    /// What is written.
    pub text: String,
}

/// A page of it.
#[state]
#[derive(PartialEq, Eq, Hash)]
pub struct Page(pub u32);

/// A page that was read.
#[state]
#[derive(Copy)]
pub enum Read {
    /// Nothing on it.
    Empty,
    /// So many words.
    Words {
        /// How many.
        count: u32,
    },
}

/// All of them.
#[state]
pub struct Summary {
    /// What they say.
    pub words: u32,
}

/// Somebody has to answer.
#[state]
pub struct Answer {
    /// The words of the answer.
    pub text: String,
}

/// Nobody has to.
#[state]
pub struct Filed {
    /// Where it is.
    pub folder: String,
}

/// It went out.
#[state]
#[serde(transparent)]
pub struct Sent(pub String);

/// It came back.
#[state]
pub struct Returned {
    /// Why.
    pub why: Option<String>,
}

/// What is to be done.
#[choice]
#[derive(Debug)]
pub enum Sorted {
    /// It came back.
    Returned(Returned),
    /// File it.
    Filed(Filed),
    /// It was sent.
    Sent(Sent),
}

/// Looks up an address.
///
/// # Errors
///
/// It is no number.
#[tool(read_only, open_world = false)]
pub async fn address(
    /// The name.
    name: String,
) -> Result<u32, ParseIntError> {
    ready(name.parse()).await
}

/// Says what time it is.
///
/// # Errors
///
/// Never.
#[tool(approve)]
pub async fn time(ctx: Context) -> Result<String, ToolError> {
    ready(Ok(format!("{ctx:?}"))).await
}

/// Throws the letter away.
///
/// # Errors
///
/// Never.
#[tool(destructive, idempotent)]
pub async fn throw_away() -> Result<(), ToolError> {
    ready(Ok(())).await
}

/// The pages of a letter.
#[node]
#[must_use]
pub fn pages(letter: &Letter) -> Each<Page> {
    letter.text.lines().map(|_| Page(1)).collect()
}

/// Reads a page.
#[node(
    timeout = "30s",
    total_timeout = "5m",
    retry(max_attempts = LIMIT, backoff = "200ms", factor = 1.5, max_backoff = "5s", jitter)
)]
pub async fn read(page: Page) -> Read {
    ready(Read::Words { count: page.0 }).await
}

/// Sums up.
#[node]
#[must_use]
pub fn sum(all: &Each<Read>) -> Summary {
    let count = |read: &Read| match *read {
        Read::Empty => 0,
        Read::Words { count } => count,
    };
    Summary {
        words: all.iter().map(count).sum(),
    }
}

/// You sort letters.
#[agent(
    model = "openai://m",
    output = Answer,
    tools = [address, time, throw_away],
    approve = destructive,
    max_turns = LIMIT,
    contract(suppress_below = FLOOR, budget = "8s"),
    max_visits = LIMIT,
    timeout = "2m",
    retry(max_attempts = 2),
)]
#[must_use]
pub fn think(summary: &Summary) -> String {
    summary.words.to_string()
}

/// How often at most.
pub const LIMIT: u32 = 3;
/// How sure at least.
pub const FLOOR: f64 = 0.5;

/// Where a letter goes.
///
/// # Errors
///
/// Never.
#[gate(
    prompt = format!("Send this?\n\n{}", answer.text),
    assignee = "the desk",
    metadata = answer.text.len(),
    timeout = "7d",
    max_visits = 2,
)]
pub async fn approve(answer: Answer, yes: bool) -> Result<Sorted, FlowError> {
    let sorted = if yes {
        Sorted::Sent(Sent(answer.text))
    } else {
        Sorted::Filed(Filed {
            folder: answer.text,
        })
    };
    ready(Ok(sorted)).await
}

/// Asks for more, with a letter that is in the question alone.
#[gate(prompt = format!("How many more like {}?", letter.text))]
#[must_use]
pub fn ask(letter: &Letter, more: u32) -> Summary {
    Summary { words: more }
}

/// Starts again.
#[node]
#[must_use]
pub fn rescue(failure: Failure<Summary>) -> Summary {
    failure.input
}

/// Starts again from what was filed.
#[node]
#[must_use]
pub fn again(filed: &Filed) -> Summary {
    Summary {
        words: u32::from(filed.folder.is_empty()),
    }
}

/// Starts again from what came back.
#[node]
#[must_use]
pub fn repeat(returned: &Returned) -> Summary {
    Summary {
        words: returned.why.as_ref().map_or(0, |_| 1),
    }
}

/// What happened.
#[state]
pub struct Done {
    /// In words.
    pub text: String,
}

/// Says what happened.
#[node]
#[must_use]
pub fn close(sent: Sent) -> Done {
    Done { text: sent.0 }
}

/// Answers a letter.
///
/// # Errors
///
/// What a run may answer.
#[flow(fail_fast = false)]
pub fn correspond(letter: Letter) -> Done {
    flow! {
        pages -> each(read, limit = LIMIT) -> sum -> think -> approve -> either(repeat, again, close);
        catch(think) -> rescue -> think;
        repeat -> think;
        again -> think
    }
}

/// A coffee for the desk.
#[state]
pub struct Order {
    /// How many.
    pub cups: u32,
}

/// It is hot.
#[state]
pub struct Brewed {
    /// How many.
    pub cups: u32,
}

/// It is paid.
#[state]
pub struct Billed {
    /// How much.
    pub cents: u32,
}

/// Nobody wanted it.
#[state]
pub struct Cold;

/// It is there.
#[state]
pub struct Served {
    /// How many.
    pub cups: u32,
}

/// Makes it.
#[node]
#[must_use]
pub fn accept(order: &Order) -> (Brewed, Billed) {
    (
        Brewed { cups: order.cups },
        Billed {
            cents: order.cups.saturating_mul(250),
        },
    )
}

/// Brings it.
#[node]
#[must_use]
pub fn serve(brewed: &Brewed, billed: &Billed) -> Either<Served, Cold> {
    if billed.cents == 0 {
        Either::Right(Cold)
    } else {
        Either::Left(Served { cups: brewed.cups })
    }
}

/// Takes it back.
#[node]
#[must_use]
pub fn pour(_: &Cold) -> Served {
    Served { cups: 0 }
}

/// Serves coffee.
///
/// # Errors
///
/// What a run may answer.
#[flow(named)]
pub fn coffee(order: Order) -> Served {
    flow! { accept -> fork(join(serve), join(serve)); serve -> either(done, pour) }
}

/// Takes an order.
#[node]
#[must_use]
pub fn order(letter: &Hunger) -> Order {
    Order { cups: letter.cups }
}

/// Somebody wants coffee.
#[state]
pub struct Hunger {
    /// How much.
    pub cups: u32,
}

/// What is left of the first version.
pub mod v1 {
    use pravah_runtime::prelude::*;

    /// An order.
    #[state]
    pub struct Order {
        /// How much.
        pub pots: u32,
    }

    /// Pots are four cups.
    #[migrate]
    #[must_use]
    pub fn cups(old: Order) -> super::Order {
        super::Order {
            cups: old.pots.saturating_mul(4),
        }
    }
}

#[flow(migrate(v1::cups))]
impl Flow for Hunger {
    type Output = Served;

    fn build() -> Result<FlowGraph, FlowError> {
        flow! { order -> coffee }
    }
}

/// You judge coffee.
#[agent(model = "openai://m", output = Served, timeout = "1m")]
pub struct Taste {
    /// What it was like.
    pub words: String,
}
