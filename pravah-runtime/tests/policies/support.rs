//! Bodies that do what a script says, and what is known of them afterwards.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Arc, Mutex},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use pravah_runtime::{
    Arguments, Clock, FlowDef, ModelClient, ModelError, ModelErrorKind, ModelFuture, ModelRequest,
    ModelResponse, RunStatus, SystemClock, ToolCall, Usage, WaitReason, prelude::*,
};
use serde_json::Value;

/// States that hold a number.
macro_rules! states {
    ($($name:ident),+ $(,)?) => {$(
        #[state]
        #[derive(Clone, Debug, PartialEq)]
        pub(crate) struct $name { pub(crate) n: u64 }
    )+};
}
pub(crate) use states;

/// A flow of one node, `work`, whose body does what the script says.
macro_rules! job {
    ($(#[$node:meta])+) => {
        $crate::support::states!(Job, Done);

        $(#[$node])+
        async fn work(job: Job, ctx: Context) -> Result<Done, String> {
            $crate::support::body(&ctx, "work").await?;
            Ok(Done { n: job.n })
        }

        #[flow(named)]
        fn bare(job: Job) -> Done {
            flow! { work }
        }
    };
}
pub(crate) use job;

/// What a body does when it is started.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Act {
    /// Returns after so many milliseconds.
    Takes(u64),
    Fails,
    /// The same after so many milliseconds.
    FailsAfter(u64),
    Panics,
    Hangs,
}

/// What the bodies do, in the order of their starts, and what they did.
#[derive(Clone, Default)]
pub(crate) struct Play(Arc<Mutex<Scenes>>);

#[derive(Default)]
struct Scenes {
    acts: BTreeMap<String, VecDeque<Act>>,
    log: Vec<String>,
    keys: Vec<String>,
    running: usize,
    most: usize,
}

impl Play {
    /// What `name` does at its next starts. Once that is over it returns at once.
    pub(crate) fn with(self, name: &str, acts: impl IntoIterator<Item = Act>) -> Self {
        self.add(name, acts);
        self
    }

    pub(crate) fn add(&self, name: &str, acts: impl IntoIterator<Item = Act>) {
        let mut scenes = self.0.lock().unwrap();
        scenes.acts.entry(name.into()).or_default().extend(acts);
    }

    pub(crate) fn ctx(&self) -> Context {
        Context::default().with_dep(self.clone())
    }

    /// What has happened: `name` where it was started, `name ends` and `name dropped`.
    pub(crate) fn log(&self) -> Vec<String> {
        self.0.lock().unwrap().log.clone()
    }

    pub(crate) fn count(&self, entry: &str) -> usize {
        self.log().iter().filter(|other| *other == entry).count()
    }

    /// The step keys of all starts.
    pub(crate) fn keys(&self) -> Vec<String> {
        self.0.lock().unwrap().keys.clone()
    }

    /// The most bodies that ran at the same time.
    pub(crate) fn most(&self) -> usize {
        self.0.lock().unwrap().most
    }

    fn note(&self, entry: String) {
        self.0.lock().unwrap().log.push(entry);
    }

    fn start(&self, name: &str, ctx: &Context) -> Act {
        let mut scenes = self.0.lock().unwrap();
        scenes.log.push(name.into());
        scenes.keys.push(ctx.step_key().unwrap());
        scenes.running += 1;
        scenes.most = scenes.most.max(scenes.running);
        let acts = scenes.acts.get_mut(name);
        acts.and_then(VecDeque::pop_front).unwrap_or(Act::Takes(0))
    }
}

/// Notes that a body is gone, and whether it has ended.
struct Guard {
    play: Play,
    name: String,
    has_ended: bool,
}

impl Drop for Guard {
    fn drop(&mut self) {
        let end = if self.has_ended { "ends" } else { "dropped" };
        self.play.note(format!("{} {end}", self.name));
        self.play.0.lock().unwrap().running -= 1;
    }
}

/// The body `name`, as the script in the context says.
pub(crate) async fn body(ctx: &Context, name: &str) -> Result<(), String> {
    let play = Play::clone(&ctx.dep::<Play>().unwrap());
    let act = play.start(name, ctx);
    let mut guard = Guard {
        play,
        name: name.into(),
        has_ended: false,
    };
    match act {
        Act::Takes(0) | Act::Fails => {}
        Act::Takes(time) | Act::FailsAfter(time) => {
            tokio::time::sleep(Duration::from_millis(time)).await;
        }
        Act::Panics => std::panic::resume_unwind(Box::new(format!("{name} fell over"))),
        Act::Hangs => std::future::pending().await,
    }
    guard.has_ended = true;
    match act {
        Act::Fails | Act::FailsAfter(_) => Err(format!("{name} failed")),
        _ => Ok(()),
    }
}

pub(crate) fn json<F: FlowDef>(run: &FlowRuntime<F>) -> Value {
    serde_json::to_value(run.snapshot()).unwrap()
}

/// The run as another process finds it, at the time that `clock` shows.
pub(crate) fn restart<F: FlowDef>(run: &FlowRuntime<F>, clock: SystemClock) -> FlowRuntime<F> {
    let bytes = serde_json::to_vec(&run.snapshot()).unwrap();
    let snapshot: FlowSnapshot = serde_json::from_slice(&bytes).unwrap();
    let restored = FlowRuntime::from_snapshot(snapshot)
        .unwrap()
        .with_clock(clock);
    assert_eq!(json(run), json(&restored));
    restored
}

pub(crate) fn is_failed<F: FlowDef>(run: &FlowRuntime<F>) -> bool {
    matches!(run.status(), RunStatus::Failed { .. })
}

pub(crate) fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// What a model does when it is asked.
#[derive(Clone, Debug)]
pub(crate) enum Turn {
    /// Answers with this text after so many milliseconds.
    Says(u64, &'static str),
    /// Asks for a tool, without arguments, after so many milliseconds.
    Calls(u64, &'static str),
    /// Cannot answer before so many milliseconds have passed.
    Busy(u64),
    /// Refuses for good.
    Refuses,
    Hangs,
}

/// Models that answer node by node; every answer costs 10 tokens.
#[derive(Clone, Default)]
pub(crate) struct Models(Arc<Mutex<Asked>>);

#[derive(Default)]
struct Asked {
    turns: BTreeMap<String, VecDeque<Turn>>,
    /// The nodes that asked, with the number of messages that they sent.
    asked: Vec<(String, usize)>,
    running: usize,
    most: usize,
}

impl Models {
    pub(crate) fn with(self, node: &str, turns: impl IntoIterator<Item = Turn>) -> Self {
        let mut asked = self.0.lock().unwrap();
        asked.turns.entry(node.into()).or_default().extend(turns);
        drop(asked);
        self
    }

    pub(crate) fn factory(&self) -> ClientFactory {
        ClientFactory::new().with_client(Arc::new(self.clone()))
    }

    pub(crate) fn asked(&self) -> Vec<(String, usize)> {
        self.0.lock().unwrap().asked.clone()
    }

    /// The most models that were asked at the same time.
    pub(crate) fn most(&self) -> usize {
        self.0.lock().unwrap().most
    }
}

/// Counts a model that is being asked.
struct Asking<'a>(&'a Models);

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        self.0.0.lock().unwrap().running -= 1;
    }
}

