//! A lead that calls two researchers, one of them on another server over A2A, while a third agent looks for what contradicts
//! them, and a flow in which a person checks a claim: one run, stored while the person is asked and continued in another
//! process.

use pravah_a2a::{A2aRunner, A2aServer};
use pravah_runtime::{StepKind, invocation::AgentRegistry, prelude::*};
use serde_json::{Value, json};
use tokio::net::TcpListener;

#[state]
struct Question {
    text: String,
}

#[state]
struct Topic {
    name: String,
}

#[state]
struct Finding {
    text: String,
    sources: Vec<String>,
}

#[state]
struct Claim {
    text: String,
}

#[state]
struct Checked {
    text: String,
    holds: bool,
    by: String,
}

#[state]
struct Report {
    text: String,
}

/// What a person says of a claim.
#[state]
struct Verdict {
    holds: bool,
    name: String,
}

/// Searches the archive.
#[tool(read_only)]
async fn search(words: String) -> Result<Vec<String>, ToolError> {
    let archive = ["timetable-1962.pdf", "railway-atlas.pdf", "ferries.pdf"];
    let found = archive.iter().filter(|name| name.contains(&words));
    Ok(found.map(ToString::to_string).collect())
}

/// You look one topic up, and name your sources.
#[agent(model = "openai://gpt-4o-mini", output = Finding, tools = [search])]
fn researcher(topic: &Topic) -> String {
    topic.name.clone()
}

/// Looks ships and ferries up in the archive of the harbours.
#[agent(runner = "a2a", output = Finding)]
fn harbours(topic: &Topic) -> String {
    topic.name.clone()
}

/// What runs on the server of the harbours.
mod there {
    use super::{Finding, Topic};
    use pravah_runtime::prelude::*;

    /// You look ships up, and name your sources.
    #[agent(model = "openai://gpt-4o-mini", output = Finding)]
    pub(super) fn harbours(topic: &Topic) -> String {
        topic.name.clone()
    }
}

/// You look for what speaks against a claim.
#[agent(model = "openai://gpt-4o-mini", output = Finding, tools = [search])]
fn sceptic(claim: &Claim) -> String {
    claim.text.clone()
}

#[gate(prompt = format!("Is it so that {}?", claim.text))]
fn ask(claim: Claim, verdict: Verdict) -> Checked {
    Checked {
        text: claim.text,
        holds: verdict.holds,
        by: verdict.name,
    }
}

/// Has a person check a claim.
#[flow]
fn check(claim: Claim) -> Checked {
    flow! { ask }
}

/// You answer questions. Have topics looked up, and what is doubtful checked.
#[agent(
    model = "openai://gpt-4o",
    output = Report,
    agents = [researcher, harbours, sceptic, check],
    delegation(join = [single, detached], max_children = 4),
)]
fn lead(question: &Question) -> String {
    question.text.clone()
}

/// Answers a question. `only(http)` grants no files or commands, and the compiler checks that of the agents and flows that
/// are called too. The remote agent needs the network.
#[flow(only(http))]
fn research(question: Question) -> Report {
    flow! { lead }
}

fn question() -> Question {
    Question {
        text: "How do I get to Benin?".to_owned(),
    }
}

fn finding(text: &str, source: &str) -> Value {
    json!({ "text": text, "sources": [source] })
}

/// The server of the harbours, whose models are scripted as well. Returns its address.
async fn serve_harbours() -> Result<String, Box<dyn std::error::Error>> {
    let script = ScriptedModel::new().reply(
        "harbours",
        finding("A ferry calls at Cotonou.", "ferries.pdf"),
    );
    let agents = AgentRegistry::new().with_agent::<there::harbours>();
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}", listener.local_addr()?);
    let server = A2aServer::new(agents, &url).with_context(Context::default().with_dep(script));
    let router = server.router()?;
    tokio::spawn(async move { axum::serve(listener, router).await });
    Ok(url)
}

