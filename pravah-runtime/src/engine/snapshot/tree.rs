//! Entries as one JSON text again.

use std::{collections::BTreeMap, fmt::Write as _};

use serde_json::{Value, value::RawValue};

use super::{
    collect::enter,
    stored::{DONE, EACH_STEP, ITEMS, Loaded, MESSAGES, sections},
};

/// How many sections a key may go into. What is deeper no reader of JSON takes.
const MAX_DEPTH: usize = 64;

/// The entries of a run.
#[derive(Default)]
pub(super) struct Root<'a> {
    /// The fields of the head that have entries of their own.
    fields: BTreeMap<&'a str, &'a RawValue>,
    tree: Tree<'a>,
}

/// Entries by the segments of their keys: a section, a key in it, a section of what is there, and so on.
#[derive(Default)]
struct Tree<'a> {
    value: Option<&'a RawValue>,
    sections: BTreeMap<&'a str, BTreeMap<Segment, Tree<'a>>>,
}

/// A key in a section, in the order in which snapshots are written.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Segment {
    Index(usize),
    Name(String),
}

impl Segment {
    fn of(section: &str, text: &str) -> Option<Self> {
        let is_numbered = matches!(
            section,
            ITEMS | DONE | MESSAGES | sections::inbox | sections::tasks
        );
        if !is_numbered {
            let name = text.replace("~1", "/").replace("~0", "~");
            return Some(Self::Name(name));
        }
        let index: usize = text.parse().ok()?;
        // One index has one key.
        (index.to_string() == text).then_some(Self::Index(index))
    }

    fn text(&self) -> String {
        match self {
            Self::Index(index) => index.to_string(),
            Self::Name(name) => name.clone(),
        }
    }
}

/// Whether what is in the section `around` has a section of this name. Those of a frame are known to
/// whoever reads it.
fn may_be_in(around: &str, section: &str) -> bool {
    let is_of_list = matches!(section, ITEMS | DONE);
    match around {
        "" | ITEMS => section != MESSAGES && !is_of_list && !EACH_STEP.contains(&section),
        sections::lists => is_of_list,
        sections::agents => section == MESSAGES,
        _ => false,
    }
}

impl<'a> Root<'a> {
    pub(super) fn insert(&mut self, key: &'a str, value: &'a RawValue) -> Loaded<()> {
        let name = key.strip_prefix('/');
        if let Some(name) = name.filter(|name| EACH_STEP.contains(name)) {
            self.fields.insert(name, value);
            return Ok(());
        }
        let at = self.tree.at(key);
        let at = at.ok_or_else(|| format!("`{key}` is not the key of an entry"))?;
        at.value = Some(value);
        Ok(())
    }

    pub(super) fn into_json(self) -> Loaded<String> {
        let head = self.tree.value.ok_or("its head is missing")?;
        let head = self.whole_head(head)?;
        let tree = Tree {
            value: Some(&head),
            ..self.tree
        };
        let mut json = String::new();
        tree.write(&mut String::new(), "", &mut json)?;
        Ok(json)
    }

    /// The head with the fields that have entries of their own. Heads of earlier versions contain these fields themselves: the
    /// entries are newer, and win.
    fn whole_head(&self, head: &RawValue) -> Loaded<Box<RawValue>> {
        let head: BTreeMap<String, &RawValue> =
            serde_json::from_str(head.get()).map_err(|_| "the entry `` is not an object")?;
        let mut whole: BTreeMap<&str, &RawValue> =
            head.iter().map(|(name, value)| (&**name, *value)).collect();
        whole.extend(&self.fields);
        serde_json::value::to_raw_value(&whole).map_err(|error| error.to_string().into())
    }
}

impl<'a> Tree<'a> {
    fn at(&mut self, key: &'a str) -> Option<&mut Self> {
        let mut segments = key.split('/');
        if segments.next() != Some("") || segments.clone().count() > 2 * MAX_DEPTH {
            return None;
        }
        let mut at = self;
        let mut around = "";
        while let Some(section) = segments.next() {
            let key = Segment::of(section, segments.next()?)?;
            if !may_be_in(around, section) {
                return None;
            }
            let entries = at.sections.entry(section).or_default();
            at = entries.entry(key).or_default();
            around = section;
        }
        Some(at)
    }

    /// Writes what has the key `at`, in the section `around`, as one JSON value: what is in an object
    /// comes after its own fields.
    fn write(&self, at: &mut String, around: &str, json: &mut String) -> Loaded<()> {
        let own = match self.value {
            Some(value) => value.get().trim(),
            None if around == ITEMS => "{}",
            None => return Err(format!("the entry `{at}` is missing").into()),
        };
        if self.sections.is_empty() {
            json.push_str(own);
            return Ok(());
        }
        let fields = own.strip_prefix('{').and_then(|own| own.strip_suffix('}'));
        let fields = fields.ok_or_else(|| format!("the entry `{at}` is not an object"))?;
        json.push('{');
        json.push_str(fields.trim());
        for (section, entries) in &self.sections {
            separate(json);
            // Writing to a string does not fail.
            let _ = write!(json, "{}:", Value::from(*section));
            match *section {
                MESSAGES => write_list(entries, at, json)?,
                section => write_object(entries, at, section, json)?,
            }
        }
        json.push('}');
        Ok(())
    }
}

fn write_object(
    entries: &BTreeMap<Segment, Tree<'_>>,
    at: &mut String,
    section: &str,
    json: &mut String,
) -> Loaded<()> {
    json.push('{');
    for (segment, tree) in entries {
        separate(json);
        let segment = segment.text();
        let around = enter(at, section, &segment);
        // Writing to a string does not fail.
        let _ = write!(json, "{}:", Value::from(segment));
        tree.write(at, section, json)?;
        at.truncate(around);
    }
    json.push('}');
    Ok(())
}

/// None of a list may be missing.
fn write_list(
    entries: &BTreeMap<Segment, Tree<'_>>,
    at: &mut String,
    json: &mut String,
) -> Loaded<()> {
    json.push('[');
    for (index, (segment, tree)) in entries.iter().enumerate() {
        separate(json);
        let around = enter(at, MESSAGES, &index);
        if *segment != Segment::Index(index) {
            return Err(format!("the entry `{at}` is missing").into());
        }
        tree.write(at, MESSAGES, json)?;
        at.truncate(around);
    }
    json.push(']');
    Ok(())
}

/// Puts a comma behind what comes before in an object or a list.
fn separate(json: &mut String) {
    if !json.ends_with(['{', '[']) {
        json.push(',');
    }
}
