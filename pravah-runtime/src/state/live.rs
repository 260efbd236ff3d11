//! A state that waits in a run: the typed value, or what there is to make it from.
//!
//! A node that takes its state by value gets the value itself, whoever else holds the state: the run
//! for another attempt, a snapshot, the flow as its input. For them something stays behind, see
//! [`Live::take`].

use std::{
    collections::BTreeMap,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, OnceLock},
};

use serde::{Serialize, Serializer, de::DeserializeOwned, ser::Error as _};
use serde_json::{Value, value::RawValue};

use super::{
    Each, State,
    cell::Cell,
    copies::{AnyCopies, Copies, CopiesOf, OfState, copy, move_out},
    payload::{
        self, Items, Kept, Payload, Raw, RawState, StateType, downcast, downcast_mut,
        of_another_type, unwrap,
    },
    strict::Strict,
};
use crate::{
    error::{panic_message, quietly},
    json,
};

/// A waiting state. Cloning it copies no payload: the clones share one value. JSON is made only when
/// someone asks.
pub(crate) struct Live {
    held: Held,
    /// What the clones share, if there are any and it does not hold the value in a cell alone.
    cell: OnceLock<Arc<Cell>>,
}

/// How a state holds its value.
enum Held {
    /// By itself.
    Value(Arc<dyn Payload>),
    /// In a cell; it is gone once that was taken out.
    Cell(Option<Arc<Cell>>),
}

impl Clone for Live {
    fn clone(&self) -> Self {
        Self::holding(Held::Cell(self.to_cell().cloned()))
    }
}

impl Drop for Live {
    /// A value whose `Drop` panics is gone all the same, and the run goes on.
    fn drop(&mut self) {
        let held = std::mem::replace(&mut self.held, Held::Cell(None));
        if self.cell.get().is_some() {
            let cell = self.cell.take();
            quietly(|| drop(cell));
        }
        quietly(|| drop(held));
    }
}

/// The length of a list, and some of its items by their numbers.
type RawItems = Result<(usize, BTreeMap<usize, Live>), serde_json::Error>;

