//! Flows that are being typed: one mistake, and every name is kept for the editor.

use super::{kept, mistakes};

#[test]
fn a_half_typed_flow_has_one_mistake_and_keeps_its_names() {
    for (flow, names) in [
        ("a -> ", "a"),
        ("a -> b -> ; c -> d", "a b c d"),
        ("a -> either()", "a"),
        ("a -> either(b,)", "a b"),
        ("a -> either(b -> , c) -> d", "a b c d"),
        ("a -> either(b, c) -> ", "a b c"),
        ("a -> nodes:: ", "a"),
        ("a -> fork(b, c) -> join()", "a b c"),
        ("a -> each(b -> )", "a b"),
        ("a -> each(b, limit = ) -> c", "a b c"),
        ("a -> each(b -> , limit = ITEMS) -> c", "a b c"),
        ("a -> each(limit = ITEMS, b) -> c", "a b c"),
        ("a -> each(b, retry(max_attempts = TRIES)) -> c", "a b c"),
        ("a -> wiht(b, c) -> d", "a b c d"),
        ("a b -> c", "a b c"),
        ("a -> b; catch(", "a b"),
    ] {
        // A macro never sees an open delimiter: an editor closes it.
        let flow = if flow.ends_with('(') {
            format!("{flow})")
        } else {
            flow.to_owned()
        };
        let all = mistakes(&flow);
        assert_eq!(all.len(), 1, "{flow}: {all:#?}");
        assert_eq!(kept(&flow), names, "{flow}");
    }
}

#[test]
fn mistakes_of_different_statements_are_reported_together() {
    let all = mistakes("a -> ; b -> either(c); d -> e f");
    assert_eq!(all.len(), 3, "{all:#?}");
}

#[test]
fn mistakes_of_different_branches_are_reported_together() {
    let all = mistakes("a -> either(b ->, c ->)");
    assert_eq!(all.len(), 2, "{all:#?}");
}

#[test]
fn a_name_is_kept_once_and_done_is_none() {
    assert_eq!(
        kept("a -> nodes::b -> either(done, a, self::a)"),
        "a nodes::b"
    );
    assert_eq!(kept("a -> self::done"), "a self::done");
}
