//! The inputs of flows, for those who ask for them in another version.

mod asked_before;
mod asked_inside;
mod shared;
mod starts;
mod unknown;

use pravah_runtime::{FlowGraph, LoadOptions, prelude::*};

use crate::{done, lock_problems, refusal, steps, upgraded, upgraded_with};

/// Two nested flows that start with a part of their own, in either order.
macro_rules! halves_as {
    ($version:ident, ($($state:ident),+) from $split:expr, $order:tt) => {
        mod $version {
            use pravah_runtime::prelude::*;

            crate::states!(Whole, Part, Rest, Cut, Left, Right, Both);

            #[node]
            fn split(whole: Whole) -> ($($state),+) {
                ($split)(whole.n)
            }

            #[node]
            fn prepare(rest: Rest) -> Part {
                Part { n: rest.n * 100 }
            }

            #[node]
            fn cut(part: Part) -> Cut {
                Cut { n: part.n }
            }

            #[node]
            fn tell_left(_: Cut, part: Input<Part>) -> Left {
                Left { n: part.n }
            }

            #[node]
            fn tell_right(_: Cut, part: Input<Part>) -> Right {
                Right { n: part.n }
            }

            #[flow(named)]
            fn left(part: Part) -> Left {
                flow! { cut -> tell_left }
            }

            #[flow(named)]
            fn right(part: Part) -> Right {
                flow! { cut -> tell_right }
            }

            #[node]
            fn sum(left: Left, right: Right) -> Both {
                Both { n: left.n + 3 * right.n }
            }

            halves_as! { $order }
        }
    };
    ((left, right)) => {
        #[flow]
        fn desk(whole: Whole) -> Both {
            flow! { split -> fork(left -> join(sum), prepare -> right -> join(sum)) }
        }
    };
    ((right, left)) => {
        #[flow]
        fn desk(whole: Whole) -> Both {
            flow! { split -> fork(prepare -> right -> join(sum), left -> join(sum)) }
        }
    };
}
halves_as!(v1, (Part, Rest) from |n| (Part { n }, Rest { n: n + 1 }), (left, right));
halves_as!(v2, (Rest, Part) from |n| (Rest { n: n + 1 }, Part { n }), (right, left));

/// A nested flow that starts with what has been drafted, or drafts itself and asks for what it was given.
macro_rules! revised_as {
    ($version:ident, $input:ident, ($($asked:ident: $of:ty)?), $($flow:tt)*) => {
        mod $version {
            use pravah_runtime::prelude::*;

            crate::states!(Text, Draft, Judged, Done);

            #[node]
            fn write(text: Text) -> Draft {
                Draft { n: text.n + 1 }
            }

            #[node]
            fn judge(draft: Draft) -> Judged {
                Judged { n: draft.n }
            }

            #[node]
            fn check(judged: Judged $(, $asked: Input<$of>)?) -> Either<$input, Done> {
                let n = judged.n $(* 10 + $asked.n)?;
                match n {
                    0..10 => Either::Left($input { n: n + 20 }),
                    n => Either::Right(Done { n }),
                }
            }

            $($flow)*
        }
    };
}
revised_as! { v3, Draft, (),
    #[flow(named)]
    fn revise(draft: Draft) -> Done {
        flow! { judge -> check -> either(judge, done) }
    }

    #[flow]
    pub(super) fn desk(text: Text) -> Done {
        flow! { write -> revise }
    }
}
revised_as! { v4, Text, (text: Text),
    #[flow(named)]
    fn revise(text: Text) -> Done {
        flow! { write -> judge -> check -> either(write, done) }
    }

    #[node]
    fn take(text: Text) -> Text {
        text
    }

    #[flow]
    pub(super) fn desk(text: Text) -> Done {
        flow! { take -> revise }
    }
}

#[tokio::test]
async fn nested_flows_that_change_places_keep_their_inputs() {
    let mut run = FlowRuntime::new(v1::Whole { n: 1 }).unwrap();
    let mut steps_made = 0;
    while run.output().unwrap().is_none() {
        let mut after = upgraded::<v2::Whole, _>(&run);
        assert_eq!(done(&mut after).await.n, 601, "after {steps_made} steps");
        steps(&mut run, 1).await;
        steps_made += 1;
    }
    assert_eq!(run.output().unwrap().unwrap().n, 601);
}

#[tokio::test]
async fn a_node_that_asks_for_an_input_that_was_not_kept_refuses_the_run() {
    let mut run = FlowRuntime::new(v3::Text { n: 1 }).unwrap();
    steps(&mut run, 2).await;
    assert_eq!(
        refusal::<v4::Text, _>(&run),
        "`revise::check` asks for `Input<Text>`, and the flow's input `revise::Text` is not there"
    );
}

fn problems(old: Result<FlowGraph, FlowError>, new: Result<FlowGraph, FlowError>) -> Vec<String> {
    lock_problems(("1.0.0", old), new, &LoadOptions::new())
}

#[test]
fn a_lock_reports_an_input_that_was_not_kept_and_is_asked_for() {
    let problems = problems(v3::desk::graph(), v4::desk::graph());
    let missing = "version 1.0.0: in this version a `revise::Judged` that waits is inside a flow whose input \
                   `revise::Text` was not kept, and a `catch` or an `Input<_>` needs it";
    assert!(problems.iter().any(|it| it == missing), "{problems:#?}");
}

