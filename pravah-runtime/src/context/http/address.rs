//! Which addresses may be reached.

use std::{
    error::Error,
    fmt, io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs as _},
    sync::Arc,
};

use reqwest::{
    Url,
    dns::{Addrs, Name, Resolve, Resolving},
};

/// Whether a host is listed: by its name alone for the usual port of the scheme, or with its port.
pub(super) fn is_listed(hosts: &[String], url: &Url) -> bool {
    let is_web = matches!(url.scheme(), "http" | "https");
    let host = shown(url);
    is_web
        && hosts
            .iter()
            .any(|listed| listed.eq_ignore_ascii_case(&host))
}

/// A host as a list has it.
pub(super) fn shown(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default().trim_end_matches('.');
    match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    }
}

/// A host that may not be reached, beneath an error of the client.
#[derive(Debug)]
pub(super) struct Forbidden(pub(super) String);

impl fmt::Display for Forbidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` may not be reached", self.0)
    }
}

impl Error for Forbidden {}

/// The host that may not be reached, if that is why a request failed.
pub(super) fn forbidden(error: &reqwest::Error) -> Option<&str> {
    let mut cause = error.source();
    while let Some(error) = cause {
        if let Some(Forbidden(host)) = error.downcast_ref() {
            return Some(host);
        }
        cause = error.source();
    }
    None
}

/// Looks names up, and leaves the private addresses out that are not listed.
pub(super) struct PublicAddresses(pub(super) Arc<[String]>);

impl Resolve for PublicAddresses {
    fn resolve(&self, name: Name) -> Resolving {
        let hosts = Arc::clone(&self.0);
        Box::pin(async move {
            let host = name.as_str().to_owned();
            let looked_up = host.clone();
            let found = tokio::task::spawn_blocking(move || look_up(&looked_up)).await??;
            let is_allowed = |address: &SocketAddr| may_be_reached(&hosts, &host, address.ip());
            let allowed: Vec<SocketAddr> = found.into_iter().filter(is_allowed).collect();
            match allowed.is_empty() {
                true => Err(Forbidden(host).into()),
                false => Ok(Box::new(allowed.into_iter()) as Addrs),
            }
        })
    }
}

fn look_up(host: &str) -> io::Result<Vec<SocketAddr>> {
    Ok((host, 0).to_socket_addrs()?.collect())
}

fn may_be_reached(hosts: &[String], name: &str, address: IpAddr) -> bool {
    let is_own = name.eq_ignore_ascii_case("localhost") && address.is_loopback();
    let text = address.to_string();
    is_own || !is_private(address) || hosts.contains(&text)
}

/// Whether an address is not one of the internet at large.
fn is_private(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_private_v4(address),
        IpAddr::V6(address) => is_private_v6(address),
    }
}

/// <https://www.iana.org/assignments/iana-ipv4-special-registry>
fn is_private_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_documentation()
        || a == 0
        || a >= 224
        || (a == 100 && (64..128).contains(&b))
        || (a, b, c) == (192, 0, 0)
        || (a == 198 && (b == 18 || b == 19))
}

/// <https://www.iana.org/assignments/iana-ipv6-special-registry>
fn is_private_v6(address: Ipv6Addr) -> bool {
    let [a, b, c, d, e, f, g, h] = address.segments();
    let embedded = |high: u16, low: u16| {
        let [[a, b], [c, d]] = [high.to_be_bytes(), low.to_be_bytes()];
        is_private_v4(Ipv4Addr::new(a, b, c, d))
    };
    match (a, b) {
        // Only these are of the internet at large.
        _ if (a, b, c, d, e, f) == (0x64, 0xff9b, 0, 0, 0, 0) => embedded(g, h),
        _ if (a, b, c, d, e, f) == (0, 0, 0, 0, 0, 0xffff) => embedded(g, h),
        (0x2002, high) => embedded(high, c),
        (0x2001, 0 | 0xdb8) => true,
        _ => !(0x2000..0x4000).contains(&a),
    }
}

#[cfg(test)]
mod tests {
    use super::{is_listed, may_be_reached};

    fn listed(hosts: &[&str], url: &str) -> bool {
        let hosts: Vec<String> = hosts.iter().map(|host| (*host).to_owned()).collect();
        is_listed(&hosts, &url.parse().unwrap())
    }

    #[test]
    fn a_host_is_listed_letter_by_letter_and_with_its_port() {
        assert!(listed(
            &["api.example.com"],
            "https://API.example.com./v1?q"
        ));
        assert!(listed(&["localhost:8080"], "http://localhost:8080/"));
        assert!(listed(&["[::1]"], "http://[::1]/"));
        for url in [
            "https://example.com/",
            "https://api.example.com:8443/",
            "https://api.example.com.evil.org/",
            "https://api.example.com@evil.org/",
            "https://evil.org/api.example.com",
            "ftp://api.example.com/",
        ] {
            assert!(!listed(&["api.example.com"], url), "{url}");
        }
        // However it is written.
        for url in ["http://2130706433/", "http://0x7f.1/", "http://127.1/"] {
            assert!(!listed(&["localhost"], url), "{url}");
        }
    }

    #[test]
    fn a_name_may_not_lead_to_a_private_address_that_is_not_listed() {
        let reached = |name, address: &str| may_be_reached(&[], name, address.parse().unwrap());
        for address in [
            "10.1.2.3",
            "127.0.0.1",
            "169.254.169.254",
            "172.16.0.1",
            "192.168.0.1",
            "100.64.0.1",
            "0.0.0.0",
            "224.0.0.1",
            "255.255.255.255",
            "198.18.0.1",
            "::",
            "::1",
            "fe80::1",
            "fc00::1",
            "ff02::1",
            "::ffff:10.0.0.1",
            "64:ff9b::a00:1",
            "2002:a00:1::",
            "2001:db8::1",
        ] {
            assert!(!reached("api.example.com", address), "{address}");
        }
        for address in [
            "93.184.216.34",
            "2606:2800:220:1::1",
            "::ffff:93.184.216.34",
        ] {
            assert!(reached("api.example.com", address), "{address}");
        }
        assert!(reached("localhost", "127.0.0.1") && !reached("localhost", "10.0.0.1"));
        let hosts = ["10.1.2.3".to_owned()];
        assert!(may_be_reached(
            &hosts,
            "intranet",
            "10.1.2.3".parse().unwrap()
        ));
    }
}
