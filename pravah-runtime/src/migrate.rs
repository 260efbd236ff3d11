//! What `#[migrate]` makes of a function.

use crate::{LoadOptions, State, check::MovedState, error::BoxError};

/// A function that makes a state of this version of an earlier one.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a migration",
    label = "not a migration",
    note = "write `#[migrate]` above the function"
)]
pub trait Migrate: 'static {
    /// What it takes.
    type Old: State;
    /// What it makes of that.
    type New: State;

    /// Where the place of the earlier state is gone: its key in snapshots, or an empty text for its name.
    const SLOT: Option<&'static str>;

    /// The state that is moved, if one is.
    const MOVED: MovedState = match Self::SLOT {
        None => MovedState::NOTHING,
        Some(key) => MovedState {
            key: if key.is_empty() { Self::Old::NAME } else { key },
            to: Self::New::NAME,
        },
    };

    /// Calls the function.
    ///
    /// # Errors
    ///
    /// That of the function.
    fn migrate(old: Self::Old) -> Result<Self::New, BoxError>;

    /// The same options, with the migration.
    fn add_to(options: LoadOptions) -> LoadOptions {
        match Self::SLOT {
            None => options.with_try_migration(Self::migrate),
            Some(_) => options.with_try_moved_state(Self::MOVED.key, Self::migrate),
        }
    }
}
