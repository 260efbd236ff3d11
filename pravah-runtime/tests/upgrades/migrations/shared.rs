//! States that several nodes take, or that are read as well, and that a migration moves.

use pravah_runtime::{LoadOptions, prelude::*};

use crate::problems_as_loaded;

/// Two branches of a fork, each of which takes the same state or one of its own.
macro_rules! branched {
    ($version:ident, $left:ident, $right:ident, $($first:tt)*) => {
        #[allow(dead_code, reason = "nobody calls the flow as a function")]
        mod $version {
            use pravah_runtime::prelude::*;

            crate::states!(Memo, Ticket, LeftForm, RightForm, Left, Right, Done);

            $($first)*

            #[node]
            fn a(form: $left) -> Left {
                Left { n: form.n }
            }

            #[node]
            fn b(form: $right) -> Right {
                Right { n: form.n }
            }

            #[node]
            fn sum(left: Left, right: Right) -> Done {
                Done { n: left.n * 1000 + right.n }
            }

            #[flow(named)]
            pub(super) fn desk(memo: Memo) -> Done {
                flow! { first -> fork(a, b) -> join(sum) }
            }
        }
    };
}
branched! { one_state, Ticket, Ticket,
    #[node]
    fn first(memo: Memo) -> Ticket {
        Ticket { n: memo.n }
    }
}
branched! { two_states, LeftForm, RightForm,
    #[node]
    fn first(memo: Memo) -> (LeftForm, RightForm) {
        (LeftForm { n: memo.n }, RightForm { n: memo.n })
    }
}

#[tokio::test]
async fn a_state_that_two_branches_share_is_moved_for_each_of_them() {
    let left = |it: one_state::Ticket| two_states::LeftForm { n: it.n };
    let right = |it: one_state::Ticket| two_states::RightForm { n: it.n };
    let options = LoadOptions::new()
        .with_moved_state("Ticket@a", left)
        .with_moved_state("Ticket@b", right);
    let run = FlowRuntime::<one_state::desk>::start(one_state::Memo { n: 3 }).unwrap();
    let problems = problems_as_loaded::<_, two_states::desk>(run, &options).await;
    assert_eq!(problems, [""; 0]);
}

mod reads_draft {
    use pravah_runtime::prelude::*;

    crate::states!(Text, Draft, Edited, Published);

    #[node]
    fn write(text: Text) -> Draft {
        Draft { n: text.n + 1 }
    }

    #[node]
    fn edit(draft: Draft) -> Edited {
        Edited { n: draft.n * 10 }
    }

    #[node]
    fn publish(edited: Edited, draft: Latest<Draft>) -> Published {
        Published {
            n: edited.n * 100 + draft.n,
        }
    }

    #[flow(named)]
    pub(super) fn paper(text: Text) -> Published {
        flow! { write -> edit -> publish }
    }
}
mod sketches {
    use pravah_runtime::prelude::*;

    crate::states!(Text, Draft, Sketch, Edited, Published);

    #[migrate(slot)]
    fn sketch(draft: Draft) -> Sketch {
        Sketch { n: draft.n }
    }

    #[node]
    fn draw(text: Text) -> Sketch {
        Sketch { n: text.n + 1 }
    }

    #[node]
    fn edit(sketch: Sketch) -> Edited {
        Edited { n: sketch.n * 10 }
    }

    #[node]
    fn publish(edited: Edited) -> Published {
        Published { n: edited.n * 100 }
    }

    #[flow(named, migrate(sketch))]
    pub(super) fn paper(text: Text) -> Published {
        flow! { draw -> edit -> publish }
    }
}

#[tokio::test]
async fn a_state_that_was_read_as_well_is_moved_where_it_waits() {
    let run = FlowRuntime::<reads_draft::paper>::start(reads_draft::Text { n: 3 }).unwrap();
    let problems = problems_as_loaded::<_, sketches::paper>(run, &LoadOptions::new()).await;
    assert_eq!(problems, [""; 0]);
}

/// A node in the middle takes what the flow starts with, or two take it.
macro_rules! asking {
    ($version:ident, ($($migrate:ident)?), { $($nodes:tt)* }, $($flow:tt)*) => {
        #[allow(dead_code, reason = "nobody calls the flow as a function")]
        mod $version {
            use pravah_runtime::prelude::*;

            crate::states!(Ticket, Left, Right, Written, Done);

            $($nodes)*

            #[node]
            fn finish(written: Written, ticket: Input<Ticket>) -> Done {
                Done { n: written.n * 1000 + ticket.n }
            }

            #[flow(named $(, migrate($migrate))?)]
            pub(super) fn desk(ticket: Ticket) -> Done {
                flow! { $($flow)* -> finish }
            }
        }
    };
}
asking! { one_taker, (), {
    #[node]
    fn write(ticket: Ticket) -> Written {
        Written { n: ticket.n * 10 }
    }
}, write }
asking! { two_takers, (moved), {
    #[migrate(slot)]
    fn moved(ticket: Ticket) -> Written {
        Written { n: ticket.n * 10 }
    }

    #[node]
    fn a(ticket: Ticket) -> Left {
        Left { n: ticket.n * 5 }
    }

    #[node]
    fn b(ticket: Ticket) -> Right {
        Right { n: ticket.n * 5 }
    }

    #[node]
    fn merge(left: Left, right: Right) -> Written {
        Written { n: left.n + right.n }
    }
}, fork(a -> join(merge), b -> join(merge)) }

#[tokio::test]
async fn a_migration_decides_where_several_nodes_take_a_state_and_leaves_the_input_as_it_was() {
    let run = FlowRuntime::<one_taker::desk>::start(one_taker::Ticket { n: 3 }).unwrap();
    let version = one_taker::desk::graph().unwrap().version();
    let options = LoadOptions::new().with_version(version);
    let mut after = crate::upgraded_with::<two_takers::desk, _>(&run, &options).unwrap();
    assert_eq!(crate::done(&mut after).await.n, 30_003);
    let problems = problems_as_loaded::<_, two_takers::desk>(run, &LoadOptions::new()).await;
    assert_eq!(problems, [""; 0]);
}
