use pravah_runtime::prelude::*;

#[state] struct Draft { text: String }
#[state] struct Page { text: String }
#[node] fn edit(draft: Draft) -> Page { Page { text: draft.text } }

#[flow] fn publish(draft: Draft) -> Page { flow! { edit(draft) } }

fn main() {}
