//! The words of the language, as data.

/// A word that is before `(`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Word {
    Either,
    Fork,
    Join,
    Each,
    Catch,
}

/// Each word, as it is written, with what it is followed by.
pub(crate) const WORDS: [(Word, &str, &str); 5] = [
    (Word::Either, "either", "either(a, b)"),
    (Word::Fork, "fork", "fork(a, b)"),
    (Word::Join, "join", "join(node)"),
    (Word::Each, "each", "each(a -> b)"),
    (Word::Catch, "catch", "catch(node)"),
];

/// What other languages call it.
const ELSEWHERE: [(Word, &[&str]); 5] = [
    (
        Word::Either,
        &[
            "if", "match", "switch", "choice", "choose", "branch", "or", "select", "one_of",
            "route",
        ],
    ),
    (
        Word::Fork,
        &[
            "parallel", "par", "split", "and", "both", "spawn", "fan_out",
        ],
    ),
    (
        Word::Join,
        &["merge", "wait", "sync", "gather", "await", "fan_in"],
    ),
    (Word::Each, &["for", "foreach", "for_each", "map"]),
    (
        Word::Catch,
        &["try", "rescue", "except", "on_error", "fallback"],
    ),
];

/// What other languages call going back, for which there is no word.
pub(crate) const LOOPS: [&str; 4] = ["loop", "repeat", "while", "until"];

/// What a keyword of Rust is called there that starts a statement or an expression, and what to write
/// for it.
pub(crate) struct Control {
    keywords: &'static [&'static str],
    pub(crate) fact: &'static str,
    pub(crate) help: &'static str,
}

const CONTROL: [Control; 4] = [
    Control {
        keywords: &["if", "match", "else"],
        fact: "a node chooses what follows it",
        help: "return `Either<A, B>` from a node, and write `node -> either(a, b)`, where `a` takes `A` and `b` takes `B`",
    },
    Control {
        keywords: &["for"],
        fact: "a list is a state",
        help: "return `Each<A>` from a node, and write `node -> each(a)`, where `a` takes one `A`",
    },
    Control {
        keywords: &["while", "loop"],
        fact: "a node chooses whether to go back",
        help: "return `Either<A, B>` from the last node of the loop, and write `last -> either(first, next)`",
    },
    Control {
        keywords: &["let", "return", "break", "continue"],
        fact: "a node hands its state to the next",
        help: "name nodes alone, and lead from one to the next: `first -> second -> done`",
    },
];

impl Control {
    /// What stands for a keyword in a flow.
    pub(crate) fn of(keyword: &str) -> Option<&'static Self> {
        CONTROL
            .iter()
            .find(|control| control.keywords.contains(&keyword))
    }
}

/// The name that ends a flow.
pub(crate) const DONE: &str = "done";

impl Word {
    pub(crate) fn of(name: &str) -> Option<Self> {
        WORDS
            .iter()
            .find(|(_, word, _)| *word == name)
            .map(|(word, _, _)| *word)
    }

    /// The word for what is called `name` in another language.
    pub(crate) fn called(name: &str) -> Option<Self> {
        let mut words = ELSEWHERE.iter();
        words
            .find(|(_, names)| names.contains(&name))
            .map(|(word, _)| *word)
    }

    pub(crate) fn name(self) -> &'static str {
        WORDS
            .iter()
            .find(|(word, _, _)| *word == self)
            .map_or("", |(_, name, _)| name)
    }

    pub(crate) fn usage(self) -> &'static str {
        WORDS
            .iter()
            .find(|(word, _, _)| *word == self)
            .map_or("", |(_, _, usage)| usage)
    }
}

/// All words, for messages.
pub(crate) fn all() -> Vec<&'static str> {
    WORDS.iter().map(|(_, name, _)| *name).collect()
}
