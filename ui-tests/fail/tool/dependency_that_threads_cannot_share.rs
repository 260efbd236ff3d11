use std::cell::RefCell;

use pravah_runtime::prelude::*;

struct Counter(RefCell<u32>);

/// Counts.
#[tool]
async fn count(by: u32, counter: Dep<Counter>) -> Result<u32, ToolError> {
    *counter.0.borrow_mut() += by;
    Ok(by)
}

fn main() {}
