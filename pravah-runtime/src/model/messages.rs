//! The messages of a conversation: a list that grows at its end, and shares what is before.

use std::{fmt, iter, ops::Index, ptr, sync::Arc, vec};

use serde::{Serialize, Serializer};

use super::Message;

/// The messages of a conversation, oldest first.
///
/// Clones share their messages, so a clone costs the same however many there are, and so does adding a
/// message to a list of which there are clones. One is found in logarithmic time. Messages are added and
/// never changed; to change one, make another list.
///
/// ```
/// use pravah_runtime::{Message, Messages, ToModel};
///
/// let mut messages = Messages::from(vec![Message::user("Hello".to_model())]);
/// let before = messages.clone();
/// messages.push(Message::user("Are you there?".to_model()));
/// assert_eq!((before.len(), messages.len()), (1, 2));
/// assert_eq!(messages[0], before[0]);
///
/// let texts: Vec<String> = messages.iter().filter_map(Message::user_text).collect();
/// assert_eq!(texts, ["Hello", "Are you there?"]);
/// ```
#[derive(Clone, Default)]
pub struct Messages {
    last: Option<Arc<Link>>,
}

/// A message, linked to the earlier ones.
struct Link {
    message: Message,
    /// How many messages there are, up to this one.
    len: usize,
    /// How many of them are the model's.
    answers: usize,
    /// Whether one of them has opaque items.
    has_opaque: bool,
    previous: Option<Arc<Link>>,
    /// Further back: E. W. Myers, "An applicative random-access stack", Information Processing Letters 17
    /// (1983). It leads to a link that `previous` leads to as well.
    jump: Option<Arc<Link>>,
}

impl Messages {
    /// Adds a message at the end.
    pub fn push(&mut self, message: Message) {
        let previous = self.last.take();
        let (mut answers, mut has_opaque) = previous.as_ref().map_or((0, false), |previous| {
            (previous.answers, previous.has_opaque)
        });
        if let Message::Assistant { opaque, .. } = &message {
            answers = answers.saturating_add(1);
            has_opaque |= opaque.is_some();
        }
        self.last = Some(Arc::new(Link {
            message,
            len: len(&previous).saturating_add(1),
            answers,
            has_opaque,
            jump: jump_over(&previous),
            previous,
        }));
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        len(&self.last)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.last.is_none()
    }

    /// The message at `index`, counted from 0; `None` past the end.
    pub fn get(&self, index: usize) -> Option<&Message> {
        let link = self.link(index.checked_add(1)?)?;
        Some(&link.message)
    }

    /// The oldest message.
    pub fn first(&self) -> Option<&Message> {
        self.get(0)
    }

    /// The newest message.
    pub fn last(&self) -> Option<&Message> {
        self.last.as_deref().map(|last| &last.message)
    }

    /// The messages, oldest first. Each call gathers a reference to every message.
    pub fn iter(&self) -> vec::IntoIter<&Message> {
        self.since(0)
    }

    /// The messages after the first `known`; no time is spent on those.
    pub(crate) fn since(&self, known: usize) -> vec::IntoIter<&Message> {
        let mut new: Vec<&Message> = self.newest(known).collect();
        new.reverse();
        new.into_iter()
    }

    /// The same, the newest first.
    pub(crate) fn newest(&self, known: usize) -> impl Iterator<Item = &Message> {
        let new = self.links().take_while(move |link| link.len > known);
        new.map(|link| &link.message)
    }

    /// The length of the prefix shared with `before`. Constant or logarithmic time if this list grew from
    /// that one.
    pub(crate) fn count_known(&self, before: &Self) -> usize {
        let Some(last) = &before.last else { return 0 };
        if self.link(last.len).is_some_and(|link| is_same(link, last)) {
            return last.len;
        }
        let pairs = self.iter().zip(before);
        pairs.take_while(|(one, other)| one == other).count()
    }

    /// How many of them are the model's.
    pub(crate) fn answers(&self) -> usize {
        self.last.as_deref().map_or(0, |last| last.answers)
    }

    /// Whether any of them has opaque items.
    pub(crate) fn has_opaque(&self) -> bool {
        self.last.as_deref().is_some_and(|last| last.has_opaque)
    }

