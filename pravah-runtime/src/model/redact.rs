//! Secrets are kept out of what errors say.

#[cfg(feature = "providers")]
use base64::{Engine as _, engine::general_purpose::STANDARD as BASE64};
#[cfg(feature = "providers")]
use percent_encoding::percent_decode_str;
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

/// How much of a secret a word must share with it to be taken for a part of it, in bytes.
#[cfg(feature = "providers")]
const MIN_SHARED: usize = 8;

/// Puts `…` in the place of a secret, also where JSON escapes it, and of what shows a part of it: its start
/// where the text was cut within the secret, and words in which a server has left some of it out.
#[cfg(feature = "providers")]
pub(super) fn hide_secret(text: &mut String, secret: &str) {
    if secret.len() < MIN_SECRET {
        return;
    }
    *text = text.replace(secret, "…");
    *text = text.replace(&secret.replace('/', "\\/"), "…");
    let cuts = secret.char_indices().map(|(at, _)| at).rev();
    for start in cuts.filter_map(|at| secret.get(..at)) {
        if start.len() < MIN_CUT_SECRET {
            break;
        }
        *text = text.replace(&format!("{start}…"), "…");
        if let Some(before) = text.strip_suffix(start) {
            *text = format!("{before}…");
        }
    }
    *text = without_parts(text, secret);
}

/// A text without the words that show a part of a secret.
#[cfg(feature = "providers")]
fn without_parts(text: &str, secret: &str) -> String {
    let ends_word = |c: char| c.is_whitespace() || "\"'`,;()".contains(c);
    let words = text.split_inclusive(ends_word);
    let hidden = words.map(|word| {
        let bare = word.trim_end_matches(ends_word);
        match is_part(bare, secret) {
            true => format!("…{}", word.strip_prefix(bare).unwrap_or_default()),
            false => word.to_owned(),
        }
    });
    hidden.collect()
}

/// Whether a word starts as a secret does, or has stars or dots and then ends as it does.
#[cfg(feature = "providers")]
fn is_part(word: &str, secret: &str) -> bool {
    let shared = |one: &mut dyn Iterator<Item = u8>, other: &mut dyn Iterator<Item = u8>| {
        one.zip(other)
            .take_while(|(one, other)| one == other)
            .count()
    };
    let at_start = shared(&mut word.bytes(), &mut secret.bytes());
    let at_end = shared(&mut word.bytes().rev(), &mut secret.bytes().rev());
    let leaves_out = word.contains("**") || word.contains("..") || word.contains('…');
    at_start >= MIN_SHARED || (leaves_out && at_end >= MIN_CUT_SECRET)
}

/// The secrets in the address of a server, as it is written and as it is sent: its password, or the user
/// name where that is alone, and its query.
#[cfg(feature = "providers")]
pub(super) fn secrets_in_address(address: &reqwest::Url) -> Vec<SecretString> {
    let pairs = address.query().unwrap_or_default().split('&');
    let written = pairs.map(|pair| pair.split_once('=').map_or(pair, |(_, value)| value).into());
    let mut found: Vec<SecretString> = written.collect();
    found.extend(
        address
            .query_pairs()
            .map(|(_, value)| value.as_ref().into()),
    );
    let decoded = |text| percent_decode_str(text).decode_utf8_lossy().into_owned();
    let (user, password) = (address.username(), address.password());
    if password.is_some() || !user.is_empty() {
        let alone = password.unwrap_or(user);
        found.extend([alone.into(), decoded(alone).into()]);
        let sent = format!(
            "{}:{}",
            decoded(user),
            decoded(password.unwrap_or_default())
        );
        found.push(BASE64.encode(sent).into());
    }
    found
}

/// A web address without its user name, password, query and fragment: any of them may hold a secret. A path
/// is shown, since it is what a wrong address is recognised by.
pub(super) fn public_address(address: &str) -> String {
    let (address, _) = address.split_once(['?', '#']).unwrap_or((address, ""));
    let Some((scheme, rest)) = address.split_once("//") else {
        let (_, rest) = address.rsplit_once('@').unwrap_or(("", address));
        return rest.to_owned();
    };
    let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    format!("{scheme}//{host}{path}")
}

/// What should have been a web address, without what may be a password or a key in it. Nothing says where
/// its host ends, so all before the last `@` is left out.
#[cfg(feature = "providers")]
pub(super) fn public_malformed_address(address: &str) -> String {
    let start = address.find("//").map_or(0, |slashes| slashes + 2);
    let (scheme, rest) = address.split_at(start);
    let rest = rest.rsplit_once('@').map_or(rest, |(_, rest)| rest);
    let (rest, _) = rest.split_once(['?', '#']).unwrap_or((rest, ""));
    scheme.chars().chain(rest.chars()).take(MAX_SHOWN).collect()
}
