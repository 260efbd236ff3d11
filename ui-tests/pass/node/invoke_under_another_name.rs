use pravah_runtime::prelude::*;

#[state] struct Topic { name: String }
#[state] struct Finding { text: String }

type Call = Invoke<Finding>;

/// You look things up.
#[agent(model = "openai://m", output = Finding)]
fn researcher(topic: &Topic) -> String { topic.name.clone() }

#[node(agents = [researcher])]
fn look_up(topic: Topic) -> Call {
    println!("{}", researcher(&topic));
    researcher::invoke(topic)
}

#[gate(prompt = "Escaped {{}}?", assignee = "{}", metadata = "{}")]
fn approve(finding: Finding, yes: bool) -> Topic {
    Topic { name: if yes { finding.text } else { String::new() } }
}

#[gate(prompt = "Is {} what is meant?".to_owned())]
fn confirm(topic: Topic, _yes: bool) -> Finding { Finding { text: topic.name } }

#[flow]
fn looking(topic: Topic) -> Finding { flow! { look_up -> approve -> confirm } }

pub fn main() {
    let _ = looking;
}
