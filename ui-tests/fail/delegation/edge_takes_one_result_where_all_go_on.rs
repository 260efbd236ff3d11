use pravah_runtime::prelude::*;

#[state] struct Plan { topics: Vec<String> }
#[state] struct Topic { name: String }
#[state] struct Finding { text: String }

/// You look things up.
#[agent(model = "openai://m", output = Finding)]
fn researcher(topic: &Topic) -> String { topic.name.clone() }
#[node(agents = [researcher])]
fn look_up(plan: &Plan) -> Invoke<Each<Finding>> {
    Invoke::all(plan.topics.iter().map(|name| researcher::invoke(Topic { name: name.clone() })))
}
#[node] fn write(finding: &Finding) -> Topic { Topic { name: finding.text.clone() } }

#[flow]
fn reporting(plan: Plan) -> Topic { flow! { look_up -> write } }

fn main() {}
