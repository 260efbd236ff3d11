//! Where nodes that call agents may be: in lists, in nested flows, in flows that agents call.

use pravah_runtime::prelude::*;
use serde_json::json;

use super::{Finding, Plan, Report, Topic, ctx, plan, researcher, text, topics};
use crate::macros_support::{Recorder, output, restart};

#[state]
struct Plans {
    plans: Vec<Plan>,
}

#[state]
#[derive(Clone)]
struct Chapter {
    findings: Vec<Finding>,
}

#[node(agents = [researcher])]
fn look_up(plan: &Plan) -> Invoke<Each<Finding>> {
    Invoke::all(topics(plan).map(researcher::invoke))
}

#[node]
fn bind(findings: Each<Finding>) -> Chapter {
    Chapter {
        findings: findings.into(),
    }
}

#[node]
fn split(plans: Plans) -> Each<Plan> {
    plans.plans.into()
}

#[node]
fn print(chapters: Each<Chapter>) -> Report {
    let findings = chapters.iter().flat_map(|chapter| &chapter.findings);
    let texts: Vec<&str> = findings.map(|finding| &*finding.text).collect();
    Report {
        text: texts.join(" "),
    }
}

#[flow(named)]
fn book(plans: Plans) -> Report {
    flow! { split -> each(look_up -> bind) -> print }
}

#[tokio::test]
async fn each_item_of_a_list_makes_its_own_calls() {
    let script = ScriptedModel::new()
        .reply("researcher[0][0]", text("A."))
        .reply("researcher[0][1]", text("B."))
        .reply("researcher[1][0]", text("C."));
    for bodies in [1, 8] {
        let model = Recorder::new(script.clone());
        let plans = [plan(["a", "b"]), plan(["c"])].to_vec();
        let run = book::start(Plans { plans }).unwrap();
        let mut run = run.with_factory(model.factory()).with_concurrency(bodies);
        let report = loop {
            match run.next(ctx()).await.unwrap() {
                RunOut::Done(report) => break report,
                _ => {
                    run = restart(&run)
                        .with_factory(model.factory())
                        .with_concurrency(bodies)
                }
            }
        };
        assert_eq!(report.text, "A. B. C.");
        assert_eq!(model.asked().len(), 3);
    }
}

/// Looks a plan up.
#[flow(named)]
fn chapter(plan: Plan) -> Chapter {
    flow! { look_up -> bind }
}

/// You write.
#[agent(model = "openai://m", output = Report, agents = [chapter])]
fn writer(topic: &Topic) -> String {
    topic.name.clone()
}

#[flow(named)]
fn writing(topic: Topic) -> Report {
    flow! { writer }
}

#[tokio::test]
async fn a_flow_that_an_agent_calls_calls_agents() {
    let script = ScriptedModel::new()
        .call(
            "writer",
            "call_agent",
            json!({ "agent": "chapter", "input": { "topics": ["a", "b"] } }),
        )
        .reply("chapter::researcher[0][0]", text("A."))
        .reply("chapter::researcher[0][1]", text("B."))
        .call("writer", "submit", text("A and B."));
    let model = Recorder::new(script);
    let run = writing::start(Topic { name: "a".into() }).unwrap();
    let mut run = run.with_factory(model.factory());
    let report = loop {
        match run.next(ctx()).await.unwrap() {
            RunOut::Done(report) => break report,
            _ => run = restart(&run).with_factory(model.factory()),
        }
    };
    assert_eq!(report.text, "A and B.");
    let results = model.results();
    assert_eq!(
        &*results[0].text,
        r#"{"findings":[{"text":"A."},{"text":"B."}]}"#
    );
}

#[node(agents = [chapter])]
fn one_chapter(topic: &Topic) -> Invoke<Chapter> {
    chapter::invoke(Plan {
        topics: vec![topic.name.clone()],
    })
}

#[node]
fn count(chapter: &Chapter) -> Report {
    Report {
        text: chapter.findings.len().to_string(),
    }
}

#[flow(named)]
fn nested(topic: Topic) -> Report {
    flow! { one_chapter -> count }
}

#[tokio::test]
async fn a_flow_that_a_node_calls_calls_agents() {
    let script = ScriptedModel::new().reply("chapter::researcher[0][0]", text("A."));
    let run = nested::start(Topic { name: "a".into() }).unwrap();
    let mut run = run.with_factory(ClientFactory::new().with_scripted(script));
    assert_eq!(output(run.run(ctx()).await).text, "1");
}
