//! Mistakes that the tokens show: one error each, at the token that is wrong.

use super::mistakes;

/// The flow has one mistake: labelled at `label`, saying `fact`.
#[track_caller]
fn refuses(flow: &str, label: &str, fact: &str) {
    let all = mistakes(flow);
    let [one] = all.as_slice() else {
        panic!("{flow}: {all:#?}")
    };
    let expected = format!("{label}: {fact}");
    assert!(
        one.starts_with(&format!("{expected}\n")),
        "{flow}: expected {expected:?}, found {one:?}"
    );
    assert!(one.contains("\n  help: "), "{flow}: {one:?} has no help");
}

#[test]
fn an_empty_flow_is_refused() {
    for flow in ["", ";", ";;"] {
        let all = mistakes(flow);
        assert_eq!(all.len(), 1, "{flow}: {all:?}");
        assert!(all[0].contains("the flow is empty"), "{all:?}");
    }
}

#[test]
fn a_node_has_one_successor() {
    refuses("a -> b; a -> c", "c", "`a` has two successors");
    refuses(
        "a -> b; a -> either(c, d)",
        "either",
        "`a` has two successors",
    );
    refuses(
        "a -> either(b, c); a -> fork(d, e)",
        "fork",
        "`a` has two successors",
    );
    refuses(
        "a -> either(b, c) -> d; x -> either(b, y) -> e",
        "e",
        "`b` has two successors",
    );
    refuses("a -> b -> done; b -> c", "c", "`b` has two successors");
}

#[test]
fn the_same_successor_named_again_is_one() {
    assert_eq!(
        mistakes("a -> either(b -> d, c -> b -> d)"),
        Vec::<String>::new()
    );
}

#[test]
fn a_group_has_two_branches() {
    refuses(
        "a -> either(b)",
        "either",
        "`either` has one branch, and needs two",
    );
    refuses(
        "a -> fork(b,)",
        "fork",
        "`fork` has one branch, and needs two",
    );
    refuses(
        "a -> fork()",
        "fork",
        "`fork` has no branches, and needs two",
    );
}

#[test]
fn a_branch_is_not_empty() {
    refuses("a -> either(b, , c)", ",", "nothing is before this `,`");
    refuses("a -> fork(, b, c)", ",", "nothing is before this `,`");
}

#[test]
fn a_group_stands_directly_after_a_node() {
    for word in ["either", "fork"] {
        let fact = format!("`{word}` is not directly after a node");
        refuses(&format!("a; {word}(b, c)"), word, &fact);
        refuses(&format!("a -> each(b) -> {word}(c, d)"), word, &fact);
        refuses(&format!("catch(a) -> {word}(b, c)"), word, &fact);
    }
    refuses(
        "a -> either(b, c) -> fork(d, e)",
        "fork",
        "`fork` is not directly after a node",
    );
    refuses(
        "a -> each(either(b, c))",
        "either",
        "`either` is not directly after a node",
    );
    refuses(
        "a -> each(fork(b, c))",
        "fork",
        "this `fork` has no node before it",
    );
    refuses(
        "a -> fork(either(b, c), d)",
        "either",
        "`either` is not directly after a node",
    );
    refuses(
        "a -> either(fork(b, c), d)",
        "fork",
        "this `fork` has no node before it",
    );
}

#[test]
fn a_flow_cannot_start_with_a_choice() {
    refuses(
        "either(a, b)",
        "either",
        "a flow cannot start with `either`",
    );
}

#[test]
fn branches_that_take_the_input_have_to_meet() {
    refuses(
        "fork(a, b)",
        "fork",
        "the branches of this `fork` never join: `a` and `b` both end the flow, as in the run `start -> a`",
    );
    refuses(
        "fork(done, done)",
        "fork",
        "the branches of this `fork` never join: `start` and `start` both end the flow, as in the run `start`",
    );
    refuses(
        "fork(done, a)",
        "fork",
        "the branches of this `fork` never join: `start` and `a` both end the flow, as in the run `start`",
    );
    refuses(
        "fork(a, b -> either(join(c), d)) -> join(c); d -> done",
        "done",
        "`d` ends the flow while `a` still holds a state: the run `start -> b -> d`",
    );
}

#[test]
fn a_name_means_one_node() {
    refuses("a as c -> b as c", "c", "two nodes are called `c`");
    refuses("a -> either(b, c as b)", "b", "`b` is used before `c as b`");
    for flow in ["a as done", "a -> b as done -> c", "a -> join(b as r#done)"] {
        let mistakes = mistakes(flow);
        assert!(
            mistakes[0].contains("no node has that name") && mistakes.len() == 1,
            "{mistakes:?}"
        );
    }
    let nameless = "`as` needs a name for this use of `a`";
    refuses("a as -> b", "as", nameless);
    refuses("a as fn -> b", "as", nameless);
    refuses("a -> join(b as)", "join", "`join` takes one node");
}

