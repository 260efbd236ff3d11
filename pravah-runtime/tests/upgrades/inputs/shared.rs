//! Inputs that flows share with those around them, in versions where they do not.

use pravah_runtime::prelude::*;

use crate::{done, steps, upgraded};

/// Three flows that start with one state; the one in the middle starts with another in the next version.
macro_rules! threefold_as {
    ($version:ident, $($flow:tt)*) => {
        #[allow(dead_code, reason = "not every version has every node")]
        mod $version {
            use pravah_runtime::prelude::*;

            crate::states!(Memo, Ticket, Written, Verdict);

            #[node]
            fn open(memo: Memo) -> Ticket {
                Ticket { n: memo.n }
            }

            #[node]
            fn note(ticket: Ticket) -> Memo {
                Memo { n: ticket.n }
            }

            #[node]
            fn write(ticket: Ticket) -> Written {
                Written { n: ticket.n * 10 }
            }

            #[node]
            fn polish(written: Written, ticket: Input<Ticket>) -> Verdict {
                Verdict { n: written.n + ticket.n }
            }

            #[flow(named)]
            fn review(ticket: Ticket) -> Verdict {
                flow! { write -> polish }
            }

            $($flow)*
        }
    };
}
threefold_as! { threefold,
    #[flow(named)]
    fn outer(ticket: Ticket) -> Verdict {
        flow! { review }
    }

    #[flow(named)]
    pub(super) fn desk(ticket: Ticket) -> Verdict {
        flow! { outer }
    }
}
threefold_as! { parted,
    #[flow(named)]
    fn outer(memo: Memo) -> Verdict {
        flow! { open -> review }
    }

    #[flow(named)]
    pub(super) fn desk(ticket: Ticket) -> Verdict {
        flow! { note -> outer }
    }
}

#[tokio::test]
async fn an_input_is_kept_that_was_shared_with_a_flow_that_shares_it_no_more() {
    let mut run = FlowRuntime::<threefold::desk>::start(threefold::Ticket { n: 3 }).unwrap();
    steps(&mut run, 1).await;
    let mut after = upgraded::<parted::desk, _>(&run);
    assert_eq!(done(&mut after).await.n, 33);
}
