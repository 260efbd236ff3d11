//! What a node takes: its parameters, and how they are filled from waiting states.

use std::{marker::PhantomData, sync::Arc};

use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};

use super::signature::ParamRef;
use crate::{
    error::FlowError,
    state::{Either, IsState, Live, State, name::ConstStr},
};

/// The states that wait for a node, by the number of its parameter.
#[doc(hidden)]
pub struct Inputs<'a> {
    find: &'a dyn Fn(usize) -> Option<Waiting<'a>>,
}

/// A state that fills a parameter.
#[derive(Clone, Copy)]
pub(crate) struct Waiting<'a> {
    /// Which of the states that the parameter takes it is.
    pub(crate) way: usize,
    /// Its name, for errors.
    pub(crate) name: &'a str,
    pub(crate) live: &'a Live,
}

impl<'a> Inputs<'a> {
    pub(crate) fn new(find: &'a dyn Fn(usize) -> Option<Waiting<'a>>) -> Self {
        Self { find }
    }

    /// Which of its states fills parameter `index`.
    pub fn way(&self, index: usize) -> usize {
        (self.find)(index).map_or(0, |waiting| waiting.way)
    }

    /// The state that fills parameter `index`.
    pub fn get<S: State>(&self, index: usize) -> Result<Arc<S>, FlowError> {
        self.typed(index)
    }

    pub(crate) fn typed<S>(&self, index: usize) -> Result<Arc<S>, FlowError>
    where
        S: Serialize + DeserializeOwned + Send + Sync + 'static,
    {
        let waiting = self.waiting(index)?;
        waiting
            .live
            .get()
            .map_err(|source| unreadable(waiting.name, source))
    }

    pub(crate) fn waiting(&self, index: usize) -> Result<Waiting<'a>, FlowError> {
        (self.find)(index).ok_or_else(|| FlowError::NotFound(format!("the state of input {index}")))
    }

    /// A copy of the state that fills parameter `index`.
    pub fn owned<S: State>(&self, index: usize) -> Result<S, FlowError> {
        let state = self.get::<S>(index)?;
        state
            .duplicate()
            .map_err(|source| unreadable(S::NAME, source))
    }
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

    fn gather(inputs: &Inputs<'_>, index: usize) -> Result<Held<Self>, FlowError>;
    fn duplicate(&self) -> Result<Self, serde_json::Error>;

    fn borrow(held: &Held<Self>) -> &Self {
        match held {
            Held::Shared(state) => state,
            Held::Owned(choice) => choice,
        }
    }

    fn own(held: Held<Self>) -> Result<Self, FlowError> {
        match held {
            Held::Shared(state) => state.duplicate().map_err(|source| FlowError::State {
                state: Self::REF.name.into(),
                source,
            }),
            Held::Owned(choice) => Ok(choice),
        }
    }
}

/// What keeps a parameter while its node runs.
#[doc(hidden)]
pub enum Held<P> {
    /// A state, which the run keeps too.
    Shared(Arc<P>),
    /// A choice, made of a copy of the state that came.
    Owned(P),
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

    fn gather(inputs: &Inputs<'_>, index: usize) -> Result<Held<Self>, FlowError> {
        Ok(Held::Owned(match inputs.way(index) {
            0 => Self::Left(inputs.owned(index)?),
            _ => Self::Right(inputs.owned(index)?),
        }))
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
    type Held: Send + Sync + 'static;

    fn gather(inputs: &Inputs<'_>) -> Result<Self::Held, FlowError>;
    fn own(held: Self::Held) -> Result<Self, FlowError>;
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
    type Held = Held<P>;

    fn gather(inputs: &Inputs<'_>) -> Result<Held<P>, FlowError> {
        P::gather(inputs, 0)
    }

    fn own(held: Held<P>) -> Result<P, FlowError> {
        P::own(held)
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
            type Held = (Held<$first>, $(Held<$param>,)+);

            fn gather(inputs: &Inputs<'_>) -> Result<Self::Held, FlowError> {
                Ok(($first::gather(inputs, $first_index)?, $($param::gather(inputs, $index)?,)+))
            }

            fn own(held: Self::Held) -> Result<Self, FlowError> {
                Ok(($first::own(held.$first_index)?, $($param::own(held.$index)?,)+))
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
