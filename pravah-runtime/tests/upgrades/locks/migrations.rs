//! Migrations that a flow names.

use pravah_runtime::{FlowLock, prelude::*};

use crate::{steps, upgraded_with};

mod v1 {
    use pravah_runtime::prelude::*;

    #[state]
    pub(super) struct Order {
        pub(super) cups: u32,
    }
    #[state]
    pub(super) struct Ground {
        pub(super) grams: u32,
    }
    #[state]
    pub(super) struct Brewed {
        pub(super) cups: u32,
    }
    #[state]
    pub(super) struct Served {
        pub(super) cups: u32,
    }
    #[node]
    fn grind(order: Order) -> Ground {
        Ground {
            grams: order.cups * 7,
        }
    }
    #[node]
    fn brew(ground: Ground) -> Brewed {
        Brewed {
            cups: ground.grams / 7,
        }
    }
    #[node]
    fn serve(brewed: Brewed) -> Served {
        Served { cups: brewed.cups }
    }
    #[flow(lock = "tests/upgrades/locks/ground.lock")]
    pub(super) fn coffee(order: Order) -> Served {
        flow! { grind -> brew -> serve }
    }
}

/// The form of a state between the two.
mod v2 {
    use pravah_runtime::prelude::*;

    #[state]
    pub(super) struct Brewed {
        pub(super) centilitres: u32,
    }
}

mod v3 {
    use pravah_runtime::prelude::*;

    use super::{v1, v2};

    #[state]
    pub(super) struct Order {
        pub(super) cups: u32,
    }
    #[state]
    pub(super) struct Brewed {
        pub(super) millilitres: u32,
    }
    #[state]
    #[derive(Debug, PartialEq)]
    pub(super) struct Served {
        pub(super) cups: u32,
    }

    #[migrate]
    fn centilitres(old: v1::Brewed) -> v2::Brewed {
        v2::Brewed {
            centilitres: old.cups * 12,
        }
    }

    #[migrate]
    fn millilitres(old: v2::Brewed) -> Result<Brewed, String> {
        match old.centilitres {
            0 => Err("an empty cup".into()),
            some => Ok(Brewed {
                millilitres: some * 10,
            }),
        }
    }

    /// Nobody grinds any more.
    #[migrate(slot)]
    fn brewed(old: v1::Ground) -> Result<Brewed, String> {
        match old.grams {
            0 => Err("nothing was ground".into()),
            some => Ok(Brewed {
                millilitres: some / 7 * 120,
            }),
        }
    }

    #[node]
    fn brew(order: Order) -> Brewed {
        Brewed {
            millilitres: order.cups * 120,
        }
    }
    #[node]
    fn serve(brewed: Brewed) -> Served {
        Served {
            cups: brewed.millilitres / 120,
        }
    }
    #[flow(
        lock = "tests/upgrades/locks/ground.lock",
        migrate(brewed, centilitres, millilitres)
    )]
    pub(super) fn coffee(order: Order) -> Served {
        flow! { brew -> serve }
    }
}

async fn run_of(cups: u32, made: usize) -> FlowRuntime<v1::Order> {
    let mut run = FlowRuntime::new(v1::Order { cups }).unwrap();
    steps(&mut run, made).await;
    run
}

#[tokio::test]
async fn runs_are_loaded_through_the_migrations_of_the_flow_without_options() {
    for (made, migrated) in [
        (0, None),
        (1, Some("/states/Ground")),
        (2, Some("/states/Brewed")),
    ] {
        let run = run_of(2, made).await;
        let mut run: FlowRuntime<v3::Order> = upgraded_with(&run, &LoadOptions::new()).unwrap();
        let report = run.load_report().unwrap();
        assert!(
            report.migrated.iter().map(String::as_str).eq(migrated),
            "{report:?}"
        );
        let out = run.run(Context::default()).await.unwrap();
        assert!(matches!(out, RunOut::Done(v3::Served { cups: 2 })));
    }
}

#[tokio::test]
async fn the_error_of_a_migration_is_that_of_the_load() {
    for (made, why) in [(1, "nothing was ground"), (2, "an empty cup")] {
        let run = run_of(0, made).await;
        let refused = upgraded_with::<v3::Order, _>(&run, &LoadOptions::new());
        let text = refused.unwrap_err().to_string();
        assert!(text.contains(why), "{text}");
    }
}

#[test]
fn a_lock_knows_what_the_migrations_of_the_flow_read_and_move() {
    let mut lock = FlowLock::new("Order");
    lock.add("1", &v1::coffee::graph().unwrap());
    let report = lock.check(&v3::coffee::graph().unwrap());
    assert!(report.is_ok(), "{report}");
}
