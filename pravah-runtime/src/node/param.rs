//! What a node takes: its parameters, and everything it takes together.

use std::{marker::PhantomData, sync::Arc};

use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};

use super::{Inputs, MaybeOwned, inputs::missing, signature::ParamRef};
use crate::{
    error::FlowError,
    state::{Either, IsState, OfState, State, name::ConstStr},
};

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

    /// What came.
    fn owned(inputs: &mut Inputs<'_>, index: usize) -> Result<Self, FlowError>;

    /// What came, for a body that takes it by reference, if it cannot be looked at where it is: a
    /// choice is made of the state that came.
    fn held(inputs: &mut Inputs<'_>, index: usize) -> Result<Option<Self>, FlowError> {
        Self::owned(inputs, index).map(Some)
    }

    /// What such a body looks at.
    fn borrowed<'a>(
        held: Option<Self>,
        _: &'a Inputs<'_>,
        index: usize,
    ) -> Result<MaybeOwned<'a, Self>, FlowError> {
        held.map(MaybeOwned::Owned).ok_or_else(|| missing(index))
    }

    /// The same for a body that outlives the call.
    fn shared(inputs: &mut Inputs<'_>, index: usize) -> Result<Arc<Self>, FlowError> {
        Self::owned(inputs, index).map(Arc::new)
    }

    /// A clone, if all that it may hold is `Clone`.
    fn duplicate(&self) -> Option<Self>;
}

/// A parameter whose type is written as one name. rustc lists none of the impls of [`Param`] for it, of
/// which there is one for each state.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "a node cannot take `{Self}`: it is not a flow state",
    label = "not a state",
    note = "write `#[state]` above its definition, or `#[choice]` above an enum of states"
)]
pub trait NamedParam: Sized {
    const REF: ParamRef;

    fn owned(inputs: &mut Inputs<'_>, index: usize) -> Result<Self, FlowError>;
    fn held(inputs: &mut Inputs<'_>, index: usize) -> Result<Option<Self>, FlowError>;
    fn borrowed<'a>(
        held: Option<Self>,
        inputs: &'a Inputs<'_>,
        index: usize,
    ) -> Result<MaybeOwned<'a, Self>, FlowError>;
    fn shared(inputs: &mut Inputs<'_>, index: usize) -> Result<Arc<Self>, FlowError>;
}

#[diagnostic::do_not_recommend]
impl<P: Param> NamedParam for P {
    const REF: ParamRef = P::REF;

    fn owned(inputs: &mut Inputs<'_>, index: usize) -> Result<Self, FlowError> {
        P::owned(inputs, index)
    }

    fn held(inputs: &mut Inputs<'_>, index: usize) -> Result<Option<Self>, FlowError> {
        P::held(inputs, index)
    }

    fn borrowed<'a>(
        held: Option<Self>,
        inputs: &'a Inputs<'_>,
        index: usize,
    ) -> Result<MaybeOwned<'a, Self>, FlowError> {
        P::borrowed(held, inputs, index)
    }

    fn shared(inputs: &mut Inputs<'_>, index: usize) -> Result<Arc<Self>, FlowError> {
        P::shared(inputs, index)
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

impl<A: State, B: State> Param for Either<A, B> {
    const REF: ParamRef = ParamRef {
        name: Self::FULL_NAME.as_str(),
        path: Self::FULL_PATH.as_str(),
        states: &[<A as IsState>::REF, <B as IsState>::REF],
    };

    fn owned(inputs: &mut Inputs<'_>, index: usize) -> Result<Self, FlowError> {
        Ok(match inputs.way(index) {
            0 => Self::Left(inputs.take(index, &OfState)?),
            _ => Self::Right(inputs.take(index, &OfState)?),
        })
    }

    fn duplicate(&self) -> Option<Self> {
        Some(match self {
            Self::Left(a) => Self::Left(IsState::cloned(a)?),
            Self::Right(b) => Self::Right(IsState::cloned(b)?),
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

    /// The states that wait.
    fn owned(inputs: &mut Inputs<'_>) -> Result<Self, FlowError>;
    /// A clone, if all of them are `Clone`.
    fn duplicate(&self) -> Option<Self>;
}

#[diagnostic::do_not_recommend]
impl<P> Input for P
where
    P: Param + JsonSchema + Serialize + DeserializeOwned + Send + Sync + 'static,
{
    const PARAMS: &'static [ParamRef] = &[P::REF];
    const NAME: &'static str = P::REF.name;
    const PATH: &'static str = P::REF.path;

    fn owned(inputs: &mut Inputs<'_>) -> Result<P, FlowError> {
        P::owned(inputs, 0)
    }

    fn duplicate(&self) -> Option<P> {
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

            fn owned(inputs: &mut Inputs<'_>) -> Result<Self, FlowError> {
                Ok(($first::owned(inputs, $first_index)?, $($param::owned(inputs, $index)?,)+))
            }

            fn duplicate(&self) -> Option<Self> {
                Some(($first::duplicate(&self.$first_index)?, $($param::duplicate(&self.$index)?,)+))
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
