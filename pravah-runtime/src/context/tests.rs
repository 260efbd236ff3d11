//! What a context knows of its step, and what it does between a check and a use.

use std::sync::Arc;

use serde_json::json;

use super::{CallScope, Capabilities, Context, RunView, StepScope};
use crate::{FlowError, cancel::CancelToken, state::Live};

#[derive(Default)]
struct Run {
    cancel: CancelToken,
}

impl RunView for Run {
    fn cancel(&self) -> &CancelToken {
        &self.cancel
    }

    fn run_id(&self) -> &str {
        "run-1"
    }

    fn step_name(&self, _: u32) -> String {
        "triage".into()
    }

    fn input(&self, _: u32, name: &str) -> Option<Live> {
        match name {
            "uint32" => Some(Live::new(7_u32)),
            "string" => Some(Live::new(true)),
            _ => None,
        }
    }

    fn inputs(&self, _: u32) -> Vec<String> {
        vec!["uint32".to_owned(), "string".to_owned()]
    }
}

fn in_step(items: &[usize]) -> Context {
    Context::default().into_step(StepScope {
        run: Arc::new(Run::default()),
        node: 0,
        visit: 2,
        attempt: 1,
        items: (!items.is_empty()).then(|| items.into()),
        cancel: None,
        just_resumed: false,
    })
}

fn in_call(payload: Option<serde_json::Value>) -> Context {
    in_step(&[]).in_call(
        Arc::new(CallScope::new("c".to_owned(), 3, payload)),
        Capabilities::NONE,
    )
}

#[test]
fn the_step_key_names_run_node_items_and_visit() {
    assert_eq!(in_step(&[]).step_key().unwrap(), "run-1/triage#2");
    assert_eq!(in_step(&[4, 1]).step_key().unwrap(), "run-1/triage[4][1]#2");
}

#[test]
fn the_step_key_of_a_tool_names_the_turn() {
    assert_eq!(in_call(None).step_key().unwrap(), "run-1/triage#2/3");
}

#[test]
fn the_input_is_asked_of_the_run_by_name() {
    assert_eq!(*in_step(&[]).input::<u32>().unwrap(), 7);
    let error = in_step(&[]).input::<u64>().unwrap_err();
    assert!(matches!(error, FlowError::NotFound(_)), "{error}");
}

#[test]
fn an_input_that_cannot_be_read_is_an_error() {
    let error = in_step(&[]).input::<String>().unwrap_err();
    assert!(matches!(error, FlowError::State { .. }), "{error}");
}

#[test]
fn a_resumed_call_reads_its_payload() {
    let ctx = in_call(Some(json!(true)));
    assert_eq!(ctx.resumed::<bool>().unwrap(), Some(true));
    assert!(ctx.resumed::<u32>().is_err());
    assert_eq!(in_call(None).resumed::<bool>().unwrap(), None);
}

#[test]
fn a_payload_of_null_is_a_payload() {
    let ctx = in_call(Some(json!(null)));
    assert_eq!(ctx.resumed::<Option<bool>>().unwrap(), Some(None));
}

// S1.36: the path was fine when it was checked, and leads out when it is used.
#[cfg(unix)]
#[test]
fn a_link_swapped_in_after_the_check_leads_nowhere() {
    use crate::{FlowConf, ToolError};
    use std::{fs, os::unix::fs::symlink};

    let top = tempfile::TempDir::new().unwrap();
    let (work, out) = (top.path().join("work"), top.path().join("out"));
    fs::create_dir_all(work.join("sub")).unwrap();
    fs::create_dir(&out).unwrap();
    fs::write(out.join("file"), "secret").unwrap();
    let swap = || {
        fs::rename(work.join("sub"), work.join("away")).unwrap();
        symlink(&out, work.join("sub")).unwrap();
    };
    let swap_back = || {
        fs::remove_file(work.join("sub")).unwrap();
        fs::rename(work.join("away"), work.join("sub")).unwrap();
    };
    let ctx = Context::new(FlowConf {
        working_dir: work.clone(),
        ..FlowConf::default()
    });

    let read = ctx.files().at("sub/file".as_ref(), |dir, path| {
        swap();
        dir.open(path)
    });
    assert!(matches!(read, Err(ToolError::PathEscape(_))), "{read:?}");
    swap_back();
    let written = ctx.files().at("sub/file".as_ref(), |dir, path| {
        swap();
        dir.write(path, "x")
    });
    assert!(
        matches!(written, Err(ToolError::PathEscape(_))),
        "{written:?}"
    );
    assert_eq!(fs::read_to_string(out.join("file")).unwrap(), "secret");
}
