//! Flow documents.

mod catalogue;
mod compare;
mod document_schema;
mod draw;
mod error;
mod json;
mod model;
mod nearest;
mod net;
mod options;
mod path;
mod problem;
mod read;
mod schema;
mod scope;
mod source;
mod template;
mod tree;
mod when;
mod yaml;

pub use catalogue::{Capabilities, Catalogue, Example, NodeType, Role};
pub use document_schema::document_schema;
pub use error::{BindingError, SyntaxError};
pub use model::*;
pub use options::{CheckModel, FileError, Files, Folder, Options};
pub use problem::{Problem, Problems};
pub use read::{read, read_bytes};
pub use schema::{Violation, violations};
pub use scope::Scope;
pub use template::Template;
pub use when::When;
