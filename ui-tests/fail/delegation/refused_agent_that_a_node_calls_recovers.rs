use pravah_runtime::prelude::*;

#[state] struct Plan { topics: Vec<String> }
#[state] struct Topic { name: String }
#[state] struct Finding { text: String }

#[agent(model = "openai://m", output = Finding)]
fn researcher(topic: &Topic) -> String { topic.name.clone() }

#[node(agents = [researcher])]
fn look_up(plan: &Plan) -> Invoke<Finding> {
    researcher::invoke(Topic { name: plan.topics.concat() })
}

#[flow] fn looking(plan: Plan) -> Finding { flow! { look_up } }
fn main() {}
