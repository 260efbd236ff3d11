//! What flows along the edges: states, choices of states and lists of states.

mod cell;
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
mod object;
mod payload;
mod refused;
mod strict;

pub use clones::note_clone;
pub(crate) use clones::{AsNoted, DuplicateFn, clone_of_state};
pub(crate) use content::Content;
pub(crate) use copies::KnownClone;
pub use copies::{ByClone, CloneIf, CloneProbe, Copying, NoClone};
pub(crate) use copies::{Copies, OfState, Unknown, rebuild};
pub use each::Each;
pub use either::Either;
pub use fields::{
    CloneField, DebugField, JsonField, MapField, ObjectField, PlainField, SerializeFor, SetField,
    StateField, debug_struct, debug_tuple, json_field,
};
pub(crate) use live::Live;
pub(crate) use payload::{Payload, RawState, Rebuild, StateType, downcast_mut, of_another_type};

use std::panic::Location;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use self::{name::same, strict::Strict};
use crate::topology::CallOutput;

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
    note = "write `#[state]` above your own type, in place of `#[choice]` if that is there: a node that follows may return the choice",
    note = "a type that is not yours goes into a field of a `#[state]` struct"
)]
pub trait State:
    SealedState + JsonSchema + Serialize + DeserializeOwned + Send + Sync + 'static
{
    /// The name of the state in snapshots and schemas: what `schemars` calls the type.
    const NAME: &'static str = <Self as SealedState>::REF.name;

    /// The module path and name of the type, which tells two types of one name apart.
    const TYPE_PATH: &'static str = <Self as SealedState>::REF.path;

    /// What a node waits for that lets agents return it.
    #[doc(hidden)]
    const CALL_OUTPUT: CallOutput = CallOutput::one::<Self>();
}

/// What `#[state]` implements besides [`State`], so that nobody else does.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`State` is not implemented by hand",
    label = "no `#[state]` is above this type",
    note = "write `#[state]` above the definition of `{Self}` in place of this impl"
)]
pub trait SealedState: Sized {
    /// The state as the checks of a flow see it.
    #[doc(hidden)]
    const REF: StateRef;

    /// How a copy of it is left.
    #[doc(hidden)]
    type Copying: Copying<Self>;
}

/// What `#[state]` implements besides [`State`]. rustc expands a `macro_rules!` faster than it reads the same tokens
/// from a procedural macro.
#[doc(hidden)]
#[macro_export]
macro_rules! __pravah_implement_state {
    // Its impls start with the `impl` that the macro wrote: a message is then about the attribute.
    ($impl:tt $state:ident, $name:literal, $($copying:tt)*) => {
        $impl $crate::__private::SealedState for $state {
            const REF: $crate::__private::StateRef = $crate::__private::StateRef::here::<Self>(
                $name,
                ::core::concat!(::core::module_path!(), "::", ::core::stringify!($state)),
            );
            type Copying = $crate::__private::$($copying)*;
        }

        $impl $crate::__private::Param for $state {
            type Receive = $crate::__private::OneState;
        }

        $impl $crate::__private::Output for $state {
            type Emit = $crate::__private::OneState;
        }
    };
}

/// A state as the checks of a flow see it: by name, at compile time.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct StateRef {
    pub name: &'static str,
    pub path: &'static str,
    /// Where `#[state]` is: two functions may each have a type of one path.
    pub(crate) place: Option<Place>,
    pub is_clone: bool,
    /// Where the type itself is known, and not its name alone.
    pub fns: Option<StateFns>,
}

/// A place in the source. Constants compare it, and every call of a method of [`Location`] would slow them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    line: u32,
    column: u32,
    file: &'static str,
}

/// Writes the schema of a type, with what it refers to among the generator's definitions.
pub(crate) type SchemaOf = fn(&mut SchemaGenerator) -> Schema;

/// What a graph asks of the type of a state.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct StateFns {
    pub(crate) schema: SchemaOf,
    /// The type as what waits in a run is read.
    pub(crate) type_of: fn() -> StateType,
}

impl StateFns {
    pub(crate) const fn of<S>() -> Self
    where
        S: JsonSchema + Serialize + DeserializeOwned + Send + Sync + 'static,
    {
        Self {
            schema: schema::<S>,
            type_of: StateType::of::<S>,
        }
    }

    /// Its schema with what that refers to.
    pub(crate) fn root_schema(self) -> serde_json::Value {
        let mut generator = SchemaGenerator::default();
        let mut schema = (self.schema)(&mut generator);
        let definitions = generator.take_definitions(true);
        if !definitions.is_empty() {
            schema.insert("$defs".to_owned(), definitions.into());
        }
        schema.to_value()
    }
}

/// The schema of `S`. Named by itself it is a constant of a state whose `JsonSchema` rustc refused, too.
fn schema<S: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    S::json_schema(generator)
}

impl StateRef {
    /// Of a type that was refused.
    pub const NONE: Self = Self::named("", "");

    /// A state of which the names alone are known.
    pub(crate) const fn named(name: &'static str, path: &'static str) -> Self {
        Self {
            name,
            path,
            place: None,
            is_clone: true,
            fns: None,
        }
    }

    /// The state that the type `S` is.
    pub(crate) const fn of<S: State>(name: &'static str, path: &'static str) -> Self {
        Self {
            is_clone: S::Copying::IS_CLONE,
            fns: Some(StateFns::of::<S>()),
            ..Self::named(name, path)
        }
    }

    /// The same, for a type that has `#[state]` where this is called.
    #[track_caller]
    pub const fn here<S: State>(name: &'static str, path: &'static str) -> Self {
        let place = Location::caller();
        // Written out: for each state of a crate rustc evaluates this, and every call in it.
        Self {
            name,
            path,
            place: Some(Place {
                line: place.line(),
                column: place.column(),
                file: place.file(),
            }),
            is_clone: S::Copying::IS_CLONE,
            fns: Some(StateFns {
                schema: schema::<S>,
                type_of: StateType::of::<S>,
            }),
        }
    }

    /// Whether two states have one name and one path.
    pub(crate) const fn has_same_names(&self, other: &Self) -> bool {
        same(self.name, other.name) && same(self.path, other.path)
    }

    /// Whether two states of one name are of one type.
    pub(crate) const fn is_same_type(&self, other: &Self) -> bool {
        let is_same_place = match (self.place, other.place) {
            (Some(one), Some(other)) => {
                one.line == other.line && one.column == other.column && same(one.file, other.file)
            }
            (None, None) => true,
            _ => false,
        };
        is_same_place && same(self.path, other.path)
    }
}

/// The value as JSON. Fails where it could not be stored as a state: where a number in it is not finite, or it is nested too
/// deeply.
pub(crate) fn to_finite_value<T: Serialize>(value: &T) -> Result<Value, serde_json::Error> {
    let of = std::any::type_name::<T>();
    value.serialize(Strict::new(serde_json::value::Serializer, of))
}

/// Writes any value as JSON. It takes a `dyn` value, so that a crate compiles each state's `Serialize` for one
/// format only.
pub(crate) fn write_json(value: &dyn erased_serde::Serialize) -> Result<String, serde_json::Error> {
    serde_json::to_string(value)
}
