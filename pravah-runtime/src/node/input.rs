//! What a node takes: its parameters, and how they are filled from waiting states.

use std::{marker::PhantomData, ops::Deref, sync::Arc};

use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};

use super::signature::ParamRef;
use crate::{
    error::FlowError,
    graph::{SlotIx, StateIx, Table},
    state::{Either, IsState, Live, State, name::ConstStr},
};

/// A state that waits in a slot.
#[derive(Clone)]
pub(crate) struct Token {
    pub(crate) slot: SlotIx,
    pub(crate) state: StateIx,
    pub(crate) live: Live,
}

/// The states that wait for a node, by the number of its parameter.
#[doc(hidden)]
pub struct Inputs<'a> {
    /// The slots of the node's parameters.
    slots: &'a [SlotIx],
    tokens: Tokens<'a>,
    table: &'a Table,
}

/// What waits in the run, sorted by slot.
enum Tokens<'a> {
    Shared(&'a [Token]),
    /// A state may be moved out: its JSON stays in its place.
    Movable(&'a mut [Token]),
}

impl<'a> Inputs<'a> {
    pub(crate) fn shared(slots: &'a [SlotIx], tokens: &'a [Token], table: &'a Table) -> Self {
        let tokens = Tokens::Shared(tokens);
        Self {
            slots,
            tokens,
            table,
        }
    }

    pub(crate) fn movable(slots: &'a [SlotIx], tokens: &'a mut [Token], table: &'a Table) -> Self {
        let tokens = Tokens::Movable(tokens);
        Self {
            slots,
            tokens,
            table,
        }
    }

    /// Which of its states fills parameter `index`.
    pub fn way(&self, index: usize) -> usize {
        let token = self.token(index).ok();
        token.map_or(0, |token| self.table.way_into_slot(token.state))
    }

    /// The state that fills parameter `index`.
    pub fn get<S: State>(&self, index: usize) -> Result<Held<'_, S>, FlowError> {
        self.typed(index)
    }

    /// The same for a body that outlives the call.
    pub fn to_arc<S: State>(&self, index: usize) -> Result<Arc<S>, FlowError> {
        let token = self.token(index)?;
        let shared = token.live.get();
        shared.map_err(|source| self.unreadable(token, source))
    }

    #[inline]
    pub(crate) fn typed<S>(&self, index: usize) -> Result<Held<'_, S>, FlowError>
    where
        S: Serialize + DeserializeOwned + Send + Sync + 'static,
    {
        let token = self.token(index)?;
        match token.live.typed() {
            Some(state) => Ok(Held::Borrowed(state)),
            None => token
                .live
                .read()
                .map(Held::Owned)
                .map_err(|source| self.unreadable(token, source)),
        }
    }

    /// The state that fills parameter `index`, moved out of the run where nobody else holds it. Its
    /// JSON stays in its place until the step is committed.
    pub(crate) fn take<S>(&mut self, index: usize) -> Result<S, FlowError>
    where
        S: Serialize + DeserializeOwned + Send + Sync + 'static,
    {
        let at = self.find(index)?;
        let taken = match &mut self.tokens {
            Tokens::Movable(tokens) => tokens.get_mut(at).map(|token| token.live.take()),
            Tokens::Shared(tokens) => tokens.get(at).map(|token| token.live.clone().into_inner()),
        };
        taken
            .unwrap_or_else(|| Err(serde::de::Error::custom("it is not there")))
            .map_err(|source| match self.token(index) {
                Ok(token) => self.unreadable(token, source),
                Err(error) => error,
            })
    }

    #[inline]
    pub(crate) fn token(&self, index: usize) -> Result<&Token, FlowError> {
        self.tokens()
            .get(self.find(index)?)
            .ok_or_else(|| missing(index))
    }

    /// Where the state of parameter `index` is.
    #[inline]
    fn find(&self, index: usize) -> Result<usize, FlowError> {
        let slot = self.slots.get(index).ok_or_else(|| missing(index))?;
        self.tokens()
            .binary_search_by_key(slot, |token| token.slot)
            .map_err(|_| missing(index))
    }

    #[inline]
    fn tokens(&self) -> &[Token] {
        match &self.tokens {
            Tokens::Shared(tokens) => tokens,
            Tokens::Movable(tokens) => tokens,
        }
    }

    /// A copy of the state that fills parameter `index`.
    pub fn owned<S: State>(&self, index: usize) -> Result<S, FlowError> {
        let token = self.token(index)?;
        let copied = match token.live.typed::<S>() {
            Some(state) => state.duplicate(),
            None => token.live.read(),
        };
        copied.map_err(|source| self.unreadable(token, source))
    }

    fn unreadable(&self, token: &Token, source: serde_json::Error) -> FlowError {
        unreadable(self.table.state_key(token.state), source)
    }
}

fn missing(index: usize) -> FlowError {
    FlowError::NotFound(format!("the state of input {index}"))
}

fn unreadable(state: &str, source: serde_json::Error) -> FlowError {
    FlowError::State {
        state: state.to_owned(),
        source,
    }
}

/// What one parameter of a node may be: a state, or a choice of states.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "a node cannot take `{Self}`: it is not a flow state",
    label = "not a state",
    note = "write `#[state]` above its definition, or `#[choice]` above an enum of states"
)]
pub trait Param: Sized {
    /// The parameter as the checks see it.
    const REF: ParamRef;

