//! Flows that mean something.

use super::{Graph, NodeBody, drawn, lowered};

#[test]
fn the_first_node_takes_the_input_and_the_last_ends_the_flow() {
    assert_eq!(drawn("a"), "input -> a\na.0 -> done");
    assert_eq!(drawn("a -> nodes::b;"), "input -> a\na.0 -> b\nb.0 -> done");
}

#[test]
fn alternatives_share_a_slot_of_a_join() {
    assert_eq!(
        drawn("triage -> route -> either(page, answer) -> join(close)"),
        "input -> triage\n\
         triage.0 -> route\n\
         route.0 -> page\n\
         route.1 -> answer\n\
         page.0 -> close\n\
         answer.0 -> close\n\
         close.0 -> done"
    );
}

#[test]
fn parallel_branches_fill_a_slot_each() {
    assert_eq!(
        drawn("a -> fork(b, c -> d) -> join(e)"),
        "input -> a\na.0 -> b\na.1 -> c\nc.0 -> d\nb.0 -> e[0]\nd.0 -> e[1]\ne.0 -> done"
    );
}

#[test]
fn a_choice_inside_a_fork_fills_one_slot() {
    assert_eq!(
        drawn("a -> fork(b -> either(c, d), e) -> join(f)"),
        "input -> a\n\
         a.0 -> b\n\
         b.0 -> c\n\
         b.1 -> d\n\
         a.1 -> e\n\
         c.0 -> f[0]\n\
         d.0 -> f[0]\n\
         e.0 -> f[1]\n\
         f.0 -> done"
    );
}

#[test]
fn forks_inside_a_choice_fill_the_same_slots() {
    assert_eq!(
        drawn("a -> either(b -> fork(c, d), e -> fork(f, g)) -> join(h)"),
        "input -> a\n\
         a.0 -> b\n\
         b.0 -> c\n\
         b.1 -> d\n\
         a.1 -> e\n\
         e.0 -> f\n\
         e.1 -> g\n\
         c.0 -> h[0]\n\
         d.0 -> h[1]\n\
         f.0 -> h[0]\n\
         g.0 -> h[1]\n\
         h.0 -> done"
    );
}

#[test]
fn branches_may_meet_in_statements_of_their_own() {
    assert_eq!(
        drawn("a -> fork(b, c); b -> join(d); c -> join(d); d -> e"),
        "input -> a\na.0 -> b\na.1 -> c\nb.0 -> d[0]\nc.0 -> d[1]\nd.0 -> e\ne.0 -> done"
    );
}

#[test]
fn what_forks_leave_over_meets_the_branches_outside() {
    let flow = "a -> fork(b, c); b -> fork(x, y); x -> join(d); y -> join(d);
                d -> join(e); c -> join(e)";
    assert!(drawn(flow).ends_with("d.0 -> e[0]\nc.0 -> e[1]\ne.0 -> done"));
}

#[test]
fn a_way_may_lead_straight_to_a_join() {
    assert_eq!(
        drawn("a -> fork(join(c), b -> join(c))"),
        "input -> a\na.0 -> c[0]\na.1 -> b\nb.0 -> c[1]\nc.0 -> done"
    );
}

#[test]
fn a_way_may_end_the_flow() {
    assert_eq!(
        drawn("a -> either(done, b)"),
        "input -> a\na.0 -> done\na.1 -> b\nb.0 -> done"
    );
}

#[test]
fn naming_a_node_again_makes_a_loop() {
    assert_eq!(
        drawn("draft -> review -> either(done, revise); revise -> review"),
        "input -> draft\n\
         draft.0 -> review\n\
         review.0 -> done\n\
         review.1 -> revise\n\
         revise.0 -> review"
    );
}

#[test]
fn a_loop_may_lead_back_to_the_first_node() {
    assert_eq!(
        drawn("a -> either(done, a)"),
        "input -> a\na.0 -> done\na.1 -> a"
    );
}

