use pravah_runtime::prelude::*;
#[state] struct Plan { topics: Vec<String> }
#[state] struct Topic { name: String }
#[state] struct Finding { text: String }
#[state] struct Report { text: String }

/// You look things up.
#[agent(model = "openai://m", output = Finding)]
fn researcher(topic: &Topic) -> String { topic.name.clone() }

/// You write reports.
#[agent(model = "openai://m", output = Report)]
fn writer(topic: &Topic) -> String { topic.name.clone() }

#[node(agents = [researcher, writer])]
fn look_up(plan: &Plan) -> Invoke<Each<Finding>> {
    Invoke::all(plan.topics.iter().map(|name| researcher::invoke(Topic { name: name.clone() })))
}

fn main() {}
