//! What a tool takes: arguments, which its model writes, and what it asks for.

use std::any::{Any, type_name};

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{
    Deserializer,
    de::{DeserializeOwned, Error as _, Visitor},
    forward_to_deserialize_any,
};
use serde_json::{Map, Value};

use crate::{
    context::Context,
    error::ToolError,
    json,
    topology::{Need, ParamKind, ParamRef},
};

/// What one parameter of a tool may be: an argument that its model writes, or something that it asks for.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "a tool cannot take `{Self}`",
    label = "neither an argument that a model can write nor something that a tool asks for",
    note = "derive `Deserialize` and `JsonSchema` for an argument, or write `#[state]` above its definition",
    note = "a tool asks for `Files`, `Commands`, `Http`, `Dep<_>` of a value of the host's own that is `Send + Sync`, `Input<_>`, `Step`, `Resumed<_>` or `Context`, and not for `Latest<_>`: let that be an argument, or part of the agent's prompt"
)]
pub trait ToolParam: Sized {
    const REF: ParamRef;

    /// Reads it among the arguments, if it is one.
    fn read(object: &Map<String, Value>, name: &'static str)
    -> Result<Argument, serde_json::Error>;

    /// Adds it to the schema of the arguments, if it is one.
    fn describe(schema: &mut ArgumentsSchema<'_>, name: &'static str, description: &'static str);

    /// The argument that was read, or what the context has.
    fn take(argument: Option<Argument>, ctx: &Context) -> Result<Self, ToolError>;
}

/// An argument that was read; none of what a tool asks for.
#[doc(hidden)]
pub(crate) type Argument = Option<Box<dyn Any + Send>>;

/// What a model wrote to call a tool, parameter by parameter.
#[doc(hidden)]
pub type ToolArguments = Vec<Argument>;

const ARGUMENT: ParamRef = ParamRef {
    kind: ParamKind::Argument,
    ..ParamRef::ask("", &Need::NOTHING)
};

#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned + JsonSchema + Send + 'static> ToolParam for T {
    const REF: ParamRef = ARGUMENT;

    fn read(
        object: &Map<String, Value>,
        name: &'static str,
    ) -> Result<Argument, serde_json::Error> {
        let read = match object.get(name) {
            Some(value) => T::deserialize(value),
            None => T::deserialize(Absent(name)),
        };
        Ok(Some(Box::new(read?)))
    }

    fn describe(schema: &mut ArgumentsSchema<'_>, name: &'static str, description: &'static str) {
        schema.add::<T>(name, description);
    }

    fn take(argument: Option<Argument>, _: &Context) -> Result<T, ToolError> {
        let argument = argument.flatten().and_then(|it| it.downcast().ok());
        let argument = argument.map(|it: Box<T>| *it);
        // Each parameter reads what it takes.
        argument.ok_or_else(|| ToolError::other(format!("no argument is a {}", type_name::<T>())))
    }
}

/// Reads the object that a model wrote.
#[doc(hidden)]
pub fn read_arguments<'de, D: Deserializer<'de>>(
    deserializer: D,
    read: fn(&Map<String, Value>) -> Result<ToolArguments, serde_json::Error>,
) -> Result<ToolArguments, D::Error> {
    let object = json::object(deserializer)?;
    read(&object).map_err(D::Error::custom)
}

/// Reads an argument of which serde or schemars is told more than its type, as the field of a struct.
#[doc(hidden)]
pub fn read_described<F: DeserializeOwned, T: Send + 'static>(
    object: &Map<String, Value>,
    field: fn(F) -> T,
) -> Result<Argument, serde_json::Error> {
    let fields = F::deserialize(object)?;
    Ok(Some(Box::new(field(fields))))
}

/// What is read where there is no argument: nothing for an `Option`, and an error for anything else.
struct Absent(&'static str);

impl<'de> Deserializer<'de> for Absent {
    type Error = serde_json::Error;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Self::Error> {
        Err(Self::Error::missing_field(self.0))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        visitor.visit_none()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

/// The schema of a tool's arguments, in the making.
#[doc(hidden)]
pub struct ArgumentsSchema<'a> {
    generator: &'a mut SchemaGenerator,
    properties: Map<String, Value>,
    required: Vec<Value>,
}

impl<'a> ArgumentsSchema<'a> {
    pub fn new(generator: &'a mut SchemaGenerator) -> Self {
        Self {
            generator,
            properties: Map::new(),
            required: Vec::new(),
        }
    }

    fn add<T: DeserializeOwned + JsonSchema>(
        &mut self,
        name: &'static str,
        description: &'static str,
    ) {
        let mut schema = self.generator.subschema_for::<T>();
        if !description.is_empty() {
            schema.insert("description".to_owned(), description.into());
        }
        self.properties.insert(name.to_owned(), schema.to_value());
        if T::deserialize(Absent(name)).is_err() {
            self.required.push(name.into());
        }
    }

    /// Adds the field of a struct that has one.
    pub fn add_described<F: JsonSchema>(&mut self) {
        let mut schema = F::json_schema(self.generator);
        if let Some(Value::Object(properties)) = schema.remove("properties") {
            self.properties.extend(properties);
        }
        if let Some(Value::Array(required)) = schema.remove("required") {
            self.required.extend(required);
        }
    }

    pub fn finish(self) -> Schema {
        let mut schema = Map::from_iter([("type".to_owned(), "object".into())]);
        if !self.properties.is_empty() {
            schema.insert("properties".to_owned(), self.properties.into());
        }
        if !self.required.is_empty() {
            schema.insert("required".to_owned(), self.required.into());
        }
        schema.into()
    }
}
