//! What was probably meant.

/// The candidate that is nearest to a word, if one is near enough to be a slip of it.
pub(crate) fn nearest<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let length = word.chars().count();
    // Comparing takes the product of the lengths.
    if length > 100 {
        return None;
    }
    let most = (length / 3).clamp(1, 3);
    candidates
        .into_iter()
        .filter(|candidate| candidate.len() <= 4 * (length + most) && *candidate != word)
        .filter(|candidate| candidate.chars().count().abs_diff(length) <= most)
        .map(|candidate| (strsim::osa_distance(word, candidate), candidate))
        .filter(|(distance, _)| *distance <= most)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_slip_is_near() {
        let candidates = ["input", "config", "when"];
        assert_eq!(nearest("imput", candidates), Some("input"));
        assert_eq!(nearest("wehn", candidates), Some("when"));
        assert_eq!(nearest("policy", candidates), None);
    }
}
