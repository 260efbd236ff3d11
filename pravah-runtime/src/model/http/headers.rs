//! What the headers of an answer say about trying again.

use std::time::{Duration, SystemTime};

use reqwest::header::HeaderMap;

use crate::model::wire::Hints;

/// The longest wait that a server may ask for.
const MAX_WAIT: Duration = Duration::from_secs(24 * 60 * 60);

pub(in crate::model) fn hints(headers: &HeaderMap) -> Hints {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let seconds = |text: &str| Duration::try_from_secs_f64(text.trim().parse().ok()?).ok();
    let wait = text("retry-after-ms")
        .and_then(seconds)
        .map(|thousandfold| thousandfold / 1000)
        .or_else(|| text("retry-after").and_then(|text| seconds(text).or_else(|| until(text))));
    Hints {
        retry_after: wait.map(|wait| wait.min(MAX_WAIT)),
        should_retry: match text("x-should-retry") {
            Some("true") => Some(true),
            Some("false") => Some(false),
            _ => None,
        },
    }
}

/// The time from now to a date.
fn until(date: &str) -> Option<Duration> {
    let date = httpdate::parse_http_date(date).ok()?;
    Some(date.duration_since(SystemTime::now()).unwrap_or_default())
}
