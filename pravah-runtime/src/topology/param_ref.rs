//! A parameter of a node or a tool as data.

use crate::{
    context::{Capabilities, Context},
    error::DepsError,
    state::StateRef,
};

/// What a parameter is.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamKind {
    /// A state that the node consumes: a slot.
    State,
    /// A state that the node reads, and that stays for others.
    Read,
    /// Something that the node or the tool asks for.
    Ask,
    /// What a model writes, of a tool.
    Argument,
}

/// What a parameter takes.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct ParamRef {
    pub kind: ParamKind,
    /// The name of the parameter's type: of what it consumes, in schemas.
    pub name: &'static str,
    pub path: &'static str,
    /// The states that can fill it, or the one that it reads.
    pub states: &'static [StateRef],
    /// What it asks of the context.
    pub need: &'static Need,
    /// Whether the function takes the value itself, and no reference.
    pub by_value: bool,
    /// What the function calls it; empty where it takes it apart.
    pub called: &'static str,
}

/// What a parameter asks of the context.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Need {
    pub capabilities: Capabilities,
    /// The dependency that has to be there.
    pub dep: Option<DepRef>,
    /// The flow around the node that has to be there, by its input.
    pub input: Option<StateRef>,
}

/// A dependency, by its type.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct DepRef {
    /// Why the context does not have it, if so.
    pub(crate) find: fn(&Context) -> Result<(), DepsError>,
}

impl Need {
    pub const NOTHING: Self = Self::of(Capabilities::NONE);

    pub const fn of(capabilities: Capabilities) -> Self {
        Self {
            capabilities,
            dep: None,
            input: None,
        }
    }
}

impl ParamRef {
    /// A parameter that is the one state in `states`.
    pub const fn of_state(states: &'static [StateRef]) -> Self {
        let StateRef { name, path, .. } = match states {
            [state, ..] => *state,
            [] => StateRef::NONE,
        };
        Self::of_states(name, path, states)
    }

    /// A parameter that takes whichever comes of several states.
    pub const fn of_states(
        name: &'static str,
        path: &'static str,
        states: &'static [StateRef],
    ) -> Self {
        Self {
            kind: ParamKind::State,
            name,
            path,
            states,
            need: &Need::NOTHING,
            by_value: false,
            called: "",
        }
    }

    /// The same, as the function calls it.
    #[must_use]
    pub const fn called(self, called: &'static str) -> Self {
        Self { called, ..self }
    }

    /// The same, taken by value.
    #[must_use]
    pub const fn by_value(self) -> Self {
        Self {
            by_value: true,
            ..self
        }
    }

    /// `by_value` and `called` in one: most parameters need both, and each call slows constant evaluation.
    #[must_use]
    pub const fn by_value_called(self, called: &'static str) -> Self {
        Self {
            by_value: true,
            called,
            ..self
        }
    }

    /// A parameter that consumes nothing.
    pub(crate) const fn ask(name: &'static str, need: &'static Need) -> Self {
        Self {
            kind: ParamKind::Ask,
            name,
            path: "",
            states: &[],
            need,
            by_value: false,
            called: "",
        }
    }

    /// A parameter that reads the one state in `states`.
    pub(crate) const fn read(states: &'static [StateRef]) -> Self {
        Self {
            kind: ParamKind::Read,
            states,
            ..Self::ask("Latest", &Need::NOTHING)
        }
    }

    pub(crate) const fn is_state(&self) -> bool {
        matches!(self.kind, ParamKind::State)
    }

    /// The state that it reads, if it reads one.
    pub(crate) const fn latest(&self) -> Option<StateRef> {
        match (self.kind, self.states) {
            (ParamKind::Read, [state, ..]) => Some(*state),
            _ => None,
        }
    }
}

/// The number of the parameters before number `index` that consume a state: the slot of that one.
pub const fn slot_of(params: &[ParamRef], index: usize) -> usize {
    let (mut rest, mut slot) = (params.split_at(index).0, 0);
    while let [param, others @ ..] = rest {
        slot += param.is_state() as usize;
        rest = others;
    }
    slot
}

/// The parameters that consume a state; `N` of them do.
#[expect(clippy::indexing_slicing, reason = "constants cannot iterate")]
pub const fn consumed<const N: usize>(params: &[ParamRef]) -> [ParamRef; N] {
    let mut consumed = [ParamRef::of_states("", "", &[]); N];
    let (mut rest, mut slot) = (params, 0);
    while let [param, others @ ..] = rest {
        if param.is_state() && slot < N {
            consumed[slot] = *param;
            slot += 1;
        }
        rest = others;
    }
    consumed
}
