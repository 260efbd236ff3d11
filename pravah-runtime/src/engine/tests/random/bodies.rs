//! What the nodes of a random flow do: as a fate says, by their step keys.

use std::{
    collections::{BTreeMap, BTreeSet},
    hash::{DefaultHasher, Hash, Hasher as _},
    sync::{Arc, Mutex},
    time::Duration,
};

use serde_json::json;

use super::{super::states, commands::ANSWER};
use crate::{
    Context, Each, FlowError, ModelClient, ModelError, ModelErrorKind, ModelFuture, ModelRequest,
    ModelResponse, Usage,
    error::BoxError,
    graph::{AgentNode, NodeKind},
    node::{
        Asked, Emission, Emitted, GateFns, InputResult, Inputs, NodeCall, NodeCalls, Running,
        Started,
    },
    state::{Live, OfState},
};

states!(Number);

/// Another number for each pair.
pub(super) fn mix(one: u64, other: u64) -> u64 {
    hash((one, other))
}

pub(super) fn hash(what: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    what.hash(&mut hasher);
    hasher.finish() >> 12
}

impl Number {
    /// One number for all that a node takes.
    pub(super) fn sum(inputs: &mut Inputs<'_>, slots: usize) -> InputResult<u64> {
        (0..slots).try_fold(0, |sum, slot| {
            let number: Self = inputs.take(slot, &OfState)?;
            Ok(mix(sum, number.n))
        })
    }
}

/// Decides by a seed and the step key what a body does, and remembers what was done.
#[derive(Clone)]
pub(super) struct Fate {
    seed: u64,
    /// Whether functions may hang, which only a limit of their time ends.
    pub(super) functions_hang: bool,
    known: Arc<Mutex<Known>>,
}

#[derive(Default)]
struct Known {
    /// How often a body has failed, by step key.
    failures: BTreeMap<String, u64>,
    /// The step keys of the bodies that came to their ends.
    effects: BTreeSet<String>,
    answers: u64,
    /// What gates read when they asked, by step key.
    asked: BTreeMap<String, u64>,
    /// What was to be read, and was not there.
    missing: Vec<String>,
    running: usize,
    most: usize,
}

/// A body that runs.
struct RunningBody(Fate);

impl RunningBody {
    fn new(fate: &Fate) -> Self {
        let mut known = fate.known.lock().unwrap();
        known.running += 1;
        known.most = known.most.max(known.running);
        Self(fate.clone())
    }
}

impl Drop for RunningBody {
    fn drop(&mut self) {
        self.0.known.lock().unwrap().running -= 1;
    }
}

impl Fate {
    pub(super) fn new(seed: u64) -> Self {
        Self {
            seed,
            functions_hang: true,
            known: Arc::default(),
        }
    }

    /// Whether somebody watches.
    pub(super) fn is_watched(&self) -> bool {
        self.seed % 2 == 1
    }

    fn roll(&self, what: &str, sides: u64) -> u64 {
        hash((self.seed, what)) % sides
    }

    pub(super) fn effects(&self) -> BTreeSet<String> {
        self.known.lock().unwrap().effects.clone()
    }

    pub(super) fn missing(&self) -> Vec<String> {
        self.known.lock().unwrap().missing.clone()
    }

    /// How often a model has answered.
    pub(super) fn answers(&self) -> u64 {
        self.known.lock().unwrap().answers
    }

    /// The most bodies that ran at the same time.
    pub(super) fn most(&self) -> usize {
        self.known.lock().unwrap().most
    }

    /// Counts a failure, unless there were so many.
    fn fails(&self, key: &str, times: u64) -> bool {
        let mut known = self.known.lock().unwrap();
        let failures = known.failures.entry(key.into()).or_default();
        let fails = *failures < times;
        *failures += u64::from(fails);
        fails
    }

