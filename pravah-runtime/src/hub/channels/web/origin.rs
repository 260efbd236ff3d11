//! The origins of web pages: a scheme and a host, as browsers write them (RFC 6454).

use std::net::{IpAddr, Ipv6Addr};

use axum::http::HeaderValue;

/// A text that is not the origin of a web page; see [`WebServer::with_origin`](crate::WebServer::with_origin).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not an origin: write `https://HOST` or `https://HOST:PORT`")]
pub struct InvalidOrigin(String);

/// The origin of a web page.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Origin {
    scheme: Scheme,
    host: Host,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Scheme {
    Http,
    Https,
}

/// A host with its port, where that is named.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Host {
    /// In lower case; an address of IPv6 in brackets.
    name: String,
    port: Option<u16>,
}

impl Origin {
    pub(super) fn parse(text: &str) -> Result<Self, InvalidOrigin> {
        Self::read(text).ok_or_else(|| InvalidOrigin(text.to_owned()))
    }

    /// Browsers leave out the usual port.
    fn read(text: &str) -> Option<Self> {
        let text = text.to_ascii_lowercase();
        let (scheme, host) = text.split_once("://")?;
        let scheme = match scheme {
            "http" => Scheme::Http,
            "https" => Scheme::Https,
            _ => return None,
        };
        let host = Host::parse(host)?.without(scheme.port());
        Some(Self { scheme, host })
    }

    /// The page of this host itself, on this machine.
    pub(super) fn own(host: &Host) -> Self {
        let scheme = Scheme::Http;
        let host = host.clone().without(scheme.port());
        Self { scheme, host }
    }

    /// Whether a request to this host is one to the host of this origin.
    pub(super) fn is_at(&self, host: &Host) -> bool {
        self.host == host.clone().without(self.scheme.port())
    }

    /// As browsers send it.
    pub(super) fn header(&self) -> Option<HeaderValue> {
        let scheme = match self.scheme {
            Scheme::Http => "http",
            Scheme::Https => "https",
        };
        let port = self.host.port.map(|port| format!(":{port}"));
        let port = port.unwrap_or_default();
        format!("{scheme}://{}{port}", self.host.name).parse().ok()
    }
}

impl Scheme {
    fn port(self) -> u16 {
        match self {
            Self::Http => 80,
            Self::Https => 443,
        }
    }
}

impl Host {
    /// Reads what a `Host` header may have, and nothing else: of what a lenient reader cuts off, others may make a host
    /// of their own.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let text = text.to_ascii_lowercase();
        let (name, port) = match text.rsplit_once(':') {
            Some((name, port)) if !port.ends_with(']') => (name, Some(port)),
            _ => (&*text, None),
        };
        if !is_address(name) && !is_name(name) {
            return None;
        }
        let port = match port {
            Some(port) if port.bytes().all(|it| it.is_ascii_digit()) => Some(port.parse().ok()?),
            Some(_) => return None,
            None => None,
        };
        let name = name.to_owned();
        Some(Self { name, port })
    }

    fn without(mut self, port: u16) -> Self {
        self.port = self.port.filter(|it| *it != port);
        self
    }

    /// Whether this is a name that only this machine has.
    pub(super) fn is_loopback(&self) -> bool {
        let address = match bracketed(&self.name) {
            Some(address) => address.parse(),
            None => self.name.parse::<IpAddr>(),
        };
        match address {
            Ok(address) => address.is_loopback(),
            Err(_) => self.name == "localhost",
        }
    }
}

fn bracketed(name: &str) -> Option<&str> {
    name.strip_prefix('[')?.strip_suffix(']')
}

fn is_address(name: &str) -> bool {
    bracketed(name).is_some_and(|it| it.parse::<Ipv6Addr>().is_ok())
}

fn is_name(name: &str) -> bool {
    let is_allowed = |it: u8| it.is_ascii_alphanumeric() || matches!(it, b'-' | b'.' | b'_');
    !name.is_empty() && name.bytes().all(is_allowed)
}
