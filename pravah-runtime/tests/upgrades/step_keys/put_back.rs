//! Nodes of one state that are left out and put back.

use super::*;

macro_rules! paying_as {
    ($version:ident, $($flow:tt)*) => {
        #[allow(dead_code, reason = "not every version has every node")]
        mod $version {
            use pravah_runtime::prelude::*;

            crate::states!(Order, Bill, Paid, Done);

            #[node]
            fn open(order: Order) -> Bill {
                Bill { n: order.n }
            }

            #[node]
            fn remind(bill: Bill, ctx: Context) -> Bill {
                crate::step_keys::Payments::note(&ctx);
                Bill { n: bill.n }
            }

            #[node]
            fn pay(bill: Bill, ctx: Context) -> Paid {
                crate::step_keys::Payments::note(&ctx);
                Paid { n: bill.n }
            }

            /// Asks for another payment, if one is left.
            #[node]
            fn next(paid: Paid) -> Either<Bill, Done> {
                match paid.n {
                    n @ 1.. => Either::Left(Bill { n: n - 1 }),
                    n => Either::Right(Done { n }),
                }
            }

            #[node]
            fn pay_once(bill: Bill) -> Done {
                Done { n: bill.n }
            }

            $($flow)*
        }
    };
}
paying_as! { reminding,
    #[flow(named)]
    pub(super) fn desk(order: Order) -> Done {
        flow! { open -> remind -> pay -> next -> either(remind, done) }
    }
}
paying_as! { not_reminding,
    #[flow(named)]
    pub(super) fn desk(order: Order) -> Done {
        flow! { open -> pay -> next -> either(pay, done) }
    }
}
paying_as! { reminding_once,
    #[flow(named)]
    pub(super) fn desk(order: Order) -> Done {
        flow! { open -> remind -> pay -> next -> either(pay, done) }
    }
}

/// The keys of a run that is taken to a version without the node, and then to one with it, once it has run.
async fn keys_when_put_back<First, Second, Third, O>(order: O) -> Vec<String>
where
    First: FlowDef<Input = O>,
    Second: FlowDef,
    Third: FlowDef,
{
    let payments = Payments::default();
    let run = FlowRuntime::<First>::start(order).unwrap().with_run_id("r");
    let run = payments.made_by(run, 2).await;
    let run = upgraded_from::<First, Second>(&run);
    // Loaded again it is the same.
    let run: FlowRuntime<Second> = upgraded(&run);
    let mut run = upgraded_from::<Second, Third>(&run);
    run.run(payments.context()).await.unwrap();
    payments.keys()
}

#[tokio::test]
async fn a_node_that_is_put_back_has_other_keys_than_before_though_another_takes_its_state() {
    let rounds = reminding::Order { n: 1 };
    let of_loop =
        keys_when_put_back::<reminding::desk, not_reminding::desk, reminding::desk, _>(rounds)
            .await;
    let once = reminding_once::Order { n: 1 };
    let of_line =
        keys_when_put_back::<reminding_once::desk, not_reminding::desk, reminding::desk, _>(once)
            .await;
    for keys in [of_loop, of_line] {
        let distinct: BTreeSet<&String> = keys.iter().collect();
        assert!(keys.len() >= 4 && distinct.len() == keys.len(), "{keys:?}");
    }
}

paying_as! { in_line,
    #[flow(named)]
    pub(super) fn desk(order: Order) -> Done {
        flow! { open -> remind -> pay_once }
    }
}
paying_as! { in_a_loop,
    #[node]
    fn settle(paid: Paid) -> Done {
        Done { n: paid.n }
    }

    #[flow(named)]
    pub(super) fn desk(order: Order) -> Done {
        flow! { open -> repeat as remind -> either(remind, settle) }
    }

    #[node]
    fn repeat(bill: Bill, ctx: Context) -> Either<Bill, Paid> {
        crate::step_keys::Payments::note(&ctx);
        match bill.n {
            n @ 1.. => Either::Left(Bill { n: n - 1 }),
            n => Either::Right(Paid { n }),
        }
    }
}

#[tokio::test]
async fn without_a_version_a_node_has_another_key_for_what_waited_for_another_one() {
    let payments = Payments::default();
    let run = FlowRuntime::<in_line::desk>::start(in_line::Order { n: 1 }).unwrap();
    let run = payments.made_by(run.with_run_id("r"), 2).await;
    let mut run: FlowRuntime<in_a_loop::desk> = upgraded(&run);
    run.run(payments.context()).await.unwrap();
    let keys = payments.keys();
    let distinct: BTreeSet<&String> = keys.iter().collect();
    assert!(keys.len() == 3 && distinct.len() == 3, "{keys:?}");
}
