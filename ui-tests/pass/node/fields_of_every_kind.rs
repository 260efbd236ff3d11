use pravah_runtime::prelude::*;

type Trees = Vec<Tree>;
#[state] struct Tree { beside: Trees, below: Option<Box<Tree>> }
#[state] struct Nest { eggs: Vec<Egg> }
#[state] struct Egg { nest: Option<Nest> }

/// It is nothing that JSON knows.
#[derive(Clone, Debug, Default)] struct Handle;
mod as_text {
    use pravah_runtime::__private::serde::{Deserialize, Deserializer, Serializer};
    pub fn serialize<S: Serializer>(_: &super::Handle, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str("handle")
    }
    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<super::Handle, D::Error> {
        String::deserialize(from).map(|_| super::Handle)
    }
}
#[state] struct Skipped { #[serde(skip)] handle: Handle, count: u32 }
#[state] enum Held {
    By(#[serde(with = "as_text")] #[schemars(with = "String")] Handle),
    #[serde(skip)] None(Handle),
}
#[state] #[serde(from = "u32", into = "u32")] #[schemars(with = "u32")] struct Through { handle: Handle }
impl From<u32> for Through { fn from(_: u32) -> Self { Self { handle: Handle } } }
impl From<Through> for u32 { fn from(_: Through) -> u32 { 0 } }
#[state] #[derive(Clone)] struct Half { #[serde(skip)] handle: Handle, egg: Egg }

#[node] fn grow(_: Tree) -> Nest { Nest { eggs: vec![] } }
#[node] fn lay(nest: Nest) -> Egg { Egg { nest: Some(nest) } }
#[node] fn skip(_: Egg) -> Skipped { Skipped { handle: Handle, count: 1 } }
#[node] fn hold(_: Skipped) -> Held { Held::By(Handle) }
#[node] fn pass(_: Held) -> Through { Through { handle: Handle } }
#[node] fn half(_: Through) -> Half { Half { handle: Handle, egg: Egg { nest: None } } }

#[flow]
fn story(tree: Tree) -> Half { flow! { grow -> lay -> skip -> hold -> pass -> half } }

pub fn main() {
    let Skipped { handle: _, count } = skip(Egg { nest: None });
    assert_eq!((count, Held::NAME), (1, "Held"));
    let _ = Held::None(Handle);
}
