use pravah_runtime::prelude::*;

#[state] struct Brief { topic: String }
#[state] struct Draft { text: String }
#[state] struct Page { text: String }
mod desk {
    use super::*;
    #[node] pub(super) fn write(brief: Brief) -> Draft { Draft { text: brief.topic } }
    #[node] pub(super) fn judge(draft: Draft) -> Either<Brief, Page> { Either::Right(Page { text: draft.text }) }
    #[node] pub(super) fn print(draft: Draft) -> Page { Page { text: draft.text } }
}
use desk::write;

#[flow]
fn article(brief: Brief) -> Page {
    flow! { desk::write -> desk::judge -> either(write -> desk::print, done) }
}

fn main() {}