impl ModelClient for Models {
    fn complete<'a>(&'a self, request: &'a ModelRequest) -> ModelFuture<'a> {
        Box::pin(async move {
            let turn = {
                let mut asked = self.0.lock().unwrap();
                let size = request.messages.len();
                asked.asked.push((request.node.clone(), size));
                asked.running += 1;
                asked.most = asked.most.max(asked.running);
                let turns = asked.turns.get_mut(&request.node);
                turns.and_then(VecDeque::pop_front).unwrap()
            };
            let _asking = Asking(self);
            let response = ModelResponse::default().with_usage(Usage::new(7, 3));
            match turn {
                Turn::Says(time, text) => {
                    tokio::time::sleep(ms(time)).await;
                    Ok(response.with_text(text))
                }
                Turn::Calls(time, tool) => {
                    tokio::time::sleep(ms(time)).await;
                    let arguments = Arguments::Json(serde_json::json!({}));
                    Ok(response.with_calls([ToolCall::new("", tool, arguments)]))
                }
                Turn::Busy(time) => Err(ModelError::new(ModelErrorKind::RateLimited, "busy")
                    .with_retry_after(Some(ms(time)))),
                Turn::Refuses => Err(ModelError::new(ModelErrorKind::InvalidRequest, "no")),
                Turn::Hangs => std::future::pending().await,
            }
        })
    }
}

/// How long something takes, in milliseconds of tokio's clock.
pub(crate) async fn taking<T>(future: impl Future<Output = T>) -> (T, u128) {
    let start = tokio::time::Instant::now();
    let out = future.await;
    (out, start.elapsed().as_millis())
}

/// How long the run waits and why, in milliseconds from what `clock` shows.
pub(crate) fn waits<O: std::fmt::Debug>(out: &RunOut<O>, clock: &impl Clock) -> (u128, WaitReason) {
    match out {
        RunOut::Waiting {
            until: Some(until),
            why,
            ..
        } => {
            // A run counts whole milliseconds.
            let millis = |time: SystemTime| time.duration_since(UNIX_EPOCH).unwrap().as_millis();
            (millis(*until) - millis(clock.now()), *why)
        }
        out => panic!("{out:?}"),
    }
}
