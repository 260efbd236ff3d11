//! A map that is sorted by its keys, cheap while it is small and cheap to clone when it is large.
//!
//! Most maps of a run are empty. Only that check is inlined; the rest is in functions of their own, because about half the
//! time of a large step goes to misses of the instruction cache.

use std::{cmp::Ordering, slice};

use imbl::{
    OrdMap,
    ordmap::{self, DiffItem},
};
use smallvec::{SmallVec, smallvec};

/// Up to how many entries are kept in one list.
const FEW: usize = 24;

/// Most maps of a run have one entry or a handful, which a list finds, changes and clones fastest. Lists have
/// as many as they like: their clones share what did not change since.
pub(crate) enum SortedMap<K, V> {
    Few(SmallVec<[(K, V); 1]>),
    Many(OrdMap<K, V>),
}

impl<K: Clone, V: Clone> Clone for SortedMap<K, V> {
    #[inline]
    fn clone(&self) -> Self {
        match self.is_empty() {
            true => Self::new(),
            false => self.clone_slow(),
        }
    }
}

impl<K: Clone, V: Clone> SortedMap<K, V> {
    #[inline(never)]
    fn clone_slow(&self) -> Self {
        match self {
            Self::Few(entries) => match &**entries {
                // A `SmallVec` clones as if it did not know how many there are.
                [entry] => Self::Few(smallvec![entry.clone()]),
                _ => Self::Few(entries.clone()),
            },
            Self::Many(entries) => Self::Many(entries.clone()),
        }
    }
}

