//! Which events a stream is to have.

/// Names of events, for [`Events::only`](super::Events::only): one, or several.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not name events",
    label = "neither a name nor a list of names",
    note = "write one name, such as `\"task:*\"`, or a list of them: `[\"step\", \"task:*\"]`"
)]
pub trait EventNames {
    /// The names.
    fn into_names(self) -> Vec<String>;
}

impl EventNames for &str {
    fn into_names(self) -> Vec<String> {
        vec![self.to_owned()]
    }
}

impl EventNames for String {
    fn into_names(self) -> Vec<String> {
        vec![self]
    }
}

impl<S: Into<String>, const N: usize> EventNames for [S; N] {
    fn into_names(self) -> Vec<String> {
        self.into_iter().map(Into::into).collect()
    }
}

impl<S: Into<String>> EventNames for Vec<S> {
    fn into_names(self) -> Vec<String> {
        self.into_iter().map(Into::into).collect()
    }
}

impl<S: AsRef<str>> EventNames for &[S] {
    fn into_names(self) -> Vec<String> {
        self.iter().map(|name| name.as_ref().to_owned()).collect()
    }
}

/// Whether an event is called so.
pub(super) fn matches(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(prefix) => name.starts_with(prefix),
        None => name == pattern,
    }
}
