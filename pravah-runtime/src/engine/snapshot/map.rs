//! An object of a snapshot, in its own order: what is read is written back the same.

use std::{fmt, marker::PhantomData};

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{Error, MapAccess, Visitor},
};
use smallvec::SmallVec;

/// The entries of an object, no two of one name. Most have none or one.
#[derive(Clone, Debug)]
pub(super) struct Map<K, V>(SmallVec<[(K, V); 1]>);

impl<K, V> Map<K, V> {
    pub(super) fn with_capacity(entries: usize) -> Self {
        Self(SmallVec::with_capacity(entries))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &(K, V)> {
        self.0.iter()
    }

    pub(super) fn push(&mut self, key: K, value: V) {
        self.0.push((key, value));
    }

    /// Puts the entries in the order of their keys.
    #[inline]
    pub(super) fn sort(&mut self)
    where
        K: Ord,
    {
        if self.0.len() > 1 {
            self.0
                .sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        }
    }
}

impl<K, V> IntoIterator for Map<K, V> {
    type Item = (K, V);
    type IntoIter = smallvec::IntoIter<[(K, V); 1]>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<K, V> Default for Map<K, V> {
    fn default() -> Self {
        Self(SmallVec::new())
    }
}

impl<K, V> FromIterator<(K, V)> for Map<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        Self(entries.into_iter().collect())
    }
}

impl<K: Serialize, V: Serialize> Serialize for Map<K, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

impl<'de, K, V> Deserialize<'de> for Map<K, V>
where
    K: Deserialize<'de> + Ord + fmt::Display,
    V: Deserialize<'de>,
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MapVisitor(PhantomData))
    }
}

struct MapVisitor<K, V>(PhantomData<(K, V)>);

impl<'de, K, V> Visitor<'de> for MapVisitor<K, V>
where
    K: Deserialize<'de> + Ord + fmt::Display,
    V: Deserialize<'de>,
{
    type Value = Map<K, V>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut entries = SmallVec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        match find_duplicate(entries.iter().map(|(key, _)| key)) {
            Some(key) => Err(A::Error::custom(format!("`{key}` is there twice"))),
            None => Ok(Map(entries)),
        }
    }
}

/// A key that occurs twice.
pub(super) fn find_duplicate<'a, K: Ord>(
    keys: impl ExactSizeIterator<Item = &'a K>,
) -> Option<&'a K> {
    if keys.len() < 2 {
        return None;
    }
    let mut keys: Vec<&K> = keys.collect();
    keys.sort_unstable();
    let mut pairs = keys.array_windows();
    pairs.find(|[one, next]| one == next).map(|[key, _]| *key)
}
