//! `#[state]`: copies, derives, and lists of states.

use std::cell::Cell;

use pravah_runtime::{__private::Copying, prelude::*};
use schemars::JsonSchema;
use serde::de::Error as _;

/// The clone that a node leaves in the run, of a state that is `Clone`.
fn duplicate<S: State>(state: &S) -> Option<S> {
    S::Copying::duplicate(state)
}

thread_local! {
    static CLONES: Cell<u32> = const { Cell::new(0) };
}

#[state(manual(Clone))]
struct Counted {
    n: u32,
}

impl Clone for Counted {
    fn clone(&self) -> Self {
        CLONES.set(CLONES.get() + 1);
        Self { n: self.n }
    }
}

#[test]
fn a_state_that_can_be_cloned_is_cloned() {
    let before = CLONES.get();
    assert_eq!(duplicate(&Counted { n: 7 }).unwrap().n, 7);
    assert_eq!(CLONES.get() - before, 1);
}

#[state(manual(Clone))]
struct NotClone {
    n: u32,
    #[serde(skip)]
    lost: u32,
}

#[test]
fn a_state_that_cannot_be_cloned_is_not() {
    let state = NotClone { n: 7, lost: 1 };
    assert!(duplicate(&state).is_none());
    assert_eq!((state.n, state.lost), (7, 1));
}

#[state]
#[derive(Clone, Debug, serde::Serialize, PartialEq)]
struct SomeWritten {
    n: u32,
}

#[state]
#[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
struct AllWritten {
    n: u32,
}

#[test]
fn derives_that_are_written_below_are_kept() {
    assert_eq!(
        [SomeWritten::NAME, AllWritten::NAME],
        ["SomeWritten", "AllWritten"]
    );
    let written = SomeWritten { n: 1 };
    assert_eq!(duplicate(&written).unwrap(), written);
}

/// The same type as a state and with the derives of the standard library.
macro_rules! shapes {
    ($($attr:tt)*) => {
        #[$($attr)*]
        pub(super) struct Unit;
        #[$($attr)*]
        pub(super) struct Tuple(pub(super) u32, pub(super) Option<Box<Tuple>>);
        #[$($attr)*]
        pub(super) enum Shape {
            Unit,
            Tuple(Unit, Tuple),
            Struct { r#in: Vec<Tuple>, out: (u8, String) },
        }
    };
}

mod as_states {
    shapes!(pravah_runtime::state);
}

#[allow(dead_code, reason = "the derives are no use of a field")]
mod as_derives {
    shapes!(derive(Clone, Debug));
}

#[test]
fn a_state_is_cloned_and_shown_as_the_derives_would() {
    macro_rules! shown {
        ($module:ident) => {{
            use $module::{Shape, Tuple, Unit};
            let tuple = || Tuple(1, Some(Box::new(Tuple(2, None))));
            [
                Shape::Unit,
                Shape::Tuple(Unit, tuple()),
                Shape::Struct {
                    r#in: vec![tuple()],
                    out: (3, "x".into()),
                },
            ]
            .map(|shape| format!("{:?} {0:#?}", shape.clone()))
        }};
    }
    assert_eq!(shown!(as_states), shown!(as_derives));
}

/// What is neither `Clone` nor `Debug`.
#[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
struct Bare {
    n: u32,
}

#[state(manual(Clone, Debug))]
struct AroundBare {
    bare: Bare,
}

#[state(manual(Clone))]
struct ShownOnly {
    n: u32,
}

#[state(manual(Debug))]
struct ClonedOnly {
    n: u32,
}

#[test]
fn clone_and_debug_can_be_left_out() {
    let around = AroundBare {
        bare: Bare { n: 7 },
    };
    assert!(duplicate(&around).is_none());
    assert_eq!(around.bare.n, 7);
    assert_eq!(format!("{:?}", ShownOnly { n: 1 }), "ShownOnly { n: 1 }");
    let one = ClonedOnly { n: 1 };
    assert_eq!(one.clone().n, one.n);
}

#[state(manual(Serialize, Deserialize))]
#[derive(Debug, PartialEq)]
struct ByHand {
    n: u32,
}

impl serde::Serialize for ByHand {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.n.to_string())
    }
}

impl<'de> serde::Deserialize<'de> for ByHand {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let n = String::deserialize(deserializer)?;
        n.parse().map(|n| Self { n }).map_err(D::Error::custom)
    }
}

#[test]
fn a_derive_can_be_left_out_and_written_by_hand() {
    assert_eq!(serde_json::to_value(ByHand { n: 3 }).unwrap(), "3");
    let read: ByHand = serde_json::from_value("3".into()).unwrap();
    assert_eq!(read, ByHand { n: 3 });
}

#[state(manual(JsonSchema))]
struct SchemaByHand {}

impl JsonSchema for SchemaByHand {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "SchemaByHand".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "object" })
    }
}

#[test]
fn a_schema_can_be_written_by_hand() {
    assert_eq!(SchemaByHand::NAME, "SchemaByHand");
}

#[state]
struct Plain {
    text: String,
}

#[test]
fn a_list_of_states_is_a_vector_in_json() {
    let list: Each<Plain> = vec![Plain { text: "a".into() }].into();
    assert_eq!(
        serde_json::to_value(&list).unwrap(),
        serde_json::json!([{ "text": "a" }])
    );
    assert_eq!(list.first().unwrap().text, "a");
    assert_eq!((&list).into_iter().count(), 1);
    assert_eq!(
        list.into_iter().map(|plain| plain.text).collect::<String>(),
        "a"
    );
}
