//! The states of the chain.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// The state in place `N`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Link<const N: usize> {
    pub n: u64,
    pub payload: String,
}

impl<const N: usize> schemars::JsonSchema for Link<N> {
    fn schema_name() -> Cow<'static, str> {
        format!("Link{N}").into()
    }

    // `pravah` 0.4 checks values against it.
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "object",
            "properties": { "n": { "type": "integer" }, "payload": { "type": "string" } },
            "required": ["n", "payload"],
        })
    }
}

/// The same for `pravah` 0.2.0, which has another version of the crate.
impl<const N: usize> schemars_08::JsonSchema for Link<N> {
    fn schema_name() -> String {
        format!("Link{N}")
    }

    fn json_schema(
        generator: &mut schemars_08::r#gen::SchemaGenerator,
    ) -> schemars_08::schema::Schema {
        String::json_schema(generator)
    }
}

pub fn state<const N: usize>(size: usize) -> Link<N> {
    Link {
        n: 0,
        payload: "x".repeat(size),
    }
}

/// What every node does.
pub fn next<const N: usize, const M: usize>(state: Link<N>) -> Link<M> {
    Link {
        n: state.n + 1,
        payload: state.payload,
    }
}

/// Calls `$add!` for the ten nodes.
#[macro_export]
macro_rules! ten {
    ($add:ident) => {
        $add!(0 1); $add!(1 2); $add!(2 3); $add!(3 4); $add!(4 5);
        $add!(5 6); $add!(6 7); $add!(7 8); $add!(8 9); $add!(9 10);
    };
}
