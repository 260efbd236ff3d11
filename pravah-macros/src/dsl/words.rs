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

/// What is known of a word.
struct Entry {
    word: Word,
    name: &'static str,
    /// How it is written, with what follows it.
    usage: &'static str,
    /// What other languages call it.
    elsewhere: &'static [&'static str],
}

static WORDS: [Entry; 5] = [
    Entry {
        word: Word::Either,
        name: "either",
        usage: "either(a, b)",
        elsewhere: &[
            "if", "match", "switch", "choice", "choose", "branch", "or", "select", "one_of",
            "route",
        ],
    },
    Entry {
        word: Word::Fork,
        name: "fork",
        usage: "fork(a, b)",
        elsewhere: &[
            "parallel", "par", "split", "and", "both", "spawn", "fan_out",
        ],
    },
    Entry {
        word: Word::Join,
        name: "join",
        usage: "join(node)",
        elsewhere: &["merge", "wait", "sync", "gather", "await", "fan_in"],
    },
    Entry {
        word: Word::Each,
        name: "each",
        usage: "each(a -> b)",
        elsewhere: &["for", "foreach", "for_each", "map"],
    },
    Entry {
        word: Word::Catch,
        name: "catch",
        usage: "catch(node)",
        elsewhere: &["try", "rescue", "except", "on_error", "fallback"],
    },
];

/// What other languages call going back, for which there is no word.
pub(crate) const LOOPS: [&str; 4] = ["loop", "repeat", "while", "until"];

/// What other languages and frameworks write as `name(…)`, and a flow says otherwise.
struct Foreign {
    names: &'static [&'static str],
    help: &'static str,
}

const FOREIGN: [Foreign; 4] = [
    Foreign {
        names: &LOOPS,
        help: "name a node again to go back to it: `review -> either(done, revise); revise -> review`",
    },
    Foreign {
        names: &["retry", "retries"],
        help: "write the name of the node alone, and `#[node(retry(max_attempts = 3))]` above its function",
    },
    Foreign {
        names: &["timeout", "with_timeout", "deadline"],
        help: "write the name of the node alone, and `#[node(timeout = \"30s\")]` above its function",
    },
    Foreign {
        names: &["gate", "human", "approve", "approval", "interrupt"],
        help: "write the name of a gate alone: it is a function with `#[gate(prompt = \"…\")]` above it",
    },
];

/// What to write in place of `name(…)`, which other languages have.
pub(crate) fn help_for_foreign(name: &str) -> Option<&'static str> {
    let foreign = FOREIGN.iter().find(|it| it.names.contains(&name));
    foreign.map(|it| it.help)
}

/// What to write in a flow for a keyword of Rust that starts a statement or an expression.
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
    /// What to write for a keyword.
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
        find(|entry| entry.name == name).map(|entry| entry.word)
    }

    /// The word for what is called `name` in another language.
    pub(crate) fn called(name: &str) -> Option<Self> {
        find(|entry| entry.elsewhere.contains(&name)).map(|entry| entry.word)
    }

    pub(crate) fn name(self) -> &'static str {
        find(|entry| entry.word == self).map_or("", |entry| entry.name)
    }

    pub(crate) fn usage(self) -> &'static str {
        find(|entry| entry.word == self).map_or("", |entry| entry.usage)
    }
}

fn find(is_meant: impl Fn(&Entry) -> bool) -> Option<&'static Entry> {
    WORDS.iter().find(|entry| is_meant(entry))
}

/// All words, for messages.
pub(crate) fn all() -> Vec<&'static str> {
    WORDS.iter().map(|entry| entry.name).collect()
}
