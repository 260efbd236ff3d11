//! What JSON says of a value and what is kept of it are one, whatever the value is.

use std::collections::BTreeMap;

use pravah_runtime::prelude::*;

use crate::{
    engine_support::{poll_once, restart},
    values::{Once, meet},
};

#[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
struct Odd {
    small: i8,
    large: u128,
    negative: i128,
    float: f32,
    /// Written with fewer digits than it is read with.
    #[serde(serialize_with = "rounded")]
    rounded: f64,
    letter: char,
    nothing: (),
    twice: Option<Option<u8>>,
    by_number: BTreeMap<i32, String>,
    by_kind: BTreeMap<Kind, bool>,
    by_letter: BTreeMap<char, u8>,
    by_flag: BTreeMap<bool, u8>,
    kinds: Vec<Kind>,
    tagged: Vec<Tagged>,
    any: Vec<Any>,
    pair: (u8, String),
    wrapped: Wrapped,
    value: serde_json::Value,
    #[serde(flatten)]
    more: BTreeMap<String, u64>,
}

#[derive(
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    serde::Serialize,
    serde::Deserialize,
    schemars::JsonSchema,
)]
enum Kind {
    Plain,
    New(u8),
    Tuple(u8, i16),
    Named { n: u8 },
}

#[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(tag = "kind")]
enum Tagged {
    One { n: u64 },
    Two { text: String },
}

#[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(untagged)]
enum Any {
    Number(i64),
    Text(String),
    List(Vec<u8>),
}

#[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
struct Wrapped(Box<[u8]>);

#[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
struct Start {}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
fn rounded<S: serde::Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "it is what the test is about"
    )]
    serializer.serialize_f32(*number as f32)
}

fn odd() -> Odd {
    Odd {
        small: -3,
        large: u128::MAX,
        negative: i128::MIN,
        float: 0.1,
        rounded: 0.1,
        letter: 'ü',
        nothing: (),
        twice: Some(None),
        by_number: BTreeMap::from([(-1, "minus".into()), (1, "plus".into())]),
        by_kind: BTreeMap::from([(Kind::Plain, true)]),
        by_letter: BTreeMap::from([('x', 1)]),
        by_flag: BTreeMap::from([(true, 1)]),
        kinds: vec![
            Kind::Plain,
            Kind::New(1),
            Kind::Tuple(1, -2),
            Kind::Named { n: 3 },
        ],
        tagged: vec![Tagged::One { n: 1 }, Tagged::Two { text: "two".into() }],
        any: vec![
            Any::Number(-1),
            Any::Text("a".into()),
            Any::List(vec![1, 2]),
        ],
        pair: (1, "b".into()),
        wrapped: Wrapped([1, 2].into()),
        value: serde_json::json!({ "a": [null, 1, -1, 1.5, "x", {}] }),
        more: BTreeMap::from([("extra".into(), 1)]),
    }
}

impl Flow for Start {
    type Output = Odd;

    fn build() -> Result<FlowGraph, FlowError> {
        FlowGraph::builder()
            .work::<Start, Odd2, _, _>(|_, _| async { Ok(Odd2 { odd: odd() }) })
            .work::<Odd2, Odd, _, _>(|state, ctx| async move {
                meet(&ctx)?;
                Ok(state.odd)
            })
            .build()
    }
}

#[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
struct Odd2 {
    odd: Odd,
}

/// A run before the node that takes the state, with a context in which that node fails once.
async fn before_a_failure() -> (FlowRuntime<Start>, Context) {
    let ctx = Context::default().with_dep(Once::default());
    let mut run = FlowRuntime::new(Start {}).unwrap();
    run.next(ctx.clone()).await.unwrap();
    (run, ctx)
}

fn done(run: &mut FlowRuntime<Start>, ctx: Context) -> Odd {
    match poll_once(run.next(ctx)) {
        Some(Ok(RunOut::Done(odd))) => odd,
        _ => panic!("the run is not done"),
    }
}

#[tokio::test]
async fn what_is_kept_for_another_attempt_is_the_value() {
    let (mut run, ctx) = before_a_failure().await;
    run.next(ctx.clone()).await.unwrap_err();
    assert_eq!(done(&mut run, ctx), odd());
}

#[tokio::test]
async fn what_is_kept_for_another_attempt_is_written_as_the_value_is() {
    let (mut run, ctx) = before_a_failure().await;
    // As text: a number of 128 bits is none of a `Value`.
    let states = |run: &FlowRuntime<Start>| {
        let snapshot = run.snapshot().entries().unwrap();
        let states = snapshot
            .iter()
            .filter(|(key, _)| key.starts_with("/states/"));
        let states = states.map(|(key, json)| (key.to_owned(), json.to_owned()));
        states.collect::<Vec<_>>()
    };
    let before = states(&run);
    assert_eq!(before.len(), 1);
    run.next(ctx.clone()).await.unwrap_err();
    assert_eq!(states(&run), before);
}

#[tokio::test]
async fn what_is_kept_for_another_attempt_can_be_restored() {
    let (mut run, ctx) = before_a_failure().await;
    run.next(ctx.clone()).await.unwrap_err();
    // JSON says nothing of what is `Some(None)`.
    let read = Odd {
        twice: None,
        ..odd()
    };
    assert_eq!(done(&mut restart(&run), ctx), read);
}
