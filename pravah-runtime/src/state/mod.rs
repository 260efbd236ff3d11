//! What flows along the edges: states, choices of states and lists of states.

mod clones;
mod content;
mod copies;
mod each;
mod either;
mod fields;
mod live;
#[expect(
    clippy::indexing_slicing,
    reason = "constants cannot iterate; every index is checked"
)]
pub(crate) mod name;
mod payload;

pub use clones::note_clone;
pub(crate) use clones::{DuplicateFn, clone_of_state};
pub(crate) use content::Content;
pub use copies::{CloneProbe, Cloned, NoClone, NotCloned, Rebuild};
pub(crate) use copies::{Copies, OfState, Unknown, rebuild};
pub use each::Each;
pub use either::Either;
pub use fields::{
    CloneField, DebugField, JsonField, PlainField, SerializeFor, StateField, json_field,
};
pub(crate) use live::Live;
pub(crate) use payload::RawState;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, de::DeserializeOwned};

use crate::error::brief_json;

/// A type that can wait in a flow: it is written with [`#[state]`](macro@crate::state).
///
/// The trait is sealed: `#[state]` alone implements it. Flows without macros need none: the builder, and
/// [`Flow`], [`Agent`] and [`Tool`](crate::Tool) by hand, take any type that serialises and has a schema.
///
/// [`Flow`]: crate::Flow
/// [`Agent`]: crate::Agent
///
/// A snapshot reads `{"Verdict": {…}}`, and stays valid when a function is renamed. Where several nodes of a flow
/// take the state, it is called `Verdict@close` while it waits for `close`.
///
/// ```
/// use pravah_runtime::prelude::*;
///
/// #[state]
/// struct Ticket { subject: String }
///
/// assert_eq!(Ticket::NAME, "Ticket");
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a flow state",
    label = "not a state",
    note = "write `#[state]` above the definition of `{Self}`, in place of `#[choice]` if that is there: a node that follows may return the choice",
    note = "a type that is not yours goes into a field of a `#[state]` struct"
)]
pub trait State:
    SealedState + JsonSchema + Serialize + DeserializeOwned + Send + Sync + 'static
{
    /// The name of the state in snapshots and schemas: what `schemars` calls the type.
    const NAME: &'static str;

    /// The module path and name of the type, which tells two types of one name apart.
    const TYPE_PATH: &'static str;
}

/// What `#[state]` implements beside [`State`], so that nobody else does.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`State` is not implemented by hand",
    label = "no `#[state]` is above this type",
    note = "write `#[state]` above the definition of `{Self}` in place of this impl"
)]
pub trait SealedState: Sized {
    /// Where `#[state]` is: two functions may each have a type of one path.
    #[doc(hidden)]
    const PLACE: &'static str = "";

    /// Whether it is `Clone`; where that is not known it is taken for one.
    #[doc(hidden)]
    const IS_CLONE: bool = true;

    /// A clone, where the type is `Clone`: what stays in the run while a node has the value.
    #[doc(hidden)]
    fn duplicate(&self) -> Option<Self>;

    /// What makes the state again, where the type is not `Clone`.
    #[doc(hidden)]
    fn rebuild() -> Option<Rebuild> {
        None
    }
}

/// A state as the checks of a flow see it: by name, at compile time.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct StateRef {
    pub name: &'static str,
    pub path: &'static str,
    pub place: &'static str,
    pub is_clone: bool,
    /// Where the type itself is known, and not its name alone.
    pub fns: Option<StateFns>,
}

/// What a graph asks of the type of a state.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct StateFns {
    /// Writes its schema, with what it refers to among the generator's definitions.
    pub(crate) schema: fn(&mut SchemaGenerator) -> Schema,
    /// Whether it can be read from what waits in a run.
    pub(crate) check: CheckFn,
}

/// Whether a waiting state can be read as a type.
pub(crate) type CheckFn = fn(&Live) -> Result<(), serde_json::Error>;

impl StateFns {
    pub(crate) const fn of<S>() -> Self
    where
        S: JsonSchema + Serialize + DeserializeOwned + Send + Sync + 'static,
    {
        Self {
            schema: S::json_schema,
            check: |live| live.get::<S>().map(drop),
        }
    }
}

impl StateRef {
    /// Of a type that was refused.
    pub const NONE: Self = Self {
        name: "",
        path: "",
        place: "",
        is_clone: true,
        fns: None,
    };
}

/// Writes any value as JSON. It takes a `dyn` value, and there is one such function for reading,
/// so that a crate compiles each state's `Serialize` and `Deserialize` for one format only.
pub(crate) fn write_json(value: &dyn erased_serde::Serialize) -> Result<String, serde_json::Error> {
    serde_json::to_string(value)
}

/// Reads any value from JSON.
pub(crate) fn read_json<T: DeserializeOwned>(json: &str) -> Result<T, serde_json::Error> {
    serde_json::from_str(json).map_err(brief_json)
}
