//! The language of flow documents: flows written as YAML or JSON, for people and programs that do not compile Rust.
//!
//! [`read`] makes a checked [`Document`] of a text, or says everything that is wrong with it, each problem at its line
//! and column. It runs nothing: the types of nodes are data, a [`Catalogue`], and files come through [`Files`], so that
//! a macro can check a document as well as a runtime.
//!
//! ```
//! use pravah_document::{Catalogue, Options, read};
//!
//! let text = r#"
//! flow: { name: greeting, input: { name: World } }
//! nodes:
//!   - { id: hello, type: echo, input: { text: "Hello, {{ flow.input.nam }}!" } }
//!   - { id: shout, type: tutorial.uppercase, input: { text: "{{ hullo.text }}" } }
//! edges:
//!   - { from: hello, to: shout }
//! "#;
//! let catalogue = Catalogue::standard();
//! let problems = read("greeting.yaml", text, &Options::new(&catalogue)).unwrap_err();
//! assert_eq!(problems.to_string(), r#"warning[unknown-field]: the input of the document has no `nam`
//!  --> greeting.yaml:4:56
//!   |
//! 4 |   - { id: hello, type: echo, input: { text: "Hello, {{ flow.input.nam }}!" } }
//!   |                                                        ^^^^^^^^^^^^^^
//!   |
//!   = help: did you mean `name`?
//!
//! error[unknown-name]: nothing is called `hullo` here
//!  --> greeting.yaml:5:63
//!   |
//! 5 |   - { id: shout, type: tutorial.uppercase, input: { text: "{{ hullo.text }}" } }
//!   |                                                               ^^^^^^^^^^
//!   |
//!   = help: did you mean `hello`?"#);
//! ```
//!
//! # Where things are
//!
//! - A text becomes a tree with places (`source`, `yaml`, `json`), within limits on size, depth and aliases.
//! - The parts of the tree become nodes and edges (`read`), each with its references: [`Template`] is an input with
//!   bindings, [`When`] a condition. Inputs are checked against the schemas of their types (`schema`).
//! - Nodes and edges become graphs (`net`): bodies, the order, the regions of loop edges, then what bindings may name.
//! - Problems are collected on the way (`problem`), and drawn (`draw`).
//!
//! What [`read`] returns satisfies: every [`Graph`] is without cycles, edges lead to members of their graph, and each
//! binding names what has run before it, or says what there is if it has not.

mod catalogue;
mod compare;
mod diagram;
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

pub use catalogue::{
    AUTO_APPROVE_ABOVE, Capabilities, Catalogue, Example, NodeType, Role, SUPPRESS_BELOW,
};
pub use compare::{equal, order, whole};
pub use document_schema::document_schema;
pub use error::{BindingError, SyntaxError};
pub use json::json_value;
pub use model::*;
pub use options::{CheckModel, FileError, Files, Folder, Options};
pub use problem::{Problem, Problems};
pub use read::{read, read_bytes};
pub use schema::{Violation, schema_error, violations};
pub use scope::Scope;
pub use template::Template;
pub use tree::kind;
pub use when::When;
