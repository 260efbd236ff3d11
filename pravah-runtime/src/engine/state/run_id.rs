//! What a run is called.

use std::{
    fmt,
    sync::{Arc, OnceLock},
};

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{Error, Visitor},
};
use uuid::Uuid;

/// The id of a run. Many runs end before anybody asks for it.
pub(crate) enum RunId {
    Known(Arc<str>),
    /// A UUID of version 7, made when somebody first asks the run or one of its clones.
    New(OnceLock<Arc<OnceLock<Arc<str>>>>),
}

impl RunId {
    pub(crate) fn get(&self) -> &Arc<str> {
        match self {
            Self::Known(id) => id,
            Self::New(id) => id.get_or_init(Arc::default).get_or_init(|| {
                let mut text = Uuid::encode_buffer();
                let id: &str = Uuid::now_v7().hyphenated().encode_lower(&mut text);
                id.into()
            }),
        }
    }
}

impl Default for RunId {
    fn default() -> Self {
        Self::New(OnceLock::new())
    }
}

impl Clone for RunId {
    /// The clone is of the same run.
    fn clone(&self) -> Self {
        match self {
            Self::Known(id) => Self::Known(Arc::clone(id)),
            Self::New(id) => {
                let shared = id.get_or_init(Arc::default);
                Self::New(OnceLock::from(Arc::clone(shared)))
            }
        }
    }
}

impl PartialEq for RunId {
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}

impl Serialize for RunId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.get().serialize(serializer)
    }
}

/// Reads the text straight into an `Arc<str>`: serde's own code makes a `Box<str>` first.
impl<'de> Deserialize<'de> for RunId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;

        impl Visitor<'_> for Text {
            type Value = RunId;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
                Ok(RunId::Known(text.into()))
            }
        }

        deserializer.deserialize_str(Text)
    }
}

#[cfg(test)]
mod tests {
    use super::RunId;

    #[test]
    fn a_clone_that_was_made_before_the_id_has_the_same() {
        let id = RunId::default();
        let (before, other) = (id.clone(), id.clone());
        assert_eq!(other.get(), id.get());
        assert_eq!(before.get(), id.clone().get());
        assert_ne!(RunId::default().get(), id.get());
    }
}
