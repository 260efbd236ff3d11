//! The states that wait for a node, as its body asks for them.

use std::{ops::Deref, sync::Arc};

use serde::{Serialize, de::DeserializeOwned};

use crate::{
    error::FlowError,
    graph::{SlotIx, StateIx, Table},
    state::{Live, State},
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
    pub fn get<S: State>(&self, index: usize) -> Result<MaybeOwned<'_, S>, FlowError> {
        self.typed(index)
    }

    /// The same for a body that outlives the call.
    pub fn to_arc<S: State>(&self, index: usize) -> Result<Arc<S>, FlowError> {
        let token = self.token(index)?;
        let shared = token.live.get();
        shared.map_err(|source| self.unreadable(token, source))
    }

    #[inline]
    pub(crate) fn typed<S>(&self, index: usize) -> Result<MaybeOwned<'_, S>, FlowError>
    where
        S: Serialize + DeserializeOwned + Send + Sync + 'static,
    {
        let token = self.token(index)?;
        match token.live.typed() {
            Some(state) => Ok(MaybeOwned::Borrowed(state)),
            None => token
                .live
                .read()
                .map(MaybeOwned::Owned)
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
        let taken = taken.ok_or_else(|| missing(index))?;
        taken.map_err(|source| match self.token(index) {
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
        FlowError::State {
            state: self.table.state_key(token.state).to_owned(),
            source,
        }
    }
}

fn missing(index: usize) -> FlowError {
    FlowError::NotFound(format!("the state of input {index}"))
}

/// What a body that takes a parameter by reference looks at.
#[doc(hidden)]
pub enum MaybeOwned<'a, P> {
    /// A state that the run keeps.
    Borrowed(&'a P),
    /// A state that was read from JSON, or a choice, made of a copy of the state that came.
    Owned(P),
}

impl<P> Deref for MaybeOwned<'_, P> {
    type Target = P;

    fn deref(&self) -> &P {
        match self {
            Self::Borrowed(state) => state,
            Self::Owned(state) => state,
        }
    }
}
