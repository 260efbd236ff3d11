use pravah_runtime::prelude::*;

#[state] struct Answer { text: String }

#[choice] enum Route { Answer(Answer), Refuse(Refusal) }

fn main() {}
