//! What a tool was resumed with.

use std::ops::Deref;

use serde::de::DeserializeOwned;

use super::Context;
use crate::error::ToolError;

/// What a tool asks for that waits for an answer: the answer, or nothing where the run was not suspended
/// in this call. It derefs to that `Option`.
///
/// ```
/// use pravah_runtime::{Resumed, ToolError};
///
/// fn refund(amount: u32, approved: Resumed<bool>) -> Result<String, ToolError> {
///     match *approved {
///         None => Err(ToolError::suspend(format!("refund {amount} euros?"))),
///         Some(true) => Ok("refunded".to_owned()),
///         Some(false) => Ok("refused".to_owned()),
///     }
/// }
///
/// assert!(refund(20, Resumed(None)).is_err());
/// assert_eq!(refund(20, Resumed(Some(true))).unwrap(), "refunded");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Resumed<T>(pub Option<T>);

impl<T> Deref for Resumed<T> {
    type Target = Option<T>;

    fn deref(&self) -> &Option<T> {
        &self.0
    }
}

impl<T: DeserializeOwned> Resumed<T> {
    pub(super) fn of(ctx: &Context) -> Result<Self, ToolError> {
        ctx.resumed().map(Self)
    }
}
