use pravah_runtime::prelude::*;

trait Search: Send + Sync {}

#[state]
struct Request { search: Box<dyn Search> }

fn main() {}
