//! Flow documents.

mod compare;
mod error;
mod json;
mod model;
mod nearest;
mod path;
mod scope;
mod template;
mod tree;
mod when;

pub use error::{BindingError, SyntaxError};
pub use model::*;
pub use scope::Scope;
pub use template::Template;
pub use when::When;
