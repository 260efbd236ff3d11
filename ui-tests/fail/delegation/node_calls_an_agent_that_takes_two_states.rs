use pravah_runtime::prelude::*;
#[state] struct Plan { topics: Vec<String> }
#[state] struct Topic { name: String }
#[state] struct Finding { text: String }
#[state] struct Report { text: String }

/// You look things up.
#[agent(model = "openai://m", output = Finding)]
fn researcher(topic: &Topic) -> String { topic.name.clone() }

/// You judge.
#[agent(model = "openai://m", output = Report)]
fn judge(topic: &Topic, finding: &Finding) -> String { format!("{} {}", topic.name, finding.text) }

#[node(agents = [judge])]
fn look_up(plan: &Plan) -> Invoke<Report> {
    judge::invoke(Topic { name: plan.topics.concat() })
}

fn main() {}
