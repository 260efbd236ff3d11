//! What a model may read of an error, and what stays with the operator.

mod causes;

use std::io;

use super::{BoxError, FlowError, Signal, ToolError};
use crate::model_text::ForModel;

fn all() -> Vec<ToolError> {
    let json = || serde_json::from_str::<u32>("\"sesame\"").unwrap_err();
    vec![
        ToolError::Io(io::Error::other("/etc/sesame: ENOENT")),
        ToolError::Io(io::Error::new(io::ErrorKind::NotFound, "/etc/sesame")),
        ToolError::Serialize(json()),
        ToolError::Deserialize(json()),
        ToolError::UnknownTool("sesame".to_owned()),
        ToolError::PathEscape("../sesame".to_owned()),
        ToolError::ForbiddenCommand("sesame".to_owned()),
        ToolError::ForbiddenHost("sesame".to_owned()),
        ToolError::Http("500 from https://sesame".into()),
        crate::DepsError::missing::<Sesame>(Vec::new()).into(),
        ToolError::other(io::Error::other("sesame")),
        ToolError::other("sesame"),
        ToolError::Other("sesame".into()),
        ToolError::fatal("sesame"),
        ToolError::suspend("sesame"),
    ]
}

struct Sesame;

#[test]
fn an_arc_of_what_the_context_has_is_told_to_be_one_too_many() {
    use crate::Context;

    trait Mail: Send + Sync {}
    struct Smtp;
    impl Mail for Smtp {}
    let mail: std::sync::Arc<dyn Mail> = std::sync::Arc::new(Smtp);
    let ctx = Context::default().with_dep_arc(mail);
    let error = ctx
        .dep::<std::sync::Arc<dyn Mail>>()
        .err()
        .unwrap()
        .to_string();
    let name = std::any::type_name::<dyn Mail>();
    assert!(error.ends_with(&format!("take `Dep<{name}>`")), "{error}");
    assert!(ctx.dep::<dyn Mail>().is_ok());
}

#[test]
fn a_forbidden_command_with_arguments_says_to_list_it_without_them() {
    let refused = |command: &str| ToolError::ForbiddenCommand(command.to_owned()).to_string();
    let plain = refused("ls");
    assert_eq!(
        plain,
        "the command `ls` is not allowed; `FlowConf::commands` lists those that are"
    );
    assert!(refused("ls -l").ends_with("those that are, without their arguments"));
}

#[test]
fn answering_an_unknown_id_lists_at_most_ten_open_ids() {
    let message = |open: usize| FlowError::not_open("-1", 0..open).map(|error| error.to_string());
    assert_eq!(message(0), None);
    let said = |what: &str| Some(format!("`-1` asks nothing: {what} for an answer"));
    assert_eq!(message(1), said("`0` waits"));
    assert_eq!(message(3), said("`0`, `1`, `2` wait"));
    let ten = "`0`, `1`, `2`, `3`, `4`, `5`, `6`, `7`, `8`, `9`";
    assert_eq!(message(10), said(&format!("{ten} wait")));
    assert_eq!(message(1_000), said(&format!("{ten} and more wait")));
    let Some(FlowError::ResumeMismatchError(open)) = FlowError::not_open("-1", 0..11) else {
        panic!("another error");
    };
    assert_eq!((open.as_str(), open.known().len()), ("0", 10));
}

// S3.4, S3.7
#[test]
fn no_rendering_for_a_model_leaks_anything() {
    for error in all() {
        let text = error.for_model();
        assert!(!text.to_lowercase().contains("sesame"), "{text}");
        assert!(
            !text.contains(|c: char| c.is_ascii_digit() || "/:".contains(c)),
            "{text}"
        );
        assert!(text.len() < 60, "{text}");
    }
}

// S3.6
#[test]
fn a_text_written_for_the_model_reaches_it() {
    assert_eq!(
        ToolError::from("no such customer").for_model(),
        "no such customer"
    );
    assert_eq!(
        ToolError::message("no such customer").for_model(),
        "no such customer"
    );
}

// S3.5
#[test]
fn the_operator_sees_everything() {
    let error = ToolError::Io(io::Error::other("disk on fire"));
    assert!(error.to_string().contains("disk on fire"));
    assert!(error.get_ref().is_some());
}

#[test]
fn a_suspension_survives_being_boxed() {
    let boxed: BoxError = ToolError::suspend(7).into();
    match ToolError::from(boxed).into_signal() {
        Ok(Signal::Suspend(value)) => assert_eq!(value, 7),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_boxed_flow_error_is_the_same_again() {
    let boxed: BoxError = FlowError::NotFound("x".to_owned().into()).into();
    assert!(matches!(FlowError::from(boxed), FlowError::NotFound(_)));
}

#[test]
fn a_loop_is_drawn_back_to_its_start() {
    let error = FlowError::MaxVisits {
        node: "revise".to_owned(),
        cycle: vec!["review".to_owned(), "revise".to_owned()],
        limit: 10,
    };
    let text = "node `revise` ran 10 times, as often as `max_visits` allows, on the loop `review -> revise -> review`";
    assert_eq!(error.to_string(), text);
}
