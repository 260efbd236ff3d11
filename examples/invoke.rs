//! A node that looks topics up with agents and a person, side by side, and an invocation from outside, as JSON, of the
//! same agents.

use pravah_runtime::{
    AgentConfig,
    invocation::{AgentRegistry, Invocation},
    prelude::*,
};
use serde_json::{Value, json};

#[state]
struct Plan {
    topics: Vec<String>,
    to_ask: Vec<String>,
}

#[state]
struct Topic {
    name: String,
}

#[state]
struct Finding {
    text: String,
}

#[state]
struct Report {
    text: String,
}

/// You look one topic up.
#[agent(model = "openai://gpt-4o-mini", output = Finding)]
fn researcher(topic: &Topic) -> String {
    format!("What is known of {}?", topic.name)
}

#[gate(prompt = format!("What do you know of {}?", topic.name))]
fn ask(topic: Topic, answer: String) -> Finding {
    Finding {
        text: format!("Of {} somebody says: {answer}", topic.name),
    }
}

/// Asks a person.
#[flow(named)]
fn survey(topic: Topic) -> Finding {
    flow! { ask }
}

fn topics(names: &[String]) -> impl Iterator<Item = Topic> {
    names.iter().map(|name| Topic { name: name.clone() })
}

/// The code decides who is asked what: the agent for each topic, and a person for what no archive has.
#[node(agents = [researcher, survey])]
fn look_up(plan: &Plan) -> Invoke<Each<TaskResult<Finding>>> {
    let looked_up = topics(&plan.topics).map(researcher::invoke);
    Invoke::settled(looked_up.chain(topics(&plan.to_ask).map(survey::invoke)))
}

#[node]
fn write(findings: Each<TaskResult<Finding>>) -> Report {
    let lines = findings.into_iter().map(|finding| match finding {
        TaskResult::Completed { output } => output.text,
        TaskResult::Failed { message, .. } => format!("(nothing: {message})"),
    });
    Report {
        text: lines.collect::<Vec<_>>().join("\n"),
    }
}

/// Looks topics up, all at the same time.
#[flow]
fn reporting(plan: Plan) -> Report {
    flow! { look_up -> write }
}

fn factory(script: ScriptedModel) -> ClientFactory {
    ClientFactory::new().with_scripted(script)
}

/// Runs the flow up to its question, and from a snapshot on.
async fn report() -> Result<String, Box<dyn std::error::Error>> {
    let script = || {
        let finding = |text: &str| json!({ "text": text });
        let script = ScriptedModel::new();
        let script = script.reply("researcher[0]", finding("No train goes to Benin."));
        script.error("researcher[1]", "the archive is closed")
    };
    let list = |names: &[&str]| names.iter().map(ToString::to_string).collect();
    let plan = Plan {
        topics: list(&["trains", "ferries"]),
        to_ask: list(&["roads"]),
    };
    let run = FlowRuntime::new(plan)?.with_factory(factory(script()));
    let mut run = run.with_concurrency(3);
    let RunOut::Suspend { tool_id, value } = run.run(Context::default()).await? else {
        return Err("nobody was asked".into());
    };
    let question: GateQuestion = serde_json::from_value(value)?;
    println!("`{tool_id}` asks: {}", question.prompt);
    let stored = serde_json::to_string(&run)?;
    let mut run: FlowRuntime<Plan> = serde_json::from_str(&stored)?;
    run = run.with_factory(factory(script()));
    run.answer(Context::default(), &tool_id, "there is one")
        .await?;
    let RunOut::Done(report) = run.run(Context::default()).await? else {
        return Err("somebody is asked again".into());
    };
    println!("model calls: {}", run.model_calls());
    Ok(report.text)
}

/// What a program that knows no Rust might ask for.
fn body() -> Value {
    json!({
        "targets": [
            {
                "agent": { "type": "named", "agent_id": "researcher" },
                "message": { "role": "user", "parts": [{ "text": "Which ferries go to Benin?" }] },
            },
            {
                "agent": { "type": "ad_hoc", "system_prompt": "You check facts." },
                "message": { "role": "user", "parts": [{ "text": "Is there a train to Benin?" }] },
            },
        ],
        "join": "all",
    })
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("a flow whose node calls agents:");
    println!("{}", report().await?);

    println!("\nthe same agents, called from outside:");
    let base = AgentConfig::new("Be brief.", "openai://gpt-4o-mini");
    let registry = AgentRegistry::new()
        .with_agent::<researcher>()
        .with_agent::<survey>()
        .with_ad_hoc(base);
    let invocation: Invocation = serde_json::from_value(body())?;
    let script = ScriptedModel::new()
        .reply("researcher", json!({ "text": "One calls at Cotonou." }))
        .reply("ad_hoc", json!("No."));
    let run = registry.invoke(invocation)?.with_run_id("run-7");
    let mut run = run.with_factory(factory(script));
    let RunOut::Done(result) = run.run(Context::default()).await? else {
        return Err("somebody is asked".into());
    };
    for result in result.results() {
        println!("{} {:?}: {}", result.task_id, result.status, result.content);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use pravah_runtime::testing::CrashTest;

    use super::*;

    #[tokio::test]
    async fn a_report_is_the_same_wherever_its_run_is_broken_off() {
        let script = ScriptedModel::new()
            .reply(
                "researcher[0]",
                json!({ "text": "No train goes to Benin." }),
            )
            .error("researcher[1]", "the archive is closed");
        let models = factory(script);
        let test = CrashTest::<Plan>::new(|| Plan {
            topics: vec!["trains".to_owned(), "ferries".to_owned()],
            to_ask: vec!["roads".to_owned()],
        })
        .with_setup(move |run| run.with_factory(models.clone()).with_concurrency(3))
        .answering(|_| Some(json!("there is one")));
        let report = test.check().await.unwrap();
        let text = report.output["text"].as_str().unwrap();
        assert!(
            text.ends_with("Of roads somebody says: there is one"),
            "{text}"
        );
    }
}
