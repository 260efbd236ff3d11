//! What is around an item in its source file. rustc hands an attribute the item alone; some mistakes
//! show only beside it, and what rustc then says of the code that was emitted nobody wrote.
//!
//! It serves messages: what is refused here does not compile. Where the file cannot be read, or leaves a
//! doubt, rustc's own words are left.

mod lex;
mod scan;
#[cfg(test)]
mod tests;

use std::{cell::RefCell, fs, path::PathBuf, time::SystemTime};

use proc_macro2::Span;

use crate::item::ATTRIBUTES;

use self::{
    lex::Place,
    scan::{Block, Glob, Item, Kind, Outline, outline},
};

/// A file that was read, kept for the next item in it.
struct Source {
    path: PathBuf,
    modified: SystemTime,
    outline: Outline,
}

thread_local! {
    static LAST: RefCell<Option<Source>> = const { RefCell::new(None) };
}

/// The keyword of the `impl` or `trait` that the token at `span` is an associated item of.
pub(crate) fn associated(span: Span) -> Option<&'static str> {
    look(span, |outline, place| outline.associated(place))
}

/// The line in which the same module has defined the name at `span` before.
pub(crate) fn defined_before(span: Span, name: &str) -> Option<usize> {
    look(span, |outline, place| outline.defined_before(place, name))
}

/// What is derived for the item whose name is at `span`, above the attribute that is being expanded.
pub(crate) fn derived_above(span: Span) -> Vec<String> {
    let derived = look(span, |outline, place| {
        let attribute = place_of(Span::call_site());
        Some(outline.derived_above(place, attribute))
    });
    derived.unwrap_or_default()
}

/// The flow of the same module that starts with the input of the flow whose name is at `span`.
pub(crate) fn flow_of_same_input(span: Span) -> Option<String> {
    look(span, |outline, place| outline.flow_of_same_input(place))
}

/// Whether `name` is a type without `pub`, of the same module as the item whose name is at `span`.
pub(crate) fn is_private_type(span: Span, name: &str) -> bool {
    look(span, |outline, place| {
        Some(outline.is_private_type(place, name))
    })
    .unwrap_or_default()
}

/// Whether `name` is a type of the same module as the item whose name is at `span`, that does not seem to
/// be all of `Serialize`, `Deserialize` and `JsonSchema`.
pub(crate) fn is_bare_type(span: Span, name: &str) -> bool {
    look(span, |outline, place| {
        Some(outline.is_bare_type(place, name))
    })
    .unwrap_or_default()
}

/// What a path of a flow or an agent leads to in place of a node or a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Function {
    /// A function without any attribute.
    Plain,
    /// A node of a module that keeps it to itself.
    Private,
    /// One of a type. With an attribute of ours, which says so where it is, it is `reported`.
    OfType { reported: bool },
}

/// The function that is no node, at `path` from where the item is whose name is at `span`.
pub(crate) fn function(span: Span, path: &str) -> Option<Function> {
    look(span, |outline, place| outline.function(place, path))
}

fn look<T>(span: Span, answer: impl FnOnce(&Outline, Place) -> Option<T>) -> Option<T> {
    if !proc_macro::is_available() {
        return None;
    }
    let path = span.unwrap().local_file()?;
    let modified = fs::metadata(&path).ok()?.modified().ok()?;
    let place = place_of(span);
    LAST.with_borrow_mut(|last| {
        let is_read = |source: &Source| source.path == path && source.modified == modified;
        if !last.as_ref().is_some_and(is_read) {
            *last = Some(Source {
                outline: outline(&fs::read_to_string(&path).ok()?),
                path,
                modified,
            });
        }
        answer(&last.as_ref()?.outline, place)
    })
}

fn place_of(span: Span) -> Place {
    let span = span.unwrap();
    Place {
        line: span.line(),
        column: span.column(),
    }
}

/// Where the items of a module are, or of a block in a function.
#[derive(PartialEq, Eq)]
enum Scope {
    File,
    /// The place of its brace.
    Block(Place),
    /// A macro may make something else of what is in it.
    Macro,
}

impl Outline {
    fn blocks_around(&self, place: Place) -> impl Iterator<Item = &Block> {
        let blocks = self.blocks.iter();
        blocks.filter(move |block| block.from < place && place < block.to)
    }

    fn innermost(&self, place: Place) -> Option<&Block> {
        self.blocks_around(place).max_by_key(|block| block.from)
    }

    fn scope(&self, place: Place) -> Scope {
        if self
            .blocks_around(place)
            .any(|block| block.kind == Kind::Macro)
        {
            return Scope::Macro;
        }
        self.innermost(place)
            .map_or(Scope::File, |block| Scope::Block(block.from))
    }