impl<K, V> Default for SortedMap<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K, V> SortedMap<K, V> {
    pub(crate) const fn new() -> Self {
        Self::Few(SmallVec::new_const())
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Few(entries) => entries.len(),
            Self::Many(entries) => entries.len(),
        }
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<K: Ord + Clone, V: Clone> SortedMap<K, V> {
    /// Makes room for `more` entries at once, where all still fit in the list.
    pub(crate) fn reserve(&mut self, more: usize) {
        if let Self::Few(entries) = self
            && entries.len().saturating_add(more) <= FEW
        {
            entries.reserve(more);
        }
    }

    #[inline]
    pub(crate) fn get(&self, key: &K) -> Option<&V> {
        match self {
            Self::Few(entries) => {
                let at = find(entries, key).ok()?;
                entries.get(at).map(|(_, value)| value)
            }
            Self::Many(entries) => entries.get(key),
        }
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        match self {
            Self::Few(entries) => {
                let at = find(entries, key).ok()?;
                entries.get_mut(at).map(|(_, value)| value)
            }
            Self::Many(entries) => entries.get_mut(key),
        }
    }

    #[inline]
    pub(crate) fn contains(&self, key: &K) -> bool {
        self.get(key).is_some()
    }

    /// The value of a key, which `make` makes where there is none.
    pub(crate) fn get_or_insert_with(&mut self, key: K, make: impl FnOnce() -> V) -> &mut V {
        if let Self::Few(entries) = self
            && entries.len() >= FEW
            && find(entries, &key).is_err()
        {
            *self = Self::tree_of(entries);
        }
        match self {
            Self::Few(entries) => {
                let at = find(entries, &key).unwrap_or_else(|at| {
                    entries.insert(at, (key, make()));
                    at
                });
                #[expect(clippy::indexing_slicing, reason = "it was found or put there")]
                &mut entries[at].1
            }
            Self::Many(entries) => entries.entry(key).or_insert_with(make),
        }
    }

    /// Puts a value in, and returns the one that it replaces.
    #[inline]
    pub(crate) fn insert(&mut self, key: K, value: V) -> Option<V> {
        match self {
            Self::Few(entries) => match find(entries, &key) {
                Ok(at) => {
                    let (_, known) = entries.get_mut(at)?;
                    Some(std::mem::replace(known, value))
                }
                Err(at) if entries.len() < FEW => {
                    entries.insert(at, (key, value));
                    None
                }
                Err(_) => {
                    *self = Self::tree_of(entries);
                    self.insert(key, value)
                }
            },
            Self::Many(entries) => entries.insert(key, value),
        }
    }

    /// Moves the entries of a full list into a tree.
    #[cold]
    fn tree_of(entries: &mut SmallVec<[(K, V); 1]>) -> Self {
        Self::Many(entries.drain(..).collect())
    }

    #[inline]
    pub(crate) fn remove(&mut self, key: &K) -> Option<V> {
        match self.is_empty() {
            true => None,
            false => self.remove_slow(key),
        }
    }

    #[inline(never)]
    fn remove_slow(&mut self, key: &K) -> Option<V> {
        match self {
            Self::Few(entries) => {
                let at = find(entries, key).ok()?;
                // For the last entry `remove` would still call `memmove`, with nothing to move.
                let (_, value) = match at + 1 == entries.len() {
                    true => entries.pop()?,
                    false => entries.remove(at),
                };
                Some(value)
            }
            Self::Many(entries) => {
                let removed = entries.remove(key);
                if entries.is_empty() {
                    *self = Self::default();
                }
                removed
            }
        }
    }

    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    #[inline]
    pub(crate) fn first(&self) -> Option<(&K, &V)> {
        match self {
            Self::Few(entries) => entries.first().map(|(key, value)| (key, value)),
            Self::Many(entries) => entries.get_min().map(|(key, value)| (key, value)),
        }
    }

    /// The entry, where there is just one. Its key may be changed with its value.
    #[inline]
    pub(crate) fn only_mut(&mut self) -> Option<&mut (K, V)> {
        match self {
            Self::Few(entries) => match &mut **entries {
                [entry] => Some(entry),
                _ => None,
            },
            Self::Many(_) => None,
        }
    }

    pub(crate) fn last(&self) -> Option<(&K, &V)> {
        match self {
            Self::Few(entries) => entries.last().map(|(key, value)| (key, value)),
            Self::Many(entries) => entries.get_max().map(|(key, value)| (key, value)),
        }
    }

    pub(crate) fn iter(&self) -> Iter<'_, K, V> {
        match self {
            Self::Few(entries) => Iter::Few(entries.iter()),
            Self::Many(entries) => Iter::Many(entries.iter()),
        }
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = &K> + Clone {
        self.iter().map(|(key, _)| key)
    }

    pub(crate) fn values(&self) -> impl Iterator<Item = &V> + Clone {
        self.iter().map(|(_, value)| value)
    }

    /// The values in order of their keys; those that a clone of the map shares are cloned.
    pub(crate) fn into_values(self) -> Vec<V> {
        match self {
            Self::Few(entries) => entries.into_iter().map(|(_, value)| value).collect(),
            Self::Many(entries) => entries.into_iter().map(|(_, value)| value).collect(),
        }
    }
}

impl<K: Ord + Clone, V: Clone + PartialEq> SortedMap<K, V> {
    /// Calls `on_change` with each key whose value is another than in `before`, and with both values.
    /// What two large maps share is not looked at.
    pub(crate) fn changes_since<'a>(
        &'a self,
        before: &'a Self,
        mut on_change: impl FnMut(&'a K, Option<&'a V>, Option<&'a V>),
    ) {
        if let (Self::Many(before), Self::Many(now)) = (before, self) {
            for change in before.diff(now) {
                match change {
                    DiffItem::Add(key, new) => on_change(key, None, Some(new)),
                    DiffItem::Remove(key, old) => on_change(key, Some(old), None),
                    DiffItem::Update {
                        old: (key, old),
                        new: (_, new),
                    } => on_change(key, Some(old), Some(new)),
                }
            }
            return;
        }
        let (mut before, mut now) = (before.iter().peekable(), self.iter().peekable());
        loop {
            let order = match (before.peek(), now.peek()) {
                (Some((old, _)), Some((new, _))) => old.cmp(new),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (None, None) => return,
            };
            let old = before.next_if(|_| order != Ordering::Greater);
            let new = now.next_if(|_| order != Ordering::Less);
            match (old, new) {
                (Some((_, old)), Some((_, new))) if old == new => {}
                (Some((key, old)), new) => on_change(key, Some(old), new.map(|(_, new)| new)),
                (None, Some((key, new))) => on_change(key, None, Some(new)),
                (None, None) => return,
            }
        }
    }
}

impl<K: Ord + Clone, V: Clone + PartialEq> PartialEq for SortedMap<K, V> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            // Not through iterators: they are slower here.
            (Self::Few(entries), Self::Few(others)) => entries == others,
            _ => self.iter().eq(other.iter()),
        }
    }
}

#[inline]
fn find<K: Ord, V>(entries: &[(K, V)], key: &K) -> Result<usize, usize> {
    match entries {
        [] => Err(0),
        [(only, _)] if only == key => Ok(0),
        _ => find_slow(entries, key),
    }
}

#[inline(never)]
fn find_slow<K: Ord, V>(entries: &[(K, V)], key: &K) -> Result<usize, usize> {
    entries.binary_search_by(|(other, _)| other.cmp(key))
}

impl<K: Ord + Clone, V: Clone> FromIterator<(K, V)> for SortedMap<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut map = Self::default();
        for (key, value) in entries {
            map.insert(key, value);
        }
        map
    }
}

/// The entries in order of their keys.
pub(crate) enum Iter<'a, K, V> {
    Few(slice::Iter<'a, (K, V)>),
    Many(ordmap::Iter<'a, K, V, imbl::shared_ptr::DefaultSharedPtr>),
}

impl<K, V> Clone for Iter<'_, K, V> {
    fn clone(&self) -> Self {
        match self {
            Self::Few(entries) => Self::Few(entries.clone()),
            Self::Many(entries) => Self::Many(entries.clone()),
        }
    }
}

impl<'a, K: Ord, V> Iterator for Iter<'a, K, V> {
    type Item = (&'a K, &'a V);

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::Few(entries) => entries.next().map(|(key, value)| (key, value)),
            Self::Many(entries) => entries.next(),
        }
    }
}

#[cfg(test)]
mod tests;
