use pravah_runtime::prelude::*;

#[state] #[derive(Clone, Debug)] struct Named { text: String }
#[state] struct Tuple(u32);
#[state] struct Unit;
#[state] #[serde(rename = "Kind")] enum Which { One, Other(u32) }
#[node] fn tuple(_: Named) -> Tuple { Tuple(1) }
#[node] fn unit(_: Tuple) -> Unit { Unit }
#[node] fn which(_: Unit) -> Which { Which::Other(1) }

#[flow]
fn story(a: Named) -> Which { flow! { tuple -> unit -> which } }

pub fn main() { assert_eq!((Named::NAME, Which::NAME), ("Named", "Kind")); let _ = Which::One; }
