//! Everything that a node consumes, as one value: what a `catch` behind it is given.

use std::marker::PhantomData;

use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};

use super::{InputResult, Inputs, Param, Receive};
use crate::{state::name::ConstStr, topology::ParamRef};

/// Everything a node takes: one parameter, or the tuple of several.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "a failure cannot hold `{Self}`",
    label = "neither a state nor a tuple of states",
    note = "write `Failure<_>` with what the caught node takes: its state, or the tuple of its states; a state has `#[state]` above its definition"
)]
pub trait Input: JsonSchema + Serialize + DeserializeOwned + Send + Sync + 'static {
    const PARAMS: &'static [ParamRef];
    const NAME: &'static str;
    const PATH: &'static str;

    /// The states that wait.
    fn owned(inputs: &mut Inputs<'_>) -> InputResult<Self>;
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

    fn owned(inputs: &mut Inputs<'_>) -> InputResult<P> {
        P::owned(inputs, 0)
    }

    fn duplicate(&self) -> Option<P> {
        P::Receive::duplicate(self)
    }
}

/// The parameters of a node as a list, `(A, (B, ()))`, of which some consume a state.
#[doc(hidden)]
pub trait ParamList {
    /// The list of those.
    type Consumed;
}

impl ParamList for () {
    type Consumed = ();
}

impl<P: Param, Rest: ParamList> ParamList for (P, Rest) {
    type Consumed = <P::Receive as Receive<P>>::Before<Rest::Consumed>;
}

/// The list of what a node consumes.
#[doc(hidden)]
pub trait Consumed {
    /// The same as a node behind a `catch` has it.
    type Input: Input;
}

impl<P: Input> Consumed for (P, ()) {
    type Input = P;
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

        #[diagnostic::do_not_recommend]
        impl<$first, $($param),+> Input for ($first, $($param,)+)
        where
            $first: Param + JsonSchema + Serialize + DeserializeOwned + Send + Sync + 'static,
            $($param: Param + JsonSchema + Serialize + DeserializeOwned + Send + Sync + 'static,)+
        {
            const PARAMS: &'static [ParamRef] = &[$first::REF $(, $param::REF)+];
            const NAME: &'static str = TupleName::<Self>::NAME.as_str();
            const PATH: &'static str = TupleName::<Self>::PATH.as_str();

            fn owned(inputs: &mut Inputs<'_>) -> InputResult<Self> {
                Ok(($first::owned(inputs, $first_index)?, $($param::owned(inputs, $index)?,)+))
            }

            fn duplicate(&self) -> Option<Self> {
                Some((
                    $first::Receive::duplicate(&self.$first_index)?,
                    $($param::Receive::duplicate(&self.$index)?,)+
                ))
            }
        }

        impl<$first, $($param),+> Consumed for consumed!($first $($param)+)
        where
            ($first, $($param,)+): Input,
        {
            type Input = ($first, $($param,)+);
        }
    };
}

/// The list of some types.
macro_rules! consumed {
    () => { () };
    ($first:ident $($rest:ident)*) => { ($first, consumed!($($rest)*)) };
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
