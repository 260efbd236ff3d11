//! The run of a task, from its first step to its end.

use std::sync::Arc;

use pravah_runtime::{
    Context, FlowError, FlowRuntime, RunOut,
    invocation::{AgentRegistry, AgentResult, InvocationResult, TaskStatus},
};
use serde_json::Value;

use super::{
    Server,
    task::{End, Task},
    tasks::MessageKey,
};

/// Makes the steps of a run, and shows its task what comes of them.
pub(super) async fn drive(
    server: Arc<Server>,
    key: MessageKey,
    task: Arc<Task>,
    run: FlowRuntime<AgentRegistry>,
) {
    let _ending = Ending {
        server: Arc::clone(&server),
        key,
        task: Arc::clone(&task),
    };
    let end = run_to_end(&task, run, &server.context).await;
    task.end(end);
}

/// Ends the task however its driver ends.
struct Ending {
    server: Arc<Server>,
    key: MessageKey,
    task: Arc<Task>,
}

impl Drop for Ending {
    fn drop(&mut self) {
        self.task
            .end(End::Failed("the run was interrupted".to_owned()));
        let limits = &self.server.limits;
        self.server.tasks.note_ended(self.key.clone(), limits);
    }
}

async fn run_to_end(task: &Task, mut run: FlowRuntime<AgentRegistry>, context: &Context) -> End {
    task.note_questions(Vec::new());
    loop {
        match run.next(context.clone()).await {
            Ok(RunOut::Done(InvocationResult::Scalar { result, .. })) => return end_of(result),
            Ok(_) | Err(FlowError::ResumeRequired(_)) => {}
            Err(FlowError::Cancelled { .. }) => return End::Canceled,
            Err(error) => {
                tracing::warn!(task_id = task.id, error = %error, "an A2A task has failed");
                // Nobody makes another step, so what the agent has called is to end too.
                drop(run.cancel("its task has failed").await);
                return End::Failed(error.to_string());
            }
        }
        task.note_questions(run.suspensions());
        if !run.changed().await {
            return End::Failed(
                "the run cannot go on: nothing that it waits for can happen".to_owned(),
            );
        }
    }
}

fn end_of(result: AgentResult) -> End {
    match (result.status, result.content) {
        (TaskStatus::Completed, content) => End::Completed(content),
        (TaskStatus::Cancelled, _) => End::Canceled,
        (_, Value::String(reason)) => End::Failed(reason),
        (_, reason) => End::Failed(reason.to_string()),
    }
}
