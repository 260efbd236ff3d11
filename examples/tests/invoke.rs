//! Nodes and programs that call agents.

use std::process::Command;

const OUTPUT: &str = "\
a flow whose node calls agents:
`survey::ask[2]` asks: What do you know of roads?
model calls: 1
No train goes to Benin.
(nothing: the model of agent `researcher` failed: upstream model error)
Of roads somebody says: there is one

the same agents, called from outside:
run-7/invocation(Invocation)#1[0] Completed: {\"text\":\"One calls at Cotonou.\"}
run-7/invocation(Invocation)#1[1] Completed: \"No.\"
";

#[test]
fn results_come_in_order_through_a_restart_and_a_failure_is_one_of_them() {
    let output = Command::new(env!("CARGO_BIN_EXE_invoke")).output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), OUTPUT);
    assert!(output.status.success());
}
