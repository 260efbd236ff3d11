//! The states that wait for a node, as its body asks for them.

use std::{ops::Deref, sync::Arc};

use serde::{Serialize, de::DeserializeOwned};

use crate::{
    error::FlowError,
    graph::{SlotIx, StateIx, Table},
    state::{Copies, Live, State},
};

/// A state that waits in a slot.
#[derive(Clone)]
pub(crate) struct Token {
    pub(crate) slot: SlotIx,
    pub(crate) state: StateIx,
    pub(crate) live: Live,
}

impl Token {
    /// A state that comes to wait in `slot`. A list is there taken apart, one item after another.
    pub(crate) fn new(table: &Table, slot: SlotIx, state: StateIx, live: Live) -> Self {
        let live = match table.takes_list(slot) {
            true => live.in_cell(),
            false => live,
        };
        Self { slot, state, live }
    }
}

/// The states that wait for a node, by the number of its parameter.
#[doc(hidden)]
pub struct Inputs<'a> {
    /// The slots of the node's parameters.
    slots: &'a [SlotIx],
    /// What waits in the run, sorted by slot. A state may be moved out: what it leaves behind stays
    /// in its place.
    tokens: &'a mut [Token],
    table: &'a Table,
}

impl<'a> Inputs<'a> {
    pub(crate) fn new(slots: &'a [SlotIx], tokens: &'a mut [Token], table: &'a Table) -> Self {
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
    pub fn get<S: State>(&self, index: usize) -> Result<MaybeOwned<'_, S>, FlowError> {
        self.typed(index)
    }

    /// The same for a body that outlives the call.
    pub fn to_arc<S: State>(&self, index: usize) -> Result<Arc<S>, FlowError> {
        self.arc_of(index)
    }

    #[inline]
    pub(crate) fn typed<S>(&self, index: usize) -> Result<MaybeOwned<'_, S>, FlowError>
    where
        S: Serialize + DeserializeOwned + Send + Sync + 'static,
    {
        let token = self.token(index)?;
        match token.live.typed() {
            Some(state) => Ok(MaybeOwned::Borrowed(state)),
            None => self.arc(token).map(MaybeOwned::Shared),
        }
    }

    /// The state that fills parameter `index`, as an `Arc` that the run shares.
    pub(crate) fn arc_of<S>(&self, index: usize) -> Result<Arc<S>, FlowError>
    where
        S: Serialize + DeserializeOwned + Send + Sync + 'static,
    {
        self.arc(self.token(index)?)
    }

    /// The state that fills parameter `index` itself; see [`Live::take`] for what stays in the run.
    #[inline]
    pub(crate) fn take<S>(&mut self, index: usize, copies: &impl Copies<S>) -> Result<S, FlowError>
    where
        S: Serialize + DeserializeOwned + Send + Sync + 'static,
    {
        let at = self.find(index)?;
        let token = self.tokens.get_mut(at).ok_or_else(|| missing(index))?;
        let state = token.state;
        let taken = token.live.take(copies);
        taken.map_err(|source| self.unreadable(state, source))
    }

    #[inline]
    pub(crate) fn token(&self, index: usize) -> Result<&Token, FlowError> {
        self.tokens
            .get(self.find(index)?)
            .ok_or_else(|| missing(index))
    }

    fn arc<S>(&self, token: &Token) -> Result<Arc<S>, FlowError>
    where
        S: Serialize + DeserializeOwned + Send + Sync + 'static,
    {
        let shared = token.live.get();
        shared.map_err(|source| self.unreadable(token.state, source))
    }

    /// Where the state of parameter `index` is.
    #[inline]
    fn find(&self, index: usize) -> Result<usize, FlowError> {
        let slot = self.slots.get(index).ok_or_else(|| missing(index))?;
        self.tokens
            .binary_search_by_key(slot, |token| token.slot)
            .map_err(|_| missing(index))
    }

    fn unreadable(&self, state: StateIx, source: serde_json::Error) -> FlowError {
        FlowError::State {
            state: self.table.state_key(state).to_owned(),
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