/// What the models would say.
fn script() -> ScriptedModel {
    let look_up = |agent: &str, topic: &str| {
        let arguments = json!({ "agent": agent, "prompt": topic });
        ("call_agent", arguments)
    };
    // It goes on beside the lead, as the first such task of the run.
    let doubt = json!({ "agent": "sceptic", "prompt": "One can get to Benin", "join": "detached" });
    ScriptedModel::new()
        .calls(
            "lead",
            [
                ("call_agent", doubt),
                look_up("researcher", "Trains to Benin"),
                look_up("harbours", "Ferries to Benin"),
            ],
        )
        .call("researcher", "search", json!({ "words": "timetable" }))
        .call(
            "researcher",
            "submit",
            finding("There was a train until 1962.", "timetable-1962.pdf"),
        )
        .call(
            "lead",
            "call_agent",
            json!({ "agent": "check", "input": { "text": "no train goes to Benin today" } }),
        )
        .call("lead", "wait_task", json!({ "task_id": "task_1" }))
        .call("sceptic", "search", json!({ "words": "closed" }))
        .call(
            "sceptic",
            "submit",
            json!({ "text": "Nothing.", "sources": [] }),
        )
        .call(
            "lead",
            "submit",
            json!({ "text": "Take the ferry to Cotonou: no train goes to Benin, as Ada says." }),
        )
}

/// Makes steps until the run is done or waits for a person, whose question is returned.
async fn go_on(run: &mut FlowRuntime<Question>) -> Result<Option<(String, Value)>, FlowError> {
    loop {
        let out = run.next(Context::default()).await?;
        if let Some(step) = run.last_step()
            // How many of these there are depends on how often the other server has news.
            && (step.kind != StepKind::Remote || !step.outputs.is_empty())
        {
            let step = step.to_string();
            println!(
                "  {}",
                step.split_once(' ').map_or(&*step, |(_, step)| step)
            );
        }
        match out {
            RunOut::Suspend { tool_id, value } => return Ok(Some((tool_id, value))),
            RunOut::Done(report) => {
                println!("{}", report.text);
                return Ok(None);
            }
            _ => {}
        }
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let url = serve_harbours().await?;
    let factory = || ClientFactory::new().with_scripted(script());
    let runner = || A2aRunner::new().with_agent("harbours", &url);
    let run = FlowRuntime::new(question())?.with_factory(factory());
    let mut run = run.with_runner(runner());
    println!("the lead starts a sceptic, calls two researchers, then has a claim checked:");
    let Some((id, question)) = go_on(&mut run).await? else {
        return Err("nobody was asked".into());
    };
    let stored = serde_json::to_string(&run)?;
    let gate: GateQuestion = serde_json::from_value(question)?;
    println!("`{id}` asks: {}", gate.prompt);
    drop(run);

    println!("in another process:");
    let snapshot = serde_json::from_str(&stored)?;
    let run = FlowRuntime::<Question>::from_snapshot(snapshot)?.with_factory(factory());
    let mut run = run.with_runner(runner());
    let verdict = json!({ "holds": true, "name": "Ada" });
    run.answer(Context::default(), &id, verdict).await?;
    go_on(&mut run).await?;
    for task in run.tasks() {
        let found = task.preview.unwrap_or_default();
        println!("{} of `{}`: {found}", task.task_id, task.agent_id);
    }
    println!("{} model calls, none of them twice", run.model_calls());
    Ok(())
}

#[cfg(test)]
mod tests {
    use pravah_runtime::testing::CrashTest;

    use super::*;

    #[tokio::test]
    async fn a_report_is_the_same_wherever_its_run_is_broken_off() {
        let url = serve_harbours().await.unwrap();
        let test = CrashTest::<Question>::new(question)
            .with_setup(move |run| {
                run.with_factory(script())
                    .with_runner(A2aRunner::new().with_agent("harbours", &url))
            })
            .answering(|_question| Some(json!({ "holds": true, "name": "Ada" })));
        let report = test.check().await.unwrap();
        assert_eq!(
            report.output["text"],
            "Take the ferry to Cotonou: no train goes to Benin, as Ada says."
        );
    }
}
