//! Which states are `Clone`, for the builder: its functions are generic, and cannot see it.

use std::{
    any::{Any, TypeId},
    collections::BTreeMap,
    sync::{OnceLock, PoisonError, RwLock},
};

use schemars::{JsonSchema, Schema, SchemaGenerator, transform::Transform};

use super::{Copying, State};

type Known = BTreeMap<TypeId, &'static (dyn Any + Send + Sync)>;

/// How a type is cloned, if it is.
pub(crate) type DuplicateFn<S> = fn(&S) -> Option<S>;

static KNOWN: OnceLock<RwLock<Known>> = OnceLock::new();

/// Notes how `S` is cloned. `#[state]` has it called where the schema of `S` is made, which is the one
/// place that both the macro, which knows the type, and the builder pass.
#[doc(hidden)]
pub fn note_clone<S: State>() -> Noted {
    note(
        TypeId::of::<S>(),
        const { &(S::Copying::duplicate as DuplicateFn<S>) },
    );
    Noted
}

/// A transform that changes nothing of a schema: schemars calls [`note_clone`] to get it.
#[doc(hidden)]
pub struct Noted;

impl Transform for Noted {
    fn transform(&mut self, _: &mut Schema) {}
}

// Not generic: generic code is compiled again for every state of a user's crate.
fn note(id: TypeId, duplicate: &'static (dyn Any + Send + Sync)) {
    let known = KNOWN.get_or_init(RwLock::default);
    let is_known = |known: &Known| known.contains_key(&id);
    if !is_known(&known.read().unwrap_or_else(PoisonError::into_inner)) {
        let mut known = known.write().unwrap_or_else(PoisonError::into_inner);
        known.insert(id, duplicate);
    }
}

/// How `S` is cloned, if `#[state]` is written above it.
pub(crate) fn clone_of_state<S: JsonSchema + 'static>() -> Option<DuplicateFn<S>> {
    S::json_schema(&mut SchemaGenerator::default());
    let known = KNOWN.get()?.read().unwrap_or_else(PoisonError::into_inner);
    known.get(&TypeId::of::<S>())?.downcast_ref().copied()
}
