//! A loop, and what happens at its limit: a headline is shortened until it fits. One that never
//! will meets `max_visits`, a typed error that leaves the run as it was.

use pravah_runtime::prelude::*;

const WIDTH: usize = 24;

#[state]
#[derive(Clone)]
struct Draft {
    text: String,
}

#[state]
struct TooLong {
    text: String,
}

#[state]
struct Headline {
    text: String,
}

/// Runs at most five times in a run. Without `max_visits` the limit is 1,000.
#[node(max_visits = 5)]
fn review(draft: Draft) -> Either<Headline, TooLong> {
    if draft.text.chars().count() <= WIDTH {
        Either::Left(Headline { text: draft.text })
    } else {
        Either::Right(TooLong { text: draft.text })
    }
}

/// Drops the last word, if it is not the only one.
#[node]
fn shorten(long: TooLong) -> Draft {
    match long.text.rsplit_once(' ') {
        Some((shorter, _)) => Draft {
            text: shorter.to_owned(),
        },
        None => Draft { text: long.text },
    }
}

/// Brings a headline to length. `review` is named twice: that is the loop.
#[flow]
fn headline(draft: Draft) -> Headline {
    flow! { review -> either(done, shorten); shorten -> review }
}

#[tokio::main]
async fn main() -> Result<(), FlowError> {
    for text in [
        "Kettle leaks on its very first day",
        "Donaudampfschifffahrtsgesellschaft",
    ] {
        println!("{text}");
        edit(text).await?;
    }
    Ok(())
}

async fn edit(text: &str) -> Result<(), FlowError> {
    let mut run = FlowRuntime::new(Draft {
        text: text.to_owned(),
    })?;
    loop {
        match run.next(Context::default()).await {
            Ok(RunOut::Done(headline)) => {
                println!("  headline: {}", headline.text);
                return Ok(());
            }
            Ok(_) => {
                // `peek` shows a state that waits, without taking it.
                if let Some(draft) = run.peek::<Draft>() {
                    println!("  shortened: {}", draft.text);
                }
            }
            Err(error @ FlowError::MaxVisits { .. }) => {
                println!("  error: {error}");
                // Nothing is lost: the draft still waits for its review.
                if let Some(draft) = run.peek::<Draft>() {
                    println!("  still waiting: {}", draft.text);
                }
                return Ok(());
            }
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use pravah_runtime::testing::CrashTest;

    use super::*;

    #[tokio::test]
    async fn a_headline_is_the_same_wherever_its_run_is_broken_off() {
        let test = CrashTest::<Draft>::new(|| Draft {
            text: "Kettle leaks on its very first day".to_owned(),
        });
        let report = test.check().await.unwrap();
        assert_eq!(report.output["text"], "Kettle leaks on its very");
    }
}
