//! The braces of a file and what is before each, past comments and literals.

use std::str::Chars;

/// A line and a column as `proc_macro::Span` counts them: in characters, from one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) line: usize,
    pub(super) column: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The associated items of an `impl` or a `trait`.
    Items(&'static str),
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
}

/// What may be before the keyword of an item.
const MODIFIERS: [&str; 5] = ["pub", "unsafe", "default", "auto", "const"];

enum Token {
    Word(String),
    Open(char),
    Close,
    Semicolon,
    Bang,
    Other,
}

/// A block that has not ended, and the part of an item that was read in it.
struct Open {
    from: Place,
    kind: Kind,
    is_brace: bool,
    item: Item,
}

#[derive(Default)]
struct Item {
    has_keyword: bool,
    holds_items: Option<&'static str>,
    /// Behind `name!`, or behind `macro_rules! name`.
    is_macro: bool,
}

impl Item {
    fn word(&mut self, word: &str, is_behind_bang: bool) {
        self.is_macro = is_behind_bang;
        if !self.has_keyword && !MODIFIERS.contains(&word) {
            self.has_keyword = true;
            self.holds_items = ["impl", "trait"].into_iter().find(|known| *known == word);
        }
    }

    fn opens(&self, delimiter: char) -> Kind {
        match self.holds_items {
            _ if self.is_macro => Kind::Macro,
            Some(keyword) if delimiter == '{' => Kind::Items(keyword),
            _ => Kind::Other,
        }
    }
}

pub(super) fn blocks(text: &str) -> Vec<Block> {
    let mut scanner = Scanner::new(text);
    let (mut blocks, mut open) = (Vec::new(), Vec::<Open>::new());
    let mut item = Item::default();
    let mut is_behind_bang = false;
    while let Some((place, token)) = scanner.token() {
        let is_bang = matches!(token, Token::Bang);
        match token {
            Token::Word(word) => item.word(&word, is_behind_bang),
            Token::Bang => item.is_macro = true,
            Token::Open(delimiter) => {
                let kind = item.opens(delimiter);
                open.push(Open {
                    from: place,
                    kind,
                    is_brace: delimiter == '{',
                    item: std::mem::take(&mut item),
                });
            }
            Token::Close => {
                let Some(closed) = open.pop() else {
                    return blocks;
                };
                item = match closed.is_brace {
                    true => Item::default(),
                    false => closed.item,
                };
                item.is_macro = false;
                if closed.is_brace || closed.kind == Kind::Macro {
                    blocks.push(Block {
                        from: closed.from,
                        to: place,
                        kind: closed.kind,
                    });
                }
            }
            Token::Semicolon => item = Item::default(),
            Token::Other => item.is_macro = false,
        }
        is_behind_bang = is_bang;
    }
    blocks
}

struct Scanner<'a> {
    rest: Chars<'a>,
    at: Place,
}

impl<'a> Scanner<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            rest: text.trim_start_matches('\u{feff}').chars(),
            at: Place { line: 1, column: 1 },
        }
    }

    fn advance(&mut self) -> Option<char> {
        let char = self.rest.next()?;
        match char {
            '\n' => {
                self.at.line += 1;
                self.at.column = 1;
            }
            _ => self.at.column += 1,
        }
        Some(char)
    }

    fn starts_with(&self, text: &str) -> bool {
        self.rest.as_str().starts_with(text)
    }

    /// Goes on behind the next `end`.
    fn skip_past(&mut self, end: &str) {
        while !self.starts_with(end) && self.advance().is_some() {}
        for _ in end.chars() {
            self.advance();
        }
    }

    fn token(&mut self) -> Option<(Place, Token)> {
        loop {
            let place = self.at;
            let token = match self.advance()? {
                '/' if self.starts_with("/") => {
                    self.skip_past("\n");
                    continue;
                }
                '/' if self.starts_with("*") => {
                    self.skip_comment();
                    continue;
                }
                char if char.is_whitespace() => continue,
                '"' => self.text(),
                '\'' => self.character(),
                char if is_part_of_word(char) => self.word(char),
                delimiter @ ('{' | '(' | '[') => Token::Open(delimiter),
                '}' | ')' | ']' => Token::Close,
                ';' => Token::Semicolon,
                '!' => Token::Bang,
                _ => Token::Other,
            };
            return Some((place, token));
        }
    }

    /// Behind the `/` of a comment, in which there may be others.
    fn skip_comment(&mut self) {
        self.advance();
        let mut depth = 1;
        while depth > 0 {
            if self.starts_with("*/") {
                self.advance();
                depth -= 1;
            } else if self.starts_with("/*") {
                self.advance();
                depth += 1;
            }
            if self.advance().is_none() {
                return;
            }
        }
    }

    fn text(&mut self) -> Token {
        while let Some(char) = self.advance() {
            match char {
                '"' => break,
                '\\' => drop(self.advance()),
                _ => {}
            }
        }
        Token::Other
    }

    /// A character, or the sign of a lifetime.
    fn character(&mut self) -> Token {
        let mut next = self.rest.clone();
        let (first, second) = (next.next(), next.next());
        if first == Some('\\') {
            self.advance();
            self.advance();
            self.skip_past("'");
        } else if second == Some('\'') {
            self.advance();
            self.advance();
        }
        Token::Other
    }

    fn word(&mut self, first: char) -> Token {
        let mut word = String::from(first);
        while let Some(char) = self
            .rest
            .clone()
            .next()
            .filter(|char| is_part_of_word(*char))
        {
            word.push(char);
            self.advance();
        }
        let is_raw = ["r", "br", "cr"].contains(&&*word);
        let after = self.rest.as_str();
        let hashes = after.len() - after.trim_start_matches('#').len();
        let is_text = after.trim_start_matches('#').starts_with('"');
        if is_raw && is_text {
            for _ in 0..=hashes {
                self.advance();
            }
            self.skip_past(&format!("\"{}", "#".repeat(hashes)));
            return Token::Other;
        }
        Token::Word(word)
    }
}

fn is_part_of_word(char: char) -> bool {
    char.is_alphanumeric() || char == '_'
}
