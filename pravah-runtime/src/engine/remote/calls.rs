//! Calls of runners, which hold nothing of the run.

use std::sync::Arc;

use super::step::RemoteStep;
use crate::{
    engine::state::remote_task::RemoteAnswer,
    invocation::{
        RemoteTask, RemoteTaskHandle, RemoteUpdate, Runner, RunnerError, RunnerErrorKind,
        TaskStatus,
    },
    json,
};

/// Starts a task, or finds it where it was started before.
pub(super) async fn start(
    runner: &dyn Runner,
    task: &RemoteTask,
) -> Result<RemoteTaskHandle, RunnerError> {
    let id = runner.start(task).await?;
    Ok(RemoteTaskHandle::new(
        &*task.task_id,
        id,
        task.runner.clone(),
    ))
}

pub(super) async fn next_update(
    runner: &dyn Runner,
    handle: &RemoteTaskHandle,
    cursor: Option<Arc<str>>,
) -> RemoteStep {
    let update = runner.next_update(handle, cursor.as_deref()).await;
    match update.and_then(|update| check_update(&update).map(|()| update)) {
        Ok(update) => RemoteStep::Updated(update),
        Err(error) => RemoteStep::Failed(error),
    }
}

pub(super) async fn deliver_answer(
    runner: &dyn Runner,
    handle: &RemoteTaskHandle,
    answer: RemoteAnswer,
    is_awaited: bool,
) -> RemoteStep {
    let taken = runner.answer(handle, &answer.question_id, &answer.payload);
    match taken.await {
        Ok(()) => RemoteStep::Answered,
        Err(error) if error.kind() == RunnerErrorKind::InvalidAnswer => RemoteStep::AnswerRefused {
            answer,
            why: error.to_string(),
            is_awaited,
        },
        Err(error) => RemoteStep::Failed(error),
    }
}

/// Fails where an update has JSON that no snapshot can carry, or two questions of one id.
fn check_update(update: &RemoteUpdate) -> Result<(), RunnerError> {
    let questions = update.questions.iter().map(|question| &question.value);
    let mut values = questions.chain(&update.events).chain([&update.content]);
    let malformed = |why: String| RunnerError::new(RunnerErrorKind::Malformed, why);
    let unfit = |unfit| malformed(format!("the update has a value that is {unfit}"));
    values.try_for_each(json::check).map_err(unfit)?;
    if update.status == TaskStatus::Suspended && update.questions.is_empty() {
        return Err(malformed(
            "the task is suspended, and asks nothing".to_owned(),
        ));
    }
    let mut ids: Vec<&str> = update.questions.iter().map(|it| &*it.id).collect();
    ids.sort_unstable();
    match ids.array_windows().find(|[one, next]| one == next) {
        Some([id, _]) => Err(malformed(format!(
            "two of its questions have the id `{id}`"
        ))),
        None => Ok(()),
    }
}
