//! What the flows of these tests take and return.

use pravah_runtime::prelude::*;

#[state]
pub(crate) struct Ticket {}

#[state]
#[derive(Debug, PartialEq)]
pub(crate) struct Verdict {
    pub(crate) urgent: bool,
    pub(crate) note: Option<String>,
}
