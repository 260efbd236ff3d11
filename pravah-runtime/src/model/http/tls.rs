//! TLS on `ring`, whatever the process uses elsewhere.

use std::sync::Arc;

use reqwest::Url;
use rustls::{ClientConfig, RootCertStore, crypto::ring};
use rustls_platform_verifier::BuilderVerifierExt as _;

use crate::error::BoxError;

pub(super) fn config(url: &Url) -> Result<ClientConfig, BoxError> {
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?;
    // A machine without certificates can still reach a server without TLS.
    let builder = match url.scheme() {
        "https" => builder.with_platform_verifier()?,
        _ => builder.with_root_certificates(RootCertStore::empty()),
    };
    Ok(builder.with_no_client_auth())
}

/// For any server: without certificates on the machine those with TLS cannot be reached.
pub(crate) fn of_any_server() -> Result<ClientConfig, BoxError> {
    let [with, without] = ["https://localhost", "http://localhost"].map(Url::parse);
    config(&with?).or(config(&without?))
}

pub(super) fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost"
        || host
            .parse::<std::net::IpAddr>()
            .is_ok_and(|ip| ip.is_loopback())
}
