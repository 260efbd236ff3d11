//! Nodes that a deploy moves behind what has run.

use pravah_runtime::FlowLock;

use super::*;

charged_as! { moved_once,
    #[node]
    fn review(paid: Paid) -> Again {
        Again { n: paid.n }
    }

    #[node]
    fn pay(bill: Bill, ctx: Context) -> Receipt {
        crate::step_keys::Payments::note(&ctx);
        Receipt { n: bill.n }
    }

    #[node]
    fn close(receipt: Receipt) -> Done {
        Done { n: receipt.n }
    }

    #[flow(named)]
    pub(super) fn desk(paid: Paid) -> Done {
        flow! { review -> again -> pay -> close }
    }
}
charged_as! { moved_twice,
    crate::step_keys::pay_bill!();

    #[node]
    fn reopen(receipt: Receipt) -> Bill {
        Bill { n: receipt.n }
    }

    #[node]
    fn check(paid: Paid) -> Done {
        Done { n: paid.n }
    }

    #[flow(named)]
    pub(super) fn desk(receipt: Receipt) -> Done {
        flow! { reopen -> pay -> check }
    }
}
charged_as! { checked_before,
    crate::step_keys::pay_bill!();

    #[node]
    fn look(memo: Memo) -> Again {
        Again { n: memo.n }
    }

    #[node]
    fn check(paid: Paid) -> Done {
        Done { n: paid.n }
    }

    #[flow(named)]
    pub(super) fn desk(memo: Memo) -> Done {
        flow! { look -> again -> pay -> check }
    }
}

/// A run of the first version after so many steps.
async fn started(payments: &Payments, steps: usize) -> FlowRuntime<once::desk> {
    let run = FlowRuntime::<once::desk>::start(once::Memo { n: 2 }).unwrap();
    payments.made_by(run.with_run_id("r"), steps).await
}

#[tokio::test]
async fn a_node_that_comes_after_what_it_has_led_to_has_another_key_each_time() {
    let payments = Payments::default();
    let run = started(&payments, 2).await;
    let run = upgraded_from::<_, moved_once::desk>(&run);
    let run = payments.made_by(run, 3).await;
    let mut run = upgraded_from::<_, moved_twice::desk>(&run);
    // Another load of the same version changes nothing.
    run = upgraded(&run);
    run.run(payments.context()).await.unwrap();
    assert_eq!(
        payments.keys(),
        ["r/pay(Bill)#1", "r/pay(Bill)#2", "r/pay(Bill)#3"]
    );
}

#[tokio::test]
async fn a_node_that_has_not_run_has_the_first_key_in_the_next_version_too() {
    let payments = Payments::default();
    let run = started(&payments, 1).await;
    let mut run = upgraded_from::<_, repeated::desk>(&run);
    run.run(payments.context()).await.unwrap();
    let keys = payments.keys();
    assert_eq!(keys, ["r/pay(Bill)#1", "r/pay(Bill)#2", "r/pay(Bill)#3"]);
}

#[tokio::test]
async fn a_run_that_comes_to_no_node_again_counts_no_visits() {
    for steps in 1..3 {
        let run = started(&Payments::default(), steps).await;
        let run = upgraded_from::<_, checked_before::desk>(&run);
        let snapshot = serde_json::to_value(run.snapshot()).unwrap();
        assert!(snapshot.get("visits").is_none(), "{snapshot}");
    }
}

charged_as! { without_payment,
    #[node]
    fn check(paid: Paid) -> Again {
        Again { n: paid.n }
    }

    #[node]
    fn close(again: Again) -> Done {
        Done { n: again.n }
    }

    #[flow(named)]
    pub(super) fn desk(paid: Paid) -> Done {
        flow! { check -> close }
    }
}

/// Runs the first version until something is paid, and then one without payments and the one with them again.
async fn keys_after_a_rollback<Old: FlowDef<Input = M>, M>(memo: M) -> Vec<String> {
    let payments = Payments::default();
    let run = FlowRuntime::<Old>::start(memo).unwrap().with_run_id("r");
    let run = payments.made_by(run, 2).await;
    let run = upgraded_from::<_, without_payment::desk>(&run);
    let run = payments.made_by(run, 1).await;
    let mut run = upgraded_from::<_, repeated::desk>(&run);
    run.run(payments.context()).await.unwrap();
    payments.keys()
}

#[tokio::test]
async fn a_node_that_one_version_did_not_have_counts_on() {
    let expected = [1, 2, 3, 4].map(|visit| format!("r/pay(Bill)#{visit}"));
    let once = keys_after_a_rollback::<once::desk, _>(once::Memo { n: 2 }).await;
    assert_eq!(once, expected);
    let repeated = keys_after_a_rollback::<repeated::desk, _>(repeated::Memo { n: 2 }).await;
    assert_eq!(repeated, expected);
}

/// A list, and a nested flow whose failure is caught.
mod caught {
    use pravah_runtime::prelude::*;

    crate::states!(Memo, Bill, Paid, Done);

    #[node]
    fn split(memo: Memo) -> Each<Bill> {
        (0..2).map(|_| Bill { n: memo.n }).collect()
    }

    #[node]
    fn pay(bill: Bill) -> Paid {
        Paid { n: bill.n }
    }

    #[node]
    fn sum(paid: Each<Paid>) -> Done {
        Done { n: paid[0].n }
    }

    #[flow(named)]
    fn payments(memo: Memo) -> Done {
        flow! { split -> each(pay) -> sum }
    }

    #[node]
    fn rescue(failed: Failure<Memo>) -> Done {
        Done { n: failed.input.n }
    }

    #[flow]
    #[allow(dead_code, reason = "nobody calls the flow as a function")]
    pub(super) fn desk(memo: Memo) -> Done {
        flow! { payments -> done; catch(payments) -> rescue -> done }
    }
}

#[test]
fn a_lock_has_the_same_version_as_the_graph() {
    for graph in [
        list_repeated::desk::graph().unwrap(),
        caught::desk::graph().unwrap(),
    ] {
        let mut lock = FlowLock::new("desk");
        lock.add("1", &graph);
        let lock = FlowLock::from_json(&lock.to_json()).unwrap();
        assert_eq!(lock.versions()[0].version(), graph.version());
    }
}
