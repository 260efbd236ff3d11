//! What `#[migrate]` makes of a function.

use crate::{LoadOptions, check::MovedState};

/// A function that makes a state of this version of an earlier one.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a migration",
    label = "not a migration",
    note = "write `#[migrate]` above the function"
)]
pub trait Migrate {
    /// The state whose place is gone, and the one that is made of it.
    const MOVED: MovedState;

    /// The same options, with the migration.
    fn add_to(options: LoadOptions) -> LoadOptions;
}
