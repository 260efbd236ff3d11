//! What may enter a conversation with a model.
//!
//! A model reads what others wrote, and believes it; what it reads leaves the machine. So texts on
//! their way to a model are carried by [`ModelText`], which is made in one way only: a value says
//! through [`ForModel`] what of it a model may read, and [`ToModel`] wraps that. What an operator needs
//! beyond that stays in `Display`, in `source` and in events.

mod errors;
pub(crate) mod journal;
#[cfg(test)]
pub(crate) mod tests;

pub(crate) use errors::invalid_input;

use std::{borrow::Cow, fmt, sync::Arc};

use serde::Serialize;

/// A text that a model may read.
///
/// It cannot be made but by [`ToModel::to_model`]; there is no constructor, and it is not read from
/// JSON:
///
/// ```compile_fail,E0423
/// let text = pravah_runtime::ModelText("as I like".into());
/// ```
///
/// ```compile_fail,E0277
/// let text: pravah_runtime::ModelText = serde_json::from_str("\"as I like\"").unwrap();
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct ModelText(Arc<str>);

/// Says what of a value a model may read: a brief text in plain words, without codes, type names,
/// causes, times or what was put in.
///
/// Implement it for errors that a tool hands to the model with [`ToolError::told`]. A text is what it
/// says.
///
/// ```
/// use std::borrow::Cow;
/// use pravah_runtime::{ForModel, ToModel};
///
/// struct OutOfStock { shelf: u32 }
///
/// impl ForModel for OutOfStock {
///     fn for_model(&self) -> Cow<'_, str> {
///         "there is none left; offer something similar".into()
///     }
/// }
///
/// let told = OutOfStock { shelf: 17 }.to_model();
/// assert_eq!(told.as_ref(), "there is none left; offer something similar");
/// ```
///
/// [`ToolError::told`]: crate::ToolError::told
pub trait ForModel {
    /// The text.
    fn for_model(&self) -> Cow<'_, str>;
}

mod sealed {
    pub trait Sealed {}
    impl<T: super::ForModel + ?Sized> Sealed for T {}
}

/// Wraps what [`ForModel`] says. It is implemented for everything that implements that, and cannot be
/// implemented or overridden otherwise:
///
/// ```compile_fail,E0119
/// struct Mine;
///
/// impl pravah_runtime::ForModel for Mine {
///     fn for_model(&self) -> std::borrow::Cow<'_, str> { "mine".into() }
/// }
///
/// impl pravah_runtime::ToModel for Mine {}
/// ```
pub trait ToModel: sealed::Sealed {
    /// The text for the model.
    fn to_model(&self) -> ModelText;
}

impl<T: ForModel + ?Sized> ToModel for T {
    fn to_model(&self) -> ModelText {
        ModelText(self.for_model().into())
    }
}

impl ForModel for str {
    fn for_model(&self) -> Cow<'_, str> {
        self.into()
    }
}

impl ForModel for String {
    fn for_model(&self) -> Cow<'_, str> {
        self.as_str().into()
    }
}

impl<T: ForModel + ?Sized> ForModel for &T {
    fn for_model(&self) -> Cow<'_, str> {
        (**self).for_model()
    }
}

impl ForModel for Cow<'_, str> {
    fn for_model(&self) -> Cow<'_, str> {
        (&**self).into()
    }
}

impl ForModel for ModelText {
    fn for_model(&self) -> Cow<'_, str> {
        (&*self.0).into()
    }
}

impl ModelText {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The text, on its own.
    pub fn into_string(self) -> String {
        self.0.as_ref().to_owned()
    }
}

impl std::ops::Deref for ModelText {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl AsRef<str> for ModelText {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl std::borrow::Borrow<str> for ModelText {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl From<ModelText> for String {
    fn from(text: ModelText) -> Self {
        text.into_string()
    }
}

impl fmt::Display for ModelText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for ModelText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl PartialEq<str> for ModelText {
    fn eq(&self, other: &str) -> bool {
        &*self.0 == other
    }
}

impl PartialEq<&str> for ModelText {
    fn eq(&self, other: &&str) -> bool {
        &*self.0 == *other
    }
}