impl Live {
    pub(crate) fn new<T: Serialize + Send + Sync + 'static>(value: T) -> Self {
        Self::of(Arc::new(value))
    }

    /// A value restored from JSON, which is read when it is used.
    pub(crate) fn raw(RawState(json): RawState) -> Self {
        Self::of(json)
    }

    /// A value that others may have too.
    pub(crate) fn of(value: Arc<dyn Payload>) -> Self {
        Self::holding(Held::Value(value))
    }

    fn holding(held: Held) -> Self {
        Self {
            held,
            cell: OnceLock::new(),
        }
    }

    /// The same, to be moved out through any of its clones.
    pub(crate) fn in_cell(mut self) -> Self {
        self.share();
        self
    }

    /// Lets the value be moved out through any of its clones, which may outlive this one.
    pub(crate) fn share(&mut self) {
        let cell = self.cell.take();
        self.held = match std::mem::replace(&mut self.held, Held::Cell(None)) {
            Held::Value(value) => Held::Cell(Some(cell.unwrap_or_else(|| Cell::new(value)))),
            held => held,
        };
    }

    /// The value, if it is there as a `T` and nobody can move it out meanwhile.
    #[inline]
    pub(crate) fn typed<T: 'static>(&self) -> Option<&T> {
        match &self.held {
            Held::Value(value) => downcast(&**value),
            Held::Cell(_) => None,
        }
    }

    /// The raw JSON of a restored state that nobody else holds. It stays in place for another attempt.
    fn raw_alone(&self) -> Option<&Raw> {
        self.typed().filter(|_| self.cell().is_none())
    }

    /// The length of a list that is still raw JSON, and some of its items: `None` if it is not raw, an error if
    /// the JSON is no list.
    pub(crate) fn raw_items(&self, wanted: Vec<usize>) -> Option<RawItems> {
        self.look(|payload| {
            let Raw(json) = downcast(payload)?;
            let items = serde_json::from_str::<Vec<&RawValue>>(json.get());
            Some(items.map(|items| {
                let raw = |at: usize| {
                    let item = (*items.get(at)?).to_owned();
                    Some((at, Self::raw(RawState(Arc::new(Raw(item))))))
                };
                (items.len(), wanted.into_iter().filter_map(raw).collect())
            }))
        })
    }

    /// Whether it is the same value, which was cloned from one to the other if they are two.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        if std::ptr::eq(self, other) {
            return true;
        }
        match (self.cell(), other.cell()) {
            (Some(cell), Some(other)) => Arc::ptr_eq(cell, other),
            _ => false,
        }
    }

    /// What is the same for all clones of a value, and for nothing else meanwhile; there is nothing as long as it has
    /// no clones and was not read.
    pub(crate) fn shared_id(&self) -> Option<usize> {
        self.cell().map(|cell| Arc::as_ptr(cell).addr())
    }

    /// The value as a `T`; one that is not there as such is made, which may fail.
    pub(crate) fn get<T>(&self) -> Result<Arc<T>, serde_json::Error>
    where
        T: Serialize + DeserializeOwned + Send + Sync + 'static,
    {
        let value = self.to_type(StateType::of::<T>())?.into_any();
        value.downcast().map_err(|_| of_another_type())
    }

    /// Whether there is a value of this type, or one can be made.
    pub(crate) fn check(&self, wanted: StateType) -> Result<(), serde_json::Error> {
        self.to_type(wanted).map(drop)
    }

    /// A value of the type `wanted`: the value itself, or one that is made, which may fail.
    pub(crate) fn to_type(&self, wanted: StateType) -> Result<Arc<dyn Payload>, serde_json::Error> {
        let known = match self.look(|payload| wanted.is_of(payload)) {
            true => Some(self.payload()),
            false => self.cell().and_then(|cell| cell.typed.get().cloned()),
        };
        if let Some(value) = known.filter(|value| wanted.is_of(&**value)) {
            return Ok(value);
        }
        let value = self.look(|payload| wanted.read(payload, false))?;
        // Where two read at once, one is enough.
        if let Some(cell) = self.to_cell() {
            let _ = cell.typed.set(Arc::clone(&value));
        }
        Ok(value)
    }

    /// The value itself. What stays behind, for another attempt and for whoever else holds the state,
    /// is a clone, or for a type that is not `Clone` what `Serialize` says of it, from which it is
    /// made again when somebody asks.
    ///
    /// Only where somebody was handed the value as an `Arc` and still has it, the copy is handed out.
    pub(crate) fn take<T>(&mut self, copies: &impl Copies<T>) -> Result<T, serde_json::Error>
    where
        T: Serialize + DeserializeOwned + Send + Sync + 'static,
    {
        let value = self.unique_mut().and_then(downcast_mut::<T>);
        if let Some(value) = value
            && let Some(duplicate) = copies.duplicate(value)
        {
            return Ok(std::mem::replace(value, duplicate));
        }
        self.take_otherwise(copies)
    }

    /// The same where the value is not there as a `T` that can be cloned, or others hold it too.
    pub(crate) fn take_otherwise<T>(
        &mut self,
        copies: &impl Copies<T>,
    ) -> Result<T, serde_json::Error>
    where
        T: Serialize + DeserializeOwned + Send + Sync + 'static,
    {
        if let Some(raw) = self.raw_alone() {
            return payload::read(raw);
        }
        unwrap(self.move_out(&CopiesOf::new(copies))?)
    }

    /// The value, where nobody else holds it in any way.
    #[inline]
    pub(crate) fn unique_mut(&mut self) -> Option<&mut dyn Payload> {
        match &mut self.held {
            Held::Value(value) if self.cell.get().is_none() => Arc::get_mut(value),
            Held::Value(_) => None,
            Held::Cell(cell) => Arc::get_mut(Arc::get_mut(cell.as_mut()?)?.value_mut()),
        }
    }

    /// Whether it is a `T` that nobody else holds in any way.
    // `&mut`: only that proves it.
    pub(crate) fn is_unique<T: 'static>(&mut self) -> bool {
        self.unique_mut().and_then(downcast_mut::<T>).is_some()
    }

    /// Moves the value out, if it is a `T` that [nobody else holds](Self::is_unique). Unlike [`take`](Self::take) it leaves no
    /// copy behind.
    pub(crate) fn take_unique<T: Payload>(&mut self) -> Option<T> {
        if !self.is_unique::<T>() {
            return None;
        }
        let value = match std::mem::replace(&mut self.held, Held::Cell(None)) {
            Held::Value(value) => value,
            Held::Cell(cell) => Arc::into_inner(cell?)?.into_value(),
        };
        Arc::into_inner(value.into_any().downcast().ok()?)
    }

    /// Moves the value out, wherever it is held.
    pub(crate) fn move_out(
        &mut self,
        copies: &dyn AnyCopies,
    ) -> Result<Arc<dyn Payload>, serde_json::Error> {
        if self.cell().is_some() {
            // Whoever shares it finds what is left of it.
            self.share();
        }
        match &mut self.held {
            Held::Value(value) => move_out(value, copies),
            Held::Cell(Some(cell)) => move_out(&mut cell.write(), copies),
            Held::Cell(None) => Err(serde::de::Error::custom("the state is gone")),
        }
    }

    /// The items of a list, each of which can be moved out by itself. The list stays one to whoever
    /// reads it. What waits for a list is [in a cell](Self::in_cell).
    pub(crate) fn take_apart<X: State>(&self) -> Result<Arc<[Self]>, serde_json::Error> {
        let shared = self.clone();
        let Some(cell) = shared.cell() else {
            return Ok(Arc::default());
        };
        let mut held = cell.write();
        if let Some(items) = downcast::<Items>(&**held) {
            return Ok(Arc::clone(&items.list));
        }
        let list = match Arc::get_mut(&mut held).and_then(downcast_mut::<Each<X>>) {
            Some(list) => std::mem::replace(list, Vec::new().into()),
            None => unwrap(move_out(&mut held, &CopiesOf::<Each<X>, _>::new(&OfState))?)?,
        };
        let list: Arc<[Self]> = list
            .into_iter()
            .map(|item| Self::new(item).in_cell())
            .collect();
        let items = Items {
            list: Arc::clone(&list),
            whole: |items, moved| {
                let item = |item: &Self| match moved {
                    true => item.clone().take(&OfState),
                    false => item.copy(&OfState),
                };
                let list: Result<Each<X>, _> = items.iter().map(item).collect();
                Ok(Arc::new(list?))
            },
        };
        let whole = std::mem::replace(&mut *held, Arc::new(items));
        drop(held);
        quietly(|| drop(whole));
        Ok(list)
    }

    /// A copy of the value, which stays where it is.
    fn copy<T>(&self, copies: &impl Copies<T>) -> Result<T, serde_json::Error>
    where
        T: Serialize + DeserializeOwned + Send + Sync + 'static,
    {
        let copies = CopiesOf::new(copies);
        unwrap(self.look(|payload| copy(payload, &copies))?)
    }

    pub(crate) fn to_value(&self) -> Result<Value, serde_json::Error> {
        self.look(|payload| match downcast::<Raw>(payload) {
            // `serde_json` would not read its keys literally.
            Some(Raw(json)) => json::from_str(json.get()),
            None => write(payload, serde_json::value::Serializer),
        })
    }

    /// Calls `read` with the value as JSON; a value that is JSON already is not copied.
    pub(crate) fn read_value<R>(
        &self,
        read: impl FnOnce(&Value) -> R,
    ) -> Result<R, serde_json::Error> {
        let result = self.look(|payload| match downcast::<Value>(payload) {
            Some(value) => Ok(read(value)),
            None => Err(read),
        });
        match result {
            Ok(result) => Ok(result),
            Err(read) => self.to_value().map(|value| read(&value)),
        }
    }

    /// The cell that it shares with its clones, or would.
    fn cell(&self) -> Option<&Arc<Cell>> {
        match &self.held {
            Held::Value(_) => self.cell.get(),
            Held::Cell(cell) => cell.as_ref(),
        }
    }

    /// The same, which is made where there is none; it is gone with the value.
    fn to_cell(&self) -> Option<&Arc<Cell>> {
        match &self.held {
            Held::Value(value) => Some(self.cell.get_or_init(|| Cell::new(Arc::clone(value)))),
            Held::Cell(cell) => cell.as_ref(),
        }
    }

    fn payload(&self) -> Arc<dyn Payload> {
        match &self.held {
            Held::Value(value) => Arc::clone(value),
            Held::Cell(Some(cell)) => Arc::clone(&cell.read()),
            Held::Cell(None) => Arc::new(()),
        }
    }

    fn look<R>(&self, look: impl FnOnce(&dyn Payload) -> R) -> R {
        match &self.held {
            Held::Value(value) => look(&**value),
            Held::Cell(Some(cell)) => look(&**cell.read()),
            Held::Cell(None) => look(&()),
        }
    }
}

impl Serialize for Live {
    /// Fails for `NaN` and infinite numbers, which JSON does not have, and for what is nested too deeply to be read back.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.look(|payload| {
            if let Some(Raw(json)) = downcast(payload) {
                return json.serialize(serializer);
            }
            let of = match downcast::<Kept>(payload) {
                Some(kept) => kept.of,
                None => payload.type_name(),
            };
            write(payload, Strict::new(serializer, of))
        })
    }
}

/// Writes a value. A panic leaves the run as it is.
fn write<S: Serializer>(payload: &dyn Payload, serializer: S) -> Result<S::Ok, S::Error> {
    catch_unwind(AssertUnwindSafe(|| {
        erased_serde::serialize(payload, serializer)
    }))
    .unwrap_or_else(|panic| Err(S::Error::custom(panic_message(panic))))
}

impl PartialEq for Live {
    fn eq(&self, other: &Self) -> bool {
        self.is_same(other)
    }
}

impl std::fmt::Debug for Live {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Payloads are not for logs.
        f.write_str("Live(..)")
    }
}
