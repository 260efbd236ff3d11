//! The states that wait for a node, as its body asks for them.

use std::{any::Any, ops::Deref, sync::Arc};

use serde::{Serialize, de::DeserializeOwned};

use crate::{
    context::{Context, StepScope},
    error::FlowError,
    index::{LatestIx, Names, Place, SlotIx},
    sorted_map::SortedMap,
    state::{Copies, Live, Payload, State, StateType, downcast_mut, of_another_type},
};

/// What a body asks for, or why it is not there. The error is boxed so that the code that takes a state, which is
/// compiled for each of them, moves little.
#[doc(hidden)]
pub type InputResult<T> = Result<T, Box<FlowError>>;

/// A state that waits in a slot.
#[derive(Clone, PartialEq)]
pub(crate) struct Token {
    /// Which of the states it is that can fill the slot.
    pub(crate) branch: u32,
    /// The step that returned it.
    pub(crate) since: u64,
    pub(crate) live: Live,
}

/// The states that wait, by their slots.
pub(crate) type Tokens = SortedMap<SlotIx, Token>;

/// The last state of a type that was made in a flow.
#[derive(Clone, PartialEq)]
pub(crate) struct LatestState {
    pub(crate) live: Live,
    /// Whether it was made before the list that this is an item of.
    pub(crate) is_captured: bool,
}

/// The last states that were made, of those that nodes read.
pub(crate) type LatestStates = SortedMap<LatestIx, LatestState>;

/// What a node is given: the states that wait for it, by the number of the parameter among those that
/// consume one, and the context of the step.
#[doc(hidden)]
pub struct Inputs<'a> {
    /// The slots of the node's parameters.
    slots: &'a [SlotIx],
    /// What waits in the run. A state may be moved out: what it leaves behind stays in its place.
    tokens: &'a mut Tokens,
    names: &'a dyn Names,
    /// What the node reads, and what there is to read.
    latest: Option<(&'a [LatestIx], &'a LatestStates)>,
    /// What nodes have kept for the run.
    values: Option<&'a SortedMap<Arc<str>, Live>>,
    unmade: Option<UnmadeContext<'a>>,
    context: Option<Context>,
}

/// The context of a step, which is made only for a body that asks for it.
struct UnmadeContext<'a> {
    /// The caller's, of which it is a clone.
    of_host: &'a Context,
    scope: &'a dyn Fn() -> StepScope,
}

impl<'a> Inputs<'a> {
    #[inline]
    pub(crate) fn new(slots: &'a [SlotIx], tokens: &'a mut Tokens, names: &'a dyn Names) -> Self {
        Self {
            slots,
            tokens,
            names,
            latest: None,
            values: None,
            unmade: None,
            context: None,
        }
    }

    /// The same, with the last states that were made, of which the node reads these.
    #[inline]
    pub(crate) fn with_latest(mut self, reads: &'a [LatestIx], states: &'a LatestStates) -> Self {
        self.latest = Some((reads, states));
        self
    }

    /// The same, with what nodes have kept for the run.
    #[inline]
    pub(crate) fn with_values(mut self, values: &'a SortedMap<Arc<str>, Live>) -> Self {
        self.values = Some(values);
        self
    }

    /// Sets what the context of the step is made of.
    #[inline]
    pub(crate) fn set_context(
        &mut self,
        of_host: &'a Context,
        scope: &'a dyn Fn() -> StepScope,
    ) -> &mut Self {
        self.unmade = Some(UnmadeContext { of_host, scope });
        self
    }

    /// The same, with the context of the step.
    #[cfg(feature = "documents")]
    pub(crate) fn with_made_context(mut self, context: Context) -> Self {
        self.context = Some(context);
        self
    }

    /// The context of the step.
    pub(crate) fn context(&mut self) -> &Context {
        let unmade = &mut self.unmade;
        self.context.get_or_insert_with(|| match unmade.take() {
            Some(UnmadeContext { of_host, scope }) => of_host.clone().into_step(scope()),
            // What was consumed is put together for a `catch`, and nobody asks.
            None => Context::default(),
        })
    }

    /// The context of the step, for a body that asks for nothing else.
    pub(crate) fn take_context(&mut self) -> Context {
        self.context();
        self.context.take().unwrap_or_default()
    }

    /// Which of its states fills parameter `index`.
    pub fn branch(&self, index: usize) -> usize {
        let token = self.token(index).ok();
        token.map_or(0, |token| token.branch as usize)
    }

