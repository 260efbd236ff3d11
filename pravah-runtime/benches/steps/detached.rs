//! Detached tasks of one agent: what each costs, whether they are few or many.

use std::{fs, hint::black_box, sync::Arc};

use pravah_runtime::{
    Arguments, ModelClient, ModelFuture, ModelRequest, ModelResponse, ToolCall, prelude::*,
};
use serde_json::json;

use super::median;

#[state]
struct Question {
    text: String,
}
#[state]
struct Finding {
    text: String,
}

/// You look things up.
#[agent(model = "openai://m", output = Finding)]
fn researcher(question: &Question) -> String {
    question.text.clone()
}

/// You let others work.
#[agent(
    model = "openai://m",
    output = Finding,
    agents = [researcher],
    delegation(join = detached, on_done = wait, max_children = 1_000),
)]
fn lead(question: &Question) -> String {
    question.text.clone()
}

#[flow(named)]
fn leading(question: Question) -> Finding {
    flow! { lead }
}

/// Answers at once: the lead first with a call that starts so many.
struct Model(usize);

impl ModelClient for Model {
    fn complete<'a>(&'a self, request: &'a ModelRequest) -> ModelFuture<'a> {
        let found = json!({ "text": "found" });
        let call = |name: &str, arguments| {
            ModelResponse::calls([ToolCall::new("", name, Arguments::Json(arguments))])
        };
        let target = json!({ "agent": "researcher", "prompt": "Trains" });
        let response = match (request.node.as_str(), request.messages.len()) {
            ("lead", 1) => call("call_agent", json!({ "targets": vec![target; self.0] })),
            ("lead", _) => call("submit", found),
            _ => ModelResponse::text(found.to_string()),
        };
        Box::pin(async move { Ok(response) })
    }

    fn wants_counts(&self) -> bool {
        false
    }
}

fn started(tasks: usize) -> FlowRuntime<leading> {
    let factory = ClientFactory::new().with_client(Arc::new(Model(tasks)));
    let text = "Trains".to_owned();
    leading::start(Question { text })
        .unwrap()
        .with_factory(factory)
}

/// The first two steps, after which the tasks are there and none has made a step.
async fn with_tasks(tasks: usize) -> FlowRuntime<leading> {
    let mut run = started(tasks);
    for _ in 0..2 {
        run.next(Context::default()).await.unwrap();
    }
    assert_eq!(run.tasks().len(), tasks);
    run
}

/// How many bytes the process has in memory.
fn resident() -> usize {
    let statm = fs::read_to_string("/proc/self/statm").unwrap();
    let pages: usize = statm.split(' ').nth(1).unwrap().parse().unwrap();
    pages * 4_096
}

/// How many bytes a task takes, of so many in one run that waits for its first step. The runs stay in `all`: what is freed
/// would be used again.
async fn memory(tasks: usize, all: &mut Vec<FlowRuntime<leading>>) -> usize {
    const ALL: usize = 20_000;
    let before = resident();
    for _ in 0..ALL / tasks {
        all.push(with_tasks(tasks).await);
    }
    let after = resident();
    after.saturating_sub(before) / ALL
}

/// How many bytes the changes of a task's step are, on average and at most.
async fn changes(tasks: usize) -> (usize, usize) {
    let mut run = with_tasks(tasks).await;
    run.take_changes().unwrap();
    let (mut all, mut most) = (0, 0);
    let mut steps = 0;
    while let RunOut::Continue = run.next(Context::default()).await.unwrap() {
        let is_of_task = run
            .last_step()
            .is_some_and(|step| step.node == "researcher");
        let changes = run.take_changes().unwrap();
        if is_of_task {
            let bytes = serde_json::to_vec(&changes).unwrap().len();
            all += bytes;
            most = most.max(bytes);
            steps += 1;
        }
    }
    (all / steps, most)
}

pub(crate) async fn ratios() {
    println!("\nDetached tasks of one agent");
    println!("| tasks | ns a task | bytes of memory a task | bytes of changes a step, at most |");
    println!("|---|---|---|---|");
    let mut all = Vec::new();
    for tasks in [10, 100, 1_000] {
        let whole = median(15, async || {
            black_box(started(tasks).run(Context::default()).await.unwrap())
        });
        let none = median(15, async || {
            black_box(started(0).run(Context::default()).await.unwrap())
        });
        let each = (whole.await - none.await) / tasks as f64;
        let memory = memory(tasks, &mut all).await;
        let (bytes, most) = changes(tasks).await;
        println!("| {tasks} | {each:.0} | {memory} | {bytes}, {most} |");
    }
}
