use pravah_runtime::prelude::*;

#[state] struct Doc { text: String }
#[state] struct Claim { text: String }
#[state] struct Checked { text: String }
#[node] fn look(claim: Claim) -> Checked { Checked { text: claim.text } }
/// Checks a claim.
#[flow] fn check(claim: Claim) -> Checked { flow! { look } }
/// You sum up documents.
#[agent(model = "openai://gpt-4o-mini", output = Checked, tools = [check])]
fn sum_up(doc: &Doc) -> String { doc.text.clone() }

fn main() {}