    /// A copy of what came.
    fn owned(inputs: &Inputs<'_>, index: usize) -> Result<Self, FlowError>;

    fn duplicate(&self) -> Result<Self, serde_json::Error>;

    /// What came, for a body that takes it by reference.
    fn borrowed<'a>(inputs: &'a Inputs<'_>, index: usize) -> Result<Held<'a, Self>, FlowError> {
        Self::owned(inputs, index).map(Held::Owned)
    }

    /// The same for a body that outlives the call.
    fn shared(inputs: &Inputs<'_>, index: usize) -> Result<Arc<Self>, FlowError> {
        Self::owned(inputs, index).map(Arc::new)
    }
}

/// What a body that takes a parameter by reference looks at.
#[doc(hidden)]
pub enum Held<'a, P> {
    /// A state that the run keeps.
    Borrowed(&'a P),
    /// A state that was read from JSON, or a choice, made of a copy of the state that came.
    Owned(P),
}

impl<P> Deref for Held<'_, P> {
    type Target = P;

    fn deref(&self) -> &P {
        match self {
            Self::Borrowed(state) => state,
            Self::Owned(state) => state,
        }
    }
}

impl<A: State, B: State> Either<A, B> {
    const FULL_NAME: ConstStr = ConstStr::concat(&["Either_of_", A::NAME, "_and_", B::NAME]);
    const FULL_PATH: ConstStr = ConstStr::concat(&[
        "pravah_runtime::Either<",
        A::TYPE_PATH,
        ", ",
        B::TYPE_PATH,
        ">",
    ]);
}

#[diagnostic::do_not_recommend]
impl<A: State, B: State> Param for Either<A, B> {
    const REF: ParamRef = ParamRef {
        name: Self::FULL_NAME.as_str(),
        path: Self::FULL_PATH.as_str(),
        states: &[<A as IsState>::REF, <B as IsState>::REF],
    };

    fn owned(inputs: &Inputs<'_>, index: usize) -> Result<Self, FlowError> {
        Ok(match inputs.way(index) {
            0 => Self::Left(inputs.owned(index)?),
            _ => Self::Right(inputs.owned(index)?),
        })
    }

    fn duplicate(&self) -> Result<Self, serde_json::Error> {
        Ok(match self {
            Self::Left(a) => Self::Left(State::duplicate(a)?),
            Self::Right(b) => Self::Right(State::duplicate(b)?),
        })
    }
}

/// Everything a node takes: one parameter, or the tuple of several.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "a node cannot take `{Self}`: it is not a flow state",
    label = "not a state",
    note = "write `#[state]` above its definition, or `#[choice]` above an enum of states"
)]
pub trait Input: JsonSchema + Serialize + DeserializeOwned + Send + Sync + 'static {
    const PARAMS: &'static [ParamRef];
    const NAME: &'static str;
    const PATH: &'static str;

    /// Copies of the states that wait.
    fn owned(inputs: &Inputs<'_>) -> Result<Self, FlowError>;
    fn duplicate(&self) -> Result<Self, serde_json::Error>;
}

#[diagnostic::do_not_recommend]
impl<P> Input for P
where
    P: Param + JsonSchema + Serialize + DeserializeOwned + Send + Sync + 'static,
{
    const PARAMS: &'static [ParamRef] = &[P::REF];
    const NAME: &'static str = P::REF.name;
    const PATH: &'static str = P::REF.path;

    fn owned(inputs: &Inputs<'_>) -> Result<P, FlowError> {
        P::owned(inputs, 0)
    }

    fn duplicate(&self) -> Result<P, serde_json::Error> {
        Param::duplicate(self)
    }
}

/// The names of a tuple: what `schemars` calls it, and a path.
struct TupleName<T>(PhantomData<T>);

macro_rules! tuple_input {
    ($first:ident $first_index:tt $(, $param:ident $index:tt)+) => {
        impl<$first: Param $(, $param: Param)+> TupleName<($first, $($param,)+)> {
            const NAME: ConstStr =
                ConstStr::concat(&["Tuple_of_", $first::REF.name $(, "_and_", $param::REF.name)+]);
            const PATH: ConstStr =
                ConstStr::concat(&["(", $first::REF.path $(, ", ", $param::REF.path)+, ")"]);
        }

        impl<$first, $($param),+> Input for ($first, $($param,)+)
        where
            $first: Param + JsonSchema + Serialize + DeserializeOwned + Send + Sync + 'static,
            $($param: Param + JsonSchema + Serialize + DeserializeOwned + Send + Sync + 'static,)+
        {
            const PARAMS: &'static [ParamRef] = &[$first::REF $(, $param::REF)+];
            const NAME: &'static str = TupleName::<Self>::NAME.as_str();
            const PATH: &'static str = TupleName::<Self>::PATH.as_str();

            fn owned(inputs: &Inputs<'_>) -> Result<Self, FlowError> {
                Ok(($first::owned(inputs, $first_index)?, $($param::owned(inputs, $index)?,)+))
            }

            fn duplicate(&self) -> Result<Self, serde_json::Error> {
                Ok(($first::duplicate(&self.$first_index)?, $($param::duplicate(&self.$index)?,)+))
            }
        }
    };
}

/// Calls a macro for the tuples of two to twelve.
macro_rules! for_tuples {
    ($call:ident) => {
        $call!(A 0, B 1);
        $call!(A 0, B 1, C 2);
        $call!(A 0, B 1, C 2, D 3);
        $call!(A 0, B 1, C 2, D 3, E 4);
        $call!(A 0, B 1, C 2, D 3, E 4, F 5);
        $call!(A 0, B 1, C 2, D 3, E 4, F 5, G 6);
        $call!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);
        $call!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8);
        $call!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9);
        $call!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10);
        $call!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11);
    };
}
pub(crate) use for_tuples;

for_tuples!(tuple_input);
