use std::sync::Arc;

use super::{Messages, len};
use crate::{
    model::{Message, ModelResponse, Opaque},
    model_text::ToModel,
};

fn said(n: usize) -> Message {
    Message::user(format!("message {n}").to_model())
}

fn list(count: usize) -> Messages {
    (0..count).map(said).collect()
}

/// Whether the message of this number is one and the same in both.
fn share(one: &Messages, other: &Messages, index: usize) -> bool {
    std::ptr::eq(one.get(index).unwrap(), other.get(index).unwrap())
}

#[test]
fn each_message_is_found_by_its_number() {
    for count in [0, 1, 2, 3, 7, 8, 9, 100, 1_000] {
        let messages = list(count);
        assert_eq!((messages.len(), messages.is_empty()), (count, count == 0));
        for n in 0..count {
            assert_eq!(messages[n], said(n));
        }
        assert_eq!(messages.get(count), None);
        assert_eq!(messages.get(usize::MAX), None);
        assert_eq!(messages.first(), (count > 0).then(|| said(0)).as_ref());
        let last = count.checked_sub(1).map(said);
        assert_eq!(messages.last(), last.as_ref());
        let all: Vec<Message> = (0..count).map(said).collect();
        assert!(messages.iter().eq(&all));
        assert!(messages.iter().rev().eq(all.iter().rev()));
        assert_eq!(Vec::from(messages), all);
    }
}

#[test]
fn a_message_is_found_in_logarithmic_time() {
    let messages = list(100_000);
    for count in (1..=100_000).step_by(997) {
        let mut steps = 0;
        let mut link = messages.last.as_deref().unwrap();
        while link.len > count {
            link = match link.jump.as_deref() {
                Some(jump) if jump.len >= count => jump,
                _ => link.previous.as_deref().unwrap(),
            };
            steps += 1;
        }
        // Myers: at most three times the logarithm.
        assert!(steps <= 3 * 17, "{steps} steps to {count}");
    }
}

#[test]
fn lists_share_what_they_had_in_common() {
    let before = list(50);
    let (mut one, mut other) = (before.clone(), before.clone());
    one.push(said(50));
    other.extend([said(100), said(101)]);
    assert!((0..50).all(|n| share(&one, &before, n) && share(&other, &before, n)));
    assert_eq!((before.len(), one.len(), other.len()), (50, 51, 52));
    assert_ne!(one[50], other[50]);
    // What others share is cloned, and what nobody shares is moved.
    let texts = |messages: Vec<Message>| messages.iter().filter_map(Message::user_text).collect();
    let all: Vec<String> = texts(Vec::from(one));
    assert_eq!(all, texts(list(51).into()));
    assert_eq!(before, list(50));
}

#[test]
fn the_prefix_shared_with_another_list_is_counted() {
    let before = list(40);
    let mut messages = before.clone();
    assert_eq!(messages.count_known(&before), 40);
    assert_eq!(messages.count_known(&Messages::default()), 0);
    assert_eq!(Messages::default().count_known(&before), 0);
    messages.extend([said(40), said(41)]);
    assert_eq!(messages.count_known(&before), 40);
    let new: Vec<&Message> = messages.since(40).collect();
    assert_eq!(new, [&said(40), &said(41)]);
    // Of another list it is what is equal.
    assert_eq!(before.count_known(&messages), 40);
    assert_eq!(list(60).count_known(&before), 40);
    let mut other = list(10);
    other.extend([said(99), said(11)]);
    assert_eq!(other.count_known(&before), 10);
}

#[test]
fn lists_are_equal_if_their_messages_are() {
    assert_eq!(list(30), list(30));
    assert_ne!(list(30), list(31));
    let mut one = list(30);
    let mut other = one.clone();
    assert_eq!(one, other);
    one.push(said(1));
    assert_ne!(one, other);
    other.push(said(2));
    assert_ne!(one, other);
    assert_eq!(Messages::default(), list(0));
}

#[test]
fn messages_count_the_answers_of_the_model() {
    let mut messages = list(2);
    assert_eq!((messages.answers(), messages.has_opaque()), (0, false));
    messages.push(Message::assistant(ModelResponse::text("Yes.")));
    assert_eq!((messages.answers(), messages.has_opaque()), (1, false));
    let items = serde_json::json!(["thought"]);
    let mut answer = ModelResponse::text("No.");
    answer.opaque = Some(Opaque::new("east", "m", items));
    messages.push(Message::assistant(answer));
    messages.push(said(4));
    assert_eq!((messages.answers(), messages.has_opaque()), (2, true));
}

#[test]
fn messages_serialize_as_a_list() {
    let messages = list(3);
    let all: Vec<Message> = messages.iter().cloned().collect();
    let json = serde_json::to_string(&messages).unwrap();
    assert_eq!(json, serde_json::to_string(&all).unwrap());
    assert_eq!(format!("{messages:?}"), format!("{all:?}"));
}

#[test]
fn a_long_list_does_not_exhaust_the_stack() {
    let small = std::thread::Builder::new().stack_size(128 << 10);
    let dropped = small.spawn(|| {
        let mut messages = list(200_000);
        let before = messages.clone();
        messages.push(said(0));
        assert_eq!(Vec::from(messages).len(), 200_001);
        let last = before.last.clone();
        assert_eq!(Arc::strong_count(last.as_ref().unwrap()), 2);
        drop(before);
        assert_eq!(len(&last), 200_000);
        drop(Messages { last });
    });
    dropped.unwrap().join().unwrap();
}

#[test]
fn lists_that_share_messages_end_on_several_threads() {
    for round in 0..50 {
        let messages = list(500);
        let start = Arc::new(std::sync::Barrier::new(4));
        let threads = (0..4).map(|thread| {
            let (start, mut messages) = (Arc::clone(&start), messages.clone());
            std::thread::spawn(move || {
                messages.push(said(thread));
                start.wait();
                match thread % 2 {
                    0 => drop(messages),
                    _ => assert_eq!(Vec::from(messages)[499], said(499)),
                }
            })
        });
        let threads: Vec<_> = threads.collect();
        // Whoever is last takes what is left apart.
        let kept = (round % 2 == 0).then_some(messages);
        threads
            .into_iter()
            .for_each(|thread| thread.join().unwrap());
        assert!(kept.is_none_or(|kept| kept == list(500)));
    }
}
