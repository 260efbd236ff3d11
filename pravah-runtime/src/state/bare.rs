//! Fields whose type seems to lack everything: `#[state]` asks for all of it at once, so that it is one
//! mistake. Each derive would report its part.

use std::{fmt::Debug, marker::PhantomData};

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserializer, Serialize, Serializer, de::DeserializeOwned};

/// What the type of a field has to be.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be in a field of a state: it is not all of `Serialize`, `Deserialize`, `JsonSchema`, `Clone` and `Debug`",
    label = "lacks what a field of a state needs",
    note = "write `#[state]` above its definition, which adds all of them"
)]
pub trait StateField {
    const CHECKED: () = ();
}

#[diagnostic::do_not_recommend]
impl<T: Serialize + DeserializeOwned + JsonSchema + Clone + Debug> StateField for T {}

/// A field of type `T`. Method lookup tries [`KnownField`], whose impl is nearer, before [`UnknownField`].
#[doc(hidden)]
pub struct BareField<T>(PhantomData<fn() -> T>);

impl<T> BareField<T> {
    pub const NEW: Self = Self(PhantomData);
}

/// Known: the type has it all.
#[doc(hidden)]
pub trait KnownField<T> {
    fn write<S: Serializer>(&self, value: &T, serializer: S) -> Result<S::Ok, S::Error>;
    fn read<'de, D: Deserializer<'de>>(&self, deserializer: D) -> Result<T, D::Error>;
    fn schema(&self, generator: &mut SchemaGenerator) -> Schema;
    fn clone_field(&self, value: &T) -> T;
    fn debug_field<'a>(&self, value: &'a T) -> &'a dyn Debug;
}

impl<T: Serialize + DeserializeOwned + JsonSchema + Clone + Debug> KnownField<T> for BareField<T> {
    fn write<S: Serializer>(&self, value: &T, serializer: S) -> Result<S::Ok, S::Error> {
        value.serialize(serializer)
    }

    fn read<'de, D: Deserializer<'de>>(&self, deserializer: D) -> Result<T, D::Error> {
        T::deserialize(deserializer)
    }

    fn schema(&self, generator: &mut SchemaGenerator) -> Schema {
        generator.subschema_for::<T>()
    }

    fn clone_field(&self, value: &T) -> T {
        value.clone()
    }

    fn debug_field<'a>(&self, value: &'a T) -> &'a dyn Debug {
        value
    }
}

/// The type was reported, and this never runs.
#[doc(hidden)]
pub trait UnknownField<T> {
    fn write<S: Serializer>(&self, _: &T, _: S) -> Result<S::Ok, S::Error> {
        Err(serde::ser::Error::custom("it does not compile"))
    }

    fn read<'de, D: Deserializer<'de>>(&self, _: D) -> Result<T, D::Error> {
        Err(serde::de::Error::custom("it does not compile"))
    }

    fn schema(&self, _: &mut SchemaGenerator) -> Schema {
        Schema::default()
    }

    fn clone_field(&self, _: &T) -> T {
        loop {
            std::thread::park();
        }
    }

    fn debug_field<'a>(&self, _: &'a T) -> &'a dyn Debug {
        &()
    }
}

impl<T> UnknownField<T> for &BareField<T> {}
