//! Sorted maps beside those of the standard library: the same, in either form, whatever is done to them.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::{FEW, SortedMap};

/// Twice as many keys as fit in a list.
const KEYS: u8 = 2 * FEW as u8;

#[derive(Clone, Debug)]
enum Op {
    Insert(u8, u16),
    /// Adds to what is there, or to 0.
    Add(u8, u16),
    Remove(u8),
    Change(u8, u16),
    /// Removes all from this key on: the map is small again.
    RemoveFrom(u8),
    /// Keeps a clone, which nothing that is done from here on may change.
    Clone,
    /// Changes nothing.
    Reserve(usize),
}

fn ops() -> impl Strategy<Value = Vec<Op>> {
    let key = || 0..KEYS;
    let op = prop_oneof![
        8 => (key(), any::<u16>()).prop_map(|(key, value)| Op::Insert(key, value)),
        4 => (key(), any::<u16>()).prop_map(|(key, value)| Op::Add(key, value)),
        4 => key().prop_map(Op::Remove),
        3 => (key(), any::<u16>()).prop_map(|(key, value)| Op::Change(key, value)),
        1 => key().prop_map(Op::RemoveFrom),
        2 => Just(Op::Clone),
        1 => (0..40_usize).prop_map(Op::Reserve),
    ];
    prop::collection::vec(op, 0..300)
}

type Pair = (SortedMap<u8, u16>, BTreeMap<u8, u16>);

fn apply((map, model): &mut Pair, op: &Op) {
    match op {
        Op::Insert(key, value) => assert_eq!(map.insert(*key, *value), model.insert(*key, *value)),
        Op::Add(key, value) => {
            let (one, other) = (
                map.get_or_insert_with(*key, || 0),
                model.entry(*key).or_insert(0),
            );
            *one = one.wrapping_add(*value);
            *other = other.wrapping_add(*value);
            assert_eq!(one, other);
        }
        Op::Remove(key) => assert_eq!(map.remove(key), model.remove(key)),
        Op::Change(key, value) => {
            let (one, other) = (map.get_mut(key), model.get_mut(key));
            assert_eq!(one, other);
            if let (Some(one), Some(other)) = (one, other) {
                (*one, *other) = (*value, *value);
            }
        }
        Op::RemoveFrom(from) => {
            for key in *from..KEYS {
                assert_eq!(map.remove(&key), model.remove(&key));
            }
        }
        Op::Clone => {}
        Op::Reserve(more) => map.reserve(*more),
    }
}

fn agree((map, model): &Pair) {
    assert_eq!(map.len(), model.len());
    assert_eq!(map.is_empty(), model.is_empty());
    assert_eq!(map.first(), model.first_key_value());
    assert_eq!(map.last(), model.last_key_value());
    assert!(map.iter().eq(model.iter()));
    assert!(map.keys().eq(model.keys()) && map.values().eq(model.values()));
    assert!(map.clone().into_values().iter().eq(model.values()));
    let anew: SortedMap<u8, u16> = model.iter().map(|(key, value)| (*key, *value)).collect();
    assert!(*map == anew);
    for key in 0..KEYS {
        assert_eq!(map.get(&key), model.get(&key));
        assert_eq!(map.contains(&key), model.contains_key(&key));
    }
}

/// What is other in `after` than in `before`, by comparing all of it.
fn differences(
    before: &BTreeMap<u8, u16>,
    after: &BTreeMap<u8, u16>,
) -> Vec<(u8, Option<u16>, Option<u16>)> {
    let both = (0..KEYS).map(|key| (key, before.get(&key).copied(), after.get(&key).copied()));
    both.filter(|(_, old, new)| old != new).collect()
}

fn changes(
    before: &SortedMap<u8, u16>,
    after: &SortedMap<u8, u16>,
) -> Vec<(u8, Option<u16>, Option<u16>)> {
    let mut changes = Vec::new();
    after.changes_since(before, |key, old, new| {
        changes.push((*key, old.copied(), new.copied()));
    });
    // In either form, but not in the same order.
    changes.sort_unstable();
    changes
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_sorted_map_is_what_the_one_of_the_standard_library_is(ops in ops()) {
        let mut pair = Pair::default();
        let mut kept = vec![pair.clone()];
        for op in &ops {
            apply(&mut pair, op);
            agree(&pair);
            if let Op::Clone = op {
                kept.push(pair.clone());
            }
        }
        kept.push(pair);
        for (map, model) in &kept {
            agree(&(map.clone(), model.clone()));
            // Whatever form each of them has.
            for (after, model_after) in &kept {
                prop_assert_eq!(changes(map, after), differences(model, model_after));
                prop_assert_eq!(map == after, model == model_after);
            }
        }
    }

    #[test]
    fn a_sorted_map_is_the_same_in_whatever_order_it_was_filled(
        entries in prop::collection::btree_map(0..KEYS, any::<u16>(), 0..usize::from(KEYS)),
        shuffled in any::<prop::sample::Index>(),
    ) {
        let mut order: Vec<_> = entries.clone().into_iter().collect();
        if !order.is_empty() {
            let at = shuffled.index(order.len());
            order.rotate_left(at);
        }
        let map: SortedMap<u8, u16> = order.into_iter().collect();
        agree(&(map, entries));
    }
}

#[test]
fn a_map_is_a_list_while_it_is_small_and_again_once_it_was_emptied() {
    let mut map: SortedMap<usize, ()> = (0..FEW).map(|key| (key, ())).collect();
    assert!(matches!(map, SortedMap::Few(_)));
    map.insert(0, ());
    assert!(matches!(map, SortedMap::Few(_)), "it has no more entries");
    map.insert(FEW, ());
    assert!(matches!(map, SortedMap::Many(_)));
    for key in 0..FEW {
        map.remove(&key);
        assert!(matches!(map, SortedMap::Many(_)));
    }
    map.remove(&FEW);
    assert!(matches!(map, SortedMap::Few(_)));
}
