//! Many states of one kind.

use std::{borrow::Cow, ops::Deref, sync::Arc};

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize, de::Error as _};

use super::{
    Content, Copying, KnownClone, Rebuild, SealedState, State, StateRef,
    name::ConstStr,
    payload::{Payload, unwrap},
};
use crate::topology::CallOutput;

/// A list of states: what a node returns for `each(…)`, and what comes out of it, in the same order.
///
/// ```
/// use pravah_runtime::prelude::*;
///
/// #[state]
/// struct Page { text: String }
///
/// let pages: Each<Page> = ["a", "b"].map(|text| Page { text: text.into() }).into_iter().collect();
/// assert_eq!(pages.len(), 2);
/// assert_eq!(Each::<Page>::NAME, "Each_of_Page");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Each<S>(Vec<S>);

impl<S> Each<S> {
    /// A list of these states. One without any is `Each::default()`.
    ///
    /// ```
    /// use pravah_runtime::prelude::*;
    ///
    /// #[state]
    /// struct Page { text: String }
    ///
    /// let mut pages = Each::new(["a", "b"].map(|text| Page { text: text.into() }));
    /// pages.push(Page { text: "c".into() });
    /// assert_eq!(pages.len(), 3);
    /// ```
    #[must_use]
    pub fn new(items: impl IntoIterator<Item = S>) -> Self {
        items.into_iter().collect()
    }

    /// Adds a state at the end.
    pub fn push(&mut self, item: S) {
        self.0.push(item);
    }
}

impl<S: State> Each<S> {
    const FULL_NAME: ConstStr = ConstStr::concat(&["Each_of_", S::NAME]);
    const FULL_PATH: ConstStr = ConstStr::concat(&["pravah_runtime::Each<", S::TYPE_PATH, ">"]);
}

impl<S: State> State for Each<S> {
    const CALL_OUTPUT: CallOutput = CallOutput::list::<S>();
}

impl<S: State> SealedState for Each<S> {
    const REF: StateRef = StateRef::of::<Self>(Self::FULL_NAME.as_str(), Self::FULL_PATH.as_str());

    type Copying = ItemByItem;
}

/// As each item is copied.
pub struct ItemByItem;

impl<S: State> KnownClone<Each<S>> for ItemByItem {
    const IS_CLONE: bool = S::Copying::IS_CLONE;
}

impl<S: State> Copying<Each<S>> for ItemByItem {
    fn duplicate(list: &Each<S>) -> Option<Each<S>> {
        list.0.iter().map(S::Copying::duplicate).collect()
    }

    fn rebuild() -> Option<Rebuild> {
        S::Copying::rebuild().map(|_| again::<S> as Rebuild)
    }
}

impl<S: JsonSchema> JsonSchema for Each<S> {
    fn schema_name() -> Cow<'static, str> {
        format!("Each_of_{}", S::schema_name()).into()
    }

    fn schema_id() -> Cow<'static, str> {
        format!("pravah_runtime::Each<{}>", S::schema_id()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Vec::<S>::json_schema(generator)
    }
}

impl<S> Default for Each<S> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<S> Extend<S> for Each<S> {
    fn extend<I: IntoIterator<Item = S>>(&mut self, items: I) {
        self.0.extend(items);
    }
}

impl<S> From<Vec<S>> for Each<S> {
    fn from(items: Vec<S>) -> Self {
        Self(items)
    }
}

impl<S> From<Each<S>> for Vec<S> {
    fn from(items: Each<S>) -> Self {
        items.0
    }
}

impl<S> FromIterator<S> for Each<S> {
    fn from_iter<I: IntoIterator<Item = S>>(items: I) -> Self {
        Self(items.into_iter().collect())
    }
}

impl<S> IntoIterator for Each<S> {
    type Item = S;
    type IntoIter = std::vec::IntoIter<S>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a, S> IntoIterator for &'a Each<S> {
    type Item = &'a S;
    type IntoIter = std::slice::Iter<'a, S>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl<S> Deref for Each<S> {
    type Target = [S];

    fn deref(&self) -> &[S] {
        &self.0
    }
}

/// Makes a list again, item by item.
fn again<S: State>(content: &Content) -> Result<Arc<dyn Payload>, serde_json::Error> {
    let wrong = || serde_json::Error::custom("no list of states that can be made again");
    let (Content::Seq(items), Some(rebuild)) = (content, S::Copying::rebuild()) else {
        return Err(wrong());
    };
    let list: Result<Each<S>, _> = items
        .iter()
        .map(|item| unwrap::<S>(rebuild(item)?))
        .collect();
    Ok(Arc::new(list?))
}
