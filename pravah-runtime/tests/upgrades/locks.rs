//! Locks: which versions a flow knows, and whether their runs can go on.

mod files;
mod forms;
mod itself;
mod migrations;
mod problems;
mod unfit_migrations;

use std::fs;

use pravah_runtime::{FlowLock, LockError, prelude::*};

use super::{done, steps, upgraded};

const FILE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/tests/upgrades/locks/coffee.lock"
);

/// The version in `coffee.lock`.
mod v1 {
    use pravah_runtime::prelude::*;

    crate::states!(Order, Brewed, Served);

    #[node]
    fn brew(order: Order) -> Brewed {
        Brewed { n: order.n }
    }
    #[node]
    fn serve(brewed: Brewed) -> Served {
        Served { n: brewed.n }
    }
    #[flow(lock = "tests/upgrades/locks/coffee.lock")]
    pub(super) fn coffee(order: Order) -> Served {
        flow! { brew -> serve }
    }
}

/// Somebody checks the order first.
mod v2 {
    use pravah_runtime::prelude::*;

    crate::states!(Order, Checked, Brewed, Served);

    #[node]
    fn check(order: Order) -> Checked {
        Checked { n: order.n }
    }
    #[node]
    fn brew(checked: Checked) -> Brewed {
        Brewed { n: checked.n }
    }
    #[node]
    fn serve(brewed: Brewed) -> Served {
        Served { n: brewed.n }
    }
    #[flow(lock = "tests/upgrades/locks/coffee.lock")]
    pub(super) fn coffee(order: Order) -> Served {
        flow! { check -> brew -> serve }
    }
}

#[tokio::test]
async fn a_run_of_a_locked_version_is_loaded_with_the_nodes_that_it_skips() {
    let mut run = FlowRuntime::new(v1::Order { n: 2 }).unwrap();
    steps(&mut run, 1).await;
    let mut run: FlowRuntime<v2::Order> = upgraded(&run);
    let report = run.load_report().unwrap();
    assert!(report.is_version_known);
    assert!(report.skipped.iter().eq(["Checked"]));
    assert_eq!(done(&mut run).await, v2::Served { n: 2 });
}

#[test]
fn the_file_is_what_is_written_of_the_version() {
    let mut lock = FlowLock::new("Order");
    assert!(lock.add("0.1.0", &v1::coffee::graph().unwrap()));
    assert_eq!(lock.to_json(), fs::read_to_string(FILE).unwrap());
    assert_eq!(FlowLock::read(FILE).unwrap(), Some(lock));
}

#[test]
fn a_version_is_added_once_and_removed_by_its_release() {
    let mut lock = FlowLock::new("Order");
    let [one, two] = [v1::coffee::graph().unwrap(), v2::coffee::graph().unwrap()];
    assert!(lock.add("1", &one) && lock.add("2", &two));
    assert!(!lock.add("3", &one));
    let releases = |lock: &FlowLock| -> Vec<String> {
        let versions = lock.versions().iter();
        versions.map(|version| version.release.clone()).collect()
    };
    assert_eq!(releases(&lock), ["1", "2"]);
    assert!(lock.remove("1") && !lock.remove("1"));
    assert_eq!(releases(&lock), ["2"]);
    assert_eq!(lock.versions()[0].version(), two.version());
}

#[test]
fn a_report_names_what_each_version_did_not_have() {
    let mut lock = FlowLock::new("Order");
    lock.add("1", &v1::coffee::graph().unwrap());
    let report = lock.check(&v2::coffee::graph().unwrap());
    assert!(report.is_ok());
    assert_eq!(
        report.to_string(),
        "version 1: the new nodes at `Checked` are skipped by runs that are past them\n"
    );
    assert_eq!(lock.check(&v1::coffee::graph().unwrap()).to_string(), "");
}

#[test]
fn what_is_no_lock_is_an_error_and_no_file_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.lock");
    assert_eq!(FlowLock::read(&file).unwrap(), None);
    fs::write(&file, "\n").unwrap();
    assert_eq!(FlowLock::read(&file).unwrap(), None);
    let net = |start: &str, nodes: &str| {
        format!(
            r#"{{"format": 1, "flow": "A", "versions": [{{"release": "1", "fingerprint": "", "start": {start}, "nodes": {nodes}, "schemas": {{}}}}]}}"#
        )
    };
    let node = r#"{"id": "a", "takes": [["A"]], "outcomes": [[]]}"#;
    assert!(FlowLock::from_json(&net(r#"["A"]"#, &format!("[{node}]"))).is_ok());
    for text in ["[]", "{", r#"{"format": 1}"#, r#"{"format": "1"}"#] {
        fs::write(&file, text).unwrap();
        let refused = FlowLock::read(&file);
        assert!(matches!(refused, Err(LockError::Invalid { .. })), "{text}");
    }
    for text in [
        r#"{"format": 0, "flow": "A", "versions": []}"#,
        &net("[]", &format!("[{node}]")),
        &net(r#"["B"]"#, &format!("[{node}]")),
        &net(r#"["A"]"#, &format!("[{node}, {node}]")),
        &net(
            r#"["A"]"#,
            r#"[{"id": "a", "takes": [[], ["A"]], "outcomes": [[]]}]"#,
        ),
        &net(
            r#"["A"]"#,
            r#"[{"id": "a", "takes": [["A"]], "outcomes": [["B"]]}]"#,
        ),
    ] {
        fs::write(&file, text).unwrap();
        let refused = FlowLock::read(&file);
        assert!(
            matches!(refused, Err(LockError::Malformed { .. })),
            "{text}"
        );
    }
    let newer = FlowLock::from_json(r#"{"format": 2, "nets": []}"#);
    assert!(matches!(
        newer,
        Err(LockError::NewerFormat {
            found: 2,
            known: 1,
            ..
        })
    ));
    assert!(matches!(
        FlowLock::read(folder.path()),
        Err(LockError::Io { .. })
    ));
    assert!(FlowLock::new("Order").write(folder.path()).is_err());
}
