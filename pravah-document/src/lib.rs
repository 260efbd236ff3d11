//! Flow documents.

mod model;
mod scope;
mod template;
mod when;

pub use model::*;
pub use scope::Scope;
pub use template::{BindingError, Template};
pub use when::When;
