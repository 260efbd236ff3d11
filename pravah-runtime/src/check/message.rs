//! Messages of constants that fail.

use crate::state::name::ConstStr;

/// A message under construction: the fact first, then `help:` with what to write.
pub(super) type Message = ConstStr<2048>;

pub(super) const fn message(parts: &[&str]) -> Message {
    Message::concat(parts)
}

impl Message {
    /// Appends the parts.
    #[must_use]
    pub(super) const fn and(mut self, parts: &[&str]) -> Self {
        let mut i = 0;
        while i < parts.len() {
            self = self.push(parts[i]);
            i += 1;
        }
        self
    }

    /// Appends the help, on a line of its own.
    #[must_use]
    pub(super) const fn help(self, parts: &[&str]) -> Self {
        self.push("\n  help: ").and(parts)
    }

    /// Fails the constant that is being evaluated.
    #[track_caller]
    #[expect(
        clippy::panic,
        reason = "a panic in a constant is how a library reports a compile error"
    )]
    pub(super) const fn fail(&self) -> ! {
        panic!("{}", self.as_str())
    }
}