    /// What a body does at this step, apart from what it returns.
    fn act(&self, key: &str, fails_for_good: bool) -> Act {
        match self.roll(&format!("{key} act"), 12) {
            0 if self.fails(key, 1) => Act::Fails,
            1 if self.fails(key, 2) => Act::Fails,
            2 if self.fails(key, 1) => Act::Panics,
            3 if self.functions_hang && self.fails(key, 1) => Act::Hangs,
            4..=6 if fails_for_good => Act::Fails,
            _ => Act::Returns,
        }
    }

    async fn wait(&self, key: &str) {
        let time = self.roll(&format!("{key} time"), 8);
        if time > 2 {
            tokio::time::sleep(Duration::from_millis(time * 3)).await;
        }
    }

    fn done(&self, key: String) {
        self.known.lock().unwrap().effects.insert(key);
    }
}

enum Act {
    Returns,
    Fails,
    Panics,
    Hangs,
}

/// What a body returns, of its number.
#[derive(Clone)]
pub(super) enum Returns {
    One,
    Choice(usize),
    Fork(usize),
    List,
    /// Calls of these in turn.
    Calls([String; 2]),
}

/// A function of a random flow.
pub(super) struct Body {
    salt: u64,
    slots: usize,
    returns: Returns,
    pub(super) takes_list: bool,
    pub(super) awaits: bool,
    pub(super) fails_for_good: bool,
}

impl Body {
    pub(super) fn new(id: &str, slots: usize, returns: Returns) -> Self {
        Self {
            salt: hash(id),
            slots,
            returns,
            takes_list: false,
            awaits: true,
            fails_for_good: false,
        }
    }

    pub(super) fn into_kind(self) -> NodeKind {
        NodeKind::Function(self.into_body())
    }

