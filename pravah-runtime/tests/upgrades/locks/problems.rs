//! What keeps runs of earlier versions from going on.

use pravah_runtime::{FlowGraph, FlowLock, LoadOptions, prelude::*};

use crate::lock_problems;

/// States and functions that every version may use.
macro_rules! version {
    ($name:ident { $($items:tt)* }) => {
        #[allow(dead_code, reason = "not every version has every node")]
        mod $name {
            use pravah_runtime::prelude::*;

            crate::states!(Text, Draft, Left, Right, Both, Published);

            $($items)*
        }
    };
}

version!(forked {
    #[node]
    fn split(_: Text) -> (Left, Right) { (Left { n: 0 }, Right { n: 0 }) }
    #[node]
    fn join(_: Left, _: Right) -> Both { Both { n: 0 } }
    #[gate(prompt = "Publish?")]
    fn publish(_: Both, yes: bool) -> Published { Published { n: u64::from(yes) } }
    #[flow]
    pub(super) fn write(text: Text) -> Published { flow! { split -> fork(join(join), join(join)) -> publish } }
});

// One branch is gone.
version!(chained {
    #[node]
    fn start(_: Text) -> Left { Left { n: 0 } }
    #[node]
    fn go_on(_: Left) -> Both { Both { n: 0 } }
    #[gate(prompt = "Publish?")]
    fn publish(_: Both, yes: bool) -> Published { Published { n: u64::from(yes) } }
    #[flow]
    pub(super) fn write(text: Text) -> Published { flow! { start -> go_on -> publish } }
});

// Both branches are there, one after the other.
version!(in_turn {
    #[node]
    fn start(_: Text) -> Left { Left { n: 0 } }
    #[node]
    fn left(_: Left) -> Right { Right { n: 0 } }
    #[node]
    fn right(_: Right) -> Both { Both { n: 0 } }
    #[gate(prompt = "Publish?")]
    fn publish(_: Both, yes: bool) -> Published { Published { n: u64::from(yes) } }
    #[flow]
    pub(super) fn write(text: Text) -> Published { flow! { start -> left -> right -> publish } }
});

// The gate asks for more, or is none.
version!(asking {
    #[node]
    fn split(_: Text) -> (Left, Right) { (Left { n: 0 }, Right { n: 0 }) }
    #[node]
    fn join(_: Left, _: Right) -> Both { Both { n: 0 } }
    #[gate(prompt = "When?")]
    fn publish(_: Both, when: String) -> Published { Published { n: when.len() as u64 } }
    #[flow]
    pub(super) fn write(text: Text) -> Published { flow! { split -> fork(join(join), join(join)) -> publish } }
});
version!(automatic {
    #[node]
    fn split(_: Text) -> (Left, Right) { (Left { n: 0 }, Right { n: 0 }) }
    #[node]
    fn join(_: Left, _: Right) -> Both { Both { n: 0 } }
    #[node]
    fn publish(_: Both) -> Published { Published { n: 1 } }
    #[flow]
    pub(super) fn write(text: Text) -> Published { flow! { split -> fork(join(join), join(join)) -> publish } }
});

fn problems(old: Result<FlowGraph, FlowError>, new: Result<FlowGraph, FlowError>) -> Vec<String> {
    lock_problems(("1.2.0", old), new, &LoadOptions::new())
}

#[test]
fn the_same_version_has_none() {
    assert!(problems(forked::write::graph(), forked::write::graph()).is_empty());
}

#[test]
fn a_state_that_no_node_takes_any_more_is_named_with_the_nodes_that_lead_to_it() {
    assert_eq!(
        problems(forked::write::graph(), chained::write::graph()),
        ["version 1.2.0: after `split`, a `Right` waits, and no node of this version takes it",]
    );
}

#[test]
fn a_step_after_which_a_run_cannot_finish_is_named_with_what_it_leaves() {
    assert_eq!(
        problems(forked::write::graph(), in_turn::write::graph()),
        [
            "version 1.2.0: after `split`, `Left` and `Right` wait, and in this version a run cannot finish from there",
            "version 1.2.0: after `split` -> `join`, `Both` waits, and in this version a run cannot finish from there",
        ]
    );
}

