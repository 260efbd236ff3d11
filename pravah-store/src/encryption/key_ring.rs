//! Keys by their ids.

use std::{collections::BTreeMap, fmt};

use chacha20poly1305::{
    KeyInit, XChaCha20Poly1305, XNonce,
    aead::{Aead, Generate, Payload},
};
use pravah_runtime::BoxError;

use super::{Cipher, DecryptionError};
use crate::StoreError;

/// The format of what is written: it is the first byte.
const FORMAT: u8 = 1;

/// How long a nonce is, in bytes.
const NONCE: usize = 24;

/// How long an id may be, in bytes: its length is one byte.
const MAX_ID: usize = 255;

/// Keys that payloads are encrypted with, by their ids: XChaCha20-Poly1305, with a random nonce for each payload. New
/// ones are encrypted with one key, and each is decrypted with the key of the id that is stored with it. Keys are
/// removed from memory when it is dropped.
///
/// Keys are 32 random bytes, from a secret store, and no passwords.
///
/// Rotate in two deploys, so that no process meets a payload whose key it does not have: first every process can read
/// with the new key, then they write with it. A key can go once no run has what it has encrypted, histories included.
///
/// ```
/// use pravah_store::KeyRing;
///
/// # let (key_of_2025, key_of_2026) = ([5; 32], [6; 32]);
/// let before = KeyRing::new("2025", key_of_2025)?;
/// let first_deploy = KeyRing::new("2025", key_of_2025)?.with_key_for_reading("2026", key_of_2026)?;
/// let second_deploy = KeyRing::new("2026", key_of_2026)?.with_key_for_reading("2025", key_of_2025)?;
/// # Ok::<(), pravah_store::StoreError>(())
/// ```
#[derive(Clone)]
pub struct KeyRing {
    id: String,
    cipher: XChaCha20Poly1305,
    for_reading: BTreeMap<String, XChaCha20Poly1305>,
}

impl KeyRing {
    /// A key that payloads are encrypted and decrypted with. Its id is stored with each of them, where it can be read:
    /// a short one saves bytes.
    ///
    /// # Errors
    ///
    /// [`StoreError::InvalidName`] if `id` is empty or longer than 255 bytes.
    pub fn new(id: impl Into<String>, key: [u8; 32]) -> Result<Self, StoreError> {
        let id = id.into();
        check_id(&id)?;
        Ok(Self {
            id,
            cipher: XChaCha20Poly1305::new(&key.into()),
            for_reading: BTreeMap::new(),
        })
    }

    /// The same with another key that payloads are decrypted with.
    ///
    /// # Errors
    ///
    /// [`StoreError::InvalidName`] if `id` is empty, longer than 255 bytes, or that of another key.
    pub fn with_key_for_reading(
        mut self,
        id: impl Into<String>,
        key: [u8; 32],
    ) -> Result<Self, StoreError> {
        let id = id.into();
        check_id(&id)?;
        if id == self.id || self.for_reading.contains_key(&id) {
            return Err(invalid("must not be that of another key"));
        }
        self.for_reading
            .insert(id, XChaCha20Poly1305::new(&key.into()));
        Ok(self)
    }

    fn cipher_of(&self, id: &str) -> Option<&XChaCha20Poly1305> {
        if id == self.id {
            Some(&self.cipher)
        } else {
            self.for_reading.get(id)
        }
    }
}

impl Cipher for KeyRing {
    fn encrypt(&self, plaintext: &[u8], associated_data: &[u8]) -> Result<Vec<u8>, BoxError> {
        let nonce = XNonce::try_generate()?;
        let mut written = header(&self.id);
        let aad = bound(&written, associated_data);
        let payload = Payload {
            msg: plaintext,
            aad: &aad,
        };
        let encrypted = self.cipher.encrypt(&nonce, payload);
        let encrypted = encrypted.map_err(|_| "the payload is too long")?;
        written.extend_from_slice(&nonce);
        written.extend_from_slice(&encrypted);
        Ok(written)
    }

    fn decrypt(&self, ciphertext: &[u8], associated_data: &[u8]) -> Result<Vec<u8>, BoxError> {
        let (id, nonce, msg) = parts(ciphertext).ok_or(DecryptionError::Damaged)?;
        let unknown = || DecryptionError::UnknownKey { id: id.to_owned() };
        let cipher = self.cipher_of(id).ok_or_else(unknown)?;
        let aad = bound(&header(id), associated_data);
        let plaintext = cipher.decrypt(&XNonce::from(nonce), Payload { msg, aad: &aad });
        let id = id.to_owned();
        Ok(plaintext.map_err(|_| DecryptionError::NotAuthentic { id })?)
    }
}

/// What is before the nonce: the format, and the key.
fn header(id: &str) -> Vec<u8> {
    let length = u8::try_from(id.len()).unwrap_or(u8::MAX);
    let mut header = vec![FORMAT, length];
    header.extend_from_slice(id.as_bytes());
    header
}

/// What is authenticated besides the payload.
fn bound(header: &[u8], associated_data: &[u8]) -> Vec<u8> {
    [header, associated_data].concat()
}