    /// The links, newest first.
    fn links(&self) -> impl Iterator<Item = &Link> {
        iter::successors(self.last.as_deref(), |link| link.previous.as_deref())
    }

    /// The link up to which there are `count` messages.
    fn link(&self, count: usize) -> Option<&Link> {
        let mut link = self.last.as_deref()?;
        while link.len > count {
            link = match link.jump.as_deref() {
                Some(jump) if jump.len >= count => jump,
                _ => link.previous.as_deref()?,
            };
        }
        (link.len == count).then_some(link)
    }
}

fn len(link: &Option<Arc<Link>>) -> usize {
    link.as_deref().map_or(0, |link| link.len)
}

fn is_same(one: &Link, other: &Link) -> bool {
    ptr::eq(one, other)
}

/// Where the link after `previous` jumps to: if the two jumps before it are equally long, over both.
fn jump_over(previous: &Option<Arc<Link>>) -> Option<Arc<Link>> {
    let first = previous.as_deref()?;
    let second = first.jump.as_deref();
    let beyond = second.and_then(|second| second.jump.as_ref());
    let middle = len(&first.jump);
    let end = beyond.map_or(0, |beyond| beyond.len);
    match first.len.abs_diff(middle) == middle.abs_diff(end) {
        true => beyond.cloned(),
        false => previous.clone(),
    }
}

/// One after another: links that were left to drop each other would exhaust the stack.
impl Drop for Messages {
    fn drop(&mut self) {
        let mut last = self.last.take();
        while let Some(link) = last.and_then(Arc::into_inner) {
            last = link.previous;
        }
    }
}

impl Index<usize> for Messages {
    type Output = Message;

    /// The message of this number, from 0.
    ///
    /// # Panics
    ///
    /// There is no such message; [`get`](Messages::get) returns `None` then.
    #[expect(clippy::panic, reason = "as any list does")]
    #[track_caller]
    fn index(&self, index: usize) -> &Message {
        match self.get(index) {
            Some(message) => message,
            None => panic!("there are {} messages, and none at {index}", self.len()),
        }
    }
}

impl PartialEq for Messages {
    fn eq(&self, other: &Self) -> bool {
        let mut pairs = self.links().zip(other.links());
        self.len() == other.len()
            && pairs
                .find(|(one, two)| is_same(one, two) || one.message != two.message)
                .is_none_or(|(one, two)| is_same(one, two))
    }
}

impl Extend<Message> for Messages {
    fn extend<I: IntoIterator<Item = Message>>(&mut self, messages: I) {
        messages.into_iter().for_each(|message| self.push(message));
    }
}

impl FromIterator<Message> for Messages {
    fn from_iter<I: IntoIterator<Item = Message>>(messages: I) -> Self {
        let mut list = Self::default();
        list.extend(messages);
        list
    }
}

impl From<Vec<Message>> for Messages {
    fn from(messages: Vec<Message>) -> Self {
        messages.into_iter().collect()
    }
}

impl<const N: usize> From<[Message; N]> for Messages {
    fn from(messages: [Message; N]) -> Self {
        messages.into_iter().collect()
    }
}

/// Clones the messages that other lists share.
impl From<Messages> for Vec<Message> {
    fn from(mut messages: Messages) -> Self {
        let mut all = Vec::with_capacity(messages.len());
        let mut last = messages.last.take();
        while let Some(link) = last {
            match Arc::try_unwrap(link) {
                Ok(link) => {
                    all.push(link.message);
                    last = link.previous;
                }
                Err(link) => {
                    all.push(link.message.clone());
                    last = link.previous.clone();
                    // It may be the only one by now: its links are then dropped one after another.
                    drop(Messages { last: Some(link) });
                }
            }
        }
        all.reverse();
        all
    }
}

impl<'a> IntoIterator for &'a Messages {
    type Item = &'a Message;
    type IntoIter = vec::IntoIter<&'a Message>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl Serialize for Messages {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self)
    }
}

impl fmt::Debug for Messages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self).finish()
    }
}

#[cfg(test)]
mod tests;
