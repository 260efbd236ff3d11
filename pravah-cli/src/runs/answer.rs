//! `pravah runs answer`.

use std::process::ExitCode;

use clap::Args;
use pravah_document::{schema_error, violations};
use pravah_runtime::GateQuestion;
use pravah_store::{Question, Runs};
use serde_json::Value;

use super::asked::Asked;
use crate::{failure::Failure, input, output::say};

#[derive(Args)]
pub(super) struct Options {
    /// The run.
    id: String,
    /// The id of the question.
    question: String,
    /// The answer: JSON, or else a text.
    #[arg(value_name = "JSON")]
    answer: String,
    /// Also if the question is not open: the answer waits until it is asked.
    #[arg(long)]
    early: bool,
    /// Without checking the answer against the schema of the question. The run refuses one that does not fit.
    #[arg(long)]
    unchecked: bool,
}

pub(super) async fn answer(
    runs: &Runs,
    asked: &Asked,
    options: Options,
) -> Result<ExitCode, Failure> {
    let Options { id, question, .. } = &options;
    let failed = |error| asked.failed(error);
    let info = runs.status(id).await.map_err(failed)?;
    asked.check_not_encrypted(runs, id).await?;
    let open = info.questions.iter().find(|open| open.id == *question);
    let answer = match open {
        Some(open) if !options.unchecked => fitting(open, &options.answer)?,
        _ => input::as_value(&options.answer),
    };
    let stored = if options.early {
        runs.answer(id, question, answer).await
    } else {
        runs.answer_open(id, question, answer).await
    };
    stored.map_err(failed)?;
    let history = asked.command_of_run("history", id, &[]);
    say!("stored: `{history}` says whether the run has taken the answer");
    Ok(ExitCode::SUCCESS)
}

/// The answer that fits a question: what is JSON may be meant as a text, such as `7` as the number of a house.
fn fitting(question: &Question, text: &str) -> Result<Value, Failure> {
    let answer = input::as_value(text);
    let Ok(gate) = serde_json::from_value::<GateQuestion>(question.value.clone()) else {
        return Ok(answer);
    };
    if schema_error(&gate.schema).is_some() {
        return Ok(answer);
    }
    let problems = violations(&gate.schema, &answer);
    if problems.is_empty() {
        return Ok(answer);
    }
    let as_text = Value::from(text);
    if violations(&gate.schema, &as_text).is_empty() {
        return Ok(as_text);
    }
    let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
    Err(Failure::Message(format!(
        "the question `{}` takes no such answer: {}; with `--unchecked` the run itself decides",
        question.id,
        problems.join("; ")
    )))
}
