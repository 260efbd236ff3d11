//! The tools with which a model manages the detached tasks that it has started.

use std::sync::Arc;

use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};

use super::call_agent::object_schema;
use crate::{json::check, model::ToolSpec};

/// The names of the tools.
pub(crate) const TASK_TOOLS: [&str; 4] = [GET, WAIT, CANCEL, LIST];

const GET: &str = "get_task";
const WAIT: &str = "wait_task";
const CANCEL: &str = "cancel_task";
const LIST: &str = "list_my_tasks";

/// How long `wait_task` waits where the model does not say.
const DEFAULT_WAIT_SECONDS: u64 = 60;

/// What a model wants of its tasks.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum TaskRequest {
    List,
    One { task_id: String, action: TaskAction },
}

/// What a model wants of one of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum TaskAction {
    Get,
    Wait { seconds: u64 },
    Cancel,
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
struct NoArguments {}

impl TaskRequest {
    /// The request that a call of the tool `name` with these arguments is.
    pub(super) fn read(name: &str, arguments: &Value) -> Result<Self, String> {
        let one = |action| {
            let OneTask { task_id } = fields(arguments)?;
            Ok(Self::One { task_id, action })
        };
        match name {
            GET => one(TaskAction::Get),
            CANCEL => one(TaskAction::Cancel),
            WAIT => {
                let Wait {
                    task_id,
                    timeout_seconds,
                } = fields(arguments)?;
                let seconds = timeout_seconds.unwrap_or(DEFAULT_WAIT_SECONDS);
                let action = TaskAction::Wait { seconds };
                Ok(Self::One { task_id, action })
            }
            _ => fields(arguments).map(|NoArguments {}| Self::List),
        }
    }
}

fn fields<T: DeserializeOwned>(arguments: &Value) -> Result<T, String> {
    check(arguments).map_err(|unfit| format!("the arguments are {unfit}"))?;
    if !arguments.is_object() {
        // Serde would read a list as well.
        return Err("the arguments are not an object".to_owned());
    }
    T::deserialize(arguments).map_err(|error| error.to_string())
}

pub(super) fn specs() -> [ToolSpec; 4] {
    let id =
        json!({ "type": "string", "description": "The id of a detached task, such as `task_1`." });
    let one = json!({ "task_id": id });
    let timeout =
        format!("The longest time to wait, in seconds; {DEFAULT_WAIT_SECONDS} unless given.");
    let wait = json!({
        "task_id": id,
        "timeout_seconds": { "type": "integer", "minimum": 0, "description": timeout },
    });
    [
        spec(
            GET,
            "Returns the status of a detached task, its times, and a preview of its latest output.",
            (&one, &["task_id"]),
        ),
        spec(
            WAIT,
            "Waits until a detached task has ended and returns its result. If the timeout passes first, returns its \
             status.",
            (&wait, &["task_id"]),
        ),
        spec(
            CANCEL,
            "Cancels a detached task and all tasks started below it. Does nothing if it has already ended.",
            (&one, &["task_id"]),
        ),
        spec(
            LIST,
            "Returns the status of every detached task that you, or agents below you, have started.",
            (&json!({}), &[]),
        ),
    ]
}

fn spec(name: &str, description: &str, (properties, required): (&Value, &[&str])) -> ToolSpec {
    ToolSpec {
        name: name.to_owned(),
        description: description.to_owned(),
        parameters: Arc::new(object_schema(properties, required)),
    }
}
