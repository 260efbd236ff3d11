//! A snapshot as entries, each under the JSON pointer (RFC 6901) of its place in the whole: what a store
//! keeps, so that a step writes what it changed and no more.

use std::{
    collections::{BTreeMap, btree_map},
    iter::Map,
};

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{
    collect::Collector,
    stored::{Loaded, Stored, StoredHead},
    tree::Root,
};
use crate::error::FlowError;

/// What changed in a run since its changes were last taken; see
/// [`FlowRuntime::take_changes`](crate::FlowRuntime::take_changes).
///
/// As JSON it has `deleted`, a list of keys, and `put`, the new value of each key. What was deleted comes
/// first: a key may be in both.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Changes {
    deleted: Vec<String>,
    put: BTreeMap<String, Box<RawValue>>,
}

impl Changes {
    /// The keys of the entries that are no more, each with all that start with it and a `/`.
    pub fn deleted(&self) -> impl Iterator<Item = &str> {
        self.deleted.iter().map(String::as_str)
    }

    /// The entries that are new, or whose values are, each with its JSON.
    pub fn put(&self) -> impl Iterator<Item = (&str, &str)> {
        let put = self.put.iter();
        put.map(|(key, value)| (key.as_str(), value.get()))
    }

    /// The same changes with another value of each entry that is put: `change` is given its key and JSON. For a store
    /// that writes values in its own way, encrypted for example.
    ///
    /// ```
    /// use pravah_runtime::Changes;
    /// use serde_json::value::to_raw_value;
    ///
    /// let changes: Changes = serde_json::from_str(r#"{"deleted":["/old"],"put":{"/states/Order":{"cups":2}}}"#)?;
    /// let lengths = changes.try_map_values(|_key, json| to_raw_value(&json.len()))?;
    /// assert_eq!(lengths.put().next(), Some(("/states/Order", "10")));
    /// assert_eq!(lengths.deleted().next(), Some("/old"));
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The first error of `change`.
    pub fn try_map_values<E>(
        &self,
        mut change: impl FnMut(&str, &str) -> Result<Box<RawValue>, E>,
    ) -> Result<Self, E> {
        let put = self.put.iter();
        let put = put.map(|(key, value)| Ok((key.clone(), change(key, value.get())?)));
        Ok(Self {
            deleted: self.deleted.clone(),
            put: put.collect::<Result<_, E>>()?,
        })
    }

    /// Whether nothing has changed.
    pub fn is_empty(&self) -> bool {
        self.deleted.is_empty() && self.put.is_empty()
    }
}

/// A snapshot as a store keeps it: entries by their keys.
///
/// ```
/// use pravah_runtime::prelude::*;
///
/// #[state] struct Order { cups: u32 }
/// #[state] struct Brewed { cups: u32 }
/// #[state] struct Served { cups: u32 }
/// #[node] fn brew(order: Order) -> Brewed { Brewed { cups: order.cups } }
/// #[node] fn serve(brewed: &Brewed) -> Served { Served { cups: brewed.cups } }
/// #[flow] fn coffee(order: Order) -> Served { flow! { brew -> serve } }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut run = FlowRuntime::new(Order { cups: 2 })?;
/// let mut stored = Entries::default();
/// stored.apply(run.take_changes()?);
/// run.next(Context::default()).await?;
/// let changes = run.take_changes()?;
/// assert!(changes.put().any(|(key, json)| key == "/states/Brewed" && json == r#"{"cups":2}"#));
/// stored.apply(changes);
///
/// let snapshot = FlowSnapshot::from_entries(&stored)?;
/// assert_eq!(serde_json::to_string(&snapshot)?, serde_json::to_string(&run.snapshot())?);
/// assert_eq!(stored.get("/states/Brewed"), Some(r#"{"cups":2}"#));
///
/// // From a store and back, row by row.
/// let mut read = Entries::default();
/// for (key, json) in &stored {
///     read.insert(key, json.to_owned())?;
/// }
/// assert_eq!(read.len(), stored.len());
/// # Ok(()) }
/// ```
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Entries(BTreeMap<String, Box<RawValue>>);