#[test]
fn an_unknown_word_is_answered_with_the_nearest() {
    refuses(
        "a -> eiter(b, c)",
        "eiter",
        "`eiter` is not a word of the flow language",
    );
    assert!(mistakes("a -> eiter(b, c)")[0].contains("did you mean `either`?"));
    refuses("a -> plan()", "plan", "`plan` takes no parentheses");
}

#[test]
fn a_statement_starts_with_a_node() {
    refuses(
        "join(a) -> b",
        "join",
        "a statement cannot start with `join`",
    );
    refuses(
        "a; each(b) -> c",
        "each",
        "a statement cannot start with `each`",
    );
    refuses(
        "a -> b; -> c",
        "-",
        "a statement starts with a node, and this is `->`",
    );
    refuses(
        "done -> a",
        "done",
        "a statement starts with a node, and `done` ends the flow",
    );
}

#[test]
fn nothing_comes_after_done() {
    refuses(
        "a -> done -> b",
        "done",
        "`done` ends the flow, and nothing comes after it",
    );
}

#[test]
fn statements_are_separated() {
    refuses("a -> b c -> d", "c", "expected `->` or `;`, found `c`");
    refuses("a, b", ",", "expected `->` or `;`, found `,`");
    refuses("a => b", "=", "expected `->` or `;`, found `=>`");
    refuses("a -> either(b; c)", ";", "expected `->` or `,`, found `;`");
    refuses(
        "a -> either(b c, d)",
        "c",
        "expected `->` or `,`, found `c`",
    );
}

#[test]
fn an_arrow_leads_somewhere() {
    refuses("a ->", "-", "nothing comes after this `->`");
    refuses("a -> ; b", "-", "nothing comes after this `->`");
    refuses("a -> either(b ->, c)", "-", "nothing comes after this `->`");
    refuses("catch(a) ->", "-", "nothing comes after this `->`");
}

#[test]
fn what_is_not_a_path_is_not_a_node() {
    refuses("a -> 5", "5", "`->` leads to a node, and this is `5`");
    refuses(
        "a -> { b }",
        "{ b }",
        "`->` leads to a node, and this is `{`",
    );
    refuses(
        "a -> b::<C>",
        "b",
        "`b` is named with type arguments, and a node has none",
    );
    refuses(
        "a -> nodes::",
        "nodes",
        "the path `nodes::` leads to no node",
    );
}

#[test]
fn join_and_catch_take_one_node() {
    refuses("a -> join()", "join", "`join` takes one node");
    refuses("a -> join(b, c)", "join", "`join` takes one node");
    refuses("a -> join(done)", "join", "`join` takes one node");
    refuses("a; catch(b -> c) -> d", "catch", "`catch` takes one node");
}

#[test]
fn each_takes_a_chain_that_starts_with_a_node() {
    refuses("a -> each()", "each", "`each` is empty");
    refuses(
        "a -> each(join(b))",
        "each",
        "the chain in `each` does not start with a node",
    );
    refuses("a -> each(b -> done)", "done", "`done` is inside `each`");
    refuses("a -> each(, limit = 8)", "each", "`each` is empty");
    for (flow, separator) in [
        ("a -> each(b, c)", ","),
        ("a -> each(b, c -> d)", ","),
        ("a -> each(b, either(c, d))", ","),
        ("a -> each(b, if(c, d))", ","),
        ("a -> each(b; catch(b) -> c)", ";"),
    ] {
        let fact = format!("`each` runs one chain, and this `{separator}` starts another");
        refuses(flow, separator, &fact);
    }
    let fact = "a comma comes before the limit of `each`, and this is `;`";
    for limit in ["limit = 8", "8"] {
        refuses(&format!("a -> each(b; {limit})"), ";", fact);
    }
}