#[test]
fn an_open_question_that_nobody_asks_any_more_is_named() {
    assert_eq!(
        problems(forked::write::graph(), asking::write::graph()),
        [
            "version 1.2.0: a run inside `publish` cannot go on there: it was a gate that returns `Published (answer: boolean)`, and is a gate that returns `Published (answer: string)`"
        ]
    );
    assert_eq!(
        problems(forked::write::graph(), automatic::write::graph()),
        [
            "version 1.2.0: a run inside `publish` cannot go on there: it was a gate that returns `Published (answer: boolean)`, and is `publish`, which does its work in a single step"
        ]
    );
    // A function has nothing before the end of its step.
    assert!(problems(automatic::write::graph(), forked::write::graph()).is_empty());
}

/// States in an earlier form.
mod plain {
    use pravah_runtime::prelude::*;

    #[state]
    pub(super) struct Text {
        pub(super) words: u32,
        pub(super) kind: Kind,
    }
    #[state]
    pub(super) enum Kind {
        Letter,
        Poem,
    }
    #[state]
    pub(super) struct Draft {
        pub(super) text: String,
    }
    #[node]
    fn write(text: Text) -> Draft {
        Draft {
            text: match text.kind {
                Kind::Letter => "Dear Ada".into(),
                Kind::Poem => "Roses".into(),
            },
        }
    }
    #[flow]
    pub(super) fn writing(text: Text) -> Draft {
        flow! { write }
    }
}

/// The same with states that a macro call writes.
macro_rules! changed {
    ($name:ident { $($text:tt)* } { $($kind:tt)* }) => {
        #[allow(dead_code, reason = "only schemas are looked at")]
        mod $name {
            use pravah_runtime::prelude::*;

            #[state] pub(super) struct Text { $($text)* }
            #[state] pub(super) enum Kind { $($kind)* }
            #[state] pub(super) struct Draft { text: String }
            #[node] fn write(_: Text) -> Draft { Draft { text: String::new() } }
            #[flow] pub(super) fn writing(text: Text) -> Draft { flow! { write } }
        }
    };
}

