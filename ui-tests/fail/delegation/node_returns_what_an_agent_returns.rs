use pravah_runtime::prelude::*;

#[state] struct Plan { topics: Vec<String> }
#[state] struct Topic { name: String }
#[state] struct Finding { text: String }
#[state] struct Report { text: String }

/// You look things up.
#[agent(model = "openai://m", output = Finding)]
fn researcher(topic: &Topic) -> String { topic.name.clone() }

#[node(agents = [researcher])]
fn look_up(plan: &Plan) -> Finding {
    researcher::invoke(Topic { name: plan.topics.concat() })
}

fn main() {}
