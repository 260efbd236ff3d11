//! A tape in place of a model: recorded once, with a key, and replayed ever after without one.
//!
//! ```sh
//! cargo run -p pravah-examples --bin replay
//! cargo run -p pravah-examples --bin replay -- --record openai://gpt-4o-mini --tape my_tape.json
//! ```

use std::path::PathBuf;

use clap::Parser;
use pravah_runtime::{Cassette, prelude::*};

const TAPE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/replay/tape.json");
const REVIEWS: [&str; 2] = [
    "It leaks, and the lid fell off on the first day.",
    "Boils fast and looks good. I bought a second one.",
];

#[derive(Parser)]
struct Options {
    /// Asks this model for what is not on the tape, and records it.
    #[arg(long)]
    record: Option<String>,
    /// The tape.
    #[arg(long, default_value = TAPE)]
    tape: PathBuf,
}

#[state]
struct Review {
    text: String,
}

#[state]
struct Opinion {
    /// From 1, the worst, to 5.
    stars: u8,
    /// At most three words.
    summary: String,
}

/// You read what customers write about kettles.
#[agent(model = "openai://gpt-4o-mini", output = Opinion)]
fn read(review: &Review) -> String {
    review.text.clone()
}

#[flow]
fn opinion(review: Review) -> Opinion {
    flow! { read }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let options = Options::parse();
    let tape = match &options.record {
        Some(_) => Cassette::record(&options.tape)?,
        None => Cassette::replay(&options.tape)?,
    };
    let factory = ClientFactory::new().with_cassette(tape);
    for text in REVIEWS {
        let review = Review {
            text: text.to_owned(),
        };
        let mut run = FlowRuntime::new(review)?.with_factory(factory.clone());
        if let Some(url) = &options.record {
            run = run.with_model("read", url)?;
        }
        if let RunOut::Done(opinion) = run.run(Context::default()).await? {
            println!("{} {}", "*".repeat(opinion.stars.into()), opinion.summary);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use pravah_runtime::testing::CrashTest;

    use super::*;

    #[tokio::test]
    async fn an_opinion_is_the_same_wherever_its_run_is_broken_off() {
        for (text, stars) in REVIEWS.into_iter().zip([1, 5]) {
            let models = ClientFactory::new().with_cassette(Cassette::replay(TAPE).unwrap());
            let test = CrashTest::<Review>::new(move || Review {
                text: text.to_owned(),
            })
            .with_setup(move |run| run.with_factory(models.clone()));
            let report = test.check().await.unwrap();
            assert_eq!(report.output["stars"], stars);
        }
    }
}