    pub(super) fn into_body(self) -> Arc<dyn crate::node::Body> {
        Arc::new(move |inputs: &mut Inputs<'_>| self.start(inputs))
    }

    fn start(&self, inputs: &mut Inputs<'_>) -> Started {
        let n = match self.takes_list {
            true => {
                let list: Each<Number> = inputs.take(0, &OfState)?;
                list.iter().fold(0, |sum, number| mix(sum, number.n))
            }
            false => Number::sum(inputs, self.slots)?,
        };
        let n = mix(n, read(inputs));
        let ctx = inputs.take_context();
        let (fate, key, returns) = (fate_of(&ctx), ctx.step_key().unwrap(), self.returns.clone());
        // What comes of an empty list is another number all the same.
        let n = mix(mix_inputs(&ctx, mix(self.salt, n))?, hash(&key));
        let act = fate.act(&key, self.fails_for_good);
        if !self.awaits {
            return Ok(Running::Ready(match act {
                Act::Returns => {
                    fate.done(key);
                    Ok(returns.emitted(n))
                }
                // It cannot hang without blocking everybody.
                Act::Fails | Act::Hangs => Err("failed".into()),
                Act::Panics => std::panic::resume_unwind(Box::new("fell over")),
            }));
        }
        Ok(Running::later(async move {
            let _running = RunningBody::new(&fate);
            fate.wait(&key).await;
            match act {
                Act::Returns => {}
                Act::Fails => return Err("failed".into()),
                Act::Panics => std::panic::resume_unwind(Box::new("fell over")),
                Act::Hangs => std::future::pending().await,
            }
            fate.done(key);
            Ok(returns.emitted(n))
        }))
    }
}

impl Returns {
    fn emitted(&self, n: u64) -> Emitted {
        let number = |n| Live::new(Number { n });
        Emitted(match *self {
            Self::One => Emission::Branch(0, number(n)),
            Self::Choice(count) => {
                let branch = n as usize % count;
                Emission::Branch(branch, number(mix(n, branch as u64)))
            }
            Self::Fork(count) => {
                let numbers = (0..count as u64).map(|at| number(mix(n, at)));
                Emission::All(numbers.collect())
            }
            Self::List => {
                let items = (0..n % 4).map(|at| Number { n: mix(n, at) });
                Emission::Branch(0, Live::new(items.collect::<Each<Number>>()))
            }
            Self::Calls(ref names) => {
                let calls = names.iter().cycle().zip(0..n % 4);
                let calls = calls.map(|(name, at)| NodeCall {
                    name: name.clone(),
                    id: None,
                    input: Ok(number(mix(n, at))),
                });
                Emission::Calls(NodeCalls::Awaited(calls.collect()))
            }
        })
    }
}

fn fate_of(ctx: &Context) -> Fate {
    Fate::clone(&ctx.dep::<Fate>().unwrap())
}

/// Another number for other inputs of the flows around a body.
fn mix_inputs(ctx: &Context, n: u64) -> Result<u64, FlowError> {
    let step = ctx.scope().unwrap();
    step.run.inputs(step.node).iter().try_fold(n, |n, name| {
        let input = step.run.input(step.node, name).unwrap();
        let number = input.get::<Number>().map_err(FlowError::other)?;
        Ok(mix(n, number.n))
    })
}

/// One number for all that a node reads.
fn read(inputs: &mut Inputs<'_>) -> u64 {
    let fate = fate_of(inputs.context());
    inputs.reads().fold(0, |sum, (state, live)| {
        let Some(live) = live else {
            fate.known.lock().unwrap().missing.push(state.to_owned());
            return sum;
        };
        hash((sum, state, live.to_value().unwrap().to_string()))
    })
}

/// The agent whose prompt also has what it reads.
pub(super) fn agent() -> AgentNode {
    AgentNode {
        prompt: Arc::new(|inputs| {
            let n = Number::sum(inputs, 1)?;
            Ok(crate::Prompt::from(format!("{n} {}", read(inputs))).into_messages())
        }),
        ..AgentNode::of_state::<Number>()
    }
}

/// A gate that takes any number for an answer, and that reads when it is answered what it read when it asked.
pub(super) fn gate() -> GateFns {
    GateFns {
        ask: |inputs| {
            let (read, ctx) = (read(inputs), inputs.context());
            let (fate, key) = (fate_of(ctx), ctx.step_key().unwrap());
            fate.known.lock().unwrap().asked.insert(key, read);
            Ok(Ok(Asked::for_event(ANSWER)))
        },
        schema: || json!({ "type": "integer" }),
        accepts: |_| Ok(()),
        run: |inputs, answer| {
            let n = mix(Number::sum(inputs, 1)?, answer.as_u64().unwrap());
            let read = read(inputs);
            let ctx = inputs.take_context();
            let (fate, key) = (fate_of(&ctx), ctx.step_key().unwrap());
            let n = mix(mix_inputs(&ctx, mix(n, read))?, hash(&key));
            let mut known = fate.known.lock().unwrap();
            if known.asked.get(&key).is_some_and(|asked| *asked != read) {
                known.missing.push(key.clone());
            }
            drop(known);
            Ok(Running::later(async move {
                fate.wait(&key).await;
                fate.done(key);
                Ok::<_, BoxError>(Returns::One.emitted(n))
            }))
        },
    }
}

/// The model of the agents: it answers by what it is asked, and is too busy now and then.
impl ModelClient for Fate {
    fn complete<'a>(&'a self, request: &'a ModelRequest) -> ModelFuture<'a> {
        Box::pin(async move {
            let _running = RunningBody::new(self);
            let asked = serde_json::to_string(&request.messages).unwrap();
            let key = format!("{}{:?}{asked}", request.node, request.items);
            self.wait(&key).await;
            if self.roll(&format!("{key} busy"), 4) == 0 && self.fails(&key, 1) {
                let busy = ModelError::new(ModelErrorKind::RateLimited, "busy");
                return Err(busy.with_retry_after(Some(Duration::from_millis(5))));
            }
            self.known.lock().unwrap().answers += 1;
            self.done(key.clone());
            let answer = json!({ "n": hash(key) }).to_string();
            Ok(ModelResponse::text(answer).with_usage(Usage::new(3, 1)))
        })
    }
}