changed!(with_default { words: u32, #[serde(default)] pages: u32, kind: Kind } { Letter, Poem });
changed!(with_alias { #[serde(alias = "words")] count: u32, kind: Kind } { Letter, Poem });
changed!(with_other_name { count: u32, kind: Kind } { Letter, Poem });
changed!(with_another_field { titles: Vec<String>, kind: Kind } { Letter, Poem });
changed!(with_more_cases { words: u32, kind: Kind } { Letter, Poem, Novel });
changed!(with_field { words: u32, pages: u32, kind: Kind } { Letter, Poem });
changed!(with_other_type { words: String, kind: Kind } { Letter, Poem });
changed!(with_fewer_cases { words: u32, kind: Kind } { Poem });
changed!(with_optional_case { words: u32, kind: Kind, #[serde(default)] next: Option<Kind> } { Letter, Poem, Novel });
changed!(with_fewer_optional_cases { words: u32, kind: Kind, #[serde(default)] next: Option<Kind> } { Letter, Poem });
changed!(with_map { words: u32, kind: Kind, #[serde(default)] by_page: std::collections::BTreeMap<u32, Kind> } { Letter, Poem, Novel });
changed!(with_map_of_fewer { words: u32, kind: Kind, #[serde(default)] by_page: std::collections::BTreeMap<u32, Kind> } { Letter });
changed!(without_default { words: u32, pages: u32, kind: Kind } { Letter, Poem });
changed!(with_narrower_number { words: u8, kind: Kind } { Letter, Poem });

#[test]
fn a_state_that_can_still_be_read_is_no_problem() {
    for new in [
        plain::writing::graph(),
        with_default::writing::graph(),
        with_alias::writing::graph(),
        with_more_cases::writing::graph(),
        // A smaller type reads the numbers that fit it.
        with_narrower_number::writing::graph(),
    ] {
        assert_eq!(problems(plain::writing::graph(), new), [""; 0]);
    }
}

#[test]
fn a_state_that_cannot_be_read_any_more_is_named_with_what_serde_says() {
    for (new, why) in [
        (with_field::writing::graph(), "missing field `pages`"),
        (
            with_other_type::writing::graph(),
            "field `words`: invalid type: integer `1`, expected a string",
        ),
        (
            with_fewer_cases::writing::graph(),
            "field `kind`: unknown variant `Letter`, expected `Poem`",
        ),
    ] {
        let said = format!("version 1.2.0: a `Text` that was stored cannot be read: {why}");
        assert_eq!(problems(plain::writing::graph(), new), [said]);
    }
}

/// What helps with the problem that there is.
fn help(new: Result<FlowGraph, FlowError>) -> String {
    let mut lock = FlowLock::new("Text");
    lock.add("1.2.0", &plain::writing::graph().unwrap());
    lock.check(&new.unwrap()).problems[0].help()
}

#[test]
fn a_new_field_is_given_a_default_and_one_with_another_name_an_alias() {
    let migration = "write a `#[migrate]` function from the earlier `Text` and name it in `#[flow(migrate(…))]`";
    assert_eq!(
        help(with_field::writing::graph()),
        format!("write `#[serde(default)]` above the new field `pages`, or {migration}")
    );
    assert_eq!(
        help(with_other_name::writing::graph()),
        format!(
            "if `count` is the field that was called `words`, write `#[serde(alias = \"words\")]` above it, since \
             `#[serde(default)]` would lose what was stored; otherwise {migration}"
        )
    );
    assert_eq!(
        help(with_another_field::writing::graph()),
        format!("{migration}; `#[serde(default)]` would lose what was stored in `words`")
    );
    assert_eq!(
        help(with_fewer_cases::writing::graph()),
        format!(
            "keep the variant `Letter`, write `#[serde(alias = \"Letter\")]` above one that has another name now, or \
             {migration}"
        )
    );
    assert_eq!(help(with_other_type::writing::graph()), migration);
}

#[test]
fn a_case_is_found_wherever_it_may_be() {
    for (old, new, why) in [
        (
            with_optional_case::writing::graph(),
            with_fewer_optional_cases::writing::graph(),
            "unknown variant `Novel`",
        ),
        (
            with_map::writing::graph(),
            with_map_of_fewer::writing::graph(),
            "unknown variant `Poem`",
        ),
    ] {
        let found = problems(old, new);
        assert!(found.len() == 1 && found[0].contains(why), "{found:?}");
    }
}

#[test]
fn a_default_that_is_not_needed_any_more_may_go() {
    let (old, new) = (
        with_default::writing::graph(),
        without_default::writing::graph(),
    );
    assert_eq!(problems(old, new), [""; 0]);
}

/// A nested flow that has a `catch` now, and is called as before.
macro_rules! nested {
    ($name:ident $($flow:tt)*) => {
        #[allow(dead_code, reason = "not every version catches")]
        mod $name {
            use pravah_runtime::prelude::*;

            crate::states!(Text, Draft, Checked, Judged, Published);

            #[node] fn write(text: Text) -> Draft { Draft { n: text.n } }
            #[node] fn check(draft: Draft) -> Checked { Checked { n: draft.n } }
            #[node] fn judge(checked: Checked) -> Judged { Judged { n: checked.n } }
            #[flow(named)] fn review(draft: Draft) -> Judged { flow! { check -> judge } }
            #[node] fn publish(judged: Judged) -> Published { Published { n: judged.n } }
            #[node] fn give_up(_: Failure<Draft>) -> Published { Published { n: 0 } }
            #[flow] pub(super) fn writing(text: Text) -> Published { flow! { $($flow)* } }
        }
    };
}

nested!(plain_nested write -> review -> publish);
nested!(caught write -> review -> publish; catch(review) -> give_up);
nested!(renamed write -> review as second -> publish);

#[test]
fn a_catch_around_a_nested_flow_finds_the_input_that_was_kept() {
    assert_eq!(
        problems(plain_nested::writing::graph(), caught::writing::graph()),
        [""; 0]
    );
    assert_eq!(
        problems(plain_nested::writing::graph(), renamed::writing::graph()),
        [
            "version 1.2.0: after `write` -> `review::check`, a `review::Checked` waits, and no node of this version takes it"
        ]
    );
}
