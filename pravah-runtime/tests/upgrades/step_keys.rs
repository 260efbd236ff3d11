//! Two steps of a run have two keys, whichever versions of the flow make them.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex},
};

use pravah_runtime::{FlowDef, prelude::*};

use crate::upgraded;

/// The keys of the payments.
#[derive(Clone, Default)]
pub(crate) struct Payments(Arc<Mutex<Vec<String>>>);

impl Payments {
    fn note(ctx: &Context) {
        let payments = ctx.dep::<Self>().unwrap();
        let mut keys = payments.0.lock().unwrap();
        keys.push(ctx.step_key().unwrap());
    }
}

/// A node that pays a bill.
macro_rules! pay_bill {
    () => {
        #[node]
        fn pay(bill: Bill, ctx: Context) -> Paid {
            super::Payments::note(&ctx);
            Paid { n: bill.n }
        }
    };
}

/// A node that asks for another payment, if one is left.
macro_rules! next_payment {
    ($node:ident -> $next:ident) => {
        #[node]
        fn $node(paid: Paid) -> Either<$next, Done> {
            match paid.n {
                n @ 1.. => Either::Left($next { n: n - 1 }),
                n => Either::Right(Done { n }),
            }
        }
    };
}

/// One bill is paid after the other.
mod v1 {
    use pravah_runtime::prelude::*;

    crate::states!(Bill, Paid, Done);

    pay_bill!();

    next_payment!(next -> Bill);

    #[flow]
    fn bills(bill: Bill) -> Done {
        flow! { pay -> next -> either(pay, done) }
    }
}

/// A bill is checked before it is paid.
mod v2 {
    use pravah_runtime::prelude::*;

    crate::states!(Bill, Checked, Paid, Done);

    #[node]
    fn check(bill: Bill, ctx: Context) -> Checked {
        super::Payments::note(&ctx);
        Checked { n: bill.n }
    }

    #[node]
    fn pay(checked: Checked, ctx: Context) -> Paid {
        super::Payments::note(&ctx);
        Paid { n: checked.n }
    }

    next_payment!(next -> Bill);

    #[flow]
    fn bills(bill: Bill) -> Done {
        flow! { check -> pay -> next -> either(check, done) }
    }
}

/// One bill is enough.
mod v3 {
    use pravah_runtime::prelude::*;

    crate::states!(Bill, Paid, Done);

    pay_bill!();

    #[node]
    fn close(paid: Paid) -> Done {
        Done { n: paid.n }
    }

    #[flow]
    fn bills(bill: Bill) -> Done {
        flow! { pay -> close }
    }
}

/// The keys of a run of which another version takes over after the second bill.
async fn keys_with<New: Flow>() -> Vec<String> {
    let payments = Payments::default();
    let ctx = || Context::default().with_dep(payments.clone());
    let run = FlowRuntime::new(v1::Bill { n: 4 }).unwrap();
    let mut run = run.with_run_id("r");
    for _ in 0..4 {
        run.next(ctx()).await.unwrap();
    }
    upgraded::<New, _>(&run).run(ctx()).await.unwrap();
    let keys = payments.0.lock().unwrap();
    keys.clone()
}

#[tokio::test]
async fn a_node_that_takes_another_state_has_other_keys() {
    let keys = keys_with::<v2::Bill>().await;
    assert_eq!(
        keys,
        [
            "r/pay(Bill)#1",
            "r/pay(Bill)#2",
            "r/check(Bill)#3",
            // The nodes of the earlier version are not known: it may have been one, on no loop.
            "r/pay(Checked)#2",
            "r/check(Bill)#4",
            "r/pay(Checked)#3",
            "r/check(Bill)#5",
            "r/pay(Checked)#4",
        ]
    );
}

#[tokio::test]
async fn a_node_that_is_on_no_loop_any_more_goes_on_with_the_count() {
    let keys = keys_with::<v3::Bill>().await;
    assert_eq!(keys, ["r/pay(Bill)#1", "r/pay(Bill)#2", "r/pay(Bill)#3"]);
}

/// Charges that a check may send back.
macro_rules! charged_as {
    ($version:ident, $($flow:tt)*) => {
        #[allow(dead_code, reason = "not every version has every node")]
        mod $version {
            use pravah_runtime::prelude::*;

            crate::states!(Memo, Again, Bill, Paid, Done);

            #[node]
            fn open(memo: Memo) -> Bill {
                Bill { n: memo.n }
            }

            #[node]
            fn again(again: Again) -> Bill {
                Bill { n: again.n }
            }

            $($flow)*
        }
    };
}
charged_as! { once,
    pay_bill!();

    #[node]
    fn check(paid: Paid) -> Done {
        Done { n: paid.n }
    }

    #[flow(named)]
    pub(super) fn desk(memo: Memo) -> Done {
        flow! { open -> pay -> check }
    }
}
charged_as! { repeated,
    pay_bill!();

    next_payment!(check -> Again);

    #[flow(named)]
    pub(super) fn desk(memo: Memo) -> Done {
        flow! { open -> pay -> check -> either(again -> pay, done) }
    }
}
charged_as! { joined,
    #[node]
    fn pay(bill: Either<Bill, Again>, ctx: Context) -> Paid {
        super::Payments::note(&ctx);
        let n = match bill {
            Either::Left(bill) => bill.n,
            Either::Right(again) => again.n,
        };
        Paid { n }
    }

    next_payment!(check -> Again);

    #[flow(named)]
    pub(super) fn desk(memo: Memo) -> Done {
        flow! { open -> join(pay) -> check -> either(join(pay), done) }
    }
}

/// Runs `Old`, which starts with `input`, for so many steps and then `New`; no two payments have one key.
async fn check_distinct<Old: FlowDef, New: FlowDef>(input: Old::Input, steps: usize) {
    let payments = Payments::default();
    let ctx = || Context::default().with_dep(payments.clone());
    let mut run = FlowRuntime::<Old>::start(input).unwrap().with_run_id("r");
    for _ in 0..steps {
        run.next(ctx()).await.unwrap();
    }
    upgraded::<New, _>(&run).run(ctx()).await.unwrap();
    let keys = payments.0.lock().unwrap();
    let distinct: BTreeSet<&String> = keys.iter().collect();
    assert_eq!(distinct.len(), keys.len(), "after {steps} steps: {keys:?}");
}

#[tokio::test]
async fn a_node_that_comes_onto_a_loop_has_other_keys_than_when_it_was_on_none() {
    for steps in 1..3 {
        check_distinct::<once::desk, repeated::desk>(once::Memo { n: 2 }, steps).await;
    }
}

#[tokio::test]
async fn a_node_that_takes_the_place_of_two_has_other_keys_than_either() {
    for steps in 1..14 {
        check_distinct::<repeated::desk, joined::desk>(repeated::Memo { n: 4 }, steps).await;
    }
}
