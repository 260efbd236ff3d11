use pravah_runtime::prelude::*;

#[state] struct Plan { topics: Vec<String> }
#[state] struct Topic { name: String }
#[state] struct Finding { text: String }

/// You look things up.
#[agent(model = "openai://m", output = Finding)]
fn researcher(topic: &Topic) -> String { topic.name.clone() }

#[node(agents = [researcher])]
async fn look_up(plan: Plan) -> Result<Finding, FlowError> {
    let topic = Topic { name: plan.topics.concat() };
    researcher(&topic).await
}

#[flow] fn looking(plan: Plan) -> Finding { flow! { look_up } }
fn main() {}
