use pravah_runtime::prelude::*;

#[state] struct Topic {}
#[state] #[derive(Clone)] struct Draft {}
#[state] struct Note {}
#[state] struct Page {}
#[choice] enum Kind { Long(Topic), Short(Note) }

#[node] fn sort(topic: Topic) -> Kind { Kind::Long(topic) }
#[node] fn write(_: Topic) -> Draft { Draft {} }
#[node] fn check(_: Draft) -> Note { Note {} }
#[node] fn publish(_: Note, _draft: Latest<Draft>) -> Page { Page {} }

#[flow]
fn post(topic: Topic) -> Page {
    flow! { sort -> either(write -> check -> publish, publish) }
}

fn main() {}