#[test]
fn a_loop_into_a_join_shares_the_slot_of_what_comes_first() {
    assert_eq!(
        drawn("a -> join(b) -> either(done, c); c -> b"),
        "input -> a\na.0 -> b\nb.0 -> done\nb.1 -> c\nc.0 -> b"
    );
}

#[test]
fn what_follows_a_join_that_is_named_in_its_branches_is_behind_them() {
    assert_eq!(
        drawn("a -> fork(b -> join(d), c -> join(d)); d -> either(done, e -> fork(b, c))"),
        "input -> a\na.0 -> b\nb.0 -> d[0]\na.1 -> c\nc.0 -> d[1]\n\
         d.0 -> done\nd.1 -> e\ne.0 -> b\ne.1 -> c"
    );
}

#[test]
fn what_follows_a_join_of_some_branches_is_beside_the_others() {
    assert_eq!(
        drawn("a -> fork(join(b), join(b), join(c)); b -> join(c)"),
        "input -> a\na.0 -> b[0]\na.1 -> b[1]\na.2 -> c[1]\nb.0 -> c[0]\nc.0 -> done"
    );
}

#[test]
fn an_end_that_goes_on_elsewhere_is_not_open() {
    assert_eq!(
        drawn("a -> review -> either(accept, revise) -> publish; revise -> review"),
        "input -> a\n\
         a.0 -> review\n\
         review.0 -> accept\n\
         review.1 -> revise\n\
         accept.0 -> publish\n\
         revise.0 -> review\n\
         publish.0 -> done"
    );
}

#[test]
fn the_ends_of_nested_groups_are_open_too() {
    assert_eq!(
        drawn("a -> either(b -> either(c, done), d) -> join(e)"),
        "input -> a\n\
         a.0 -> b\n\
         b.0 -> c\n\
         b.1 -> done\n\
         a.1 -> d\n\
         c.0 -> e\n\
         d.0 -> e\n\
         e.0 -> done"
    );
}

#[test]
fn an_end_of_two_ways_leads_on_once() {
    assert_eq!(
        drawn("a -> either(b -> d, c -> d) -> e"),
        "input -> a\na.0 -> b\nb.0 -> d\na.1 -> c\nc.0 -> d\nd.0 -> e\ne.0 -> done"
    );
}

#[test]
fn a_caught_failure_is_an_alternative() {
    assert_eq!(
        drawn("a -> fork(b, c) -> join(d); catch(b) -> rescue -> join(d)"),
        "input -> a\n\
         a.0 -> b\n\
         a.1 -> c\n\
         b.0 -> d[0]\n\
         c.0 -> d[1]\n\
         catch(b) -> rescue\n\
         rescue.0 -> d[0]\n\
         d.0 -> done"
    );
}

#[test]
fn a_chain_in_each_is_a_net_of_its_own() {
    assert_eq!(
        drawn("split -> each(read -> either(short, long)) -> sum"),
        "input -> split\n\
         split.0 -> each(read)\n\
         each(read).0 -> sum\n\
         sum.0 -> done\n\
         each(read):\n  \
           input -> read\n  \
           read.0 -> short\n  \
           read.1 -> long\n  \
           short.0 -> done\n  \
           long.0 -> done"
    );
}

#[test]
fn a_limit_is_of_its_list_alone_and_changes_nothing_else() {
    let flow =
        "split -> each(read -> each(write, limit = 2) -> sum, limit = MOST) -> all -> each(ship)";
    assert_eq!(
        drawn(flow),
        drawn(
            &flow
                .replace(", limit = 2", "")
                .replace(", limit = MOST", "")
        )
    );
    let (graph, _) = lowered(flow);
    let limits = |graph: &Graph| -> Vec<Option<syn::Expr>> {
        let lists = graph.nodes.iter().filter_map(|node| match &node.body {
            NodeBody::Each { limit, .. } => Some(limit.clone()),
            NodeBody::Node(_) => None,
        });
        lists.collect()
    };
    assert_eq!(limits(&graph), [Some(syn::parse_quote!(MOST)), None]);
    let NodeBody::Each { inner, .. } = &graph.nodes[1].body else {
        panic!("the second node is a list");
    };
    assert_eq!(limits(inner), [Some(syn::parse_quote!(2))]);
}

