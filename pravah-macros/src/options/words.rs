//! Words that are known, and what is said of others.

use syn::LitStr;

use crate::diag::Diagnostics;

/// Reports a text in the place of a word; `values` are those that could be there.
pub(super) fn in_quotes(
    text: &LitStr,
    key: &str,
    is_value: bool,
    values: &str,
    errors: &mut Diagnostics,
) {
    let help = match is_value {
        true => format!("write `{key} = {}`", text.value()),
        false => format!("write one of {values}"),
    };
    errors.error(
        text.span(),
        format!("the value of `{key}` is in quotes"),
        help,
    );
}

/// The known word that is most like `word`, if one is.
pub(super) fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    let likeness = known
        .iter()
        .map(|known| (strsim::jaro_winkler(word, known), *known))
        .filter(|(likeness, _)| *likeness > 0.75)
        .max_by(|one, other| one.0.total_cmp(&other.0))
        .map(|(_, known)| known);
    // Two letters of a short word that changed places make it unlike by that measure.
    let mut slips = known
        .iter()
        .filter(|known| word.len() > 2 && known.len() > 2);
    likeness.or_else(|| {
        slips
            .find(|known| strsim::osa_distance(word, known) == 1)
            .copied()
    })
}

/// The one of these words that is nearest, if at most two letters are other ones.
pub(crate) fn misspelt<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    nearest(word, known).filter(|near| strsim::damerau_levenshtein(word, near) <= 2)
}

pub(crate) fn list(names: &[&str]) -> String {
    names
        .iter()
        .map(|name| format!("`{name}`"))
        .collect::<Vec<_>>()
        .join(", ")
}

/// The help for a word that is none of these: the one that was meant, if one is like it.
pub(crate) fn did_you_mean(word: &str, known: &[&str]) -> String {
    nearest(word, known).map_or_else(String::new, |near| format!("did you mean `{near}`? "))
}
