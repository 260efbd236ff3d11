//! `#[state]` and the states of the runtime's own: names, copies, derives.

use std::{cell::Cell, collections::BTreeMap};

use pravah_runtime::{__private::SealedState, prelude::*};
use schemars::JsonSchema;
use serde::de::Error as _;

/// `NAME` is what `schemars` says.
#[track_caller]
fn is_called<S: State>(name: &str) {
    assert_eq!(S::NAME, name);
    assert_eq!(S::schema_name(), name);
}

#[state]
struct Plain {
    text: String,
}

#[state]
#[serde(rename = "BySerde")]
struct RenamedBySerde {}

#[state]
#[schemars(rename = "BySchemars")]
struct RenamedBySchemars {}

#[state]
#[serde(rename = "Hidden")]
#[schemars(rename = "Stronger")]
struct RenamedByBoth {}

#[state]
#[serde(rename(serialize = "Written", deserialize = "Read"))]
struct RenamedTwice {}

#[state]
#[serde(rename(serialize = "Written"))]
struct RenamedForWriting {}

#[state]
#[serde(rename_all = "camelCase", deny_unknown_fields, rename = "Later")]
struct RenamedAfterOthers {
    some_text: String,
}

#[state]
#[serde(transparent)]
struct Transparent(Vec<String>);

#[state]
#[schemars(transparent)]
#[serde(transparent)]
#[serde(rename = "Seen")]
struct TransparentAndRenamed {
    inner: String,
}

/// A description makes it less than transparent.
#[state]
#[serde(transparent)]
struct Described(Vec<String>);

#[state]
#[schemars(with = "Vec<String>")]
struct Borrowing {
    text: String,
}

#[state]
#[allow(non_camel_case_types)]
struct r#type {
    r#in: u32,
}

#[state]
enum Choices {
    Unit,
    Tuple(u32, String),
    Struct { text: String },
}

#[state]
struct Pair(u32, String);

#[state]
struct Newtype(BTreeMap<String, u32>);

#[state]
struct Unit;

#[state]
#[serde(from = "u32", into = "u32")]
#[derive(Clone)]
struct Through {
    number: u32,
}

impl From<u32> for Through {
    fn from(number: u32) -> Self {
        Self { number }
    }
}

impl From<Through> for u32 {
    fn from(through: Through) -> Self {
        through.number
    }
}

// S1.2
#[test]
fn the_name_of_a_state_is_what_its_schema_is_called() {
    is_called::<Plain>("Plain");
    is_called::<Choices>("Choices");
    is_called::<Pair>("Pair");
    is_called::<Newtype>("Newtype");
    is_called::<Unit>("Unit");
    is_called::<Through>("Through");
}

#[test]
fn a_renamed_state_has_its_new_name() {
    is_called::<RenamedBySerde>("BySerde");
    is_called::<RenamedBySchemars>("BySchemars");
    is_called::<RenamedByBoth>("Stronger");
    is_called::<RenamedTwice>("Read");
    is_called::<RenamedForWriting>("RenamedForWriting");
    is_called::<RenamedAfterOthers>("Later");
}

#[test]
fn a_transparent_state_has_a_name_of_its_own() {
    is_called::<Transparent>("Transparent");
    is_called::<TransparentAndRenamed>("Seen");
    is_called::<Described>("Described");
    is_called::<Borrowing>("Borrowing");
    assert_eq!(
        serde_json::to_value(Transparent(vec!["a".into()])).unwrap(),
        serde_json::json!(["a"])
    );
}

#[test]
fn a_raw_identifier_is_called_by_its_bare_name() {
    is_called::<r#type>("type");
}

#[choice]
enum Ends {
    Plain(Plain),
    Unit(Unit),
}

#[choice]
#[serde(rename = "Other")]
enum RenamedEnds {
    Plain(Plain),
    Unit(Unit),
}

#[test]
fn the_states_of_the_runtime_are_called_as_their_schemas() {
    is_called::<Each<Plain>>("Each_of_Plain");
    is_called::<Each<RenamedBySerde>>("Each_of_BySerde");
    is_called::<Each<Each<Plain>>>("Each_of_Each_of_Plain");
    is_called::<Failure<Plain>>("Failure_of_Plain");
    is_called::<Failure<Each<Plain>>>("Failure_of_Each_of_Plain");
    is_called::<Each<Failure<Plain>>>("Each_of_Failure_of_Plain");
    is_called::<Failure<Transparent>>("Failure_of_Transparent");
}

#[test]
fn the_failure_of_a_join_or_a_merge_is_called_as_its_schema() {
    is_called::<Failure<(Plain, Unit)>>("Failure_of_Tuple_of_Plain_and_Unit");
    is_called::<Failure<(Plain, Unit, Pair)>>("Failure_of_Tuple_of_Plain_and_Unit_and_Pair");
    is_called::<Failure<Either<Plain, Unit>>>("Failure_of_Either_of_Plain_and_Unit");
    is_called::<Failure<Ends>>("Failure_of_Ends");
    is_called::<Failure<RenamedEnds>>("Failure_of_Other");
    is_called::<Failure<(Either<Plain, Unit>, Pair)>>(
        "Failure_of_Tuple_of_Either_of_Plain_and_Unit_and_Pair",
    );
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
    assert_eq!(SealedState::duplicate(&Counted { n: 7 }).unwrap().n, 7);
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
    assert!(SealedState::duplicate(&state).is_none());
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
    is_called::<SomeWritten>("SomeWritten");
    is_called::<AllWritten>("AllWritten");
    let written = SomeWritten { n: 1 };
    assert_eq!(SealedState::duplicate(&written).unwrap(), written);
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
    assert!(SealedState::duplicate(&around).is_none());
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
    is_called::<SchemaByHand>("SchemaByHand");
}

mod shapes {
    pub(super) mod inner {
        use pravah_runtime::state;

        #[state]
        pub(crate) struct Deep {
            pub(crate) n: u32,
        }
    }
}

#[test]
fn a_state_in_a_module_knows_its_path() {
    is_called::<shapes::inner::Deep>("Deep");
    assert_eq!(
        shapes::inner::Deep::TYPE_PATH,
        "macros::state::shapes::inner::Deep"
    );
}

#[test]
fn a_state_may_stand_in_a_function() {
    #[state]
    struct Local {
        n: u32,
    }
    is_called::<Local>("Local");
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
