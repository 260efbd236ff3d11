//! Nodes that come, go and change places; states that change.

use pravah_runtime::FlowRuntime;
use serde_json::json;

use crate::{done, refusal, refusal_with_help, steps, upgraded};

/// Coffee is brewed, and both are served together.
mod v1 {
    use pravah_runtime::prelude::*;

    crate::states!(Order, Coffee, Cake, Brewed, Served);

    #[node]
    fn split(order: Order) -> (Coffee, Cake) {
        (Coffee { n: order.n }, Cake { n: order.n })
    }

    #[node]
    fn brew(coffee: Coffee) -> Brewed {
        Brewed { n: coffee.n }
    }

    #[node]
    fn serve(brewed: Brewed, cake: Cake) -> Served {
        Served {
            n: 10 * brewed.n + cake.n,
        }
    }

    #[flow]
    fn cafe(order: Order) -> Served {
        flow! { split -> fork(brew -> join(serve), join(serve)) }
    }
}

/// The same with other functions, another order of parameters, and a node after the join.
mod v2 {
    use pravah_runtime::prelude::*;

    crate::states!(Order, Coffee, Cake, Brewed, Tray, Served);

    #[node]
    fn take(order: Order) -> (Coffee, Cake) {
        (Coffee { n: order.n }, Cake { n: order.n })
    }

    #[node]
    fn grind(coffee: Coffee) -> Brewed {
        Brewed { n: coffee.n }
    }

    #[node]
    fn collect(cake: Cake, brewed: Brewed) -> Tray {
        Tray {
            n: 10 * brewed.n + cake.n,
        }
    }

    #[node]
    fn serve(tray: Tray) -> Served {
        Served { n: tray.n + 1000 }
    }

    #[flow]
    fn cafe(order: Order) -> Served {
        flow! { take -> fork(grind -> join(collect), join(collect)) -> serve }
    }
}

/// Cake alone, after coffee.
mod v3 {
    use pravah_runtime::prelude::*;

    crate::states!(Order, Coffee, Cake, Served);

    #[node]
    fn brew(order: Order) -> Coffee {
        Coffee { n: order.n }
    }

    #[node]
    fn cut(coffee: Coffee) -> Cake {
        Cake { n: coffee.n }
    }

    #[node]
    fn serve(cake: Cake) -> Served {
        Served { n: cake.n }
    }

    #[flow]
    fn cafe(order: Order) -> Served {
        flow! { brew -> cut -> serve }
    }
}

/// An order has to say where it goes.
mod v4 {
    use pravah_runtime::prelude::*;

    crate::states!(Served);

    #[state]
    pub(crate) struct Order {
        n: u64,
        table: String,
    }

    #[node]
    fn serve(order: Order) -> Served {
        Served {
            n: order.n + order.table.len() as u64,
        }
    }

    #[flow]
    fn cafe(order: Order) -> Served {
        flow! { serve }
    }
}

#[tokio::test]
async fn a_run_goes_on_in_a_version_with_another_node_from_every_one_of_its_states() {
    for after in 0..3 {
        let mut run = FlowRuntime::new(v1::Order { n: 1 }).unwrap();
        steps(&mut run, after).await;
        let mut run = upgraded::<v2::Order, _>(&run);
        assert_eq!(done(&mut run).await, v2::Served { n: 1011 });
    }
}

#[tokio::test]
async fn a_run_that_is_done_keeps_its_output() {
    let mut run = FlowRuntime::new(v1::Order { n: 1 }).unwrap();
    let output = done(&mut run).await;
    let run = upgraded::<v2::Order, _>(&run);
    assert_eq!(run.output().unwrap().unwrap().n, output.n);
}

#[tokio::test]
async fn a_run_that_could_not_finish_is_refused_with_what_would_help() {
    let mut run = FlowRuntime::new(v1::Order { n: 1 }).unwrap();
    upgraded::<v3::Order, _>(&run);
    steps(&mut run, 1).await;
    assert_eq!(
        refusal::<v3::Order, _>(&run),
        "`Coffee`, `Cake` wait together, and a run has only one of `Order`, `Coffee`, `Cake`, `Served` at a time; it \
         could finish without `Coffee`, or without `Cake`"
    );
    steps(&mut run, 1).await;
    assert_eq!(
        refusal_with_help::<v3::Order, _>(&run),
        "the flow has no state `Brewed` (the snapshot is of another version of the flow); help: keep a node that takes \
         `Brewed`; a state that has another name now keeps this one with `#[serde(rename = \"Brewed\")]`; a \
         `#[migrate(slot)]` function that `#[flow(migrate(…))]` names moves it to another state"
    );
}

#[tokio::test]
async fn a_state_that_can_no_longer_be_read_is_refused_at_once_with_what_would_help() {
    let run = FlowRuntime::new(v1::Order { n: 1 }).unwrap();
    let why = refusal_with_help::<v4::Order, _>(&run);
    assert!(
        why.starts_with("`Order` cannot be read: missing field `table`"),
        "{why}"
    );
    let help = " (the snapshot is of another version of the flow); help: write `#[serde(default)]` above the new field \
                `table`, or write a `#[migrate]` function from the earlier `Order` and name it in `#[flow(migrate(…))]`";
    assert!(why.ends_with(help), "{why}");
}

#[tokio::test]
async fn what_was_ready_comes_before_what_is_ready_by_the_upgrade() {
    let mut run = FlowRuntime::new(v1::Order { n: 1 }).unwrap();
    steps(&mut run, 1).await;
    // `Cake` waits for `Brewed` there; here it does not.
    let mut run = upgraded::<apart::Order, _>(&run);
    let json = serde_json::to_value(run.snapshot()).unwrap();
    assert_eq!(json["ready"], json!({ "Coffee": 1, "Cake": 2 }));
    assert_eq!(done(&mut run).await, apart::Served { n: 2 });
}

/// Both by themselves, and cake first.
mod apart {
    use pravah_runtime::prelude::*;

    crate::states!(Order, Coffee, Cake, Brewed, Cut, Served);

    #[node]
    fn split(order: Order) -> (Cake, Coffee) {
        (Cake { n: order.n }, Coffee { n: order.n })
    }

    #[node]
    fn cut(cake: Cake) -> Cut {
        Cut { n: cake.n }
    }

    #[node]
    fn brew(coffee: Coffee) -> Brewed {
        Brewed { n: coffee.n }
    }

    #[node]
    fn serve(brewed: Brewed, cut: Cut) -> Served {
        Served {
            n: brewed.n + cut.n,
        }
    }

    #[flow]
    fn cafe(order: Order) -> Served {
        flow! { split -> fork(cut, brew) -> join(serve) }
    }
}
