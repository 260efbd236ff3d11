//! A dependency that is missing.

use crate::quoted::quoted;

/// A typed dependency that nobody gave to the context, or that is kept from the tools of an agent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", text(self))]
pub struct DepsError {
    type_name: &'static str,
    known: Vec<&'static str>,
    is_refused: bool,
}

impl DepsError {
    pub(crate) fn missing<T: ?Sized>(known: Vec<&'static str>) -> Self {
        Self {
            type_name: std::any::type_name::<T>(),
            known,
            is_refused: false,
        }
    }

    pub(crate) fn refused<T: ?Sized>() -> Self {
        Self {
            is_refused: true,
            ..Self::missing::<T>(Vec::new())
        }
    }

    /// Whether [`no_credentials`](crate::Constraints::no_credentials) keeps it from the tools of an agent;
    /// otherwise it is missing.
    pub fn is_refused(&self) -> bool {
        self.is_refused
    }

    /// The type that is missing, with its path.
    pub fn type_name(&self) -> &'static str {
        self.type_name
    }

    /// The type within the requested `Arc`, if the context has it.
    fn known_within_arc(&self) -> Option<&'static str> {
        let shared = self.type_name.strip_prefix("alloc::sync::Arc<")?;
        let shared = shared.strip_suffix('>')?;
        self.known.contains(&shared).then_some(shared)
    }

    /// The types that the context has, with their paths, in order.
    pub fn known(&self) -> &[&'static str] {
        &self.known
    }
}

fn text(error: &DepsError) -> String {
    let type_name = error.type_name;
    if error.is_refused {
        return format!("`no_credentials` keeps `{type_name}` from the tools of this agent");
    }
    if let Some(shared) = error.known_within_arc() {
        return format!(
            "the context has no `Arc<{shared}>`, but it has `{shared}`, which is shared as it is: take `Dep<{shared}>`"
        );
    }
    let with = match type_name.starts_with("dyn ") {
        true => format!("with_dep_arc::<{type_name}>"),
        false => "with_dep".to_owned(),
    };
    let has = has(&error.known);
    format!("the context has no `{type_name}`: add one with `Context::{with}`{has}")
}

fn has(known: &[&str]) -> String {
    match known {
        [] => String::new(),
        known => format!("; it has {}", quoted(known)),
    }
}