/// The id of the key, the nonce, and what was encrypted.
fn parts(written: &[u8]) -> Option<(&str, [u8; NONCE], &[u8])> {
    let (&format, rest) = written.split_first()?;
    let (&length, rest) = rest.split_first()?;
    let (id, rest) = rest.split_at_checked(length.into())?;
    let (nonce, encrypted) = rest.split_first_chunk()?;
    let id = std::str::from_utf8(id).ok()?;
    (format == FORMAT).then_some((id, *nonce, encrypted))
}

fn check_id(id: &str) -> Result<(), StoreError> {
    match id {
        "" => Err(invalid("must not be empty")),
        _ if id.len() > MAX_ID => Err(invalid("must not be longer than 255 bytes")),
        _ => Ok(()),
    }
}

fn invalid(why: &'static str) -> StoreError {
    StoreError::InvalidName {
        what: "the id of a key",
        why,
    }
}

impl fmt::Debug for KeyRing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyRing")
            .field("id", &self.id)
            .field("for_reading", &self.for_reading.keys())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys() -> KeyRing {
        KeyRing::new("k", [1; 32]).unwrap()
    }

    fn reason(result: Result<Vec<u8>, BoxError>) -> DecryptionError {
        *result.unwrap_err().downcast().unwrap()
    }

    #[test]
    fn what_was_encrypted_is_decrypted() {
        for plaintext in [&b""[..], b"a", &[0; 100_000]] {
            let encrypted = keys().encrypt(plaintext, b"here").unwrap();
            assert_eq!(encrypted.len(), plaintext.len() + 2 + 1 + 24 + 16);
            assert_eq!(keys().decrypt(&encrypted, b"here").unwrap(), plaintext);
        }
    }

    /// What libsodium's `crypto_aead_xchacha20poly1305_ietf_encrypt` makes of it, after the header and a nonce.
    #[test]
    fn what_was_written_by_an_earlier_version_is_read() {
        use base64::{Engine as _, engine::general_purpose::STANDARD_NO_PAD};
        let written = "AQFrAAECAwQFBgcICQoLDA0ODxAREhMUFRYXA/K48O3i9bLROy1tvf+I9XpKwq9v25ZdQn4";
        let written = STANDARD_NO_PAD.decode(written).unwrap();
        let read = keys().decrypt(&written, b"here").unwrap();
        assert_eq!(read, br#"{"cups":2}"#);
    }

    #[test]
    fn the_same_payload_is_never_encrypted_to_the_same_bytes() {
        let encrypted = || keys().encrypt(b"yes", b"here").unwrap();
        assert_ne!(encrypted(), encrypted());
    }

    #[test]
    fn every_changed_or_missing_byte_is_noticed() {
        let encrypted = keys().encrypt(b"yes", b"here").unwrap();
        for at in 0..encrypted.len() {
            let mut changed = encrypted.clone();
            changed[at] ^= 1;
            assert!(keys().decrypt(&changed, b"here").is_err(), "{at}");
            assert!(keys().decrypt(&encrypted[..at], b"here").is_err(), "{at}");
        }
        let elsewhere = reason(keys().decrypt(&encrypted, b"there"));
        assert_eq!(elsewhere, DecryptionError::NotAuthentic { id: "k".into() });
    }

    #[test]
    fn a_key_of_another_id_is_not_tried() {
        let encrypted = keys().encrypt(b"yes", b"").unwrap();
        let renamed = KeyRing::new("other", [1; 32]).unwrap();
        let unknown = reason(renamed.decrypt(&encrypted, b""));
        assert_eq!(unknown, DecryptionError::UnknownKey { id: "k".into() });
        // The id is authenticated, too: two keys that are the same stay apart.
        let both = renamed.with_key_for_reading("l", [1; 32]).unwrap();
        let mut changed = encrypted;
        changed[2] = b'l';
        let moved = reason(both.decrypt(&changed, b""));
        assert_eq!(moved, DecryptionError::NotAuthentic { id: "l".into() });
    }

    #[test]
    fn ids_are_distinct_and_not_too_long() {
        assert!(KeyRing::new("", [1; 32]).is_err());
        assert!(KeyRing::new("x".repeat(256), [1; 32]).is_err());
        let longest = KeyRing::new("x".repeat(255), [1; 32]).unwrap();
        let encrypted = longest.encrypt(b"yes", b"").unwrap();
        assert_eq!(longest.decrypt(&encrypted, b"").unwrap(), b"yes");
        assert!(keys().with_key_for_reading("k", [2; 32]).is_err());
        let two = keys().with_key_for_reading("l", [2; 32]).unwrap();
        assert!(two.with_key_for_reading("l", [3; 32]).is_err());
    }

    #[test]
    fn no_key_is_shown() {
        let two = keys().with_key_for_reading("l", [2; 32]).unwrap();
        let shown = r#"KeyRing { id: "k", for_reading: ["l"] }"#;
        assert_eq!(format!("{two:?}"), shown);
    }
}
