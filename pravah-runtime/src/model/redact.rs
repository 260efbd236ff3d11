//! Secrets are kept out of what errors say.

#[cfg(feature = "providers")]
use base64::{Engine as _, engine::general_purpose::STANDARD as BASE64};
#[cfg(feature = "providers")]
use secrecy::SecretString;

/// The shortest secret that is kept out, in bytes: a dummy for a server without keys is shorter, and may be
/// part of any word.
#[cfg(feature = "providers")]
const MIN_SECRET: usize = 8;

/// The shortest start of a secret that is kept out where a text was cut within the secret, in bytes.
#[cfg(feature = "providers")]
const MIN_CUT_SECRET: usize = 4;

/// How much is shown of what is no web address, in characters.
#[cfg(feature = "providers")]
const MAX_SHOWN: usize = 100;

/// Puts `…` in the place of a secret, and of its start where the text was cut within it.
#[cfg(feature = "providers")]
pub(super) fn hide_secret(text: &mut String, secret: &str) {
    if secret.len() < MIN_SECRET {
        return;
    }
    *text = text.replace(secret, "…");
    let cuts = secret.char_indices().map(|(at, _)| at).rev();
    for start in cuts.filter_map(|at| secret.get(..at)) {
        if start.len() < MIN_CUT_SECRET {
            return;
        }
        *text = text.replace(&format!("{start}…"), "…");
        if let Some(before) = text.strip_suffix(start) {
            *text = format!("{before}…");
        }
    }
}

/// The secrets in the address of a server, as it is written and as it is sent: its password, and the values
/// of its query.
#[cfg(feature = "providers")]
pub(super) fn secrets_in_address(address: &reqwest::Url) -> Vec<SecretString> {
    let mut found: Vec<SecretString> = Vec::new();
    for pair in address.query().unwrap_or_default().split('&') {
        found.extend(pair.split_once('=').map(|(_, value)| value.into()));
    }
    found.extend(
        address
            .query_pairs()
            .map(|(_, value)| value.as_ref().into()),
    );
    if let Some(password) = address.password() {
        found.push(password.into());
        let basic = BASE64.encode(format!("{}:{password}", address.username()));
        found.push(basic.into());
    }
    found
}

/// A web address without its user name, password, query and fragment: any of them may hold a secret. A path
/// is shown, since it is what a wrong address is recognised by.
pub(super) fn public_address(address: &str) -> String {
    let (address, _) = address.split_once(['?', '#']).unwrap_or((address, ""));
    let Some((scheme, rest)) = address.split_once("//") else {
        return address.to_owned();
    };
    let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    format!("{scheme}//{host}{path}")
}

/// What should have been a web address, without what may be a password or a key in it. Nothing says where
/// its host ends, so all before the last `@` is left out.
#[cfg(feature = "providers")]
pub(super) fn public_malformed_address(address: &str) -> String {
    let (address, _) = address.split_once(['?', '#']).unwrap_or((address, ""));
    let start = address.find("//").map_or(0, |slashes| slashes + 2);
    let (scheme, rest) = address.split_at(start);
    let rest = rest.rsplit_once('@').map_or(rest, |(_, rest)| rest);
    scheme.chars().chain(rest.chars()).take(MAX_SHOWN).collect()
}
