//! The options of `#[migrate]`.

use proc_macro2::TokenStream;
use syn::LitStr;

use super::{
    entries::{Entry, Value},
    table::table,
};
use crate::diag::Diagnostics;

/// The place of a state that is moved.
pub(crate) enum MovedSlot {
    /// That of its name.
    OfState,
    /// The key that it has in snapshots.
    Key(LitStr),
}

table! {
    OPTIONS: Option<MovedSlot> = "migrate", |it, entry, errors| {
        ["slot"] => *it = slot(entry, errors),
    } else {
        ["from", "key", "place", "move", "moved", "state"] =>
            "write `#[migrate(slot)]` where the place of the state is gone, or `#[migrate(slot = \"review::Draft\")]` in a nested flow",
    }
}

fn slot(entry: Entry, errors: &mut Diagnostics) -> Option<MovedSlot> {
    if let Value::Flag = entry.value {
        return Some(MovedSlot::OfState);
    }
    let key = entry.literal(
        "the key of the slot is not a string literal",
        "write the key that the state has in snapshots: `slot = \"review::Draft\"`",
        errors,
    );
    key.map(MovedSlot::Key)
}

impl MovedSlot {
    /// `None` where no state is moved; outside, where a mistake is reported.
    pub(crate) fn parse(tokens: TokenStream, errors: &mut Diagnostics) -> Option<Option<Self>> {
        OPTIONS.parse(tokens, errors)
    }
}
