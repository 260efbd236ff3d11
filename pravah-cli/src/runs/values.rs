//! What arguments say, and how values are shown.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use pravah_store::{Cursor, Status, is_encrypted_text};

/// A time such as `30d`, `12h`, `5m` or `10s`.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || format!("`{text}` is not a time: write `30d`, `12h`, `5m` or `10s`");
    let (number, seconds) = text
        .strip_suffix('d')
        .map(|number| (number, 24 * 60 * 60))
        .or_else(|| text.strip_suffix('h').map(|number| (number, 60 * 60)))
        .or_else(|| text.strip_suffix('m').map(|number| (number, 60)))
        .or_else(|| text.strip_suffix('s').map(|number| (number, 1)))
        .ok_or_else(wrong)?;
    let number: u64 = number.parse().map_err(|_| wrong())?;
    let seconds = number.checked_mul(seconds).ok_or_else(wrong)?;
    Ok(Duration::from_secs(seconds))
}

pub(super) fn status(text: &str) -> Result<Status, String> {
    let wrong = "it is one of ready, waiting, suspended, paused, failed, done and cancelled";
    Status::from_name(text).ok_or_else(|| wrong.to_owned())
}

pub(super) fn tag(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("write `name=value`")?;
    Ok((name.to_owned(), value.to_owned()))
}

pub(super) fn cursor(text: &str) -> Result<Cursor, String> {
    let wrong = "it is not what `pravah runs list` has printed";
    text.parse().map_err(|_| wrong.to_owned())
}

/// A time in UTC, to the second: `2026-03-01 09:30:00Z`.
pub(super) fn time(time: SystemTime) -> String {
    let seconds = time
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_secs();
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = date(days);
    let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}Z")
}

/// The date of a day after 1970-01-01. Years start in March here, so that the leap day is the last of one, and eras of
/// 400 years all have the same days (Howard Hinnant, "chrono-compatible low-level date algorithms").
fn date(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let from_march = (5 * day + 2) / 153;
    let day = day - (153 * from_march + 2) / 5 + 1;
    let (month, next) = match from_march {
        0..10 => (from_march + 3, 0),
        _ => (from_march - 9, 1),
    };
    (era * 400 + year + next, month, day)
}

/// A text in one line, without what a terminal would obey, and shortened where it is long.
pub(super) fn line(text: &str) -> String {
    const LONGEST: usize = 200;
    let clean = |char: char| if char.is_control() { ' ' } else { char };
    let mut line: String = text.chars().take(LONGEST).map(clean).collect();
    if text.chars().nth(LONGEST).is_some() {
        line.push('…');
    }
    line
}

/// A payload in one line. `pravah` has no keys, and what is encrypted tells nobody anything.
pub(super) fn payload(text: &str) -> String {
    match is_encrypted_text(text) {
        true => "(encrypted)".to_owned(),
        false => line(text),
    }
}

/// A text as one argument of a command that somebody may paste into a shell.
pub(super) fn argument(text: &str) -> String {
    let is_plain = |char: char| char.is_ascii_alphanumeric() || "-_./:@=".contains(char);
    // zsh looks for a program where a word starts with `=`.
    let is_plain_start = !text.is_empty() && !text.starts_with('=');
    match is_plain_start && text.chars().all(is_plain) {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_shown_in_utc() {
        let shown = |seconds| time(UNIX_EPOCH + Duration::from_secs(seconds));
        assert_eq!(shown(0), "1970-01-01 00:00:00Z");
        assert_eq!(shown(951_827_696), "2000-02-29 12:34:56Z");
        assert_eq!(shown(1_772_323_199), "2026-02-28 23:59:59Z");
        assert_eq!(shown(1_772_323_200), "2026-03-01 00:00:00Z");
        assert_eq!(shown(4_102_444_800), "2100-01-01 00:00:00Z");
    }

    #[test]
    fn an_age_has_a_unit() {
        assert_eq!(duration("30d"), Ok(Duration::from_secs(2_592_000)));
        assert_eq!(duration("5m"), Ok(Duration::from_secs(300)));
        for wrong in ["", "30", "d", "-1d", "1.5h", "9999999999999999999d"] {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_argument_is_nothing_else_to_a_shell() {
        assert_eq!(argument("order-7"), "order-7");
        assert_eq!(argument("it's; rm -r *"), r"'it'\''s; rm -r *'");
        assert_eq!(argument("ask[1]"), "'ask[1]'");
        assert_eq!(argument("=ls"), "'=ls'");
        assert_eq!(argument(""), "''");
    }

    #[test]
    fn a_payload_that_is_encrypted_is_not_shown() {
        for encrypted in ["enc1:AAAA", "\"enc1:AAAA\""] {
            assert_eq!(payload(encrypted), "(encrypted)");
        }
        assert_eq!(payload(r#"{"text":"enc1:"}"#), r#"{"text":"enc1:"}"#);
    }

    #[test]
    fn a_line_has_nothing_that_a_terminal_would_obey() {
        assert_eq!(line("red\u{1b}[31m\nnext"), "red [31m next");
        assert_eq!(line(&"é".repeat(201)).chars().count(), 201);
    }
}
