//! Which parameter of a gate is its answer: the last one that asks for nothing.

use std::marker::PhantomData;

use serde_json::Value;

use super::{Answer, InputResult, Inputs, Param, Receive};
use crate::{
    error::FlowError,
    topology::{Need, ParamKind, ParamRef},
};

/// What is known of a type that may be no parameter: whether it asks for something. An inherent constant
/// goes before that of a trait.
#[doc(hidden)]
pub struct Known<T>(PhantomData<T>);

impl<T: Param> Known<T> {
    #[doc(hidden)]
    pub const ASKS: bool = !matches!(T::REF.kind, ParamKind::State);
}

#[doc(hidden)]
pub trait UnknownAsks {
    const ASKS: bool = false;
}

impl<T> UnknownAsks for Known<T> {}

/// The number of the parameter that is the answer, of which is known whether each asks for something.
#[doc(hidden)]
#[expect(clippy::indexing_slicing, reason = "constants cannot iterate")]
pub const fn answer_of(asks: &[bool]) -> usize {
    let mut number = asks.len();
    while number > 0 {
        number -= 1;
        if !asks[number] {
            return number;
        }
    }
    asks.len()
}

/// The role of a parameter of a gate.
#[doc(hidden)]
pub struct Role<const IS_ANSWER: bool>;

/// The two parts of a parameter, of which one is nothing: what waits at the gate, and what a person answers.
#[doc(hidden)]
pub trait Split {
    type Given<T>;
    type Answer<T>;

    fn join<T>(given: Self::Given<T>, answer: Self::Answer<T>) -> T;

    fn join_ref<'a, T>(given: &'a Self::Given<T>, answer: &'a Self::Answer<T>) -> &'a T;

    /// What waits, for the question; of the answer an error that nobody sees, since it does not compile.
    fn given<T>(given: &Self::Given<T>) -> InputResult<&T>;
}

impl Split for Role<false> {
    type Given<T> = T;
    type Answer<T> = NoAnswer;

    fn join<T>(given: T, _: NoAnswer) -> T {
        given
    }

    fn join_ref<'a, T>(given: &'a T, _: &'a NoAnswer) -> &'a T {
        given
    }

    fn given<T>(given: &T) -> InputResult<&T> {
        Ok(given)
    }
}

impl Split for Role<true> {
    type Given<T> = NotAnswered;
    type Answer<T> = T;

    fn join<T>(_: NotAnswered, answer: T) -> T {
        answer
    }

    fn join_ref<'a, T>(_: &'a NotAnswered, answer: &'a T) -> &'a T {
        answer
    }

    fn given<T>(_: &NotAnswered) -> InputResult<&T> {
        Err(FlowError::BuildError("it does not compile".into()).into())
    }
}

/// What stands for the answer before there is one.
pub struct NotAnswered;

impl Param for NotAnswered {
    type Receive = Self;
}

impl Receive<Self> for NotAnswered {
    const REF: ParamRef = ParamRef::ask("the answer", &Need::NOTHING);

    type Before<Rest> = Rest;

    fn owned(_: &mut Inputs<'_>, _: usize) -> InputResult<Self> {
        Ok(Self)
    }
}

/// What a person answers where the parameter is not the answer.
pub struct NoAnswer;

#[diagnostic::do_not_recommend]
impl Answer for NoAnswer {
    fn schema() -> Value {
        Value::Null
    }

    fn read(_: &Value) -> Result<Self, serde_json::Error> {
        Ok(Self)
    }
}

/// The schema of the answer, of those of all parameters.
#[doc(hidden)]
pub fn schema_of_answer(answer: usize, schemas: &[fn() -> Value]) -> Value {
    schemas.get(answer).map_or(Value::Null, |schema| schema())
}
