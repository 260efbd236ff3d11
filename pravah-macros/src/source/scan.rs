//! The blocks of a file and the items in them.

use std::mem;

use super::lex::{Lexer, Place, Token};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The associated items of an `impl` or a `trait`.
    Associated(&'static str),
    /// What a macro is called with, or made of.
    Macro,
    Other,
}

/// What is between two braces, or between any two delimiters of a macro.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) from: Place,
    pub(super) to: Place,
    pub(super) kind: Kind,
    /// The module that it is the content of.
    pub(super) module: Option<String>,
}

/// An item with a name of its own.
#[derive(Debug)]
pub(super) struct Item {
    pub(super) place: Place,
    pub(super) name: String,
    /// One of `NAMED`.
    pub(super) keyword: &'static str,
    pub(super) is_public: bool,
    /// The names in the paths of its attributes.
    pub(super) attributes: Vec<String>,
    /// The names in each `#[derive(…)]`, and where they are.
    pub(super) derives: Vec<(Place, String)>,
    /// The words in the parentheses of all attributes.
    pub(super) options: Vec<String>,
    /// The words in the parentheses behind its name.
    pub(super) parameters: Vec<String>,
}

/// What a file shows of itself.
#[derive(Debug, Default)]
pub(super) struct Outline {
    pub(super) blocks: Vec<Block>,
    pub(super) items: Vec<Item>,
    /// Every word in a `use`.
    pub(super) imported: Vec<String>,
    pub(super) globs: Vec<Glob>,
    /// The words between `impl` and `{`.
    pub(super) impls: Vec<Vec<String>>,
}

/// A `use nodes::*` that may bring a node.
#[derive(Debug)]
pub(super) struct Glob {
    pub(super) place: Place,
    /// Whether it is `use super::*`.
    pub(super) of_super: bool,
}

impl Item {
    pub(super) fn is_function(&self) -> bool {
        self.keyword == "fn"
    }

    pub(super) fn is_conditional(&self) -> bool {
        self.has_any(&["cfg", "cfg_attr"])
    }

    pub(super) fn has_any(&self, attributes: &[&str]) -> bool {
        self.attributes
            .iter()
            .any(|name| attributes.contains(&name.as_str()))
    }
}

/// What may be before the keyword of an item.
const MODIFIERS: [&str; 7] = [
    "pub", "unsafe", "default", "auto", "const", "async", "extern",
];

/// The attributes that leave the items in an `impl`, a `trait` or a `mod` as they are.
const HARMLESS: [&str; 8] = [
    "allow",
    "cfg",
    "cfg_attr",
    "deny",
    "deprecated",
    "doc",
    "expect",
    "warn",
];

/// The keywords that a name follows.
const NAMED: [&str; 7] = ["fn", "struct", "enum", "union", "type", "trait", "mod"];

/// As much of an item as was read.
#[derive(Default)]
struct Head {
    keyword: Option<String>,
    name: Option<String>,
    is_public: bool,
    attributes: Vec<String>,
    derives: Vec<(Place, String)>,
    options: Vec<String>,
    /// Behind `name!`, or behind `macro_rules! name`.
    is_macro: bool,
    /// The words of a `use`, or between `impl` and `{`.
    words: Vec<String>,
}

impl Head {
    fn is_use(&self) -> bool {
        self.keyword.as_deref() == Some("use")
    }

    fn is_named_function(&self) -> bool {
        self.keyword.as_deref() == Some("fn") && self.name.is_some()
    }

    /// What a delimiter behind it opens.
    fn opens(&self, delimiter: char) -> Kind {
        let is_changed = || {
            let mut attributes = self.attributes.iter();
            attributes.any(|name| !HARMLESS.contains(&name.as_str()))
        };
        match self.keyword.as_deref() {
            _ if self.is_macro => Kind::Macro,
            Some("impl" | "trait" | "mod") if is_changed() => Kind::Macro,
            Some("impl") if delimiter == '{' => Kind::Associated("impl"),
            Some("trait") if delimiter == '{' => Kind::Associated("trait"),
            _ => Kind::Other,
        }
    }
}

/// A delimiter that is not closed yet, and the item that it is part of.
struct Open {
    from: Place,
    kind: Kind,
    head: Head,
    delimiter: Delimiter,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Delimiter {
    /// Braces, behind which an item ends.
    Braces,
    /// The brackets of an attribute.
    Attribute,
    /// The parentheses of a `derive`.
    Derive,
    /// The parentheses of another attribute.
    Options,
    /// The parentheses behind the name of a function.
    Parameters,
    Other,
}

impl Open {
    fn is_brace(&self) -> bool {
        self.delimiter == Delimiter::Braces
    }

