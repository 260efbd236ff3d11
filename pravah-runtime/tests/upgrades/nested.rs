//! Nested flows that start with the state of the flow around them, put around nodes and renamed.

use pravah_runtime::FlowRuntime;

use crate::{done, steps, upgraded};

/// A text is judged until it is good.
mod v1 {
    use pravah_runtime::prelude::*;

    crate::states!(Text, Judged, Done);

    #[node]
    fn judge(text: Text) -> Judged {
        Judged { n: text.n }
    }

    #[node]
    fn check(judged: Judged) -> Either<Text, Done> {
        match judged.n {
            0..10 => Either::Left(Text { n: judged.n + 12 }),
            n => Either::Right(Done { n }),
        }
    }

    #[flow]
    fn desk(text: Text) -> Done {
        flow! { judge -> check -> either(judge, done) }
    }
}

/// The same, with a nested flow that also writes, and fails.
mod v2 {
    use pravah_runtime::prelude::*;

    crate::states!(Text, Draft, Judged, Done);

    #[node]
    fn write(text: Text) -> Draft {
        Draft { n: text.n }
    }

    #[node]
    fn judge(draft: Draft) -> Result<Judged, String> {
        Err(format!("{} is no text", draft.n))
    }

    #[flow(named)]
    fn revise(text: Text) -> Judged {
        flow! { write -> judge }
    }

    #[node]
    fn check(judged: Judged) -> Either<Text, Done> {
        match judged.n {
            0 => Either::Left(Text { n: 1 }),
            n => Either::Right(Done { n }),
        }
    }

    #[node]
    fn rescue(failure: Failure<Text>) -> Done {
        Done {
            n: 1000 + failure.input.n,
        }
    }

    #[flow]
    fn desk(text: Text) -> Done {
        flow! {
            revise -> check -> either(revise, done);
            catch(revise) -> rescue -> done
        }
    }
}

/// A nested flow without states of its own.
macro_rules! nested_as {
    ($version:ident, $nested:ident) => {
        mod $version {
            use pravah_runtime::prelude::*;

            crate::states!(Text, Judged, Done);

            /// Judges a text twice.
            #[node]
            fn judge(text: Text) -> Either<Text, Judged> {
                match text.n % 2 {
                    0 => Either::Left(Text { n: text.n + 1 }),
                    _ => Either::Right(Judged { n: text.n }),
                }
            }

            #[flow(named)]
            fn $nested(text: Text) -> Judged {
                flow! { judge -> either(judge, done) }
            }

            #[node]
            fn check(judged: Judged) -> Either<Text, Done> {
                match judged.n {
                    0..10 => Either::Left(Text { n: judged.n + 9 }),
                    n => Either::Right(Done { n }),
                }
            }

            #[flow]
            fn desk(text: Text) -> Done {
                flow! { $nested -> check -> either($nested, done) }
            }
        }
    };
}
nested_as!(v3, revise);
nested_as!(v4, improve);

#[tokio::test]
async fn a_flow_put_around_what_waits_has_that_for_its_input() {
    let mut run = FlowRuntime::new(v1::Text { n: 1 }).unwrap();
    steps(&mut run, 2).await;
    let mut run = upgraded::<v2::Text, _>(&run);
    assert_eq!(done(&mut run).await.n, 1013);
}

#[tokio::test]
async fn a_nested_flow_of_another_name_makes_another_version() {
    let mut run = FlowRuntime::new(v3::Text { n: 0 }).unwrap();
    // It has started a second time, and come back to its start.
    steps(&mut run, 4).await;
    let mut run = upgraded::<v4::Text, _>(&run);
    let report = run.load_report().unwrap();
    let dropped = report.dropped.iter().map(|it| &*it.entry);
    assert_eq!(dropped.collect::<Vec<_>>(), ["/inputs/revise::Text"]);
    assert_eq!(done(&mut run).await.n, 11);
}
