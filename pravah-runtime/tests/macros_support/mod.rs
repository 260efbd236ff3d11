//! What the tests of the macros share: running flows, and restarting them after every step.
#![allow(
    dead_code,
    unused_imports,
    unused_macros,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "each test file uses a part of it, and a helper that fails is a test that fails"
)]

#[path = "../common/only_failed.rs"]
mod only_failed;

use std::sync::{Arc, Mutex};

pub(crate) use only_failed::only_failed;
use pravah_runtime::{
    ClientFactory, Context, Failure, Flow, FlowDef, FlowError, FlowRuntime, FlowSnapshot, Message,
    ModelClient, ModelFuture, ModelRequest, RunOut, ScriptedModel, ToolResult, state,
};
use serde_json::Value;

/// States that hold a number.
macro_rules! states {
    ($($name:ident),+ $(,)?) => {$(
        #[state]
        #[derive(Clone, Debug, PartialEq)]
        struct $name { n: u32 }
    )+};
}
pub(crate) use states;

/// What became of a failure, in words.
#[state]
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Report {
    pub(crate) text: String,
}

pub(crate) fn report<I: std::fmt::Debug>(failure: &Failure<I>) -> Report {
    let Failure {
        input,
        kind,
        message,
        ..
    } = failure;
    Report {
        text: format!("{input:?} {kind:?} {message}"),
    }
}

/// Runs a flow that needs nobody to its end.
pub(crate) async fn done<F: Flow>(input: F) -> F::Output {
    output(
        FlowRuntime::new(input)
            .unwrap()
            .run(Context::default())
            .await,
    )
}

/// Runs a flow to the error that stops it.
pub(crate) async fn failed<F: Flow>(input: F) -> FlowError {
    match FlowRuntime::new(input)
        .unwrap()
        .run(Context::default())
        .await
    {
        Err(error) => error,
        Ok(_) => panic!("the run went on"),
    }
}

pub(crate) fn output<O>(out: Result<RunOut<O>, FlowError>) -> O {
    match out {
        Ok(RunOut::Done(output)) => output,
        Ok(RunOut::Suspend { tool_id, .. }) => panic!("suspended at {tool_id}"),
        Ok(_) => panic!("not done"),
        Err(error) => panic!("{error}"),
    }
}

/// What asks, and what is asked.
pub(crate) fn suspended<O>(out: Result<RunOut<O>, FlowError>) -> (String, serde_json::Value) {
    match out {
        Ok(RunOut::Suspend { value, tool_id }) => (tool_id, value),
        Ok(_) => panic!("not suspended"),
        Err(error) => panic!("{error}"),
    }
}

/// Steps until somebody has to answer.
pub(crate) async fn to_rest<F: FlowDef>(run: &mut FlowRuntime<F>) {
    for _ in 0..100 {
        match run.next(Context::default()).await {
            Ok(RunOut::Continue | RunOut::Suspend { .. }) => {}
            Err(FlowError::ResumeRequired(_)) => return,
            Ok(_) => panic!("it does not rest"),
            Err(error) => panic!("{error}"),
        }
    }
    panic!("it goes on for ever");
}

/// The run as another process would find it.
pub(crate) fn restart<F: FlowDef>(run: &FlowRuntime<F>) -> FlowRuntime<F> {
    let bytes = serde_json::to_vec(&run.snapshot()).unwrap();
    let snapshot: FlowSnapshot = serde_json::from_slice(&bytes).unwrap();
    FlowRuntime::from_snapshot(snapshot).unwrap()
}

/// Runs a flow that needs nobody, through a restart after every step; answers its steps too.
pub(crate) async fn through_restarts<F: FlowDef>(
    mut run: FlowRuntime<F>,
) -> (F::Output, Vec<String>) {
    let mut steps = Vec::new();
    loop {
        let out = run.next(Context::default()).await.unwrap();
        steps.push(run.last_step().unwrap().to_string());
        match out {
            RunOut::Done(output) => return (output, steps),
            RunOut::Continue => run = restart(&run),
            RunOut::Suspend { tool_id, .. } => panic!("suspended at {tool_id}"),
            RunOut::Waiting { .. } => panic!("waiting"),
        }
    }
}

/// Answers from a script, and keeps what it was asked.
#[derive(Clone, Default)]
pub(crate) struct Recorder {
    script: ScriptedModel,
    asked: Arc<Mutex<Vec<ModelRequest>>>,
}

impl Recorder {
    pub(crate) fn new(script: ScriptedModel) -> Self {
        Self {
            script,
            ..Self::default()
        }
    }

    pub(crate) fn factory(&self) -> ClientFactory {
        ClientFactory::new().with_client(Arc::new(self.clone()))
    }

    pub(crate) fn asked(&self) -> Vec<ModelRequest> {
        self.asked.lock().unwrap().clone()
    }

    /// The text of the first message of the first question.
    pub(crate) fn prompt(&self) -> String {
        let asked = self.asked();
        asked[0].messages[0].user_text().unwrap()
    }

    /// The results that the last question brought.
    pub(crate) fn results(&self) -> Vec<ToolResult> {
        match self.asked().last().unwrap().messages.last() {
            Some(Message::Tool { results, .. }) => results.clone(),
            other => panic!("{other:?}"),
        }
    }
}

impl ModelClient for Recorder {
    fn complete<'a>(&'a self, request: &'a ModelRequest) -> ModelFuture<'a> {
        self.asked.lock().unwrap().push(request.clone());
        self.script.complete(request)
    }
}
