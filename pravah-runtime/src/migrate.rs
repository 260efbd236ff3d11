//! What `#[migrate]` makes of a function.

use crate::{LoadOptions, State, check::MovedState, engine::MigrationName, error::BoxError};

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

    /// The name of the function.
    const NAME: &'static str;

    /// Where the place of the earlier state is gone: its key in snapshots, or an empty text for its name.
    const SLOT: Option<&'static str>;

    /// What is known of it while a lock is checked.
    const MOVED: MovedState = MovedState {
        migration: Self::NAME,
        key: match Self::SLOT {
            Some(key) if !key.is_empty() => key,
            _ => Self::Old::NAME,
        },
        to: Self::New::NAME,
        is_moved: Self::SLOT.is_some(),
    };

    /// Calls the function.
    ///
    /// # Errors
    ///
    /// That of the function.
    fn migrate(old: Self::Old) -> Result<Self::New, BoxError>;

    /// The same options, with the migration.
    fn add_to(options: LoadOptions) -> LoadOptions {
        let name = MigrationName {
            function: Some(Self::NAME),
            reads: Self::Old::NAME.to_owned(),
            makes: Self::New::NAME.to_owned(),
        };
        match Self::SLOT {
            None => options.with_named_migration(name, Self::migrate),
            Some(_) => options.with_named_move(name, Self::MOVED.key, Self::migrate),
        }
    }
}
