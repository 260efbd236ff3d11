//! Building a flow, which may not need itself for that.

use std::{any::TypeId, cell::RefCell};

use crate::error::FlowError;

thread_local! {
    /// The flows that are being built, one for the other.
    static BUILDING: RefCell<Vec<TypeId>> = const { RefCell::new(Vec::new()) };
}

/// Takes a flow off the list again, also where building it panics.
struct Building;

impl Drop for Building {
    fn drop(&mut self) {
        BUILDING.with_borrow_mut(|flows| flows.pop());
    }
}

/// Builds something of a flow. One that contains or starts itself meanwhile would never be built: that is an error.
pub(crate) fn building<R>(
    flow: TypeId,
    id: fn() -> String,
    build: fn() -> Result<R, FlowError>,
) -> Result<R, FlowError> {
    let _building = enter(flow, id)?;
    build()
}

// Not generic: generic code is compiled again for every flow of a user's crate.
fn enter(flow: TypeId, id: fn() -> String) -> Result<Building, FlowError> {
    if BUILDING.with_borrow(|flows| flows.contains(&flow)) {
        let text = format!(
            "`{}` contains itself, or starts itself while it is built",
            id()
        );
        return Err(FlowError::BuildError(text.into()));
    }
    BUILDING.with_borrow_mut(|flows| flows.push(flow));
    Ok(Building)
}
