use pravah_runtime::prelude::*;

#[state] struct Plan { topics: Vec<String> }
#[state] struct Topic { name: String }

#[node]
fn split(plan: Plan) -> Each<Topic> {
    plan.topics.into_iter().map(|name| Topic { name }).collect()
}

#[flow(named)]
fn all(plan: Plan) -> Each<Topic> { flow! { split } }

#[node(agents = [all])]
fn look_up(plan: &Plan) -> Invoke<Each<Topic>> {
    all::invoke(Plan { topics: plan.topics.clone() })
}

fn main() {}
