//! The context of a step as a parameter: macros know it by its name alone.

use crate::context::Context;

/// The context of a step, as the last parameter of a function: what is called so, and may be another
/// type.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the context of a step, and has its name",
    label = "taken for `pravah_runtime::Context`",
    note = "give the state another name, such as `Surroundings`"
)]
pub trait IsContext: Sized {
    fn from_context(context: Context) -> Self;
}

impl IsContext for Context {
    fn from_context(context: Context) -> Self {
        context
    }
}