impl Entries {
    /// Brings the entries up to date.
    pub fn apply(&mut self, changes: Changes) {
        for key in changes.deleted {
            let within = format!("{key}/");
            self.0.remove(&key);
            let gone = self.0.range(within.clone()..);
            let gone: Vec<String> = gone
                .map(|(key, _)| key.clone())
                .take_while(|key| key.starts_with(&within))
                .collect();
            for key in gone {
                self.0.remove(&key);
            }
        }
        self.0.extend(changes.put);
    }

    /// The changes from `earlier`, the entries after an earlier step of the same run. [Applied](Self::apply) to `earlier`
    /// they give these.
    ///
    /// ```
    /// use pravah_runtime::Entries;
    ///
    /// let [mut one, two]: [Entries; 2] = serde_json::from_str(r#"[
    ///     { "/states/Order": { "cups": 2 }, "/visits/Order": 1 },
    ///     { "/states/Brewed": { "cups": 2 }, "/visits/Order": 1 }
    /// ]"#)?;
    /// let changes = two.changes_since(&one);
    /// assert!(changes.deleted().eq(["/states/Order"]));
    /// assert!(changes.put().eq([("/states/Brewed", r#"{ "cups": 2 }"#)]));
    /// one.apply(changes);
    /// assert!(one.iter().eq(two.iter()));
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn changes_since(&self, earlier: &Self) -> Changes {
        let gone = earlier.0.keys().filter(|key| !self.0.contains_key(*key));
        let mut changes = Changes {
            deleted: gone.cloned().collect(),
            put: BTreeMap::new(),
        };
        // What is under a key that is deleted goes with it.
        let mut kept = earlier.clone();
        kept.apply(changes.clone());
        let put = (self.0.iter()).filter(|(key, json)| kept.get(key) != Some(json.get()));
        changes.put = put.map(|(key, json)| (key.clone(), json.clone())).collect();
        changes
    }

    /// The entries with their JSON, by their keys.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.into_iter()
    }

    /// The JSON of the entry with this key.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key).map(|value| value.get())
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Puts in what a store has read, in place of the entry that had the key, if one did.
    ///
    /// # Errors
    ///
    /// [`FlowError::SnapLoadError`] if `json` is not JSON.
    pub fn insert(&mut self, key: impl Into<String>, json: String) -> Result<(), FlowError> {
        let json =
            RawValue::from_string(json).map_err(|error| FlowError::SnapLoadError(error.into()))?;
        self.0.insert(key.into(), json);
        Ok(())
    }
}

impl FromIterator<(String, Box<RawValue>)> for Entries {
    fn from_iter<I: IntoIterator<Item = (String, Box<RawValue>)>>(entries: I) -> Self {
        Self(entries.into_iter().collect())
    }
}

impl Extend<(String, Box<RawValue>)> for Entries {
    fn extend<I: IntoIterator<Item = (String, Box<RawValue>)>>(&mut self, entries: I) {
        self.0.extend(entries);
    }
}

impl IntoIterator for Entries {
    type Item = (String, Box<RawValue>);
    type IntoIter = btree_map::IntoIter<String, Box<RawValue>>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a> IntoIterator for &'a Entries {
    type Item = (&'a str, &'a str);
    type IntoIter = EntriesIter<'a>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter().map(|(key, value)| (key, value.get()))
    }
}

/// The entries with their JSON, by their keys.
type EntriesIter<'a> = Map<
    btree_map::Iter<'a, String, Box<RawValue>>,
    fn((&'a String, &'a Box<RawValue>)) -> (&'a str, &'a str),
>;

/// What is stored of a run, as entries.
pub(super) fn entries_of(stored: &Stored<'_>) -> Result<Entries, serde_json::Error> {
    let mut collector = Collector::default();
    stored.collect_since(None, &mut collector)?;
    Ok(Entries(collector.entries))
}

/// Entries as one JSON text.
pub(super) fn json_of(entries: &Entries) -> Loaded<String> {
    let mut tree = Root::default();
    let mut entries = entries.0.iter();
    entries.try_for_each(|(key, value)| tree.insert(key, value))?;
    tree.into_json()
}

/// What is put and deleted as changes, leaving out what the head had before.
pub(super) fn changes_of(
    put: &Stored<'_>,
    deleted: Vec<String>,
    head_before: Option<&StoredHead<'_>>,
) -> Result<Changes, serde_json::Error> {
    let mut collector = Collector::default();
    put.collect_since(head_before, &mut collector)?;
    let put = collector.entries;
    Ok(Changes { deleted, put })
}
