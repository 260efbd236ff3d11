use pravah_runtime::prelude::*;

#[state] struct Box { n: u32 }
#[state] struct Option { n: u32 }
#[state] struct Result { n: u32 }
#[state] struct String { n: u32 }
#[state] struct Vec { n: u32 }

#[node] fn unpack(parcel: Box) -> Option { Option { n: parcel.n } }
#[node] fn choose(option: &Option) -> Result { Result { n: option.n } }
#[node] async fn tie(result: Result) -> String { String { n: result.n } }
#[node] fn point(string: String) -> Vec { Vec { n: string.n } }
#[node] fn pack(vec: Vec) -> Box { Box { n: vec.n } }

#[flow] fn shipping(parcel: Box) -> Box { flow! { unpack -> choosing -> tying -> point -> pack } }
#[flow] fn choosing(option: Option) -> Result { flow! { choose } }
#[flow] fn tying(result: Result) -> String { flow! { tie } }
#[flow] fn pointing(string: String) -> Vec { flow! { point } }
#[flow] fn packing(vec: Vec) -> Box { flow! { pack } }

pub fn main() {}
