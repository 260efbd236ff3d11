use pravah_runtime::prelude::*;

#[state] struct Topic { name: String }
#[state] struct Finding { text: String }

/// You look things up.
#[agent(model = "openai://m", output = Finding)]
fn researcher(topic: &Topic) -> String { topic.name.clone() }

#[node(agents = [researcher])]
async fn look_up(topic: Topic) -> Result<Finding, FlowError> {
    Ok(researcher::invoke(topic).await?)
}

fn main() {}
