//! Two steps of a run have two keys, whichever versions of the flow make them.

mod moved;
mod put_back;

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex},
};

use pravah_runtime::{FlowDef, prelude::*};

use crate::{knowing, upgraded, upgraded_with};

/// The keys of the payments.
#[derive(Clone, Default)]
pub(crate) struct Payments(Arc<Mutex<Vec<String>>>);

impl Payments {
    fn context(&self) -> Context {
        Context::default().with_dep(self.clone())
    }

    fn keys(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }

    /// The run after so many steps.
    async fn made_by<F: FlowDef>(&self, mut run: FlowRuntime<F>, steps: usize) -> FlowRuntime<F> {
        for _ in 0..steps {
            run.next(self.context()).await.unwrap();
        }
        run
    }

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
            crate::step_keys::Payments::note(&ctx);
            Paid { n: bill.n }
        }
    };
}

use pay_bill;

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

    crate::step_keys::pay_bill!();

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
        crate::step_keys::Payments::note(&ctx);
        Checked { n: bill.n }
    }

    #[node]
    fn pay(checked: Checked, ctx: Context) -> Paid {
        crate::step_keys::Payments::note(&ctx);
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

    crate::step_keys::pay_bill!();

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
    let run = FlowRuntime::new(v1::Bill { n: 4 }).unwrap();
    let run = payments.made_by(run.with_run_id("r"), 4).await;
    let mut run = upgraded::<New, _>(&run);
    run.run(payments.context()).await.unwrap();
    payments.keys()
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

            crate::states!(Memo, Again, Bill, Paid, Receipt, Done);

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
use charged_as;

charged_as! { once,
    crate::step_keys::pay_bill!();

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
    crate::step_keys::pay_bill!();

    next_payment!(check -> Again);

    #[flow(named)]
    pub(super) fn desk(memo: Memo) -> Done {
        flow! { open -> pay -> check -> either(again -> pay, done) }
    }
}
charged_as! { joined,
    #[node]
    fn pay(bill: Either<Bill, Again>, ctx: Context) -> Paid {
        crate::step_keys::Payments::note(&ctx);
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

/// The run in another version, with the nodes known of the one that it is of.
fn upgraded_from<Old: FlowDef, New: FlowDef>(run: &FlowRuntime<Old>) -> FlowRuntime<New> {
    upgraded_with::<New, _>(run, &knowing::<Old>()).unwrap()
}

/// Runs `Old`, which starts with `input`, for so many steps and then `New`; no two payments have one key, whether or not
/// the nodes of `Old` are known.
async fn check_distinct<Old: FlowDef, New: FlowDef>(input: Old::Input, steps: usize)
where
    Old::Input: Clone,
{
    for options in [LoadOptions::new(), knowing::<Old>()] {
        let payments = Payments::default();
        let run = FlowRuntime::<Old>::start(input.clone()).unwrap();
        let run = payments.made_by(run.with_run_id("r"), steps).await;
        let mut run = upgraded_with::<New, _>(&run, &options).unwrap();
        run.run(payments.context()).await.unwrap();
        let keys = payments.keys();
        let distinct: BTreeSet<&String> = keys.iter().collect();
        assert_eq!(distinct.len(), keys.len(), "after {steps} steps: {keys:?}");
    }
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

/// Several bills of one list.
macro_rules! charged_together_as {
    ($version:ident, $($flow:tt)*) => {
        mod $version {
            use pravah_runtime::prelude::*;

            crate::states!(Memo, Bill, Paid, Done);

            crate::step_keys::pay_bill!();

            #[node]
            fn split(memo: Memo) -> Each<Bill> {
                (0..2).map(|_| Bill { n: memo.n }).collect()
            }

            $($flow)*
        }
    };
}
charged_together_as! { list_once,
    #[node]
    fn sum(paid: Each<Paid>) -> Done {
        Done { n: paid[0].n }
    }

    #[flow(named)]
    pub(super) fn desk(memo: Memo) -> Done {
        flow! { split -> each(pay) -> sum }
    }
}
charged_together_as! { list_repeated,
    #[node]
    fn sum(paid: Each<Paid>) -> Either<Memo, Done> {
        match paid[0].n {
            n @ 1.. => Either::Left(Memo { n: n - 1 }),
            n => Either::Right(Done { n }),
        }
    }

    #[flow(named)]
    pub(super) fn desk(memo: Memo) -> Done {
        flow! { split -> each(pay) -> sum -> either(split, done) }
    }
}

#[tokio::test]
async fn the_items_of_a_list_that_comes_onto_a_loop_have_other_keys_in_each_round() {
    for steps in 1..4 {
        check_distinct::<list_once::desk, list_repeated::desk>(list_once::Memo { n: 2 }, steps)
            .await;
    }
}
