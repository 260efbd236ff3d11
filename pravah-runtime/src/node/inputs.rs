//! The states that wait for a node, as its body asks for them.

use std::{ops::Deref, sync::Arc};

use serde::{Serialize, de::DeserializeOwned};

use crate::{
    context::{Context, StepScope},
    error::FlowError,
    index::{LatestIx, Names, Place, SlotIx},
    sorted_map::SortedMap,
    state::{Copies, Live, State},
};

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
    unmade: Option<UnmadeContext<'a>>,
    context: Option<Context>,
}

/// The context of a step, which is made only for a body that asks for it.
struct UnmadeContext<'a> {
    /// The host's, which is taken out.
    of_host: &'a mut Option<Context>,
    scope: &'a dyn Fn() -> StepScope,
}

impl<'a> Inputs<'a> {
    pub(crate) fn new(slots: &'a [SlotIx], tokens: &'a mut Tokens, names: &'a dyn Names) -> Self {
        Self {
            slots,
            tokens,
            names,
            latest: None,
            unmade: None,
            context: None,
        }
    }

    /// The same, with the last states that were made, of which the node reads these.
    pub(crate) fn with_latest(mut self, reads: &'a [LatestIx], states: &'a LatestStates) -> Self {
        self.latest = Some((reads, states));
        self
    }

    /// The same, with what the context of the step is made of.
    #[inline]
    pub(crate) fn with_context(
        mut self,
        of_host: &'a mut Option<Context>,
        scope: &'a dyn Fn() -> StepScope,
    ) -> Self {
        self.unmade = Some(UnmadeContext { of_host, scope });
        self
    }

    /// The context of the step.
    pub(crate) fn context(&mut self) -> &Context {
        let unmade = &mut self.unmade;
        self.context.get_or_insert_with(|| match unmade.take() {
            Some(UnmadeContext { of_host, scope }) => {
                of_host.take().unwrap_or_default().into_step(scope())
            }
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
    pub fn get<S: State>(&self, index: usize) -> Result<MaybeOwned<'_, S>, FlowError> {
        self.typed(index)
    }

    /// The same for a body that outlives the call.
    pub fn to_arc<S: State>(&self, index: usize) -> Result<Arc<S>, FlowError> {
        self.arc_of(index)
    }

    /// The last state of a type that was made in the flow of the node.
    pub(crate) fn latest<S: State>(&self) -> Result<Arc<S>, FlowError> {
        let live = self.reads().find(|(state, _)| *state == S::NAME);
        // It is proved that there is one, and what is loaded is checked.
        let live = live.and_then(|(_, live)| live).ok_or_else(|| {
            FlowError::NotFound(format!("no `{}` that the flow has made", S::NAME).into())
        })?;
        live.get().map_err(|source| FlowError::State {
            state: S::NAME.to_owned(),
            source,
        })
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
    pub(crate) fn typed<S>(&self, index: usize) -> Result<MaybeOwned<'_, S>, FlowError>
    where
        S: Serialize + DeserializeOwned + Send + Sync + 'static,
    {
        match self.token(index)?.live.typed() {
            Some(state) => Ok(MaybeOwned::Borrowed(state)),
            None => self.arc_of(index).map(MaybeOwned::Shared),
        }
    }

    /// The state that fills parameter `index`, as an `Arc` that the run shares.
    pub(crate) fn arc_of<S>(&self, index: usize) -> Result<Arc<S>, FlowError>
    where
        S: Serialize + DeserializeOwned + Send + Sync + 'static,
    {
        let shared = self.token(index)?.live.get();
        shared.map_err(|source| self.unreadable(index, source))
    }

    /// The state that fills parameter `index` itself; see [`Live::take`] for what stays in the run.
    #[inline]
    pub(crate) fn take<S>(&mut self, index: usize, copies: &impl Copies<S>) -> Result<S, FlowError>
    where
        S: Serialize + DeserializeOwned + Send + Sync + 'static,
    {
        let taken = self.token_mut(index)?.live.take(copies);
        taken.map_err(|source| self.unreadable(index, source))
    }

    #[inline]
    pub(crate) fn token(&self, index: usize) -> Result<&Token, FlowError> {
        let slot = self.slot(index)?;
        self.tokens.get(&slot).ok_or_else(|| missing(index))
    }

    // Not inlined: what is compiled for every state is to be small.
    fn token_mut(&mut self, index: usize) -> Result<&mut Token, FlowError> {
        let slot = self.slot(index)?;
        self.tokens.get_mut(&slot).ok_or_else(|| missing(index))
    }

    #[inline]
    fn slot(&self, index: usize) -> Result<SlotIx, FlowError> {
        self.slots.get(index).copied().ok_or_else(|| missing(index))
    }

    fn unreadable(&self, index: usize, source: serde_json::Error) -> FlowError {
        let place = self.slot(index).ok().and_then(|slot| {
            let branch = self.tokens.get(&slot)?.branch;
            Some(Place { slot, branch })
        });
        FlowError::State {
            state: place.map_or_else(String::new, |place| self.names.place_key(place).to_owned()),
            source,
        }
    }
}

pub(super) fn missing(index: usize) -> FlowError {
    FlowError::NotFound(format!("the state of input {index}").into())
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
