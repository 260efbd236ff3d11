use pravah_runtime::prelude::*;

#[state] struct Brief { topic: String }
#[state] struct Draft { text: String }
#[state] struct Page { text: String }
#[node] fn write(brief: Brief) -> Draft { Draft { text: brief.topic } }
#[node] fn judge(draft: Draft) -> Either<Page, Brief> { Either::Left(Page { text: draft.text }) }

#[flow]
fn article(brief: Brief) -> Page { flow! { write -> judge -> either(done, write as rewrite) } }

fn main() {}