    fn associated(&self, place: Place) -> Option<&'static str> {
        match (self.scope(place), self.innermost(place)?.kind) {
            (Scope::Block(_), Kind::Associated(keyword)) => Some(keyword),
            _ => None,
        }
    }

    /// The items of this name that are defined where `place` is, if that can be said.
    fn items(&self, place: Place, name: &str) -> Vec<&Item> {
        let scope = self.scope(place);
        let items = self.items.iter();
        let items = items.filter(|item| item.name == name && self.scope(item.place) == scope);
        match scope {
            Scope::Macro => Vec::new(),
            _ => items.collect(),
        }
    }

    fn defined_before(&self, place: Place, name: &str) -> Option<usize> {
        let items = self.items(place, name);
        let this = items.iter().find(|item| item.place == place)?;
        // Every function that asks has a type of its name beside it.
        let clashes = |item: &Item| this.is_function() || !item.is_function();
        if items.iter().any(|item| item.is_conditional()) {
            return None;
        }
        let mut before = items.iter().filter(|item| item.place < place);
        before
            .find(|item| clashes(item))
            .map(|item| item.place.line)
    }

    fn is_private_type(&self, place: Place, name: &str) -> bool {
        let item = self.named_once(&self.scope(place), name);
        item.is_some_and(|item| {
            ["struct", "enum", "union"].contains(&item.keyword) && !item.is_public
        })
    }

    fn is_bare_type(&self, place: Place, name: &str) -> bool {
        const JSON: [&str; 3] = ["Serialize", "Deserialize", "JsonSchema"];
        let Some(item) = self.named_once(&self.scope(place), name) else {
            return false;
        };
        let is_plain = item.attributes.iter().all(|name| name == "derive");
        let is_derived = |name: &str| item.derives.iter().any(|(_, derived)| derived == name);
        let by_hand = self.impls.iter().any(|words| {
            words.iter().any(|word| word == name)
                && words.iter().any(|word| JSON.contains(&word.as_str()))
        });
        let is_defined = ["struct", "enum", "union"].contains(&item.keyword);
        is_defined && is_plain && !by_hand && !JSON.into_iter().all(is_derived)
    }

    fn flow_of_same_input(&self, place: Place) -> Option<String> {
        let scope = self.scope(place);
        let starts = |item: &&Item| {
            item.attributes == ["flow"]
                && !item.options.iter().any(|option| option == "named")
                && self.scope(item.place) == scope
        };
        let input = |item: &Item| item.parameters.get(1..).map(<[String]>::to_vec);
        let mut flows = self.items.iter().filter(starts);
        let this = flows.clone().find(|item| item.place == place)?;
        let first = flows.find(|item| input(item) == input(this))?;
        (scope != Scope::Macro && first.place < place).then(|| first.name.clone())
    }

    fn derived_above(&self, place: Place, attribute: Place) -> Vec<String> {
        let mut items = self.items.iter();
        let item = items.find(|item| item.place == place);
        let derives = item.into_iter().flat_map(|item| &item.derives);
        if derives.clone().any(|(_, name)| self.is_of_elsewhere(name)) {
            return Vec::new();
        }
        derives
            .filter(|(derived, _)| *derived < attribute)
            .map(|(_, name)| name.clone())
            .collect()
    }

    /// Whether a word of a derive may mean another macro than the one that `#[state]` adds: it is the crate of a
    /// path, or imported where neither serde nor schemars is.
    fn is_of_elsewhere(&self, word: &str) -> bool {
        const KNOWN: [&str; 4] = ["serde", "schemars", "std", "core"];
        let is_imported = |word: &str| self.imported.iter().any(|imported| imported == word);
        let is_crate = word.starts_with(char::is_lowercase);
        match is_crate {
            true => !KNOWN.contains(&word),
            false => is_imported(word) && !KNOWN.into_iter().any(is_imported),
        }
    }

    fn function(&self, place: Place, path: &str) -> Option<Function> {
        let here = self.scope(place);
        let mut scope = self.scope(place);
        let mut names = path.split("::").peekable();
        let mut around = None;
        while let Some(name) = names.next() {
            if names.peek().is_none() {
                return match around {
                    Some(_) => self.function_of_a_type(name),
                    None => self.function_of_a_module(&here, &scope, name),
                };
            }
            match self.module(&scope, name) {
                _ if around.is_some() => return None,
                Some(module) => scope = module,
                None => {
                    let item = self.named_once(&scope, name)?;
                    let is_type = ["struct", "enum", "union", "trait"].contains(&item.keyword);
                    around = is_type.then_some(item);
                    around?;
                }
            }
        }
        None
    }

    /// Of a name that the file has once, where no type can have it too.
    fn function_of_a_module(&self, here: &Scope, scope: &Scope, name: &str) -> Option<Function> {
        let item = self.named_once(scope, name)?;
        if !item.is_function() {
            return None;
        }
        match item.attributes.as_slice() {
            [] => Some(Function::Plain),
            [attribute] if ATTRIBUTES.contains(&attribute.as_str()) => {
                (scope != here && !item.is_public).then_some(Function::Private)
            }
            _ => None,
        }
    }

    fn function_of_a_type(&self, name: &str) -> Option<Function> {
        let mut functions = self
            .items
            .iter()
            .filter(|item| item.is_function() && item.name == name)
            .filter(|item| self.associated(item.place).is_some());
        let function = functions.next().filter(|item| !item.is_conditional())?;
        let reported = function.has_any(&ATTRIBUTES);
        Some(Function::OfType { reported })
    }

    /// The inline module of this name.
    fn module(&self, scope: &Scope, name: &str) -> Option<Scope> {
        let item = self.named_once(scope, name)?;
        if item.is_conditional() {
            return None;
        }
        let mut blocks = self.blocks.iter();
        let block = blocks.find(|block| {
            block.module.as_deref() == Some(name) && self.scope(block.from) == *scope
        })?;
        Some(Scope::Block(block.from))
    }

    /// The one item of this name, if nothing of this name comes from elsewhere.
    fn named_once(&self, scope: &Scope, name: &str) -> Option<&Item> {
        let is_imported = self.imported.iter().any(|imported| imported == name);
        let of_elsewhere = |glob: &Glob| !glob.of_super || self.scope(glob.place) == Scope::File;
        let items = self.items.iter().filter(|item| item.name == name);
        let mut items = items.filter(|item| self.associated(item.place).is_none());
        let (item, others) = (items.next()?, items.next());
        let is_known = others.is_none()
            && !is_imported
            && !self.globs.iter().any(of_elsewhere)
            && *scope != Scope::Macro
            && self.scope(item.place) == *scope;
        is_known.then_some(item)
    }
}
