//! serde can be taught a trait object.

use pravah_runtime::__private::{
    schemars::{JsonSchema, Schema, SchemaGenerator},
    serde::{Deserialize, Deserializer, Serialize, Serializer},
};
use pravah_runtime::prelude::*;

trait Shape: std::fmt::Debug + Send + Sync {
    fn sides(&self) -> u32;
}

#[derive(Debug)]
struct Polygon(u32);

impl Shape for Polygon {
    fn sides(&self) -> u32 { self.0 }
}

impl Clone for Box<dyn Shape> {
    fn clone(&self) -> Self { Box::new(Polygon(self.sides())) }
}

impl Serialize for dyn Shape {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> { to.serialize_u32(self.sides()) }
}

impl<'de> Deserialize<'de> for Box<dyn Shape> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Ok(Box::new(Polygon(u32::deserialize(from)?)))
    }
}

impl JsonSchema for dyn Shape {
    fn schema_name() -> std::borrow::Cow<'static, str> { "Shape".into() }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema { u32::json_schema(generator) }
}

#[state] struct Drawing { shape: Box<dyn Shape> }
#[state] struct Sides { count: u32 }
#[node] fn count(drawing: Drawing) -> Sides { Sides { count: drawing.shape.sides() } }

#[flow]
fn story(drawing: Drawing) -> Sides { flow! { count } }

pub fn main() {
    assert_eq!(count(Drawing { shape: Box::new(Polygon(3)) }).count, 3);
}
