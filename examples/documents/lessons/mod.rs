//! A lesson each.

pub(crate) mod channels;
pub(crate) mod custom_node;
pub(crate) mod in_memory;
pub(crate) mod messages;
pub(crate) mod one_run_only;
pub(crate) mod packs;
pub(crate) mod session_each;
pub(crate) mod without_document;
