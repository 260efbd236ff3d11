//! What states are called: those of `#[state]`, and the runtime's own.

use std::collections::BTreeMap;

use pravah_runtime::prelude::*;

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
        "macros::state_names::shapes::inner::Deep"
    );
}

#[test]
fn a_state_may_be_declared_in_a_function() {
    #[state]
    struct Local {
        n: u32,
    }
    is_called::<Local>("Local");
}
