//! Who is let in: the token, the `Origin` of web pages, and the `Host`, against names of somebody else's that lead to
//! this machine (DNS rebinding).

use std::sync::Arc;

use axum::{
    Router,
    extract::{Request, State},
    http::{
        HeaderMap, HeaderValue, Method, StatusCode, Uri,
        header::{
            AUTHORIZATION, CACHE_CONTROL, CONTENT_TYPE, HOST, ORIGIN, REFERRER_POLICY,
            WWW_AUTHENTICATE, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
        },
    },
    middleware::{Next, from_fn_with_state, map_response},
    response::{IntoResponse as _, Response},
};
use percent_encoding::percent_decode_str;
use subtle::ConstantTimeEq as _;
use tower_http::cors::CorsLayer;

use super::{
    Access,
    origin::{Host, Origin},
    view::{self, Refused},
};

pub(super) fn guarded(routes: Router, access: Arc<Access>) -> Router {
    let cors = cors(&access);
    routes
        .layer(map_response(view::json_error))
        .layer(from_fn_with_state(access, guard))
        .layer(map_response(secured))
        .layer(cors)
}

/// Lets browsers send what pages of the origins that are named ask for, and read the answers (CORS).
fn cors(access: &Access) -> CorsLayer {
    let origins = access.origins.iter().filter_map(Origin::header);
    CorsLayer::new()
        .allow_origin(origins.collect::<Vec<_>>())
        .allow_methods([Method::GET, Method::POST])
        .allow_headers([AUTHORIZATION, CONTENT_TYPE])
}

async fn guard(State(access): State<Arc<Access>>, request: Request, next: Next) -> Response {
    let (headers, uri) = (request.headers(), request.uri());
    let forbidden = |why| Refused::new(StatusCode::FORBIDDEN, why).into_response();
    let Some(host) = host_of(headers, uri).filter(|host| access.allows_host(host)) else {
        return forbidden("this host is not allowed");
    };
    if !access.allows_page(headers, &host) {
        return forbidden("this origin is not allowed");
    }
    if !access.has_token(request.method(), headers, uri) {
        let refused = Refused::new(StatusCode::UNAUTHORIZED, "the token is missing or wrong");
        let mut refused = refused.into_response();
        let bearer = HeaderValue::from_static("Bearer");
        refused.headers_mut().insert(WWW_AUTHENTICATE, bearer);
        return refused;
    }
    next.run(request).await
}

/// Keeps browsers from passing on the token, which may be in the address, from keeping answers, from taking them for
/// anything but what they are, and from showing them within other pages.
async fn secured(mut response: Response) -> Response {
    for (name, value) in [
        (REFERRER_POLICY, "no-referrer"),
        (CACHE_CONTROL, "no-store"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (X_FRAME_OPTIONS, "DENY"),
    ] {
        let value = HeaderValue::from_static(value);
        response.headers_mut().insert(name, value);
    }
    response
}

/// What the request is for, by HTTP/1 or HTTP/2.
fn host_of(headers: &HeaderMap, uri: &Uri) -> Option<Host> {
    let mut named = headers.get_all(HOST).iter();
    match (named.next(), named.next()) {
        (Some(host), None) => Host::parse(host.to_str().ok()?),
        (Some(_), Some(_)) => None,
        (None, _) => Host::parse(uri.authority()?.as_str()),
    }
}

impl Access {
    /// Whether a name is this machine's alone, or that of an origin that was named.
    fn allows_host(&self, host: &Host) -> bool {
        host.is_loopback() || self.is_named(host)
    }

    fn is_named(&self, host: &Host) -> bool {
        self.origins.iter().any(|origin| origin.is_at(host))
    }

    /// Whether the request is not made by a web page, or by one that is let in: of an origin that was named, or this
    /// server's own.
    fn allows_page(&self, headers: &HeaderMap, host: &Host) -> bool {
        let mut sent = headers.get_all(ORIGIN).iter().peekable();
        if sent.peek().is_none() {
            // Browsers send no origin with what images, frames and links ask for, but say this.
            let site = headers.get("sec-fetch-site");
            return site.is_none_or(|it| it != "cross-site" && it != "same-site");
        }
        let sent: Option<Vec<Origin>> = sent
            .map(|it| Origin::parse(it.to_str().ok()?).ok())
            .collect();
        // Where an origin is named, a page of the same host and another scheme is another.
        let own = (!self.is_named(host)).then(|| Origin::own(host));
        let is_let_in = |it: &Origin| self.origins.contains(it) || own.as_ref() == Some(it);
        sent.is_some_and(|sent| sent.iter().all(is_let_in))
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
