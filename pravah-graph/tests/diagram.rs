//! What drawings look like.

use pravah_graph::{Diagram, NodeKind};

/// Every kind of node, both kinds of edge, and frames within frames.
fn support() -> Diagram {
    let mut check = Diagram::new("check");
    let look = check.node(NodeKind::Agent, "look");
    let judge = check.node(NodeKind::Work, "judge");
    check.edge(look, judge, "Fact");

    let mut research = Diagram::new("research");
    let start = research.node(NodeKind::Start, "Question");
    let split = research.node(NodeKind::Fork, "split");
    let each = research.group(NodeKind::Each, "each", check);
    let gather = research.node(NodeKind::Join, "gather");
    let done = research.node(NodeKind::Done, "Findings");
    research.edge(start, split, "Question");
    research.edge(split, each, "Each_of_Fact");
    research.edge(split, gather, "Scope");
    research.edge(each, gather, "Each_of_Judgement");
    research.edge(gather, done, "Findings");

    let mut support = Diagram::new("support");
    let start = support.node(NodeKind::Start, "Ticket");
    let triage = support.node(NodeKind::Agent, "triage");
    let route = support.node(NodeKind::Choice, "route");
    let page = support.node(NodeKind::Work, "page");
    let answer = support.group(NodeKind::Flow, "answer", research);
    let approve = support.node(NodeKind::Gate, "approve");
    let rescue = support.node(NodeKind::Rescue, "apologise");
    let bill = support.node(NodeKind::Flow, "bill");
    let close = support.node(NodeKind::Merge, "close");
    let done = support.node(NodeKind::Done, "Resolution");
    support.edge(start, triage, "Ticket");
    support.edge(triage, route, "Verdict");
    support.edge(route, page, "Urgent");
    support.edge(route, answer, "Routine");
    support.edge(answer, approve, "Findings");
    support.edge(approve, bill, "Approved");
    support.edge(approve, route, "Verdict");
    support.caught_edge(page, rescue, "Failure_of_Urgent");
    support.edge(page, close, "Paged");
    support.edge(rescue, close, "Apology");
    support.edge(bill, close, "Billed");
    support.edge(close, done, "Resolution");
    support
}

/// Texts that mean something in one of the two languages.
fn hostile() -> Diagram {
    let mut diagram = Diagram::new("say \"hi\": \\N & <b>\n---");
    let labels = [
        "end",
        "",
        "a \"b\" [c] {d} <e> |f|",
        "two\nlines\r\ttab",
        "`code` %%{init}%% style: #quot; &lt; \\n",
        "nodes::plan — größer 👤",
    ];
    let nodes = labels.map(|label| diagram.node(NodeKind::Work, label));
    for (from, (to, label)) in nodes.iter().zip(nodes.iter().skip(1).zip(labels)) {
        diagram.edge(*from, *to, label);
    }
    diagram
}

#[test]
fn mermaid_shows_every_kind_of_node_and_edge() {
    insta::assert_snapshot!(support().to_mermaid(), @r##"
    ---
    title: "support"
    ---
    flowchart TD
        n0(("Ticket"))
        n1(["triage"])
        n2{"route"}
        n3["page"]
        subgraph n4["answer"]
            n4_0(("Question"))
            n4_1[/"split"\]
            subgraph n4_2["each"]
                n4_2_0(["look"])
                n4_2_1["judge"]
                n4_2_0 -->|"Fact"| n4_2_1
            end
            n4_3[\"gather"/]
            n4_4((("Findings")))
            n4_0 -->|"Question"| n4_1
            n4_1 -->|"Each_of_Fact"| n4_2
            n4_1 -->|"Scope"| n4_3
            n4_2 -->|"Each_of_Judgement"| n4_3
            n4_3 -->|"Findings"| n4_4
        end
        n5[/"approve"/]
        n6>"apologise"]
        n7[["bill"]]
        n8{{"close"}}
        n9((("Resolution")))
        n0 -->|"Ticket"| n1
        n1 -->|"Verdict"| n2
        n2 -->|"Urgent"| n3
        n2 -->|"Routine"| n4
        n4 -->|"Findings"| n5
        n5 -->|"Approved"| n7
        n5 -->|"Verdict"| n2
        n3 -.->|"Failure_of_Urgent"| n6
        n3 -->|"Paged"| n8
        n6 -->|"Apology"| n8
        n7 -->|"Billed"| n8
        n8 -->|"Resolution"| n9
    "##);
}