    /// Whether it is the attribute `derive`, as far as it was read.
    fn is_derive(&self) -> bool {
        let last = self.head.attributes.last();
        self.delimiter == Delimiter::Attribute && last.is_some_and(|last| last == "derive")
    }
}

#[derive(Default)]
struct Scanner {
    outline: Outline,
    open: Vec<Open>,
    head: Head,
}

pub(super) fn outline(text: &str) -> Outline {
    let (mut lexer, mut scanner) = (Lexer::new(text), Scanner::default());
    let mut before = Token::Other;
    while let Some((place, token)) = lexer.token() {
        match &token {
            Token::Word(word) => scanner.word(place, word, matches!(before, Token::Bang)),
            Token::Bang => scanner.head.is_macro = true,
            Token::Open(delimiter) => {
                scanner.opened(place, *delimiter, matches!(before, Token::Hash));
            }
            Token::Close => scanner.closed(place),
            Token::Semicolon => scanner.head = Head::default(),
            Token::Star => scanner.star(place),
            Token::Hash | Token::Other => scanner.head.is_macro = false,
        }
        before = token;
    }
    scanner.outline
}

impl Scanner {
    fn word(&mut self, place: Place, word: &str, is_behind_bang: bool) {
        match self.open.as_mut_slice() {
            [.., item] if item.delimiter == Delimiter::Attribute => {
                item.head.attributes.push(word.to_owned());
            }
            [.., item, derive] if derive.delimiter == Delimiter::Derive => {
                item.head.derives.push((place, word.to_owned()));
            }
            [.., item, options] if options.delimiter == Delimiter::Options => {
                item.head.options.push(word.to_owned());
            }
            [.., parameters] if parameters.delimiter == Delimiter::Parameters => {
                if let Some(item) = self.outline.items.last_mut() {
                    item.parameters.push(word.to_owned());
                }
            }
            _ => {}
        }
        let head = &mut self.head;
        head.is_macro = is_behind_bang;
        match head.keyword.as_deref() {
            None if MODIFIERS.contains(&word) => head.is_public |= word == "pub",
            None => head.keyword = Some(word.to_owned()),
            Some("use") => {
                head.words.push(word.to_owned());
                self.outline.imported.push(word.to_owned());
            }
            Some("impl") => head.words.push(word.to_owned()),
            Some(keyword) if head.name.is_none() => {
                let mut named = NAMED.into_iter();
                let Some(keyword) = named.find(|known| *known == keyword) else {
                    return;
                };
                head.name = Some(word.to_owned());
                self.outline.items.push(Item {
                    place,
                    name: word.to_owned(),
                    keyword,
                    is_public: head.is_public,
                    attributes: head.attributes.clone(),
                    derives: head.derives.clone(),
                    options: head.options.clone(),
                    parameters: Vec::new(),
                });
            }
            Some(_) => {}
        }
    }

    fn star(&mut self, place: Place) {
        self.head.is_macro = false;
        let Head { words, .. } = &self.head;
        // The runtime has no nodes.
        if self.head.is_use() && !words.iter().any(|word| word == "pravah_runtime") {
            let of_super = matches!(words.as_slice(), [word] if word == "super");
            self.outline.globs.push(Glob { place, of_super });
        }
    }

    fn opened(&mut self, place: Place, delimiter: char, is_attribute: bool) {
        let is_use = self.head.is_use();
        let inside = Head {
            keyword: is_use.then(|| "use".to_owned()),
            words: match is_use {
                true => self.head.words.clone(),
                false => Vec::new(),
            },
            ..Head::default()
        };
        let delimiter_kind = match (delimiter, self.open.last()) {
            ('{', _) if !is_use => Delimiter::Braces,
            ('[', _) if is_attribute => Delimiter::Attribute,
            ('(', Some(open)) if open.is_derive() => Delimiter::Derive,
            ('(', Some(open)) if open.delimiter == Delimiter::Attribute => Delimiter::Options,
            ('(', _) if self.head.is_named_function() => Delimiter::Parameters,
            _ => Delimiter::Other,
        };
        if self.head.opens(delimiter) == Kind::Associated("impl") {
            self.outline.impls.push(self.head.words.clone());
        }
        self.open.push(Open {
            from: place,
            kind: self.head.opens(delimiter),
            head: mem::replace(&mut self.head, inside),
            delimiter: delimiter_kind,
        });
    }

    fn closed(&mut self, place: Place) {
        let Some(closed) = self.open.pop() else {
            return;
        };
        let is_brace = closed.is_brace();
        let Open {
            from, kind, head, ..
        } = closed;
        if is_brace || kind == Kind::Macro {
            let is_module = head.keyword.as_deref() == Some("mod");
            self.outline.blocks.push(Block {
                from,
                to: place,
                kind,
                module: head.name.clone().filter(|_| is_module),
            });
        }
        self.head = match is_brace {
            true => Head::default(),
            false => Head {
                is_macro: false,
                ..head
            },
        };
    }
}
