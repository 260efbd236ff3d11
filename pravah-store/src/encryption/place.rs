//! Where payloads belong.

use std::fmt;

use crate::RunKey;

/// What a payload is of a run.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place<'a> {
    /// The value of the entry with this key.
    Entry(&'a str),
    /// What the question of this number asks.
    Question(u64),
    Output,
    /// Why it has failed or was cancelled, or why a worker executed no step.
    Error,
    Command,
    /// Why the command of this number was refused.
    Refusal(u64),
}

impl Place<'_> {
    /// What a payload is bound to. It is part of what is stored, in that what was encrypted for another one cannot be
    /// decrypted: it must not change.
    ///
    /// Forks copy entries to another run of the same tenant. Everything else belongs to one run.
    pub(super) fn associated_data(self, run: &RunKey) -> Vec<u8> {
        let id = match self {
            Self::Entry(_) => "",
            _ => run.id(),
        };
        let number;
        let detail = match self {
            Self::Entry(key) => key,
            Self::Question(of) | Self::Refusal(of) => {
                number = of.to_string();
                &number
            }
            Self::Output | Self::Error | Self::Command => "",
        };
        let mut bytes = Vec::new();
        for field in [self.kind(), run.tenant_column(), id, detail] {
            // With its length before it no field runs into the next.
            bytes.extend((field.len() as u64).to_be_bytes());
            bytes.extend(field.as_bytes());
        }
        bytes
    }

    fn kind(self) -> &'static str {
        match self {
            Self::Entry(_) => "entry",
            Self::Question(_) => "question",
            Self::Output => "output",
            Self::Error => "error",
            Self::Command => "command",
            Self::Refusal(_) => "refusal",
        }
    }
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // The entry without a key is the head of the run.
            Self::Entry("") => f.write_str("the run itself"),
            Self::Entry(key) => write!(f, "the entry `{key}`"),
            Self::Question(number) => write!(f, "question {number}"),
            Self::Output => f.write_str("the output"),
            Self::Error => f.write_str("the error"),
            Self::Command => f.write_str("a command"),
            Self::Refusal(number) => write!(f, "the reason why command {number} was refused"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_places_are_bound_to_the_same() {
        let run = |id: &str| RunKey::new(id).unwrap();
        let acme = run("a").of_tenant("acme").unwrap();
        let places = [
            (run("a"), Place::Entry("/x")),
            (run("a"), Place::Entry("/xa")),
            (run("a"), Place::Command),
            (run("ab"), Place::Command),
            (acme.clone(), Place::Entry("/x")),
            (acme, Place::Command),
            (run("acme"), Place::Command),
            (run("a"), Place::Output),
            (run("a"), Place::Error),
            (run("a"), Place::Question(1)),
            (run("a"), Place::Question(11)),
            (run("a1"), Place::Question(1)),
            (run("a"), Place::Refusal(1)),
        ];
        let data: std::collections::BTreeSet<_> = places
            .iter()
            .map(|(run, place)| place.associated_data(run))
            .collect();
        assert_eq!(data.len(), places.len());
    }

    #[test]
    fn an_entry_belongs_to_all_runs_of_its_tenant() {
        let data = |id: &str| Place::Entry("/x").associated_data(&RunKey::new(id).unwrap());
        assert_eq!(data("a"), data("b"));
        assert_eq!(
            data("a"),
            b"\0\0\0\0\0\0\0\x05entry\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x02/x"
        );
    }
}
