//! Names in a sentence, and the one that was probably meant.

use std::fmt::Display;

/// Names as a message lists them: `` `a`, `b` ``; "none" where there are none.
pub(crate) fn quoted<T: Display>(names: impl IntoIterator<Item = T>) -> String {
    let names: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    match names.is_empty() {
        true => "none".to_owned(),
        false => names.join(", "),
    }
}

/// The known name that differs from `name` in at most two letters, if one does. Case does not count, nor
/// what joins the words of a name.
pub(crate) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let letters = |name: &str| name.replace(['_', '-'], "").to_lowercase();
    let name = letters(name);
    let distances = known
        .into_iter()
        .map(|known| (strsim::levenshtein(&name, &letters(known)), known));
    let (distance, nearest) = distances.min()?;
    (distance <= 2).then_some(nearest)
}

/// A name with its article: `` a `Draft` ``, `` an `Order` ``.
pub(crate) fn one(name: &str) -> String {
    format!("{} `{name}`", article(name))
}

/// The article of a name, by its first letter.
pub(crate) const fn article(name: &str) -> &'static str {
    match name.as_bytes() {
        [
            b'A' | b'E' | b'I' | b'O' | b'U' | b'a' | b'e' | b'i' | b'o' | b'u',
            ..,
        ] => "an",
        _ => "a",
    }
}