#[test]
fn a_branch_may_start_with_each() {
    assert_eq!(
        drawn("a -> fork(each(b), c) -> join(d)"),
        "input -> a\n\
         a.0 -> each(b)\n\
         a.1 -> c\n\
         each(b).0 -> d[0]\n\
         c.0 -> d[1]\n\
         d.0 -> done\n\
         each(b):\n  \
           input -> b\n  \
           b.0 -> done"
    );
}

#[test]
fn the_words_are_names_where_no_parenthesis_follows() {
    assert_eq!(
        drawn("either -> fork -> join -> each -> catch -> self::done"),
        "input -> either\n\
         either.0 -> fork\n\
         fork.0 -> join\n\
         join.0 -> each\n\
         each.0 -> catch\n\
         catch.0 -> done\n\
         done.0 -> done"
    );
}

#[test]
fn a_path_through_self_is_the_same_node() {
    assert_eq!(
        drawn("a -> either(done, b); self::b -> a")
            .matches("b")
            .count(),
        2
    );
}

#[test]
fn two_nodes_may_end_in_one_name() {
    let (graph, _) = super::lowered("one::a -> two::a");
    assert_eq!(graph.nodes.len(), 2);
}

#[test]
fn a_trailing_comma_is_no_branch() {
    assert_eq!(drawn("a -> either(b, c,)"), drawn("a -> either(b, c)"));
}

#[test]
fn a_flow_may_start_with_branches_that_all_take_the_input() {
    assert_eq!(
        drawn("fork(a, b -> c) -> join(d)"),
        "input -> a\ninput -> b\nb.0 -> c\na.0 -> d[0]\nc.0 -> d[1]\nd.0 -> done"
    );
    assert_eq!(
        drawn("each(a) -> b"),
        "input -> each(a)\neach(a).0 -> b\nb.0 -> done\neach(a):\n  input -> a\n  a.0 -> done"
    );
}

#[test]
fn a_node_may_be_used_again_under_another_name() {
    assert_eq!(
        drawn("draft -> spell -> expand -> spell as proofread -> close"),
        "input -> draft\n\
         draft.0 -> spell\n\
         spell.0 -> expand\n\
         expand.0 -> proofread\n\
         proofread.0 -> close\n\
         close.0 -> done"
    );
}

#[test]
fn a_name_may_be_used_after_it_was_given() {
    assert_eq!(
        drawn("a -> either(first as second, b -> second); second -> c"),
        "input -> a\n\
         a.0 -> second\n\
         a.1 -> b\n\
         b.0 -> second\n\
         second.0 -> c\n\
         c.0 -> done"
    );
}

#[test]
fn a_node_may_be_used_in_a_list_and_outside_under_two_names() {
    assert_eq!(
        drawn("a -> each(b as c) -> b"),
        "input -> a\na.0 -> each(c)\neach(c).0 -> b\nb.0 -> done\neach(c):\n  input -> c\n  c.0 -> done"
    );
}

#[test]
fn slots_follow_the_order_of_branches_and_not_of_statements() {
    assert_eq!(
        drawn("a -> fork(b, c, d); d -> join(e); b -> join(e); c -> join(e)"),
        "input -> a\n\
         a.0 -> b\n\
         a.1 -> c\n\
         a.2 -> d\n\
         d.0 -> e[2]\n\
         b.0 -> e[0]\n\
         c.0 -> e[1]\n\
         e.0 -> done"
    );
}
