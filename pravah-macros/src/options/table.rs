//! What an attribute knows of its options.

use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::LitStr;

use super::{
    entries::{self, Entry},
    words::{did_you_mean, list},
};
use crate::diag::Diagnostics;

/// All options of an attribute, or of an option that has some itself: from here they are read, and an unknown
/// one is answered.
pub(super) struct Table<'a, T> {
    pub(super) attribute: &'a str,
    pub(super) rows: &'a [Row<'a, T>],
    /// The option that a value without a name is meant for, if one is.
    pub(super) unnamed: Option<&'a str>,
    pub(super) other_names: &'a [&'a [OtherNames]],
}

/// Options that are read in the same way.
pub(super) type Row<'a, T> = (&'a [&'a str], fn(&mut T, Entry, &mut Diagnostics));

/// The options that were written.
#[derive(Default)]
pub(super) struct Given {
    pub(super) names: Vec<Ident>,
    /// Whether all were recognised. If not, an option that is missing may be there under a wrong name.
    pub(super) are_all_known: bool,
}

impl Given {
    pub(super) fn has(&self, option: &str) -> bool {
        self.names.iter().any(|name| name == option)
    }
}

/// What other libraries call an option, or where else it is one.
pub(super) struct OtherNames {
    pub(super) names: &'static [&'static str],
    /// What to write instead.
    pub(super) help: &'static str,
}

/// What elsewhere says how an item is called, which here its own name does.
pub(super) const TITLES: [&str; 3] = ["name", "id", "title"];
/// What elsewhere describes an item, which here its doc comment does.
pub(super) const DESCRIPTIONS: [&str; 5] = ["description", "desc", "doc", "docs", "about"];

/// What elsewhere limits what an item may reach, which here its flow does.
pub(super) const CAPABILITIES: [&str; 3] = ["only", "capabilities", "permissions"];
/// Where a flow says that.
pub(super) const ONLY_ON_THE_FLOW: &str =
    "write it on the flow, `#[flow(only(deps))]`: its nodes may ask for nothing else";

/// Writes a [`Table`]: names and what reads them, and after `else` other names and what to write instead.
macro_rules! table {
    (
        $table:ident: $options:ty = $attribute:literal, $(unnamed $unnamed:literal,)? |$it:ident, $entry:ident, $errors:ident| {
            $($names:expr => $read:expr,)*
        } $(else { $($other_names:expr => $help:expr,)* })? $(and $more:expr)?
    ) => {
        pub(super) const $table: $crate::options::table::Table<'_, $options> = $crate::options::table::Table {
            attribute: $attribute,
            rows: &[$((&$names, |$it, $entry, $errors| $read)),*],
            unnamed: $crate::options::table::first(&[$($unnamed)?]),
            other_names: &[
                $(&[$($crate::options::table::OtherNames { names: &$other_names, help: $help }),*],)?
                $(&$more,)?
            ],
        };
    };
}
pub(super) use table;

pub(super) const fn first<'a>(names: &[&'a str]) -> Option<&'a str> {
    match names {
        [first, ..] => Some(first),
        [] => None,
    }
}

impl<T> Table<'_, T> {
    /// Reads all options, and returns which were written; one that is not in the table, or appears twice, is reported
    /// and left out.
    pub(super) fn read(
        &self,
        tokens: TokenStream,
        options: &mut T,
        errors: &mut Diagnostics,
    ) -> Given {
        let unnamed = |value: &TokenTree| self.unnamed(value);
        let mut unparsed = Diagnostics::default();
        let entries = entries::parse(tokens, &unnamed, &mut unparsed);
        let mut given = Given {
            names: Vec::new(),
            are_all_known: unparsed.is_empty(),
        };
        errors.append(unparsed);
        for entry in entries {
            let key = entry.key.clone();
            let mut rows = self.rows.iter();
            let Some((_, read)) = rows.find(|(names, _)| names.iter().any(|name| key == name))
            else {
                self.unknown(&key, errors);
                given.are_all_known = false;
                continue;
            };
            if given.names.contains(&key) {
                errors.error(
                    key.span(),
                    format!("`{key}` is given twice"),
                    "keep one of them",
                );
                continue;
            }
            given.names.push(key);
            read(options, entry, errors);
        }
        given
    }

    /// The options alone; nothing where a mistake is reported.
    pub(super) fn parse(&self, tokens: TokenStream, errors: &mut Diagnostics) -> Option<T>
    where
        T: Default,
    {
        errors.attempt(|errors| {
            let mut options = T::default();
            self.read(tokens, &mut options, errors);
            options
        })
    }

    /// The names of all options.
    pub(super) fn names(&self) -> Vec<&str> {
        self.rows
            .iter()
            .flat_map(|(names, _)| *names)
            .copied()
            .collect()
    }

    fn unknown(&self, key: &Ident, errors: &mut Diagnostics) {
        let attribute = self.attribute;
        errors.error(
            key.span(),
            format!("`{key}` is not an option of `{attribute}`"),
            self.help_for_unknown(&key.to_string()),
        );
    }

    fn help_for_unknown(&self, key: &str) -> String {
        let mut others = self.other_names.iter().copied().flatten();
        let other = others.find(|other| other.names.contains(&key));
        let names = self.names();
        let near = did_you_mean(key, &names);
        match (other, names.as_slice()) {
            (Some(other), _) => other.help.to_owned(),
            (None, []) => format!("`{}` takes no options", self.attribute),
            (None, [only]) => format!("{near}the only option is `{only}`"),
            (None, names) => format!("{near}the options are {}", list(names)),
        }
    }

    /// What is wrong with a value without a name, and what to write: a word is in quotes, or it is the value of
    /// an option.
    fn unnamed(&self, value: &TokenTree) -> (String, String) {
        let attribute = self.attribute;
        if let TokenTree::Group(list) = value
            && list.delimiter() == Delimiter::Bracket
        {
            return (
                format!("the options of `{attribute}` are in square brackets"),
                format!("write `{attribute}({})`", list.stream()),
            );
        }
        let text = syn::parse2::<LitStr>(value.to_token_stream());
        let word = text.ok().map(|text| text.value());
        let word = word.filter(|word| syn::parse_str::<Ident>(word).is_ok());
        let help = match (word, self.unnamed, value) {
            (Some(word), ..) if self.names().contains(&word.as_str()) => {
                let fact = format!("`{word}` is in quotes");
                return (fact, format!("write `{attribute}({word})`"));
            }
            (_, Some(option), TokenTree::Literal(value)) => format!("write `{option} = {value}`"),
            (Some(word), ..) => self.help_for_unknown(&word),
            _ => "write `name = value`".to_owned(),
        };
        (format!("an option of `{attribute}` has no name"), help)
    }
}
