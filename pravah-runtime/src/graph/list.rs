//! Lists: what their items are, and what becomes of what those return.

use std::sync::Arc;

use crate::{
    error::FlowError,
    index::LatestIx,
    node::LatestStates,
    state::{Each, Live, OfState, State},
};

/// What a list does besides running its chain for each item: one of states, or a body of a document.
pub(crate) trait ListBody: Send + Sync {
    /// What its items are made of. Where the list [goes on](Self::goes_on) by itself, what the first is made of.
    fn open(&self, input: &ListInput<'_>) -> Result<Arc<[Live]>, FlowError>;

    /// Whether its items follow each other, of which there is one at first.
    fn has_rounds(&self) -> bool {
        false
    }

    /// Whether its items are those of a list of states, by whose numbers errors are told.
    fn numbers_items(&self) -> bool {
        false
    }

    /// What the chain starts with for the item of this number. `place` names the run, and the items around the list.
    fn item(&self, items: &[Live], index: usize, _place: &dyn Fn() -> String) -> Option<Live> {
        items.get(index).cloned()
    }

    /// Whether another item follows the last one, which has returned this.
    fn goes_on(
        &self,
        _done: usize,
        _last: Option<&Live>,
        _input: &ListInput<'_>,
    ) -> Result<bool, FlowError> {
        Ok(false)
    }

    /// What an item that is done leaves to be read around the list.
    fn leaves(&self, _output: &Live) -> Vec<(LatestIx, Live)> {
        Vec::new()
    }

    /// What the list returns, of what its items returned. It may move that out of `done`, but leaves `done` as it was if
    /// it fails.
    fn collect(&self, done: &mut [Live], input: &ListInput<'_>) -> Result<Live, FlowError>;
}

/// What a list can look at.
#[cfg_attr(
    not(feature = "documents"),
    allow(dead_code, reason = "only documents look at all of it")
)]
pub(crate) struct ListInput<'a> {
    /// What waits for it, and what that is called.
    pub(crate) waiting: Option<(&'a Live, &'a str)>,
    /// What the list returns is called so.
    pub(crate) output: &'a str,
    pub(crate) latest: &'a LatestStates,
}

impl ListInput<'_> {
    /// What an item has returned cannot be read.
    pub(crate) fn unreadable(&self, source: serde_json::Error) -> FlowError {
        FlowError::State {
            state: self.output.to_owned(),
            source,
        }
    }
}

/// A list of the states `X`, from which a chain makes a `Y` each.
pub(super) struct ListOf<X, Y>(pub(super) std::marker::PhantomData<fn(X) -> Y>);

impl<X: State, Y: State> ListBody for ListOf<X, Y> {
    fn numbers_items(&self) -> bool {
        true
    }

    fn open(&self, input: &ListInput<'_>) -> Result<Arc<[Live]>, FlowError> {
        let Some((live, key)) = input.waiting else {
            return Ok(Arc::default());
        };
        let state = || key.to_owned();
        live.take_apart::<X>().map_err(|source| FlowError::State {
            state: state(),
            source,
        })
    }

    fn collect(&self, done: &mut [Live], input: &ListInput<'_>) -> Result<Live, FlowError> {
        if done.iter_mut().all(|item| item.is_unique::<Y>()) {
            // Nobody else holds these values: no copies need to stay behind, and none of the moves can fail halfway.
            let list: Each<Y> = done.iter_mut().filter_map(Live::take_unique).collect();
            return Ok(Live::new(list));
        }
        let list: Result<Each<Y>, _> = done.iter_mut().map(|it| it.take(&OfState)).collect();
        Ok(Live::new(list.map_err(|error| input.unreadable(error))?))
    }
}
