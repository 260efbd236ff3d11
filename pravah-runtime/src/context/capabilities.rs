//! What a node or a tool can reach, as the compiler knows it.

/// A set of what can be asked of a context and reaches beyond the run.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Capabilities(u8);

impl Capabilities {
    pub const NONE: Self = Self(0);
    pub const FILES: Self = Self(1);
    pub const COMMANDS: Self = Self(2);
    pub const HTTP: Self = Self(4);
    pub const DEPS: Self = Self(8);
    /// What reaches a network: commands do what they like.
    pub const NO_NETWORK: Self = Self::HTTP.and(Self::COMMANDS);
    /// What may hold credentials.
    pub const NO_CREDENTIALS: Self = Self::DEPS.and(Self::COMMANDS);
    /// What a whole `Context` has.
    pub const ALL: Self = Self(15);

    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Those of them that are in `other`.
    #[must_use]
    pub(crate) const fn of(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub(crate) const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether the two have something in common.
    pub(crate) const fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// One of them, the first in the order of the words.
    #[must_use]
    pub(crate) const fn first(self) -> Self {
        Self(self.0 & self.0.wrapping_neg())
    }

    /// What one of them is called in `only(…)`.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::FILES => "files",
            Self::COMMANDS => "commands",
            Self::HTTP => "http",
            _ => "deps",
        }
    }

    /// What a node takes to have one of them.
    pub(crate) const fn ty(self) -> &'static str {
        match self {
            Self::FILES => "Files",
            Self::COMMANDS => "Commands",
            Self::HTTP => "Http",
            _ => "Dep<_>",
        }
    }
}
