//! Flows that hold together and are not sound: the node, and the run that shows it.

use super::mistakes;

/// The flow has one mistake: labelled at `label`, saying all of `parts`.
#[track_caller]
fn refuses(flow: &str, label: &str, parts: &[&str]) {
    let all = mistakes(flow);
    let [one] = all.as_slice() else {
        panic!("{flow}: {all:#?}")
    };
    assert!(one.starts_with(&format!("{label}: ")), "{flow}: {one:?}");
    for part in parts {
        assert!(one.contains(part), "{flow}: {one:?} does not say {part:?}");
    }
}

#[test]
fn a_node_that_nothing_leads_to_is_reported_once() {
    refuses("a -> b; c -> d", "c", &["no run reaches `c`"]);
    refuses(
        "a -> either(done, b -> done) -> c",
        "c",
        &["nothing leads to `c`", "remove `-> done`"],
    );
}

#[test]
fn a_loop_without_a_way_out_is_reported() {
    refuses("a -> b -> c; c -> b", "b", &["`b` loops forever"]);
}

#[test]
fn branches_that_never_meet_are_reported_at_the_fork() {
    refuses(
        "a -> fork(b, c)",
        "fork",
        &[
            "never join",
            "`b` and `c` both end the flow",
            "the run `a -> b`",
            "-> join(",
        ],
    );
    refuses(
        "a -> fork(b, c) -> done",
        "fork",
        &["`b` and `c` both end the flow"],
    );
    refuses(
        "a -> fork(done, b)",
        "fork",
        &["`a` and `b` both end the flow"],
    );
}

#[test]
fn a_branch_that_leaves_its_fork_is_reported_where_it_ends() {
    refuses(
        "a -> fork(b -> either(done, c), d) -> join(e)",
        "done",
        &[
            "`b` ends the flow",
            "`a -> b`",
            "carry its result as a state to the `join`",
        ],
    );
}

#[test]
fn a_join_that_waits_forever_is_reported_with_the_run() {
    refuses(
        "a -> either(b, c -> fork(d, e)) -> join(f)",
        "join",
        &[
            "`f` can wait forever",
            "the run `a -> b`",
            "it joins 2 branches",
        ],
    );
}

#[test]
fn a_caught_failure_is_named_in_the_run() {
    refuses(
        "a -> fork(b, c) -> join(d); catch(b) -> h",
        "h",
        &["`h` ends the flow", "catch(b) -> h"],
    );
}

#[test]
fn a_chain_in_each_is_proved_on_its_own() {
    refuses(
        "a -> each(b -> fork(c, d)) -> e",
        "fork",
        &["`c` and `d` both end the flow", "`b -> c`"],
    );
}

#[test]
fn structural_mistakes_are_reported_together() {
    assert_eq!(mistakes("a; b; c").len(), 2);
}

#[test]
fn a_state_that_is_overwritten_is_reported_with_the_run() {
    refuses(
        "a -> fork(b -> either(a, x), c) -> join(d)",
        "c",
        &[
            "`c` can be given a state while it still holds one",
            "`a -> b -> a`",
        ],
    );
}
