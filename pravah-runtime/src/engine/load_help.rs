//! What lets the runs of an earlier version go on.

mod fields;

pub(crate) use fields::FieldChanges;

use crate::{graph::split_key, quoted::quoted};

/// What lets runs go on in which a state waits that no node takes any more.
pub(crate) fn where_gone(state: &str) -> String {
    format!(
        "keep a node that takes `{state}`; a state that has another name now keeps this one with `#[serde(rename = \"{}\")]`; a `#[migrate(slot)]` function that `#[flow(migrate(…))]` names moves it to another state",
        type_name(state)
    )
}

/// What lets runs end that have returned another state than this version returns.
pub(crate) fn where_output_differs(before: &str, now: &str) -> String {
    let (before, now) = (type_name(before), type_name(now));
    format!(
        "return `{before}` as before; if it is called `{now}` now, it keeps its earlier name with `#[serde(rename = \"{before}\")]`; a `#[migrate(slot)]` function that `#[flow(migrate(…))]` names turns it into `{now}`"
    )
}

/// What lets runs go on with a state whose stored form its type does not read any more, of which serde says `why`.
pub(crate) fn where_unreadable(
    state: &str,
    why: &str,
    fields: &FieldChanges,
    has_migration: bool,
) -> String {
    let migration = match has_migration {
        true => for_migration(state, fields),
        false => format!(
            "write a `#[migrate]` function from the earlier `{}` and name it in `#[flow(migrate(…))]`",
            type_name(state)
        ),
    };
    match unknown_variant(why) {
        Some(variant) => format!(
            "keep the variant `{variant}`, write `#[serde(alias = \"{variant}\")]` above one that has another name now, or {migration}"
        ),
        None => fields.help(&migration),
    }
}

/// What lets a migration read a state.
pub(crate) fn for_migration(state: &str, fields: &FieldChanges) -> String {
    let name = type_name(state);
    let with = match fields.stored() {
        [] => String::new(),
        stored => format!(", with the fields {}", quoted(stored)),
    };
    format!("let the migration take the earlier `{name}` as it was stored{with}")
}

/// The variant that a type does not have any more.
fn unknown_variant(why: &str) -> Option<&str> {
    let (_, rest) = why.split_once("unknown variant `")?;
    rest.split('`').next()
}

/// The name of the state with this key, which also says where it waits: `Draft`, for `review::Draft@publish`.
pub(crate) fn type_name(key: &str) -> &str {
    let (state, _) = split_key(key);
    state.rsplit(['/', ':']).next().unwrap_or(state)
}
