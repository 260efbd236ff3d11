//! What is encrypted, as a text.

use std::sync::Arc;

use base64::{Engine as _, engine::general_purpose::STANDARD_NO_PAD};

use super::{Cipher, DecryptionError, place::Place};
use crate::{RunKey, StoreError};

/// What begins the text. The number is that of the format.
const MARK: &str = "enc1:";

/// Turns payloads into texts, and back.
#[derive(Clone)]
pub(super) struct Envelope {
    pub(super) cipher: Arc<dyn Cipher>,
    /// Whether what was stored without encryption is read.
    pub(super) reads_unencrypted: bool,
}

/// A text that an [`Envelope`] has made, as JSON. Nothing in it needs an escape.
pub(super) fn as_json(text: &str) -> String {
    ["\"", text, "\""].concat()
}

/// Whether an [`Envelope`] has made a text.
pub(super) fn is_encrypted(text: &str) -> bool {
    text.starts_with(MARK)
}

impl Envelope {
    pub(super) fn encrypt(
        &self,
        (run, place): (&RunKey, Place<'_>),
        plaintext: &str,
    ) -> Result<String, StoreError> {
        let data = place.associated_data(run);
        let encrypted = self.cipher.encrypt(plaintext.as_bytes(), &data);
        let encrypted =
            encrypted.map_err(|error| StoreError::encryption(place.to_string(), error))?;
        let mut text = MARK.to_owned();
        STANDARD_NO_PAD.encode_string(encrypted, &mut text);
        Ok(text)
    }

    /// What was encrypted; `None` for what is to be read as it is.
    pub(super) fn decrypt(
        &self,
        (run, place): (&RunKey, Place<'_>),
        text: Option<&str>,
    ) -> Result<Option<String>, StoreError> {
        let failed = |error| StoreError::decryption(place.to_string(), error);
        let Some(encoded) = text.and_then(|text| text.strip_prefix(MARK)) else {
            return if self.reads_unencrypted {
                Ok(None)
            } else {
                Err(failed(DecryptionError::NotEncrypted.into()))
            };
        };
        let encrypted = STANDARD_NO_PAD.decode(encoded);
        let encrypted = encrypted.map_err(|_| failed(DecryptionError::Damaged.into()))?;
        let data = place.associated_data(run);
        let plaintext = self.cipher.decrypt(&encrypted, &data).map_err(failed)?;
        let plaintext = String::from_utf8(plaintext);
        plaintext
            .map(Some)
            .map_err(|_| failed(DecryptionError::Damaged.into()))
    }
}
