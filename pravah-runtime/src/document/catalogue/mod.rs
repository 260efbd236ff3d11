//! What runs the types of the standard catalogue.

mod basics;

use super::registry::Implementation;

/// What runs the nodes of a standard type.
pub(super) fn implementation(name: &str) -> Implementation {
    basics::implementation(name).unwrap_or(Implementation::Unknown)
}
