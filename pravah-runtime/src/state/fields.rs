//! What `#[state]` asks of a field: one trait for all of it, so that a field that lacks more than one thing
//! is one mistake, and others for what is left where the user writes or leaves out a part.

use std::fmt::{self, Debug, Formatter};

use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};

#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a field of a state: it, or a type in it, lacks what every field of a state needs",
    label = "not all of `Serialize`, `Deserialize`, `JsonSchema`, `Clone` and `Debug`",
    note = "write `#[state]` above your own type, or derive what is missing; in place of a foreign type write one that has all of it, such as `SystemTime` for `Instant`, or `Vec<u8>` for a long array",
    note = "a field that stays out of the JSON is `#[serde(skip)]`, if its type has a `Default`; a state without `Clone` or `Debug` is `#[state(manual(Clone))]`, `#[state(manual(Debug))]`"
)]
pub trait StateField: Sized {
    fn clone_field(&self) -> Self;
    fn debug_field(&self) -> &dyn Debug;
}

#[diagnostic::do_not_recommend]
impl<T: Serialize + DeserializeOwned + JsonSchema + Clone + Debug> StateField for T {
    fn clone_field(&self) -> Self {
        self.clone()
    }

    fn debug_field(&self) -> &dyn Debug {
        self
    }
}

/// A trait that every [`StateField`] has, with a message of its own for a type that lacks it.
macro_rules! field_trait {
    ($(#[$attribute:meta])* $field:ident) => {
        #[doc(hidden)]
        $(#[$attribute])*
        pub trait $field: Sized {
            fn clone_field(&self) -> Self;
            fn debug_field(&self) -> &dyn Debug;
        }

        #[diagnostic::do_not_recommend]
        impl<T: StateField> $field for T {
            fn clone_field(&self) -> Self {
                StateField::clone_field(self)
            }

            fn debug_field(&self) -> &dyn Debug {
                StateField::debug_field(self)
            }
        }
    };
}

field_trait! {
    #[diagnostic::on_unimplemented(
        message = "`{Self}` cannot be a field of a state: a trait object cannot be copied, shown, written as JSON or read again",
        label = "a trait object",
        note = "hold its data, such as an enum of the types that it may be; if the host provides it, take `Dep<dyn Trait>` in the node that needs it",
        note = "a field that stays out of the JSON is `#[serde(skip)]`, if its type has a `Default`; a state without `Clone` or `Debug` is `#[state(manual(Clone))]`, `#[state(manual(Debug))]`"
    )]
    ObjectField
}

field_trait! {
    #[diagnostic::on_unimplemented(
        message = "`{Self}` cannot be a field of a state: it, or a type in it, lacks what every field of a state needs",
        label = "not all of `Serialize`, `Deserialize`, `JsonSchema`, `Clone` and `Debug`",
        note = "a key of a map is a `String`, an integer, or an enum without data, since it becomes a key of a JSON object: that enum derives `PartialEq`, `Eq` and `Hash` for a `HashMap`, `PartialEq`, `Eq`, `PartialOrd` and `Ord` for a `BTreeMap`; for any other key hold a `Vec` of pairs",
        note = "write `#[state]` above your own type, or derive what is missing; in place of a foreign type write one that has all of it, such as `SystemTime` for `Instant`",
        note = "a field that stays out of the JSON is `#[serde(skip)]`, if its type has a `Default`"
    )]
    MapField
}

field_trait! {
    #[diagnostic::on_unimplemented(
        message = "`{Self}` cannot be a field of a state: it, or a type in it, lacks what every field of a state needs",
        label = "not all of `Serialize`, `Deserialize`, `JsonSchema`, `Clone` and `Debug`",
        note = "what a `HashSet` holds derives `PartialEq`, `Eq` and `Hash`; what a `BTreeSet` holds derives `PartialEq`, `Eq`, `PartialOrd` and `Ord`",
        note = "write `#[state]` above your own type, or derive what is missing; in place of a foreign type write one that has all of it, such as `SystemTime` for `Instant`",
        note = "a field that stays out of the JSON is `#[serde(skip)]`, if its type has a `Default`"
    )]
    SetField
}

#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a field of a state: it, or a type in it, cannot be written as JSON",
    label = "not all of `Serialize`, `Deserialize` and `JsonSchema`",
    note = "write `#[state]` above your own type, or derive what is missing; in place of a foreign type write one that has all of it, such as `SystemTime` for `Instant`, or `Vec<u8>` for a long array",
    note = "a field that stays out of the JSON is `#[serde(skip)]`, if its type has a `Default`"
)]
pub trait JsonField {}

#[diagnostic::do_not_recommend]
impl<T: Serialize + DeserializeOwned + JsonSchema> JsonField for T {}

/// `T` has to be written as JSON.
#[doc(hidden)]
pub const fn json_field<T: JsonField>() {}

#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "every field of a state must be `Clone` and `Debug`, and `{Self}` lacks at least one of them",
    label = "not both `Clone` and `Debug`",
    note = "write `#[state]` above its definition, which adds all that a field of a state needs; or derive `Clone` and `Debug` for it, or let the state do without: `manual(Clone)`, `manual(Debug)` in its attribute, as in `#[state(manual(Clone))]`"
)]
pub trait PlainField: Sized {
    fn clone_field(&self) -> Self;
    fn debug_field(&self) -> &dyn Debug;
}

#[diagnostic::do_not_recommend]
impl<T: Clone + Debug> PlainField for T {
    fn clone_field(&self) -> Self {
        self.clone()
    }

    fn debug_field(&self) -> &dyn Debug {
        self
    }
}

#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "a state is `Clone`, and its field of type `{Self}` is not",
    label = "not `Clone`",
    note = "derive `Clone` for it, or let the state do without: `manual(Clone)` in its attribute, as in `#[state(manual(Clone))]`"
)]
pub trait CloneField: Sized {
    fn clone_field(&self) -> Self;
}

#[diagnostic::do_not_recommend]
impl<T: Clone> CloneField for T {
    fn clone_field(&self) -> Self {
        self.clone()
    }
}

#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "a state is `Debug`, and its field of type `{Self}` is not",
    label = "not `Debug`",
    note = "derive `Debug` for it, or let the state do without: `manual(Debug)` in its attribute, as in `#[state(manual(Debug))]`"
)]
pub trait DebugField {
    fn debug_field(&self) -> &dyn Debug;
}

#[diagnostic::do_not_recommend]
impl<T: Debug> DebugField for T {
    fn debug_field(&self) -> &dyn Debug {
        self
    }
}

/// Writes a struct or a variant as a derived `Debug` does. The names of its fields are one text, with spaces
/// between: a list would be one more constant for each state.
#[doc(hidden)]
pub fn debug_struct(
    f: &mut Formatter<'_>,
    name: &str,
    fields: &str,
    values: &[&dyn Debug],
) -> fmt::Result {
    let mut builder = f.debug_struct(name);
    for (name, value) in fields.split_whitespace().zip(values) {
        builder.field(name, value);
    }
    builder.finish()
}

/// The same, where the fields have no names.
#[doc(hidden)]
pub fn debug_tuple(f: &mut Formatter<'_>, name: &str, values: &[&dyn Debug]) -> fmt::Result {
    let mut builder = f.debug_tuple(name);
    for value in values {
        builder.field(value);
    }
    builder.finish()
}

/// `Serialize`, with a lifetime for a bound under a `for` to use: one that it does not use sets off
/// a lint of the user's.
#[doc(hidden)]
pub trait SerializeFor<'a>: Serialize {}

#[diagnostic::do_not_recommend]
impl<T: Serialize> SerializeFor<'_> for T {}
