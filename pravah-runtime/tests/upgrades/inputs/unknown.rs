//! Inputs that a version did not know and did not need, in versions that need them.

use pravah_runtime::{LoadOptions, prelude::*};

use crate::{done, knowing, problems_as_loaded, steps, upgraded, upgraded_with};

macro_rules! version {
    ($version:ident, $($flow:tt)*) => {
        #[allow(dead_code, reason = "not every version has every node")]
        mod $version {
            use pravah_runtime::prelude::*;

            crate::states!(Order, Half, Bill, Paid);

            /// Halves an order that is not even.
            #[node]
            fn halve(order: Order) -> Either<Order, Bill> {
                match order.n % 2 {
                    0 => Either::Right(Bill { n: order.n }),
                    _ => Either::Left(Order { n: order.n / 2 }),
                }
            }

            #[node]
            fn check(order: Order) -> Order {
                Order { n: order.n }
            }

            #[node]
            fn pay(bill: Bill) -> Paid {
                Paid { n: bill.n }
            }

            #[node]
            fn compare(bill: Bill, order: Input<Order>) -> Paid {
                Paid { n: order.n * 100 + bill.n }
            }

            $($flow)*
        }
    };
}

version! { flat,
    #[flow(named)]
    pub(super) fn desk(order: Order) -> Paid {
        flow! { halve -> either(halve, pay) }
    }
}
version! { nested,
    #[flow(named)]
    fn shop(order: Order) -> Paid {
        flow! { halve -> either(halve, pay) }
    }

    #[flow(named)]
    pub(super) fn desk(order: Order) -> Paid {
        flow! { shop }
    }
}
version! { asking,
    #[flow(named)]
    fn shop(order: Order) -> Paid {
        flow! { halve -> either(halve, compare) }
    }

    #[flow(named)]
    pub(super) fn desk(order: Order) -> Paid {
        flow! { shop }
    }
}
version! { checked_before,
    #[flow(named)]
    fn shop(order: Order) -> Paid {
        flow! { halve -> either(halve, compare) }
    }

    #[flow(named)]
    pub(super) fn desk(order: Order) -> Paid {
        flow! { check -> shop }
    }
}

#[tokio::test]
async fn an_input_that_a_version_in_between_did_not_know_is_not_made_up() {
    let mut run = FlowRuntime::<flat::desk>::start(flat::Order { n: 7 }).unwrap();
    // What waits at the start of the nested flow is half of its input.
    steps(&mut run, 1).await;
    let mut run = upgraded_with::<nested::desk, _>(&run, &knowing::<flat::desk>()).unwrap();
    for _ in 0..2 {
        for options in [LoadOptions::new(), knowing::<nested::desk>()] {
            let refused = upgraded_with::<asking::desk, _>(&run, &options).map(drop);
            let error = refused.unwrap_err().to_string();
            let why = "`shop::compare` asks for `Input<Order>`, and the flow's input `shop::Order` is not there";
            assert!(error.contains(why), "{error}");
        }
        // Loaded again, and a step later, it is as unknown.
        run = upgraded(&run);
        steps(&mut run, 1).await;
    }
    assert_eq!(done(&mut run).await.n, 0);
}

#[tokio::test]
async fn an_input_that_waits_at_the_start_of_a_new_nested_flow_is_known() {
    let run = FlowRuntime::<flat::desk>::start(flat::Order { n: 6 }).unwrap();
    let run = upgraded_with::<nested::desk, _>(&run, &knowing::<flat::desk>()).unwrap();
    let mut run = upgraded_with::<asking::desk, _>(&run, &knowing::<nested::desk>()).unwrap();
    assert_eq!(done(&mut run).await.n, 606);
}

#[tokio::test]
async fn what_no_node_makes_is_the_input_of_the_run_whatever_else_is_of_its_type() {
    let run = FlowRuntime::<checked_before::desk>::start(checked_before::Order { n: 6 }).unwrap();
    let options = LoadOptions::new();
    let problems = problems_as_loaded::<_, asking::desk>(run, &options).await;
    assert_eq!(problems, [""; 0]);
}
