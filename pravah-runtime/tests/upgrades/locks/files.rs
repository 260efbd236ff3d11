//! What is said of a file that is no lock.

use pravah_runtime::FlowLock;

fn error(text: &str) -> String {
    FlowLock::from_json(text).unwrap_err().to_string()
}

#[test]
fn a_lock_with_conflict_markers_is_told_to_keep_both_sides() {
    let text = "{\n<<<<<<< HEAD\n  \"format\": 1\n=======\n  \"format\": 1\n>>>>>>> other\n}";
    assert_eq!(
        error(text),
        "the lock file has conflict markers: keep the versions of both sides"
    );
}

#[test]
fn a_lock_of_a_newer_format_asks_for_a_newer_release() {
    assert_eq!(
        error(r#"{"format": 2}"#),
        "the lock file has format 2, and this release of Pravah reads up to 1: update Pravah"
    );
}

#[test]
fn a_lock_that_nobody_has_written_names_the_release_and_the_problem() {
    let net = r#""fingerprint": "", "start": ["A"], "nodes": [], "schemas": {}"#;
    let lock =
        format!(r#"{{"format": 1, "flow": "A", "versions": [{{"release": "1.2.0", {net}}}]}}"#);
    assert_eq!(
        error(&lock),
        "this is not a flow lock file: in version 1.2.0 no node takes `A`"
    );
    assert_eq!(
        error(r#"{"format": 0, "flow": "A", "versions": []}"#),
        "this is not a flow lock file: `format` is not a whole number from 1 on"
    );
}
