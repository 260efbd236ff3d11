//! The agents that the tests publish.

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use pravah_runtime::{invocation::AgentRegistry, prelude::*};
use serde_json::json;

/// How often nodes were run.
#[derive(Default)]
pub(crate) struct Counter(AtomicUsize);

impl Counter {
    pub(crate) fn get(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }

    fn count(&self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

#[state]
pub(crate) struct Person {
    pub(crate) name: String,
}

#[state]
#[derive(Debug, PartialEq)]
pub(crate) struct Greeting {
    pub(crate) text: String,
}

#[node]
async fn make_greeting(person: Person, counter: Dep<Counter>) -> Greeting {
    counter.count();
    Greeting {
        text: format!("Hello, {}", person.name),
    }
}

/// Greets a person.
#[flow]
pub(crate) fn greet(person: Person) -> Greeting {
    flow! { make_greeting }
}

#[state]
pub(crate) struct Draft {
    pub(crate) topic: String,
}

#[state]
#[derive(Debug, PartialEq)]
pub(crate) struct Decided {
    pub(crate) published: bool,
}

#[gate(prompt = format!("Publish {}?", draft.topic))]
fn approve(draft: &Draft, yes: bool, counter: Dep<Counter>) -> Decided {
    counter.count();
    Decided {
        published: yes && !draft.topic.is_empty(),
    }
}

/// Asks whether to publish a draft.
#[flow]
pub(crate) fn publish(draft: Draft) -> Decided {
    flow! { approve }
}

#[state]
pub(crate) struct Wait {
    pub(crate) name: String,
    pub(crate) seconds: Option<u64>,
}

#[state]
#[derive(Debug, PartialEq)]
pub(crate) struct Waited {
    pub(crate) name: String,
    pub(crate) seconds: u64,
}

#[node]
async fn wait(wait: &Wait, counter: Dep<Counter>) -> Waited {
    counter.count();
    let seconds = wait.seconds.unwrap_or(3_600);
    tokio::time::sleep(Duration::from_secs(seconds)).await;
    Waited {
        name: wait.name.clone(),
        seconds,
    }
}

/// Takes its time.
#[flow]
pub(crate) fn slow(input: Wait) -> Waited {
    flow! { wait }
}

#[state]
pub(crate) struct Page {
    pub(crate) name: String,
}

#[state]
#[derive(Debug, PartialEq)]
pub(crate) struct Printed {
    pub(crate) name: String,
}

#[node]
fn print(page: Page) -> Result<Printed, FlowError> {
    Err(format!("no room for {}: the printer is out of paper", page.name).into())
}

/// Prints a page, if there is paper.
#[flow]
pub(crate) fn fail(page: Page) -> Printed {
    flow! { print }
}

#[state]
pub(crate) struct Topic {
    pub(crate) name: String,
}

#[state]
#[derive(Debug, PartialEq)]
pub(crate) struct Finding {
    pub(crate) text: String,
}

/// You look things up.
#[agent(model = "openai://gpt-4o-mini", output = Finding)]
pub(crate) fn researcher(topic: &Topic) -> String {
    topic.name.clone()
}

pub(crate) fn registry() -> AgentRegistry {
    AgentRegistry::new()
        .with_agent::<greet>()
        .with_agent::<publish>()
        .with_agent::<slow>()
        .with_agent::<fail>()
        .with_agent::<researcher>()
}

pub(crate) fn script() -> ScriptedModel {
    ScriptedModel::new().reply("researcher", json!({ "text": "Little." }))
}
