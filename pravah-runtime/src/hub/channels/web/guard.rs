//! Who is let in: the token, the `Origin` of web pages, and the `Host`, against names of somebody else's that lead to
//! this machine (DNS rebinding).

use std::sync::Arc;

use axum::{
    Router,
    extract::{Request, State},
    http::{
        HeaderMap, HeaderValue, Method, StatusCode, Uri,
        header::{
            AUTHORIZATION, CACHE_CONTROL, CONTENT_TYPE, HOST, HeaderName, ORIGIN, REFERRER_POLICY,
            WWW_AUTHENTICATE,
        },
        uri::Authority,
    },
    middleware::{Next, from_fn_with_state, map_response},
    response::{IntoResponse as _, Response},
};
use percent_encoding::percent_decode_str;
use subtle::ConstantTimeEq as _;
use tower_http::cors::CorsLayer;

use super::{
    Access,
    view::{self, Refused},
};

pub(super) fn guarded(routes: Router, access: Arc<Access>) -> Router {
    let cors = cors(&access);
    routes
        .layer(map_response(view::json_error))
        .layer(from_fn_with_state(access, guard))
        .layer(cors)
}

/// Lets browsers send what pages of the origins that are named ask for, and read the answers (CORS).
fn cors(access: &Access) -> CorsLayer {
    let origins = access.origins.iter().map(|it| it.header.clone());
    CorsLayer::new()
        .allow_origin(origins.collect::<Vec<_>>())
        .allow_methods([Method::GET, Method::POST])
        .allow_headers([AUTHORIZATION, CONTENT_TYPE])
}

async fn guard(State(access): State<Arc<Access>>, request: Request, next: Next) -> Response {
    let (headers, uri) = (request.headers(), request.uri());
    let host = host_of(headers, uri);
    if !host.as_ref().is_some_and(|host| access.allows_host(host)) {
        let why = "this host is not allowed";
        return Refused::new(StatusCode::FORBIDDEN, why).into_response();
    }
    if !host.is_some_and(|host| access.allows_origin(headers, &host)) {
        let why = "this origin is not allowed";
        return Refused::new(StatusCode::FORBIDDEN, why).into_response();
    }
    if !access.has_token(request.method(), headers, uri) {
        let refused = Refused::new(StatusCode::UNAUTHORIZED, "the token is missing or wrong");
        return with_header(refused.into_response(), WWW_AUTHENTICATE, "Bearer");
    }
    // The token may be in the address.
    let response = with_header(next.run(request).await, REFERRER_POLICY, "no-referrer");
    with_header(response, CACHE_CONTROL, "no-store")
}

fn with_header(mut response: Response, name: HeaderName, value: &'static str) -> Response {
    let headers = response.headers_mut();
    headers.insert(name, HeaderValue::from_static(value));
    response
}

/// What the request is for, by HTTP/1 or HTTP/2.
fn host_of(headers: &HeaderMap, uri: &Uri) -> Option<Authority> {
    let named = headers.get(HOST).and_then(|host| host.to_str().ok());
    match named {
        Some(host) => host.parse().ok(),
        None => uri.authority().cloned(),
    }
}

impl Access {
    /// Whether a name is this machine's alone, or that of an origin that was named.
    fn allows_host(&self, host: &Authority) -> bool {
        let name = host.host().trim_start_matches('[').trim_end_matches(']');
        let is_loopback = match name.parse::<std::net::IpAddr>() {
            Ok(address) => address.is_loopback(),
            Err(_) => name.eq_ignore_ascii_case("localhost"),
        };
        is_loopback || self.origins.iter().any(|origin| origin.host == *host)
    }

    /// Whether the request is not made by a web page, or by one of an origin that is let in.
    fn allows_origin(&self, headers: &HeaderMap, host: &Authority) -> bool {
        let own = ["http", "https"].map(|scheme| format!("{scheme}://{host}"));
        let is_let_in = |sent: &HeaderValue| {
            own.iter().any(|own| sent == own) || self.origins.iter().any(|it| it.header == *sent)
        };
        headers.get_all(ORIGIN).iter().all(is_let_in)
    }

    fn has_token(&self, method: &Method, headers: &HeaderMap, uri: &Uri) -> bool {
        let sent = headers
            .get(AUTHORIZATION)
            .and_then(|value| value.to_str().ok());
        let sent = sent.and_then(|value| value.split_once(' '));
        if let Some((scheme, token)) = sent {
            return scheme.eq_ignore_ascii_case("bearer") && self.is_token(token.trim().as_bytes());
        }
        let queried = uri.query().into_iter().flat_map(|query| query.split('&'));
        let mut queried = queried.filter_map(|pair| pair.strip_prefix("token="));
        method == Method::GET
            && queried.any(|token| {
                let token: Vec<u8> = percent_decode_str(token).collect();
                self.is_token(&token)
            })
    }

    /// In a time that does not say how much of it is right.
    fn is_token(&self, token: &[u8]) -> bool {
        !token.is_empty() && bool::from(self.token.as_bytes().ct_eq(token))
    }
}
