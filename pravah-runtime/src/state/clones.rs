//! Which states are `Clone`, for the builder: its functions are generic, and cannot see it.

use std::{
    any::{Any, TypeId},
    collections::BTreeMap,
    sync::{OnceLock, PoisonError, RwLock},
};

use schemars::{JsonSchema, Schema, SchemaGenerator, transform::Transform};

use super::{Copies, Copying, Rebuild, SchemaOf, State};

type Known = BTreeMap<TypeId, &'static (dyn Any + Send + Sync)>;

/// How a type is cloned, if it is.
pub(crate) type DuplicateFn<S> = fn(&S) -> Option<S>;

/// How a copy of a state is left.
struct NotedCopies<S> {
    duplicate: DuplicateFn<S>,
    rebuild: fn() -> Option<Rebuild>,
}

static KNOWN: OnceLock<RwLock<Known>> = OnceLock::new();

/// Notes how `S` is cloned. `#[state]` has it called where the schema of `S` is made, which is the one
/// place that both the macro, which knows the type, and the builder pass.
#[doc(hidden)]
pub fn note_clone<S: State>() -> Noted {
    note(
        TypeId::of::<S>(),
        const {
            &NotedCopies::<S> {
                duplicate: S::Copying::duplicate,
                rebuild: S::Copying::rebuild,
            }
        },
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
    AsNoted::<S>::or(None).noted.map(|noted| noted.duplicate)
}

/// How a copy is left of a type that may be a state: as `#[state]` says, if it is written above it.
pub(crate) struct AsNoted<S: 'static> {
    noted: Option<&'static NotedCopies<S>>,
    /// What makes a value again of a type that is no state. Without it, its JSON is left.
    otherwise: Option<Rebuild>,
}

impl<S: JsonSchema> AsNoted<S> {
    pub(crate) fn or(otherwise: Option<Rebuild>) -> Self {
        let noted = noted(TypeId::of::<S>(), S::json_schema);
        let noted = noted.and_then(<dyn Any + Send + Sync>::downcast_ref);
        Self { noted, otherwise }
    }
}

impl<S: Clone> AsNoted<S> {
    /// Of a type that is known to be `Clone`.
    pub(crate) const fn clones() -> Self {
        Self {
            noted: Some(&NotedCopies {
                duplicate: |state| Some(state.clone()),
                rebuild: || None,
            }),
            otherwise: None,
        }
    }
}

impl<S> Copies<S> for AsNoted<S> {
    fn duplicate(&self, state: &S) -> Option<S> {
        self.noted.and_then(|noted| (noted.duplicate)(state))
    }

    fn rebuild(&self) -> Option<Rebuild> {
        match self.noted {
            Some(noted) => (noted.rebuild)(),
            None => self.otherwise,
        }
    }
}

fn noted(id: TypeId, schema: SchemaOf) -> Option<&'static (dyn Any + Send + Sync)> {
    schema(&mut SchemaGenerator::default());
    let known = KNOWN.get()?.read().unwrap_or_else(PoisonError::into_inner);
    known.get(&id).copied()
}
