//! A confidence contract: a model decides on refunds, and how sure it is decides who decides.
//!
//! ```sh
//! cargo run -p pravah-examples --bin contract
//! cargo run -p pravah-examples --bin contract -- --review edit
//! cargo run -p pravah-examples --bin contract -- --model openai://gpt-4o-mini
//! ```

use clap::{Parser, ValueEnum};
use pravah_runtime::{EventKind, FlowEvent, FlowObserver, Review, prelude::*};
use serde_json::{Value, json};

#[derive(Parser)]
struct Options {
    /// The model to ask; without one a script answers.
    #[arg(long)]
    model: Option<String>,
    /// What the reviewer says of an answer that waits.
    #[arg(long, value_enum, default_value = "approve")]
    review: Verdict,
}

#[derive(Clone, Copy, ValueEnum)]
enum Verdict {
    Approve,
    Edit,
    Reject,
}

#[state]
struct Claim {
    text: String,
}

#[state]
struct Refund {
    euros: u32,
}

#[state]
struct Letter {
    text: String,
}

/// You decide on refunds for late parcels: 5 euros for each day, at most 50.
#[agent(
    model = "openai://gpt-4o-mini",
    output = Refund,
    contract(suppress_below = 0.4, auto_approve_above = 0.9, budget = "30s", version = "2026-11"),
)]
fn judge(claim: &Claim) -> String {
    claim.text.clone()
}

#[node]
fn grant(refund: &Refund) -> Letter {
    Letter {
        text: format!("We refund {} euros.", refund.euros),
    }
}

/// What was suppressed or rejected ends here. Without a `catch` the flow would not compile.
#[node]
fn ask_back(failure: &Failure<Claim>) -> Letter {
    let why = match failure.kind {
        FailureKind::Suppressed => "we could not make sense of it",
        FailureKind::Rejected => "a colleague has questions",
        _ => "something went wrong",
    };
    Letter {
        text: format!("Please tell us more: {why}."),
    }
}

#[flow]
fn refunds(claim: Claim) -> Letter {
    flow! { judge -> grant -> done; catch(judge) -> ask_back -> done }
}

/// Prints the audit log: one line of JSON for each entry.
struct AuditLog;

impl FlowObserver for AuditLog {
    fn on_event(&self, event: &FlowEvent) {
        if let EventKind::Audit(entry) = &event.kind {
            println!("  audit {}", json!(entry));
        }
    }
}

/// What a model would say: sure, in doubt, clueless.
fn script(claim: &str) -> ScriptedModel {
    let (euros, confidence, reasoning) = match claim {
        "My parcel came 4 days late." => (20, 0.97, "the rule is plain"),
        "My parcel came some days late." => (15, 0.6, "it does not say how many"),
        _ => (50, 0.2, "there is no parcel"),
    };
    let answer = json!({
        "primary_output": { "euros": euros },
        "confidence": confidence,
        "confidence_type": "verbalized",
        "escalate": false,
        "reasoning": reasoning,
    });
    ScriptedModel::new().reply("judge", answer)
}

/// A person looks at the answer, and says what becomes of it.
fn review(question: &Value, verdict: Verdict) -> Review<Refund> {
    println!(
        "  review {}: confidence {}, {}",
        question["primary_output"], question["confidence"], question["reasoning"]
    );
    match verdict {
        Verdict::Approve => Review::Approve,
        Verdict::Edit => Review::Edit {
            output: Refund { euros: 10 },
        },
        Verdict::Reject => Review::Reject {
            reason: Some("how many days?".to_owned()),
        },
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let options = Options::parse();
    for text in [
        "My parcel came 4 days late.",
        "My parcel came some days late.",
        "What a lovely morning!",
    ] {
        println!("{text}");
        let claim = Claim {
            text: text.to_owned(),
        };
        let run = FlowRuntime::new(claim)?.with_observer(AuditLog);
        let mut run = match &options.model {
            Some(url) => run.with_model("judge", url)?,
            None => run.with_factory(script(text)),
        };
        let mut out = run.run(Context::default()).await?;
        if let RunOut::Suspend { value, tool_id } = out {
            // The run can wait for this as a snapshot, for as long as it takes.
            let review = review(&value, options.review);
            run.resume(Context::default(), (tool_id, review)).await?;
            out = run.run(Context::default()).await?;
        }
        if let RunOut::Done(letter) = out {
            println!("  letter {}", letter.text);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use pravah_runtime::testing::CrashTest;

    use super::*;

    #[tokio::test]
    async fn a_claim_comes_to_the_same_end_wherever_its_run_is_broken_off() {
        for (text, letter) in [
            ("My parcel came 4 days late.", "20 euros"),
            ("My parcel came some days late.", "10 euros"),
            ("What a lovely morning!", "Please tell us more"),
        ] {
            let models = ClientFactory::new().with_scripted(script(text));
            let test = CrashTest::<Claim>::new(move || Claim {
                text: text.to_owned(),
            })
            .with_setup(move |run| run.with_factory(models.clone()))
            .answering(|question| Some(json!(review(&question.value, Verdict::Edit))));
            let report = test.check().await.unwrap();
            let output = report.output["text"].as_str().unwrap();
            assert!(output.contains(letter), "{output}");
        }
    }
}
