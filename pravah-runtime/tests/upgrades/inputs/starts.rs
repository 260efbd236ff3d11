//! Inputs that wait where flows start, in versions that start elsewhere.

use pravah_runtime::{FlowDef, FlowGraph, LoadOptions, prelude::*};

use crate::{lock_problems, upgraded_with};

/// Loads each snapshot of a run into the new version, and has it end there; the errors are of those that are refused.
/// Where the lock sees no problem, none may be.
async fn outputs<Old: FlowDef, New: FlowDef>(
    mut run: FlowRuntime<Old>,
    old: Result<FlowGraph, FlowError>,
    new: Result<FlowGraph, FlowError>,
) -> Vec<Result<New::Output, String>> {
    let old = old.unwrap();
    let options = LoadOptions::new().with_version(old.version());
    let problems = lock_problems(("1.0.0", Ok(old)), new, &LoadOptions::new());
    let mut outputs = Vec::new();
    loop {
        let upgraded = upgraded_with::<New, _>(&run, &options);
        outputs.push(match upgraded {
            Ok(mut after) => Ok(end(&mut after).await),
            Err(error) => Err(error.to_string()),
        });
        // It may fail, and make the steps that follow all the same.
        if let Ok(RunOut::Done(_)) = run.next(Context::default()).await {
            break;
        }
        if outputs.len() > 8 {
            break;
        }
    }
    let is_refused = outputs.iter().any(Result::is_err);
    assert!(!is_refused || !problems.is_empty(), "the lock sees nothing");
    outputs
}

async fn end<F: FlowDef>(run: &mut FlowRuntime<F>) -> F::Output {
    for _ in 0..40 {
        if let Ok(RunOut::Done(output)) = run.next(Context::default()).await {
            return output;
        }
    }
    panic!("it does not end")
}

/// A node that passes a ticket on.
macro_rules! pass_on {
    () => {
        #[node]
        fn c(ticket: Ticket) -> Right {
            Right { n: ticket.n }
        }
    };
}

/// The same, which sends small ones back.
macro_rules! pass_on_or_back {
    () => {
        #[node]
        fn c(ticket: Ticket) -> Either<Ticket, Right> {
            match ticket.n {
                0..10 => Either::Left(ticket),
                n => Either::Right(Right { n }),
            }
        }
    };
}

/// A flow that starts at two places; one branch makes the state of the input anew.
macro_rules! forked_as {
    ($version:ident, $($flow:tt)*) => {
        #[allow(dead_code, reason = "not every version has every node")]
        mod $version {
            use pravah_runtime::prelude::*;

            crate::states!(Ticket, Left, Right, Done);

            #[node]
            fn prepare(ticket: Ticket) -> Ticket {
                ticket
            }

            #[node]
            fn a(ticket: Ticket) -> Ticket {
                Ticket { n: ticket.n * 100 }
            }

            #[node]
            fn b(ticket: Ticket) -> Left {
                Left { n: ticket.n }
            }

            #[node]
            fn sum(left: Left, right: Right, ticket: Input<Ticket>) -> Done {
                Done { n: left.n * 1_000_000 + right.n * 1000 + ticket.n }
            }

            $($flow)*
        }
    };
}
forked_as! { fork,
    pass_on!();

    #[flow(named)]
    pub(super) fn desk(ticket: Ticket) -> Done {
        flow! { fork(a -> c, b) -> join(sum) }
    }
}
forked_as! { fork_behind_a_node,
    pass_on!();

    #[flow(named)]
    pub(super) fn desk(ticket: Ticket) -> Done {
        flow! { prepare -> fork(a -> c, b) -> join(sum) }
    }
}
forked_as! { fork_elsewhere,
    pass_on_or_back!();

    #[flow(named)]
    pub(super) fn desk(ticket: Ticket) -> Done {
        flow! { fork(c -> either(a -> c, join(sum)), b -> join(sum)) }
    }
}

#[tokio::test]
async fn what_was_made_is_not_the_input_where_the_flow_starts_with_the_node_that_takes_it() {
    let run = FlowRuntime::<fork::desk>::start(fork::Ticket { n: 3 }).unwrap();
    let outputs =
        outputs::<_, fork_elsewhere::desk>(run, fork::desk::graph(), fork_elsewhere::desk::graph());
    for output in outputs.await {
        assert_eq!(output.unwrap().n, 3_300_003);
    }
}

#[tokio::test]
async fn where_nothing_is_known_of_the_version_the_run_is_refused() {
    let mut run = FlowRuntime::<fork::desk>::start(fork::Ticket { n: 3 }).unwrap();
    crate::steps(&mut run, 1).await;
    assert_eq!(
        crate::refusal::<fork_elsewhere::desk, _>(&run),
        "`sum` asks for `Input<Ticket>`, and nothing says which state is the flow's input `Ticket`: \
         `LoadOptions::with_version` may tell"
    );
}

#[tokio::test]
async fn the_input_is_what_waited_at_the_start_and_not_what_else_waits() {
    let run = FlowRuntime::<fork::desk>::start(fork::Ticket { n: 3 }).unwrap();
    let (old, new) = (fork::desk::graph(), fork_behind_a_node::desk::graph());
    for output in outputs::<_, fork_behind_a_node::desk>(run, old, new).await {
        assert_eq!(output.unwrap().n, 3_300_003);
    }
}

