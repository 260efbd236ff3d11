//! What a node returns: one state, a choice of states, a fork into several.

use super::{NodeCalls, input::for_tuples};
use crate::{
    error::BoxError,
    state::{Either, Live, SealedState, State},
    topology::{Shape, ShapeKind},
};

/// What one run of a node's body returned.
#[doc(hidden)]
pub struct Emitted(pub(crate) Emission);

pub(crate) enum Emission {
    /// The state of the branch that goes on: the only one, or the one chosen.
    Branch(usize, Live),
    /// A state for each branch.
    All(Vec<Live>),
    /// What it wants of agents and flows, before anything goes on.
    Calls(NodeCalls),
}

impl Emitted {
    /// The state of the only branch.
    pub(crate) fn only(live: Live) -> Self {
        Self(Emission::Branch(0, live))
    }

    /// The state of branch number `branch`.
    pub fn branch<S: State>(branch: usize, state: S) -> Self {
        Self(Emission::Branch(branch, Live::new(state)))
    }
}

/// Defines a trait for what a node returns.
macro_rules! output_trait {
    ($(#[$attribute:meta])* $name:ident) => {
        $(#[$attribute])*
        #[doc(hidden)]
        pub trait $name: Sized {
            /// How it is returned; of a state one line, as [`Param`](super::Param) says.
            type Emit: Emit<Self>;

            const SHAPE: Shape = Self::Emit::SHAPE;

            #[inline]
            fn emit(self) -> Result<Emitted, BoxError> {
                Self::Emit::emit(self)
            }
        }
    };
}

output_trait! {
    /// What a node may return: a state, a choice of states, a tuple of states, or a `Result` of those.
    #[diagnostic::on_unimplemented(
        message = "a node cannot return `{Self}`: it is not a flow state",
        label = "not a state",
        note = "a node returns a `#[state]`, an `Either` or a `#[choice]` of states, a tuple of states, `Each` of a state, or a `Result` of one of these"
    )]
    Output
}

/// How an output of the type `O` goes on from its node.
#[doc(hidden)]
pub trait Emit<O> {
    const SHAPE: Shape;

    fn emit(output: O) -> Result<Emitted, BoxError>;
}

/// [`Output`] under another name, with another message. rustc lists none of the impls of [`Output`] for it, of which there is
/// one for each state and each tuple.
macro_rules! also_output {
    ($(#[$attribute:meta])* $name:ident) => {
        output_trait!($(#[$attribute])* $name);

        #[diagnostic::do_not_recommend]
        impl<O: Output> $name for O {
            type Emit = O::Emit;
        }
    };
}

also_output! {
    /// An output that is written as one name.
    #[diagnostic::on_unimplemented(
        message = "a node cannot return `{Self}`: it is not a flow state",
        label = "not a state",
        note = "wrap a type that is not yours in a state, such as `#[state] struct Text {{ text: String }}`; above a type of yours write `#[state]`, or `#[choice]` if it is an enum of states"
    )]
    NamedOutput
}

also_output! {
    /// An output that is written as an `Invoke`: with the message for those who name the agent in it, or a type without `#[state]`.
    #[diagnostic::on_unimplemented(
        message = "a node cannot return `{Self}`: no call returns that",
        label = "not the state that a call returns",
        note = "an `Invoke<A>` names the state `A` that the called agent or flow returns, such as `Invoke<Finding>`, and not whom it calls: that is in `agents = […]`",
        note = "above a type of yours write `#[state]`; several calls return an `Invoke<Each<A>>`, and detached ones an `Invoke<Tasks>`"
    )]
    InvokeOutput
}

/// `Self`, an output or a parameter, holds the state `S` as its branch number `K`.
#[doc(hidden)]
pub trait HasBranch<const K: usize, S> {}

/// An error that a node's body may return: whatever `?` turns into a boxed error.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the error of a node or a tool",
    label = "not an error",
    note = "implement `std::error::Error + Send + Sync + 'static` for it; a boxed one is `Box<dyn std::error::Error + Send + Sync>`",
    note = "a node that chooses between two states returns `Either<A, B>`, and no `Result`"
)]
pub trait NodeError {
    fn boxed(self) -> BoxError;
}

#[diagnostic::do_not_recommend]
impl<E: Into<BoxError>> NodeError for E {
    fn boxed(self) -> BoxError {
        self.into()
    }
}

impl<S: State> HasBranch<0, S> for S {}

impl<A: State, B: State> Output for Either<A, B> {
    type Emit = Self;
}

impl<A: State, B: State> Emit<Self> for Either<A, B> {
    const SHAPE: Shape = Shape::new(
        ShapeKind::Choice,
        &[<A as SealedState>::REF, <B as SealedState>::REF],
    );

    fn emit(choice: Self) -> Result<Emitted, BoxError> {
        Ok(match choice {
            Self::Left(a) => Emitted::branch(0, a),
            Self::Right(b) => Emitted::branch(1, b),
        })
    }
}

impl<A: State, B> HasBranch<0, A> for Either<A, B> {}
impl<A, B: State> HasBranch<1, B> for Either<A, B> {}

impl<R: Output, E: NodeError> Output for Result<R, E> {
    type Emit = Self;
}

impl<R: Output, E: NodeError> Emit<Self> for Result<R, E> {
    const SHAPE: Shape = R::SHAPE;

    fn emit(result: Self) -> Result<Emitted, BoxError> {
        Output::emit(result.map_err(NodeError::boxed)?)
    }
}

impl<const K: usize, S: State, R: HasBranch<K, S>, E> HasBranch<K, S> for Result<R, E> {}

macro_rules! tuple_output {
    ($($field:ident $index:tt),+) => {
        impl<$($field: State),+> Output for ($($field,)+) {
            type Emit = Self;
        }

        impl<$($field: State),+> Emit<Self> for ($($field,)+) {
            const SHAPE: Shape = Shape::new(ShapeKind::Fork, &[$(<$field as SealedState>::REF),+]);

            fn emit(fork: Self) -> Result<Emitted, BoxError> {
                Ok(Emitted(Emission::All(vec![$(Live::new(fork.$index)),+])))
            }
        }

        tuple_output!(@branches [$($field)+] $($field $index),+);
    };
    (@branches $all:tt $($field:ident $index:tt),+) => {
        $(tuple_output!(@branch $all $field $index);)+
    };
    (@branch [$($all:ident)+] $field:ident $index:tt) => {
        impl<$($all: State),+> HasBranch<$index, $field> for ($($all,)+) {}
    };
}

for_tuples!(tuple_output);
