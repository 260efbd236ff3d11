//! The tools with which a model looks after the detached tasks that it has started.

use std::sync::Arc;

use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};

use crate::{json as fitness, model::ToolSpec};

pub(crate) const GET_TASK: &str = "get_task";
pub(crate) const WAIT_TASK: &str = "wait_task";
pub(crate) const CANCEL_TASK: &str = "cancel_task";
pub(crate) const LIST_MY_TASKS: &str = "list_my_tasks";

/// The names of the tools.
pub(crate) const SUPERVISOR_TOOLS: [&str; 4] = [GET_TASK, WAIT_TASK, CANCEL_TASK, LIST_MY_TASKS];

/// How long `wait_task` waits, in seconds, where the model does not say.
const WAIT_SECONDS: u64 = 60;

/// What a model wants of its tasks.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum TaskRequest {
    Get { task_id: String },
    Wait { task_id: String, seconds: u64 },
    Cancel { task_id: String },
    List,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OneTask {
    task_id: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wait {
    task_id: String,
    #[serde(default)]
    timeout_seconds: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Nothing {}

impl TaskRequest {
    /// The request that a call of the tool `name` with these arguments is; `None` where it is none of these tools.
    pub(super) fn read(name: &str, arguments: &Value) -> Option<Result<Self, String>> {
        let one = || Ok(fields::<OneTask>(arguments)?.task_id);
        Some(match name {
            GET_TASK => one().map(|task_id| Self::Get { task_id }),
            CANCEL_TASK => one().map(|task_id| Self::Cancel { task_id }),
            WAIT_TASK => fields::<Wait>(arguments).map(|wait| Self::Wait {
                task_id: wait.task_id,
                seconds: wait.timeout_seconds.unwrap_or(WAIT_SECONDS),
            }),
            LIST_MY_TASKS => fields::<Nothing>(arguments).map(|Nothing {}| Self::List),
            _ => return None,
        })
    }
}

fn fields<T: DeserializeOwned>(arguments: &Value) -> Result<T, String> {
    fitness::check(arguments).map_err(|unfit| format!("the arguments are {unfit}"))?;
    T::deserialize(arguments).map_err(|error| error.to_string())
}

/// The tools.
pub(super) fn specs() -> [ToolSpec; 4] {
    let id = || json!({ "type": "string", "description": "An id that `call_agent` has returned." });
    let one = || object(&json!({ "task_id": id() }), &["task_id"]);
    let wait = json!({
        "task_id": id(),
        "timeout_seconds": {
            "type": "integer",
            "minimum": 0,
            "description": "How long to wait at most: 60 seconds unless given.",
        },
    });
    [
        spec(
            GET_TASK,
            "Returns how far a task is that you have started.",
            one(),
        ),
        spec(
            WAIT_TASK,
            "Waits until a task has ended that you have started, and returns its result; or returns how far it is once \
             the time is over.",
            object(&wait, &["task_id"]),
        ),
        spec(
            CANCEL_TASK,
            "Ends a task that you have started, and all that it has started; nothing happens to one that has ended.",
            one(),
        ),
        spec(
            LIST_MY_TASKS,
            "Returns how far all tasks are that you have started, and those that they have started.",
            object(&json!({}), &[]),
        ),
    ]
}

fn spec(name: &str, description: &str, parameters: Value) -> ToolSpec {
    ToolSpec {
        name: name.to_owned(),
        description: description.to_owned(),
        parameters: Arc::new(parameters),
    }
}

fn object(properties: &Value, required: &[&str]) -> Value {
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}
