//! Nodes that are in branches of several forks.

use super::{drawn, lowered, mistakes};

/// The slots of the join called `j`, by the nodes that lead there.
fn slots(flow: &str) -> String {
    let (graph, errors) = lowered(flow);
    assert_eq!(errors.shown(), Vec::<String>::new(), "{flow}");
    let join = (0..graph.nodes.len()).find(|node| graph.name(*node) == "j");
    let slots = graph.nodes[join.expect("the flow has a node `j`")]
        .slots
        .iter();
    let slots = slots.map(|arcs| {
        let names: Vec<String> = arcs.iter().map(|arc| graph.origin(*arc)).collect();
        names.join(" ")
    });
    slots.collect::<Vec<_>>().join(" | ")
}

#[test]
fn a_branch_of_two_forks_fills_one_slot() {
    assert_eq!(
        drawn("start -> either(p -> fork(a, b), q -> fork(c, a)) -> join(j)"),
        "input -> start\n\
         start.0 -> p\n\
         p.0 -> a\n\
         p.1 -> b\n\
         start.1 -> q\n\
         q.0 -> c\n\
         q.1 -> a\n\
         a.0 -> j[0]\n\
         b.0 -> j[1]\n\
         c.0 -> j[1]\n\
         j.0 -> done"
    );
}

#[test]
fn slots_follow_the_order_that_the_forks_have_in_common() {
    for (flow, expected) in [
        ("p -> fork(a, b), q -> fork(a, c)", "a | b c"),
        ("p -> fork(a, b), q -> fork(c, b)", "a c | b"),
        ("p -> fork(a, b, c), q -> fork(d, b, e)", "a d | b | c e"),
        (
            "p -> fork(b, c, d), q -> fork(e, c, f), r -> fork(e, g, d)",
            "b e | c g | d f",
        ),
    ] {
        let flow = format!("start -> either({flow}) -> join(j)");
        assert_eq!(slots(&flow), expected, "{flow}");
    }
}

#[test]
fn branches_may_go_on_behind_all_of_their_forks() {
    assert_eq!(
        slots("start -> either(p -> fork(a -> x -> y, b), q -> fork(a, c -> z)) -> join(j)"),
        "y | b z"
    );
}

#[test]
fn three_forks_may_share_branches_in_a_row() {
    let flow = "start -> either(p -> fork(a, b), q -> fork(c, b), r -> fork(c, d)) -> join(j)";
    assert_eq!(slots(flow), "a c | b d");
}

#[test]
fn forks_in_shared_branches_fill_slots_of_their_own() {
    let flow = "start -> either(p -> fork(a -> fork(x, y), b), q -> fork(a, c)) -> join(j)";
    assert_eq!(slots(flow), "x | y | b c");
    let flow =
        "start -> either(p -> fork(a -> fork(x, y) -> join(z), b), q -> fork(a, c)) -> join(j)";
    assert_eq!(slots(flow), "z | b c");
}

#[test]
fn a_loop_may_lead_back_into_branches_of_another_fork() {
    let flow = "start -> fork(a, b) -> join(j) -> either(done, again -> fork(a, c) -> join(j))";
    assert_eq!(slots(flow), "a | b c");
}

#[test]
fn a_chain_in_each_may_have_such_forks() {
    let flow = "split -> each(start -> either(p -> fork(a, b), q -> fork(a, c)) -> join(j)) -> sum";
    assert!(drawn(flow).contains("a.0 -> j[0]\n  b.0 -> j[1]\n  c.0 -> j[1]"));
}

#[test]
fn a_fork_may_give_the_branches_of_a_fork_their_other_states() {
    let flow = "start -> fork(join(c), join(b)); b -> join(c); d -> fork(join(b), join(c));
                c -> either(done, d)";
    assert_eq!(mistakes(flow), Vec::<String>::new());
    let flow = "start -> fork(d, join(a)); a -> either(done, b); b -> fork(join(c), join(a));
                c -> join(a); d -> join(c)";
    assert_eq!(mistakes(flow), Vec::<String>::new());
}

#[test]
fn forks_that_have_branches_in_different_orders_leave_them_unclear() {
    let unclear = |flow: &str| {
        let (graph, _) = lowered(flow);
        let joins = 0..graph.nodes.len();
        let unclear = joins.flat_map(|join| super::super::order::unclear_orders(&graph, join));
        unclear.map(|it| it.slots).collect::<Vec<_>>()
    };
    let swapped = "start -> either(p -> fork(a, b), q -> fork(b, a)) -> join(j)";
    assert_eq!(unclear(swapped), [[0, 1]]);
    let first_and_last = "start -> either(p -> fork(a, b), q -> fork(c, a)) -> join(j)";
    assert_eq!(unclear(first_and_last), [[0, 1]]);
    let one_clear = "start -> either(p -> fork(a, b, c), q -> fork(b, a, c)) -> join(j)";
    assert_eq!(unclear(one_clear), [[0, 1]]);
    let not_before_the_join =
        "start -> either(p -> fork(a, b), q -> fork(b, a)) -> join(x) -> fork(c, d) -> join(j)";
    assert_eq!(unclear(not_before_the_join), [[0, 1]]);
    let clear = "start -> either(p -> fork(a, b), q -> fork(a, c)) -> join(j)";
    assert_eq!(unclear(clear), Vec::<[usize; 2]>::new());
}

#[test]
fn branches_that_come_two_at_a_time_and_need_three_parameters_are_told_to_take_a_name() {
    let five = "start -> either(p -> fork(a, b), q -> fork(c, b), r -> fork(c, d), s -> fork(e, d),
                t -> fork(e, a)) -> join(j)";
    assert!(
        mistakes(five)[0].contains("`a`, `b`, `c`, `d` and `e` need 3 parameters of `j`"),
        "{:?}",
        mistakes(five)
    );
    let flow = "start -> either(p -> fork(a, b), q -> fork(c, b), r -> fork(a, c)) -> join(j)";
    let all = mistakes(flow);
    let [one] = all.as_slice() else {
        panic!("{all:#?}")
    };
    assert!(one.starts_with("join: `j` can wait forever"), "{one}");
    assert!(
        one.contains("`a`, `b` and `c` need 3 parameters of `j`"),
        "{one}"
    );
    assert!(one.ends_with("`c as other`"), "{one}");
    let helped = flow.replace("r -> fork(a, c)", "r -> fork(a, c as other)");
    assert_eq!(slots(&helped), "a c | b other");
}
