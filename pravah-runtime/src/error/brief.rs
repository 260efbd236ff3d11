//! How much an error repeats of what it was given: that may be large, and of anyone.

use std::borrow::Cow;

use serde::de::Error as _;

/// In bytes. A longer text keeps its beginning and its end.
const MOST: usize = 600;
const END: usize = 120;

/// The text, or its start and its end.
pub(crate) fn brief(text: &str) -> Cow<'_, str> {
    if text.len() <= MOST {
        return text.into();
    }
    let head = text.floor_char_boundary(MOST - END);
    let tail = text.ceil_char_boundary(text.len() - END);
    let (head, tail) = (text.get(..head), text.get(tail..));
    format!("{}…{}", head.unwrap_or_default(), tail.unwrap_or_default()).into()
}

/// The same of an error, without the place in a JSON text that nobody has written.
pub(crate) fn brief_json(error: serde_json::Error) -> serde_json::Error {
    let text = error.to_string();
    let place = text.rfind(" at line ").filter(|_| error.line() > 0);
    let said = place.and_then(|end| text.get(..end)).unwrap_or(&text);
    match brief(said) {
        Cow::Borrowed(whole) if whole.len() == text.len() => error,
        short => serde_json::Error::custom(short),
    }
}
