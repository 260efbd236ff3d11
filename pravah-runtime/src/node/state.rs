//! What a state is to a node: a parameter, and what it returns.

use schemars::{Schema, SchemaGenerator};

use super::{AgentOutput, Emitted, Failure, Inputs};
use crate::{
    error::{BoxError, FlowError},
    state::{Each, OfState, State, StateFns, StateRef},
};

/// A state, as the macros ask for it. They may not name [`State`]: rustc would report what a type
/// that is no state lacks of its supertraits too.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a flow state",
    label = "not a state",
    note = "write `#[state]` above the definition of `{Self}`, in place of `#[choice]` if that is there: a node that follows may return the choice",
    note = "a type that is not yours goes into a field of a `#[state]` struct"
)]
pub trait IsState: Sized {
    /// The state as the checks of a flow see it.
    const REF: StateRef;

    /// What a node returns that chose the state as its branch number `way`.
    fn emitted(self, way: usize) -> Result<Emitted, BoxError>;

    /// The state in slot `index` of a node.
    fn owned(inputs: &mut Inputs<'_>, index: usize) -> Result<Self, FlowError>;

    /// A clone, where the type is `Clone`.
    fn cloned(&self) -> Option<Self>;

    /// The schema as part of another.
    fn schema(generator: &mut SchemaGenerator) -> Schema;

    /// The state as the output of an agent.
    fn agent_output() -> AgentOutput;
}

#[diagnostic::do_not_recommend]
impl<S: State> IsState for S {
    const REF: StateRef = StateRef {
        name: S::NAME,
        path: S::TYPE_PATH,
        place: S::PLACE,
        is_clone: S::IS_CLONE,
        fns: Some(StateFns::of::<S>()),
    };

    fn emitted(self, branch: usize) -> Result<Emitted, BoxError> {
        Ok(Emitted::branch(branch, self))
    }

    fn owned(inputs: &mut Inputs<'_>, index: usize) -> Result<S, FlowError> {
        inputs.take(index, &OfState)
    }

    fn cloned(&self) -> Option<S> {
        self.duplicate()
    }

    fn schema(generator: &mut SchemaGenerator) -> Schema {
        generator.subschema_for::<S>()
    }

    fn agent_output() -> AgentOutput {
        AgentOutput::of::<S>()
    }
}

/// Makes a state something that a node can take and return. Each state has impls of its own: were
/// there one for all states, rustc would not say which part of an `Either` is no state.
#[doc(hidden)]
#[macro_export]
macro_rules! __pravah_plain_state {
    ([$($param:ident: $bound:path)?] $state:ty) => {
        #[automatically_derived]
        impl<$($param: $bound)?> $crate::__private::Param for $state {
            const REF: $crate::__private::ParamRef =
                $crate::__private::ParamRef::of_state(&[<$state as $crate::__private::IsState>::REF]);

            type Before<Rest> = (Self, Rest);

            fn owned(__pravah_inputs: &mut $crate::__private::Inputs<'_>, __pravah_index: usize)
                -> ::core::result::Result<Self, $crate::FlowError>
            {
                $crate::__private::IsState::owned(__pravah_inputs, __pravah_index)
            }

            fn held(_: &mut $crate::__private::Inputs<'_>, _: usize)
                -> ::core::result::Result<::core::option::Option<Self>, $crate::FlowError>
            {
                ::core::result::Result::Ok(::core::option::Option::None)
            }

            fn borrowed<'a>(
                _: ::core::option::Option<Self>,
                __pravah_inputs: &'a $crate::__private::Inputs<'_>,
                __pravah_index: usize,
            ) -> ::core::result::Result<$crate::__private::MaybeOwned<'a, Self>, $crate::FlowError>
            {
                __pravah_inputs.get(__pravah_index)
            }

            fn shared(__pravah_inputs: &mut $crate::__private::Inputs<'_>, __pravah_index: usize)
                -> ::core::result::Result<::std::sync::Arc<Self>, $crate::FlowError>
            {
                __pravah_inputs.to_arc(__pravah_index)
            }

            fn duplicate(&self) -> ::core::option::Option<Self> {
                $crate::__private::IsState::cloned(self)
            }
        }

        #[automatically_derived]
        impl<$($param: $bound)?> $crate::__private::Output for $state {
            const SHAPE: $crate::__private::Shape = $crate::__private::Shape::new(
                $crate::__private::ShapeKind::One,
                &[<$state as $crate::__private::IsState>::REF],
            );

            fn emit(self) -> ::core::result::Result<$crate::__private::Emitted, $crate::BoxError> {
                $crate::__private::IsState::emitted(self, 0)
            }
        }
    };
}
pub use crate::__pravah_plain_state as plain_state;

plain_state!([S: State] Each<S>);
plain_state!([I: super::Input] Failure<I>);
