//! Names in a sentence.

use std::fmt::Display;

/// Names as a message lists them: `` `a`, `b` ``; "none" where there are none.
pub(crate) fn quoted<T: Display>(names: impl IntoIterator<Item = T>) -> String {
    let names: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    match names.is_empty() {
        true => "none".to_owned(),
        false => names.join(", "),
    }
}
