//! A bot that writes code and has it reviewed: three agents read the same draft, and decide
//! together. What they do not accept is written again, twice at most.

use pravah_runtime::prelude::*;
use serde_json::json;

/// What is to be written.
#[state]
struct Task {
    text: String,
}

#[state]
struct Draft {
    code: String,
}

/// What one reviewer says: all three return this type.
#[state]
struct Review {
    /// One line each; none if the draft is good.
    remarks: Vec<String>,
}

#[state]
struct Accepted;

#[state]
struct Rejected {
    remarks: Vec<String>,
}

/// How a task ended.
#[state]
struct Report {
    text: String,
}

/// You write one line of Rust. Answer with the code alone.
#[agent(model = "openai://gpt-4o-mini", output = Draft)]
fn write(task: &Task) -> String {
    task.text.clone()
}

/// You review the style of code: its names, and how it reads.
#[agent(model = "openai://gpt-4o-mini", output = Review)]
fn style(draft: &Draft) -> String {
    draft.code.clone()
}

/// You review what can go wrong in code: panics, overflows, hostile input.
#[agent(model = "openai://gpt-4o-mini", output = Review)]
fn security(draft: &Draft) -> String {
    draft.code.clone()
}

/// You review whether code can be tested.
#[agent(model = "openai://gpt-4o-mini", output = Review)]
fn tests(draft: &Draft) -> String {
    draft.code.clone()
}

/// A join of equals: parameters of one type are filled in the order of the branches.
#[node]
fn decide(style: Review, security: Review, tests: Review) -> Either<Accepted, Rejected> {
    let remarks = [style, security, tests].map(|review| review.remarks);
    let remarks = remarks.concat();
    match remarks.is_empty() {
        true => Either::Left(Accepted),
        false => Either::Right(Rejected { remarks }),
    }
}

/// You change a line of Rust as its reviewers want. Answer with the code alone.
#[agent(model = "openai://gpt-4o-mini", output = Draft, max_visits = 2)]
fn rewrite(rejected: &Rejected, draft: Latest<Draft>, task: Input<Task>) -> String {
    let remarks = rejected.remarks.join("\n");
    format!("{}\n\n{}\n\n{remarks}", task.text, draft.code)
}

/// Reads the draft that was made last, which no state has to carry this far.
#[node]
fn publish(_: Accepted, draft: Latest<Draft>) -> Report {
    Report {
        text: format!("published: {}", draft.code),
    }
}

/// Takes the failure of `rewrite`: also that it may not run again.
#[node]
fn give_up(failure: Failure<Rejected>, draft: Latest<Draft>) -> Report {
    let remarks = failure.input.remarks.join(", ");
    Report {
        text: format!("given up: {} ({remarks})", draft.code),
    }
}

/// Every branch of a fork gets the same draft.
#[flow]
fn review(task: Task) -> Report {
    flow! {
        write -> fork(style, security, tests) -> join(decide);
        decide -> either(publish, rewrite -> fork(style, security, tests));
        catch(rewrite) -> give_up
    }
}

/// Adds what the models would say in one round: a draft, and the remarks of the three reviewers.
fn round(script: ScriptedModel, writer: &str, code: &str, remarks: [&[&str]; 3]) -> ScriptedModel {
    let [style, security, tests] = remarks.map(|remarks| json!({ "remarks": remarks }));
    script
        .reply(writer, json!({ "code": code }))
        .reply("style", style)
        .reply("security", security)
        .reply("tests", tests)
}

async fn have_written(text: &str, script: ScriptedModel) -> Result<(), FlowError> {
    println!("{text}");
    let task = Task {
        text: text.to_owned(),
    };
    let mut run = FlowRuntime::new(task)?
        .with_factory(script)
        // All three reviewers are asked at the same time.
        .with_concurrency(3);
    loop {
        let out = run.next(Context::default()).await?;
        if let Some(step) = run.last_step() {
            println!("  {step}");
        }
        if let RunOut::Done(report) = out {
            println!("  {}", report.text);
            return Ok(());
        }
    }
}

#[tokio::main]
async fn main() -> Result<(), FlowError> {
    let first = [&["say what it returns"][..], &["it overflows"], &[]];
    let script = round(ScriptedModel::new(), "write", "|a, b| (a + b) / 2", first);
    let better = "fn mean(a: u32, b: u32) -> u32 { a.midpoint(b) }";
    let script = round(script, "rewrite", better, [&[]; 3]);
    have_written("the mean of two numbers", script).await?;

    let remarks = [&[][..], &["it is unsafe"], &[]];
    let mut script = ScriptedModel::new();
    for writer in ["write", "rewrite", "rewrite"] {
        script = round(script, writer, "unsafe { *p }", remarks);
    }
    have_written("the number at an address", script).await
}

#[cfg(test)]
mod crash_tests {
    use pravah_runtime::testing::CrashTest;

    use super::*;

    #[tokio::test]
    async fn a_review_comes_to_the_same_end_wherever_it_is_broken_off() {
        let first = [&["it overflows"][..], &[], &[]];
        let script = round(ScriptedModel::new(), "write", "(a + b) / 2", first);
        let script = round(script, "rewrite", "a.midpoint(b)", [&[]; 3]);
        let models = ClientFactory::new().with_scripted(script);
        let test = CrashTest::<Task>::new(|| Task {
            text: "the mean of two numbers".to_owned(),
        });
        let test = test.with_setup(move |run| run.with_factory(models.clone()).with_concurrency(3));
        let report = test.check().await.unwrap();
        assert_eq!(report.output["text"], "published: a.midpoint(b)");
    }
}
