use pravah_runtime::prelude::*;

#[state] struct Urgent {}
#[state] struct Calm {}

#[choice]
enum Verdict { Urgent(Urgent), Calm(Calm) }

/// You triage.
#[agent(model = "openai://m", output = Verdict)]
struct Ticket { text: String }

fn main() {}
