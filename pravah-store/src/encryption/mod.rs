//! Payloads that are encrypted before they reach a store.

mod envelope;
#[cfg(feature = "encryption")]
mod key_ring;
mod payloads;
mod place;
mod store;

use std::sync::Arc;

use pravah_runtime::{BoxError, Entries};

#[cfg(feature = "encryption")]
pub use self::key_ring::KeyRing;
pub use self::store::EncryptedStore;

/// Encrypts payloads for an [`EncryptedStore`], and authenticates them. `KeyRing`, of the feature `encryption`, is one
/// that is ready; one of your own may get its keys from a service.
///
/// It is called on the threads that execute steps: whatever has to be waited for, such as a service, belongs before.
///
/// ```
/// use pravah_runtime::BoxError;
/// use pravah_store::{Cipher, EncryptedStore, MemoryStore};
///
/// /// Keeps nothing secret: it only shows what is to be written.
/// struct Rot13;
///
/// impl Cipher for Rot13 {
///     fn encrypt(&self, plaintext: &[u8], _associated_data: &[u8]) -> Result<Vec<u8>, BoxError> {
///         let rotate = |byte: &u8| match byte {
///             b'a'..=b'z' => (byte - b'a' + 13) % 26 + b'a',
///             _ => *byte,
///         };
///         Ok(plaintext.iter().map(rotate).collect())
///     }
///
///     fn decrypt(&self, ciphertext: &[u8], associated_data: &[u8]) -> Result<Vec<u8>, BoxError> {
///         self.encrypt(ciphertext, associated_data)
///     }
/// }
///
/// let store = EncryptedStore::new(MemoryStore::new(), Rot13);
/// ```
pub trait Cipher: Send + Sync + 'static {
    /// Encrypts a payload. The result is stored as it is: it begins with whatever [`decrypt`](Self::decrypt) needs to
    /// find the key, such as the key's id.
    ///
    /// The same `associated_data` is given to `decrypt`, and is not a part of the result. It says whose payload it is
    /// and what, and a cipher authenticates it: no payload passes for that of another tenant, or for another one of the
    /// same tenant.
    ///
    /// # Errors
    ///
    /// Whatever it fails with; it becomes the source of a [`StoreError::Encryption`](crate::StoreError::Encryption).
    fn encrypt(&self, plaintext: &[u8], associated_data: &[u8]) -> Result<Vec<u8>, BoxError>;

    /// What was encrypted with the same `associated_data`.
    ///
    /// # Errors
    ///
    /// Whatever it fails with, such as a [`DecryptionError`]: if there is no key for it, or if the result or
    /// `associated_data` is not what it was. It becomes the source of a
    /// [`StoreError::Decryption`](crate::StoreError::Decryption).
    fn decrypt(&self, ciphertext: &[u8], associated_data: &[u8]) -> Result<Vec<u8>, BoxError>;
}

/// Stores can share a cipher.
impl<C: Cipher + ?Sized> Cipher for Arc<C> {
    fn encrypt(&self, plaintext: &[u8], associated_data: &[u8]) -> Result<Vec<u8>, BoxError> {
        (**self).encrypt(plaintext, associated_data)
    }

    fn decrypt(&self, ciphertext: &[u8], associated_data: &[u8]) -> Result<Vec<u8>, BoxError> {
        (**self).decrypt(ciphertext, associated_data)
    }
}

/// Whether entries that were read without an [`EncryptedStore`] are encrypted, one of them at least: commands to a
/// run with such entries have to be sent through one.
pub fn is_encrypted(entries: &Entries) -> bool {
    let mut values = entries.iter().map(|(_, json)| json);
    values.any(is_encrypted_text)
}

/// Whether a payload that was read without an [`EncryptedStore`] is encrypted: a text such as an error, or JSON such as
/// an output.
pub fn is_encrypted_text(payload: &str) -> bool {
    envelope::is_encrypted(payload.strip_prefix('"').unwrap_or(payload))
}

/// Why something cannot be decrypted: the source of a [`StoreError::Decryption`](crate::StoreError::Decryption).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DecryptionError {
    /// It was stored without encryption.
    #[error(
        "it was stored without encryption: start runs and send commands through the `EncryptedStore`, or let \
         `EncryptedStore::reading_unencrypted` read it"
    )]
    NotEncrypted,
    /// It is not what a cipher has written: it was cut off, for example.
    #[error("it is damaged: it is not what was written")]
    Damaged,
    /// The key is not there.
    #[error("there is no key `{id}`; `KeyRing::with_key_for_reading` adds it")]
    #[non_exhaustive]
    UnknownKey {
        /// The id of the key.
        id: String,
    },
    /// It was changed, or moved from another place, or the key of this id is another one.
    #[error("it was changed or moved, or its key is another one than `{id}`")]
    #[non_exhaustive]
    NotAuthentic {
        /// The id of the key.
        id: String,
    },
    /// What is readable of a command is not that of the command.
    #[error("it is not the command that was sent")]
    WrongCommand,
}
