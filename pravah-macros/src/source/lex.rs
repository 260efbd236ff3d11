//! The tokens of a file, as far as its braces and items need them: comments and literals are passed over.

use std::str::Chars;

/// A line and a column as `proc_macro::Span` counts them: in characters, from one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) line: usize,
    pub(super) column: usize,
}

pub(super) enum Token {
    Word(String),
    Open(char),
    Close,
    Semicolon,
    Bang,
    Hash,
    Star,
    /// Any other sign, or a literal.
    Other,
}

/// Reads the tokens of a file in their order.
pub(super) struct Lexer<'a> {
    rest: Chars<'a>,
    at: Place,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Self {
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

    pub(super) fn token(&mut self) -> Option<(Place, Token)> {
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
                '#' => Token::Hash,
                '*' => Token::Star,
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
        self.rest_of_word(&mut word);
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
        if word == "r" && hashes == 1 {
            self.advance();
            word.clear();
            self.rest_of_word(&mut word);
        }
        Token::Word(word)
    }

    fn rest_of_word(&mut self, word: &mut String) {
        while let Some(char) = self.peek().filter(|char| is_part_of_word(*char)) {
            word.push(char);
            self.advance();
        }
    }

    fn peek(&self) -> Option<char> {
        self.rest.clone().next()
    }
}

fn is_part_of_word(char: char) -> bool {
    char.is_alphanumeric() || char == '_'
}