    /// The state that fills parameter `index`.
    #[inline]
    pub fn get<S: State>(&self, index: usize) -> InputResult<MaybeOwned<'_, S>> {
        self.typed(index)
    }

    /// The same for a body that outlives the call.
    pub fn to_arc<S: State>(&self, index: usize) -> InputResult<Arc<S>> {
        self.arc_of(index)
    }

    /// The last state of a type that was made in the flow of the node.
    pub(crate) fn latest<S: State>(&self) -> InputResult<Arc<S>> {
        let live = self.reads().find(|(state, _)| *state == S::NAME);
        // It is proved that there is one, and what is loaded is checked.
        let live = live.and_then(|(_, live)| live).ok_or_else(|| {
            FlowError::NotFound(format!("no `{}` that the flow has made", S::NAME).into())
        })?;
        let state = || S::NAME.to_owned();
        Ok(live.get().map_err(|source| FlowError::State {
            state: state(),
            source,
        })?)
    }

    /// All the last states that were made.
    #[cfg(feature = "documents")]
    pub(crate) fn latest_states(&self) -> Option<&'a LatestStates> {
        self.latest.map(|(_, states)| states)
    }

    /// What a node has kept for the run under this name.
    #[cfg(feature = "documents")]
    pub(crate) fn value(&self, name: &str) -> Option<&'a Live> {
        self.values?.get(&Arc::from(name))
    }

    /// What the node reads: for each state its schema name, and the last that was made.
    pub(crate) fn reads(&self) -> impl Iterator<Item = (&str, Option<&Live>)> {
        let reads = self.latest.into_iter().flat_map(|(reads, states)| {
            let read = move |read| (read, states.get(read).map(|latest| &latest.live));
            reads.iter().map(read)
        });
        reads.map(|(read, live)| (self.names.latest_name(*read), live))
    }

    #[inline]
    pub(crate) fn typed<S>(&self, index: usize) -> InputResult<MaybeOwned<'_, S>>
    where
        S: Serialize + DeserializeOwned + Send + Sync + 'static,
    {
        match self.token(index)?.live.typed() {
            Some(state) => Ok(MaybeOwned::Borrowed(state)),
            None => self.arc_of(index).map(MaybeOwned::Shared),
        }
    }

    /// The state that fills parameter `index`, as an `Arc` that the run shares.
    pub(crate) fn arc_of<S>(&self, index: usize) -> InputResult<Arc<S>>
    where
        S: Serialize + DeserializeOwned + Send + Sync + 'static,
    {
        let shared = self.any_of(index, StateType::of::<S>())?;
        let typed = shared.downcast();
        typed.map_err(|_| self.unreadable(index, of_another_type()))
    }

    /// The same as a value of the type `wanted`, for code that is compiled once for all types.
    fn any_of(&self, index: usize, wanted: StateType) -> InputResult<Arc<dyn Any + Send + Sync>> {
        let shared = self.token(index)?.live.to_type(wanted);
        let shared = shared.map_err(|source| self.unreadable(index, source))?;
        Ok(shared.into_any())
    }

    /// The state that fills parameter `index` itself; see [`Live::take`] for what stays in the run.
    #[inline]
    pub(crate) fn take<S>(&mut self, index: usize, copies: &impl Copies<S>) -> InputResult<S>
    where
        S: Serialize + DeserializeOwned + Send + Sync + 'static,
    {
        // As it is in most steps: the value is there, nobody else holds it, and it can be cloned.
        let value = self.unique_mut(index).and_then(downcast_mut::<S>);
        if let Some(value) = value
            && let Some(duplicate) = copies.duplicate(value)
        {
            return Ok(std::mem::replace(value, duplicate));
        }
        self.take_otherwise(index, copies)
    }

    #[cold]
    #[inline(never)]
    fn take_otherwise<S>(&mut self, index: usize, copies: &impl Copies<S>) -> InputResult<S>
    where
        S: Serialize + DeserializeOwned + Send + Sync + 'static,
    {
        let taken = self.token_mut(index)?.live.take_otherwise(copies);
        taken.map_err(|source| self.unreadable(index, source))
    }

    /// The value of the state that fills parameter `index`, where nobody else holds it in any way.
    // Not inlined: what is compiled for every state is to be small.
    #[inline(never)]
    fn unique_mut(&mut self, index: usize) -> Option<&mut dyn Payload> {
        self.token_mut(index).ok()?.live.unique_mut()
    }

    #[inline]
    pub(crate) fn token(&self, index: usize) -> InputResult<&Token> {
        let slot = self.slot(index)?;
        self.tokens.get(&slot).ok_or_else(|| missing(index))
    }

    fn token_mut(&mut self, index: usize) -> InputResult<&mut Token> {
        let slot = self.slot(index)?;
        self.tokens.get_mut(&slot).ok_or_else(|| missing(index))
    }

    #[inline]
    fn slot(&self, index: usize) -> InputResult<SlotIx> {
        self.slots.get(index).copied().ok_or_else(|| missing(index))
    }

    #[cold]
    fn unreadable(&self, index: usize, source: serde_json::Error) -> Box<FlowError> {
        let place = self.slot(index).ok().and_then(|slot| {
            let branch = self.tokens.get(&slot)?.branch;
            Some(Place { slot, branch })
        });
        Box::new(FlowError::State {
            state: place.map_or_else(String::new, |place| self.names.place_key(place).to_owned()),
            source,
        })
    }
}

#[cold]
pub(super) fn missing(index: usize) -> Box<FlowError> {
    Box::new(FlowError::NotFound(
        format!("the state of input {index}").into(),
    ))
}

/// What a body that takes a parameter by reference looks at.
#[doc(hidden)]
pub enum MaybeOwned<'a, P> {
    /// A state that the run keeps.
    Borrowed(&'a P),
    /// A state that the run shares with others, or that was read from JSON.
    Shared(Arc<P>),
    /// A choice, made of the state that came.
    Owned(P),
}

impl<P> Deref for MaybeOwned<'_, P> {
    type Target = P;

    fn deref(&self) -> &P {
        match self {
            Self::Borrowed(state) => state,
            Self::Shared(state) => state,
            Self::Owned(state) => state,
        }
    }
}