#[test]
fn the_limit_of_a_list_is_a_number_behind_its_chain() {
    for limit in ["8", "limits::ITEMS", "2 * TWO", "1,"] {
        let (_, errors) = super::lowered(&format!("a -> each(b -> c, limit = {limit}) -> d"));
        assert_eq!(errors.shown(), Vec::<String>::new(), "{limit}");
    }
    for (options, label, fact) in [
        (
            "limit = 0",
            "0",
            "`limit` is not a whole number from 1 to 4294967295",
        ),
        (
            "limit = -1",
            "-1",
            "`limit` is not a whole number from 1 to 4294967295",
        ),
        (
            "limit = 1.5",
            "1.5",
            "`limit` is not a whole number from 1 to 4294967295",
        ),
        (
            "limit = \"8\"",
            "\"8\"",
            "`limit` is not a whole number from 1 to 4294967295",
        ),
        (
            "limit = 4294967296",
            "4294967296",
            "`limit` is not a whole number from 1 to 4294967295",
        ),
        ("limit = ", "limit", "`limit` has no value"),
        ("limit", "limit", "`limit` has no value"),
        ("limit(8)", "limit", "`limit` is followed by parentheses"),
        ("limit: 8", ":", "`limit` is followed by `:`"),
        ("8", "8", "an option of `each` has no name"),
        ("limt = 8", "limt", "`limt` is not an option of `each`"),
        (
            "concurrency = 8",
            "concurrency",
            "`concurrency` is not an option of `each`",
        ),
        (
            "retry(max_attempts = 3)",
            "retry",
            "`retry` is not an option of `each`",
        ),
        ("limit = 8, limit = 9", "limit", "`limit` is given twice"),
        ("limit = 8, c", "c", "`c` is not an option of `each`"),
    ] {
        refuses(&format!("a -> each(b, {options}) -> d"), label, fact);
    }
    refuses(
        "a -> each(limit = 8, b)",
        "limit",
        "`limit` is before the chain of `each`",
    );
}

#[test]
fn a_node_stands_in_each_or_outside() {
    let fact = "`b` is inside an `each` and elsewhere too";
    refuses("a -> each(b) -> c -> b", "b", fact);
    refuses("a -> b -> each(b)", "b", fact);
    refuses("a -> each(b) -> c; b -> d", "b", fact);
    refuses("a -> each(b) -> c; catch(b) -> d", "b", fact);
    refuses("a -> fork(each(b), each(b)) -> join(c)", "b", fact);
}

#[test]
fn catch_starts_a_statement_that_leads_on() {
    refuses("a -> catch(b)", "catch", "`catch` starts a statement");
    refuses("a; catch(a)", "a", "nothing rescues after `catch`");
    refuses("catch(a) -> b", "a", "the flow starts with `catch`");
    refuses(
        "a; catch(a) -> b; catch(a) -> c",
        "c",
        "`a` has two `catch`es",
    );
}

#[test]
fn parallel_branches_need_a_join() {
    let fact = "parallel branches lead into `d` without `join`";
    refuses("a -> fork(b, c) -> d", "d", fact);
    refuses("a -> fork(b, c); b -> d; c -> d", "d", fact);
    refuses("a -> fork(b -> d, c -> d)", "d", fact);
    refuses("a -> fork(b, c, e) -> d", "d", fact);
    assert!(mistakes("a -> fork(b, c) -> d")[0].contains("write `join(d)`"));
    refuses(
        "a -> fork(b, c) -> each(d)",
        "each",
        "parallel branches lead into `each(d)` without `join`",
    );
}

#[test]
fn a_keyword_that_starts_an_expression_is_answered_with_what_flows_have() {
    for (flow, label, fact) in [
        ("a; if b { c } else { d }", "if", "a flow has no `if`"),
        ("a -> if (b) { c } -> d", "if", "a flow has no `if`"),
        ("a -> match b { _ => c }", "match", "a flow has no `match`"),
        ("for x in y { a }", "for", "a flow has no `for`"),
        ("loop { a }", "loop", "a flow has no `loop`"),
    ] {
        let all = mistakes(flow);
        let [one] = all.as_slice() else {
            panic!("{flow}: {all:#?}")
        };
        assert!(
            one.starts_with(&format!("{label}: {fact}: ")),
            "{flow}: {one:?}"
        );
    }
    // Alone, it is meant as a node's name.
    for flow in ["a -> if -> b", "a -> match", "loop"] {
        let all = mistakes(flow);
        assert!(all[0].contains("is written `r#"), "{flow}: {all:?}");
    }
}

#[test]
fn a_node_behind_branches_that_are_done_is_told_how_to_lead_there() {
    refuses(
        "a -> fork(done, done) -> b",
        "b",
        "nothing leads to `b`: every branch of this `fork` ends the flow with `done`",
    );
    refuses(
        "a -> fork(c -> done, d -> done) -> join(b)",
        "b",
        "nothing leads to `b`: every branch of this `fork` ends the flow with `done`",
    );
    let all = mistakes("a -> fork(done, done) -> b");
    assert!(all[0].ends_with("`fork(join(b), join(b))`"), "{all:?}");
}
