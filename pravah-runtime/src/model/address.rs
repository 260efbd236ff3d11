//! Web addresses.

use reqwest::Url;

/// What `text` is as a web address, if it is one.
pub(super) fn web_address(text: &str) -> Option<Url> {
    let url = Url::parse(text).ok()?;
    (matches!(url.scheme(), "http" | "https") && url.has_host()).then_some(url)
}
