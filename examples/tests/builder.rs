//! A graph without macros, and a broken one.

use std::process::Command;

const OUTPUT: &str = "\
1. Mail -> Feedback
2. Feedback (model)
3. Feedback (tools)
4. Feedback (model) -> Mood
5. Mood -> Complaint
6. Complaint -> Reply
7. Reply -> Letter, Note
8. Letter -> Filed
answered Ana: We are sorry, after 3 orders.

what is wrong with the broken graph:
- the join of `Letter`, `Praise` takes `Praise`, which nothing produces
- the states `Note`, `Reply`, `Filed` are produced and never consumed: a flow ends in one state
- `Complaint` has two consumers: the node that returns `Letter`, `Note` and the node that returns `Reply`
";

#[test]
fn a_graph_without_macros_runs_and_a_broken_one_is_explained() {
    let output = Command::new(env!("CARGO_BIN_EXE_builder"))
        .output()
        .unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), OUTPUT);
    assert!(output.status.success());
}
