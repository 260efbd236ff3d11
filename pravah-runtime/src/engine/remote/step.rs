//! A step of a remote agent.

use std::{future::Future, pin::Pin};

use crate::{
    engine::state::remote_task::RemoteAnswer,
    invocation::{RemoteCall, RemoteTaskHandle, RemoteUpdate, RunnerError},
};

/// What came of one call of a runner.
pub(in crate::engine) enum RemoteStep {
    /// What is to be started, and not yet by whom.
    Prepared(RemoteCall),
    Started(RemoteTaskHandle),
    Updated(RemoteUpdate),
    /// The runner has taken an answer.
    Answered,
    /// The answer is not what was asked for. Whoever awaits this step with `answer` gets the error.
    AnswerRefused {
        answer: RemoteAnswer,
        why: String,
        is_awaited: bool,
    },
    Failed(RunnerError),
}

pub(in crate::engine) type RemoteFuture = Pin<Box<dyn Future<Output = RemoteStep> + Send>>;
