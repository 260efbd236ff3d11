//! Times as a person would say them.

use std::time::Duration;

const UNITS: [(&str, u64); 3] = [("d", 24 * 60 * 60), ("h", 60 * 60), ("m", 60)];

/// A duration in days, hours, minutes and what is left: `1d 12h`, `1m 30s`, `50ms`.
pub(super) fn in_units(time: Duration) -> String {
    let mut rest = time;
    let mut parts = Vec::new();
    for (unit, seconds) in UNITS {
        let count = rest.as_secs() / seconds;
        if count > 0 {
            parts.push(format!("{count}{unit}"));
            rest = rest.saturating_sub(Duration::from_secs(count.saturating_mul(seconds)));
        }
    }
    if !rest.is_zero() {
        parts.push(format!("{rest:?}"));
    }
    match parts.is_empty() {
        true => "0s".to_owned(),
        false => parts.join(" "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_said_in_the_largest_units() {
        for (millis, said) in [
            (0, "0s"),
            (50, "50ms"),
            (1_500, "1.5s"),
            (30_000, "30s"),
            (90_000, "1m 30s"),
            (3_600_000, "1h"),
            (86_400_000, "1d"),
            (131_400_500, "1d 12h 30m 500ms"),
        ] {
            assert_eq!(in_units(Duration::from_millis(millis)), said);
        }
        let most = in_units(Duration::MAX);
        assert!(most.starts_with("213503982334601d 7h"), "{most}");
    }
}
