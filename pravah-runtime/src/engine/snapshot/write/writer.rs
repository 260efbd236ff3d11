//! Comparing the sections of a snapshot with those of an earlier one.

use std::fmt::Display;

use super::super::{collect::enter, map::Map};
use crate::sorted_map::SortedMap;

/// The name of a section, what is in it now, and what was before.
pub(super) type Section<'a, K, V> = (&'a str, &'a SortedMap<K, V>, Option<&'a SortedMap<K, V>>);

/// Collects what is stored, and notes what is no more.
#[derive(Default)]
pub(super) struct Writer {
    /// The JSON pointer of the frame that is being written.
    pub(super) at: String,
    /// The JSON pointers of what was deleted; of what is in it there are none.
    pub(super) deleted: Vec<String>,
}

impl Writer {
    /// The entries of a map that have a key in the snapshot: all of them, or those that are other than
    /// before.
    #[inline]
    pub(super) fn section<'a, K, V, S, T>(
        &mut self,
        section: Section<'a, K, V>,
        key: impl Fn(&'a K, &'a V) -> Option<S>,
        value: impl FnMut(&mut Self, &'a K, &'a V, Option<&'a V>) -> T,
    ) -> Map<S, T>
    where
        K: Ord + Clone,
        V: Clone + PartialEq,
        S: Ord + Display,
    {
        let (_, now, before) = section;
        if now.is_empty() && before.is_none_or(SortedMap::is_empty) {
            return Map::default();
        }
        self.section_slow(section, key, value)
    }

    // Out of line, since most sections are empty.
    #[inline(never)]
    fn section_slow<'a, K, V, S, T>(
        &mut self,
        (name, now, before): Section<'a, K, V>,
        key: impl Fn(&'a K, &'a V) -> Option<S>,
        mut value: impl FnMut(&mut Self, &'a K, &'a V, Option<&'a V>) -> T,
    ) -> Map<S, T>
    where
        K: Ord + Clone,
        V: Clone + PartialEq,
        S: Ord + Display,
    {
        let Some(before) = before else {
            let mut entries = Map::with_capacity(now.len());
            for (at, entry) in now.iter() {
                if let Some(key) = key(at, entry) {
                    entries.push(key, value(self, at, entry, None));
                }
            }
            entries.sort();
            return entries;
        };
        let mut put = Map::default();
        now.changes_since(before, |at, old, new| {
            let old_key = old.and_then(|old| key(at, old));
            let new_key = new.and_then(|new| key(at, new));
            let is_kept = old_key == new_key;
            if let Some(old_key) = old_key.filter(|_| !is_kept) {
                self.delete(name, &old_key);
            }
            if let (Some(new), Some(new_key)) = (new, new_key) {
                let around = enter(&mut self.at, name, &new_key);
                put.push(new_key, value(self, at, new, old.filter(|_| is_kept)));
                self.at.truncate(around);
            }
        });
        put.sort();
        put
    }

    pub(super) fn delete(&mut self, section: &str, key: &impl Display) {
        let around = enter(&mut self.at, section, key);
        self.deleted.push(self.at.clone());
        self.at.truncate(around);
    }
}