/// The same as `revised_as`, where a join asks for the input.
macro_rules! joined_as {
    ($version:ident, ($($asked:ident: $of:ty)?), $($flow:tt)*) => {
        mod $version {
            use pravah_runtime::prelude::*;

            crate::states!(Text, Draft, Left, Right, Done);

            #[node]
            fn write(text: Text) -> Draft {
                Draft { n: text.n + 1 }
            }

            #[node]
            fn split(draft: Draft) -> (Left, Right) {
                (Left { n: draft.n }, Right { n: draft.n })
            }

            #[node]
            fn meet(left: Left, right: Right $(, $asked: Input<$of>)?) -> Done {
                Done { n: left.n + right.n $(+ $asked.n)? }
            }

            $($flow)*
        }
    };
}
joined_as! { v5, (),
    #[flow(named)]
    fn revise(draft: Draft) -> Done {
        flow! { split -> fork(join(meet), join(meet)) }
    }

    #[flow]
    pub(super) fn desk(text: Text) -> Done {
        flow! { write -> revise }
    }
}
joined_as! { v6, (text: Text),
    #[flow(named)]
    fn revise(text: Text) -> Done {
        flow! { write -> split -> fork(join(meet), join(meet)) }
    }

    #[node]
    fn take(text: Text) -> Text {
        text
    }

    #[flow]
    pub(super) fn desk(text: Text) -> Done {
        flow! { take -> revise }
    }
}

#[tokio::test]
async fn a_join_that_asks_for_an_input_that_was_not_kept_refuses_the_run() {
    let mut run = FlowRuntime::new(v5::Text { n: 1 }).unwrap();
    steps(&mut run, 2).await;
    let refused = refusal::<v6::Text, _>(&run);
    let expected =
        "`revise::meet` asks for `Input<Text>`, and the flow's input `revise::Text` is not there";
    assert_eq!(refused, expected);
    let problems = problems(v5::desk::graph(), v6::desk::graph());
    let mut missing = problems
        .iter()
        .filter(|it| it.contains("`revise::Text` was not kept"));
    assert!(
        missing.any(|it| it.contains("a `revise::Left` that waits")),
        "{problems:#?}"
    );
}

/// A desk that reviews its tickets, with what comes before and after.
macro_rules! reviewed_as {
    ($version:ident, $($flow:tt)*) => {
        #[allow(dead_code, reason = "not every version has every node")]
        mod $version {
            use pravah_runtime::prelude::*;

            crate::states!(Ticket, Memo, Written, Verdict);

            #[node]
            fn open(memo: Memo) -> Ticket {
                Ticket { n: memo.n }
            }

            #[node]
            fn prepare(ticket: Ticket) -> Ticket {
                ticket
            }

            #[node]
            fn write(ticket: Ticket) -> Written {
                Written { n: ticket.n * 10 }
            }

            #[node]
            fn polish(written: Written, ticket: Input<Ticket>) -> Verdict {
                Verdict { n: written.n + ticket.n }
            }

            $($flow)*
        }
    };
}
reviewed_as! { v7,
    #[flow]
    pub(super) fn desk(ticket: Ticket) -> Verdict {
        flow! { write -> polish }
    }
}
reviewed_as! { v8,
    #[flow]
    pub(super) fn desk(ticket: Ticket) -> Verdict {
        flow! { prepare -> write -> polish }
    }
}
reviewed_as! { v9,
    #[flow(named)]
    fn review(ticket: Ticket) -> Verdict {
        flow! { write -> polish }
    }

    #[flow(named)]
    pub(super) fn desk(ticket: Ticket) -> Verdict {
        flow! { review }
    }
}
reviewed_as! { v10,
    #[flow(named)]
    fn review(ticket: Ticket) -> Verdict {
        flow! { write -> polish }
    }

    #[flow(named)]
    pub(super) fn desk(memo: Memo) -> Verdict {
        flow! { open -> review }
    }
}

reviewed_as! { v11,
    #[flow(named)]
    fn review(ticket: Ticket) -> Verdict {
        flow! { prepare -> write -> polish }
    }

    #[flow(named)]
    pub(super) fn desk(memo: Memo) -> Verdict {
        flow! { open -> review }
    }
}

#[tokio::test]
async fn the_input_that_waits_at_the_start_of_a_nested_flow_is_kept_where_a_node_comes_before_it() {
    let version = v10::desk::graph().unwrap().version();
    let options = LoadOptions::new().with_version(version);
    let mut run = FlowRuntime::<v10::desk>::start(v10::Memo { n: 3 }).unwrap();
    for _ in 0..3 {
        let mut after = upgraded_with::<v11::desk, _>(&run, &options).unwrap();
        assert_eq!(done(&mut after).await.n, 33);
        steps(&mut run, 1).await;
    }
    assert_eq!(problems(v10::desk::graph(), v11::desk::graph()), [""; 0]);
}

#[tokio::test]
async fn the_input_that_waits_at_the_start_is_kept_where_a_node_comes_before_it() {
    let version = v7::desk::graph().unwrap().version();
    let options = LoadOptions::new().with_version(version);
    let mut run = FlowRuntime::new(v7::Ticket { n: 3 }).unwrap();
    for _ in 0..2 {
        let mut after = upgraded_with::<v8::Ticket, _>(&run, &options).unwrap();
        assert_eq!(done(&mut after).await.n, 33);
        steps(&mut run, 1).await;
    }
    assert_eq!(problems(v7::desk::graph(), v8::desk::graph()), [""; 0]);
}

#[tokio::test]
async fn a_nested_flow_keeps_its_input_where_the_flow_around_it_starts_with_something_else() {
    let mut run = FlowRuntime::<v9::desk>::start(v9::Ticket { n: 3 }).unwrap();
    steps(&mut run, 1).await;
    let mut after = upgraded::<v10::desk, _>(&run);
    assert_eq!(done(&mut after).await.n, 33);
    assert_eq!(problems(v9::desk::graph(), v10::desk::graph()), [""; 0]);
}