/// The same in a nested flow that fails.
macro_rules! caught_as {
    ($version:ident, $($flow:tt)*) => {
        #[allow(dead_code, reason = "runs name the flow by its type")]
        mod $version {
            use pravah_runtime::prelude::*;

            crate::states!(Ticket, Left, Right, Done);

            #[node]
            fn a(ticket: Ticket) -> Ticket {
                Ticket { n: ticket.n * 100 }
            }

            #[node]
            fn b(_: Ticket) -> Result<Left, String> {
                Err("no".into())
            }

            #[node]
            fn sum(left: Left, right: Right) -> Done {
                Done { n: left.n * 1000 + right.n }
            }

            #[node]
            fn rescue(failure: Failure<Ticket>) -> Done {
                Done { n: failure.input.n }
            }

            $($flow)*

            #[flow(named)]
            pub(super) fn desk(ticket: Ticket) -> Done {
                flow! { review -> done; catch(review) -> rescue -> done }
            }
        }
    };
}
caught_as! { caught,
    pass_on!();

    #[flow(named)]
    fn review(ticket: Ticket) -> Done {
        flow! { fork(a -> c, b) -> join(sum) }
    }
}
caught_as! { caught_elsewhere,
    pass_on_or_back!();

    #[flow(named)]
    fn review(ticket: Ticket) -> Done {
        flow! { fork(c -> either(a -> c, join(sum)), b -> join(sum)) }
    }
}

#[tokio::test]
async fn a_catch_hands_on_the_input_and_not_what_was_made() {
    let run = FlowRuntime::<caught::desk>::start(caught::Ticket { n: 3 }).unwrap();
    let (old, new) = (caught::desk::graph(), caught_elsewhere::desk::graph());
    for output in outputs::<_, caught_elsewhere::desk>(run, old, new).await {
        assert_eq!(output.unwrap().n, 3);
    }
}

/// A nested flow that starts anew with what it has made.
macro_rules! around_as {
    ($version:ident, $($flow:tt)*) => {
        #[allow(dead_code, reason = "runs name the flow by its type")]
        mod $version {
            use pravah_runtime::prelude::*;

            crate::states!(Memo, Ticket, Verdict, Sent);

            #[node]
            fn open(memo: Memo) -> Ticket {
                Ticket { n: memo.n }
            }

            #[node]
            fn revise(ticket: Ticket, first: Input<Ticket>) -> Either<Ticket, Verdict> {
                match ticket.n {
                    0..10 => Either::Left(Ticket { n: ticket.n + 4 }),
                    n => Either::Right(Verdict { n: n * 1000 + first.n }),
                }
            }

            #[node]
            fn send(verdict: Verdict) -> Sent {
                Sent { n: verdict.n }
            }

            #[flow(named)]
            fn review(ticket: Ticket) -> Verdict {
                flow! { revise -> either(revise, done) }
            }

            $($flow)*
        }
    };
}
around_as! { alone,
    #[flow(named)]
    pub(super) fn desk(memo: Memo) -> Sent {
        flow! { open -> review -> send }
    }
}
around_as! { surrounded,
    #[flow(named)]
    fn outer(ticket: Ticket) -> Verdict {
        flow! { review }
    }

    #[flow(named)]
    pub(super) fn desk(memo: Memo) -> Sent {
        flow! { open -> outer -> send }
    }
}

#[tokio::test]
async fn what_was_made_in_a_flow_is_not_the_input_of_a_new_one_around_it() {
    let start = || FlowRuntime::<alone::desk>::start(alone::Memo { n: 3 }).unwrap();
    let (old, new) = (alone::desk::graph(), surrounded::desk::graph());
    let outputs = outputs::<_, surrounded::desk>(start(), old, new).await;
    assert!(outputs.iter().flatten().all(|output| output.n == 11_003));
    let refused: Vec<bool> = outputs.iter().map(Result::is_err).collect();
    assert_eq!(refused, [false, true, true, true, false]);
    // Without its version a run that has come back there is refused all the same.
    let mut run = start();
    crate::steps(&mut run, 2).await;
    let why = crate::refusal::<surrounded::desk, _>(&run);
    assert!(why.contains("nothing says which state"), "{why}");
}

/// A flow whose input is of another type in the next version: what it makes was the input of nothing.
macro_rules! prepared_as {
    ($version:ident, ($($asked:ident: $of:ty)?), $($flow:tt)*) => {
        #[allow(dead_code, reason = "not every version has every node")]
        mod $version {
            use pravah_runtime::prelude::*;

            crate::states!(Memo, Ticket, Written, Verdict);

            #[node]
            fn open(memo: Memo) -> Ticket {
                Ticket { n: memo.n }
            }

            #[node]
            fn prepare(ticket: Ticket) -> Ticket {
                Ticket { n: ticket.n * 100 }
            }

            #[node]
            fn write(ticket: Ticket) -> Written {
                Written { n: ticket.n }
            }

            #[node]
            fn polish(written: Written $(, $asked: Input<$of>)?) -> Verdict {
                Verdict { n: written.n $(+ $asked.n)? }
            }

            $($flow)*
        }
    };
}
prepared_as! { from_memos, (),
    #[flow(named)]
    pub(super) fn desk(memo: Memo) -> Verdict {
        flow! { open -> prepare -> write -> polish }
    }
}
prepared_as! { from_tickets, (ticket: Ticket),
    #[flow(named)]
    pub(super) fn desk(ticket: Ticket) -> Verdict {
        flow! { prepare -> write -> polish }
    }
}

#[tokio::test]
async fn what_was_made_is_not_the_input_of_a_flow_that_had_another_one() {
    let run = FlowRuntime::<from_memos::desk>::start(from_memos::Memo { n: 3 }).unwrap();
    let (old, new) = (from_memos::desk::graph(), from_tickets::desk::graph());
    let outputs = outputs::<_, from_tickets::desk>(run, old, new).await;
    assert!(outputs.iter().flatten().all(|output| output.n == 303));
    let refused: Vec<bool> = outputs.iter().map(Result::is_err).collect();
    assert_eq!(refused, [true, false, true, true]);
}