#[test]
fn dot_shows_every_kind_of_node_and_edge() {
    insta::assert_snapshot!(support().to_dot(), @r##"
    digraph "support" {
        graph [label="support", labelloc=t, compound=true, newrank=true];
        graph [fontname="sans-serif"];
        node [fontname="sans-serif"];
        edge [fontname="sans-serif", fontsize=10];
        n0 [label="Ticket", shape=oval];
        n1 [label="triage", shape=box, style=rounded];
        n2 [label="route", shape=diamond];
        n3 [label="page", shape=box];
        subgraph cluster_n4 {
            label="answer";
            n4_0 [label="Question", shape=oval];
            n4_1 [label="split", shape=trapezium];
            subgraph cluster_n4_2 {
                label="each";
                n4_2_0 [label="look", shape=box, style=rounded];
                n4_2_1 [label="judge", shape=box];
                n4_2_0 -> n4_2_1 [label="Fact"];
            }
            n4_3 [label="gather", shape=invtrapezium];
            n4_4 [label="Findings", shape=oval, peripheries=2];
            n4_0 -> n4_1 [label="Question"];
            n4_1 -> n4_2_0 [label="Each_of_Fact", lhead=cluster_n4_2];
            n4_1 -> n4_3 [label="Scope"];
            n4_2_1 -> n4_3 [label="Each_of_Judgement", ltail=cluster_n4_2];
            n4_3 -> n4_4 [label="Findings"];
        }
        n5 [label="approve", shape=parallelogram];
        n6 [label="apologise", shape=cds];
        n7 [label="bill", shape=box, peripheries=2];
        n8 [label="close", shape=hexagon];
        n9 [label="Resolution", shape=oval, peripheries=2];
        n0 -> n1 [label="Ticket"];
        n1 -> n2 [label="Verdict"];
        n2 -> n3 [label="Urgent"];
        n2 -> n4_0 [label="Routine", lhead=cluster_n4];
        n4_4 -> n5 [label="Findings", ltail=cluster_n4];
        n5 -> n7 [label="Approved"];
        n5 -> n2 [label="Verdict"];
        n3 -> n6 [label="Failure_of_Urgent", style=dashed];
        n3 -> n8 [label="Paged"];
        n6 -> n8 [label="Apology"];
        n7 -> n8 [label="Billed"];
        n8 -> n9 [label="Resolution"];
    }
    "##);
}

#[test]
fn mermaid_takes_any_label() {
    insta::assert_snapshot!(hostile().to_mermaid(), @r##"
    ---
    title: "say \"hi\": \\N & <b> ---"
    ---
    flowchart TD
        n0["end"]
        n1[" "]
        n2["a #34;b#34; #91;c#93; #123;d#125; #60;e#62; #124;f#124;"]
        n3["two<br/>lines  tab"]
        n4["#96;code#96; #37;#37;#123;init#125;#37;#37; style#58; #35;quot#59; #38;lt#59; #92;n"]
        n5["nodes#58;#58;plan — größer 👤"]
        n0 -->|"end"| n1
        n1 --> n2
        n2 -->|"a #34;b#34; #91;c#93; #123;d#125; #60;e#62; #124;f#124;"| n3
        n3 -->|"two<br/>lines  tab"| n4
        n4 -->|"#96;code#96; #37;#37;#123;init#125;#37;#37; style#58; #35;quot#59; #38;lt#59; #92;n"| n5
    "##);
}

#[test]
fn dot_takes_any_label() {
    insta::assert_snapshot!(hostile().to_dot(), @r##"
    digraph "say \"hi\": \\N &amp; <b>\n---" {
        graph [label="say \"hi\": \\N &amp; <b>\n---", labelloc=t, compound=true, newrank=true];
        graph [fontname="sans-serif"];
        node [fontname="sans-serif"];
        edge [fontname="sans-serif", fontsize=10];
        n0 [label="end", shape=box];
        n1 [label="", shape=box];
        n2 [label="a \"b\" [c] {d} <e> |f|", shape=box];
        n3 [label="two\nlines  tab", shape=box];
        n4 [label="`code` %%{init}%% style: #quot; &amp;lt; \\n", shape=box];
        n5 [label="nodes::plan — größer 👤", shape=box];
        n0 -> n1 [label="end"];
        n1 -> n2;
        n2 -> n3 [label="a \"b\" [c] {d} <e> |f|"];
        n3 -> n4 [label="two\nlines  tab"];
        n4 -> n5 [label="`code` %%{init}%% style: #quot; &amp;lt; \\n"];
    }
    "##);
}

#[test]
fn a_frame_around_nothing_is_a_node() {
    let mut diagram = Diagram::new("empty");
    diagram.group(NodeKind::Each, "each", Diagram::new("nothing"));
    insta::assert_snapshot!(diagram.to_mermaid(), @r##"
    ---
    title: "empty"
    ---
    flowchart TD
        n0[["each"]]
    "##);
}

#[test]
fn an_edge_to_a_node_of_another_diagram_is_left_out() {
    let mut other = Diagram::new("other");
    other.node(NodeKind::Work, "a");
    let foreign = other.node(NodeKind::Work, "b");
    let mut diagram = Diagram::new("one");
    let own = diagram.node(NodeKind::Work, "own");
    diagram.edge(own, foreign, "State");
    assert!(!diagram.to_mermaid().contains("-->"));
    assert!(!diagram.to_dot().contains("->"));
}
