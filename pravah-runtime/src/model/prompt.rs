//! What a user says to a model: text, images and files.

use std::{borrow::Cow, fmt, sync::Arc};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use serde::{Deserialize, Serialize};

use super::{Message, Messages, ModelResponse};
use crate::model_text::{ModelText, ToModel};

/// What an agent's function writes for its model: text, with images and files between.
///
/// A function that writes text alone returns a `String`. What a provider cannot take, and a text, an
/// image or a file that is empty, is an error before anything is sent. A snapshot holds the whole of a
/// prompt until its agent is done.
///
/// ```
/// use pravah_runtime::prelude::*;
///
/// #[state] struct Receipt { photo: Vec<u8> }
/// #[state] struct Total { cents: u32 }
///
/// #[agent(model = "openai://gpt-4o-mini", preamble = "You read receipts.", output = Total)]
/// fn read(receipt: &Receipt) -> Prompt {
///     Prompt::new().text("What is the total?").image(Media::new("image/jpeg", &receipt.photo))
/// }
/// # #[flow] fn reading(receipt: Receipt) -> Total { flow! { read } }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prompt {
    parts: Vec<Part<String>>,
    /// What was said before.
    earlier: Vec<Earlier>,
}

/// What was said before a prompt, and what the model answered.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Earlier {
    parts: Vec<Part<String>>,
    answer: String,
}

/// A part of what a user says to a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Part<Text = ModelText> {
    /// Text.
    Text(Text),
    /// An image.
    Image(Media),
    /// A file, such as a PDF.
    File(Media),
}

/// An image or a file: its bytes, or the address that the provider fetches it from. Cheap to clone.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Media {
    source: Source,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    media_type: Option<Arc<str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<Arc<str>>,
}

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Source {
    /// In base64, as JSON carries bytes.
    Bytes(Arc<str>),
    Url(Arc<str>),
}

impl Prompt {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds text.
    #[must_use]
    pub fn text(mut self, text: impl Into<String>) -> Self {
        self.parts.push(Part::Text(text.into()));
        self
    }

    /// Adds an image.
    #[must_use]
    pub fn image(mut self, image: Media) -> Self {
        self.parts.push(Part::Image(image));
        self
    }

    /// Adds a file.
    #[must_use]
    pub fn file(mut self, file: Media) -> Self {
        self.parts.push(Part::File(file));
        self
    }

    /// Whether nothing was added, or nothing since the last answer.
    #[cfg(feature = "documents")]
    pub(crate) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// With what the model has answered so far; what is added from now on comes after that.
    #[cfg(feature = "documents")]
    #[must_use]
    pub(crate) fn answered(mut self, answer: String) -> Self {
        let parts = std::mem::take(&mut self.parts);
        self.earlier.push(Earlier { parts, answer });
        self
    }

    /// The messages that a conversation starts with.
    pub(crate) fn into_messages(self) -> Messages {
        let user = |parts: Vec<Part<String>>| {
            let parts = parts.into_iter();
            Message::parts(parts.map(|part| part.map(|text| text.to_model())))
        };
        let earlier = self
            .earlier
            .into_iter()
            .flat_map(|Earlier { parts, answer }| {
                [user(parts), Message::assistant(ModelResponse::text(answer))]
            });
        earlier.chain([user(self.parts)]).collect()
    }
}

impl From<String> for Prompt {
    fn from(text: String) -> Self {
        Self::default().text(text)
    }
}

impl From<&str> for Prompt {
    fn from(text: &str) -> Self {
        Self::default().text(text)
    }
}

impl From<Cow<'_, str>> for Prompt {
    fn from(text: Cow<'_, str>) -> Self {
        Self::default().text(text)
    }
}

impl<Text> Part<Text> {
    /// The same part with its text carried otherwise.
    pub(super) fn map<To>(self, carry: impl FnOnce(Text) -> To) -> Part<To> {
        match self {
            Self::Text(text) => Part::Text(carry(text)),
            Self::Image(media) => Part::Image(media),
            Self::File(media) => Part::File(media),
        }
    }

    /// The text, if it is one.
    pub fn as_text(&self) -> Option<&Text> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }
}

impl Media {
    /// Bytes of a media type, such as `image/png` or `application/pdf`
    /// ([RFC 6838](https://www.rfc-editor.org/rfc/rfc6838)).
    pub fn new(media_type: impl Into<Arc<str>>, bytes: impl AsRef<[u8]>) -> Self {
        Self {
            source: Source::Bytes(BASE64_STANDARD.encode(bytes).into()),
            media_type: Some(media_type.into()),
            name: None,
        }
    }

    /// What the provider fetches from an address. Not every provider does.
    pub fn url(url: impl Into<Arc<str>>) -> Self {
        Self {
            source: Source::Url(url.into()),
            media_type: None,
            name: None,
        }
    }

    /// Sets the media type of what is fetched from an address.
    #[must_use]
    pub fn with_media_type(mut self, media_type: impl Into<Arc<str>>) -> Self {
        self.media_type = Some(media_type.into());
        self
    }

    /// The same with the name of its file.
    #[must_use]
    pub fn with_name(mut self, name: impl Into<Arc<str>>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Its bytes in base64, if it has any.
    pub fn base64(&self) -> Option<&str> {
        match &self.source {
            Source::Bytes(base64) => Some(base64),
            Source::Url(_) => None,
        }
    }

    /// Its address, if it has one.
    pub fn address(&self) -> Option<&str> {
        match &self.source {
            Source::Url(url) => Some(url),
            Source::Bytes(_) => None,
        }
    }

    /// Its media type, if that is known.
    pub fn media_type(&self) -> Option<&str> {
        self.media_type.as_deref()
    }

    /// The name of its file, if it has one.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Its address, or its bytes as a `data:` URL ([RFC 2397](https://www.rfc-editor.org/rfc/rfc2397)).
    #[cfg(feature = "providers")]
    pub(super) fn to_url(&self) -> Cow<'_, str> {
        match &self.source {
            Source::Url(url) => Cow::Borrowed(url),
            Source::Bytes(base64) => {
                let media_type = self.media_type().unwrap_or_default();
                Cow::Owned(format!("data:{media_type};base64,{base64}"))
            }
        }
    }
}

impl fmt::Debug for Media {
    /// Without the bytes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut media = f.debug_struct("Media");
        match &self.source {
            Source::Url(url) => media.field("url", url),
            Source::Bytes(base64) => media.field("base64_length", &base64.len()),
        };
        media
            .field("media_type", &self.media_type)
            .field("name", &self.name)
            .finish()
    }
}
