//! The origins of web pages: a scheme and a host, as browsers write them (RFC 6454).

use axum::http::{HeaderValue, Uri, uri::Authority};

/// A text that is not the origin of a web page; see [`WebServer::with_origin`](crate::WebServer::with_origin).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not an origin: write `https://HOST` or `https://HOST:PORT`")]
pub struct InvalidOrigin(String);

/// The origin of web pages that are let in.
#[derive(Clone, Debug)]
pub(super) struct Origin {
    /// As browsers send it.
    pub(super) header: HeaderValue,
    pub(super) host: Authority,
}

impl Origin {
    pub(super) fn parse(text: &str) -> Result<Self, InvalidOrigin> {
        Self::read(text).ok_or_else(|| InvalidOrigin(text.to_owned()))
    }

    fn read(text: &str) -> Option<Self> {
        let uri: Uri = text.parse().ok()?;
        let scheme = uri
            .scheme_str()
            .filter(|it| matches!(*it, "http" | "https"))?;
        let host = uri.authority().filter(|it| !it.as_str().contains('@'))?;
        // There may be a path.
        if !format!("{scheme}://{host}").eq_ignore_ascii_case(text) {
            return None;
        }
        // Browsers leave out the usual port.
        let host = match (scheme, host.port_u16()) {
            ("http", Some(80)) | ("https", Some(443)) => host.host(),
            _ => host.as_str(),
        };
        let host = host.to_ascii_lowercase();
        Some(Self {
            header: format!("{scheme}://{host}").parse().ok()?,
            host: host.parse().ok()?,
        })
    }
}
