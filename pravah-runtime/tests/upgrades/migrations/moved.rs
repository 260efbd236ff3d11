//! States whose place is gone.

use pravah_runtime::{FlowDef as _, LoadOptions, prelude::*};

use super::{
    super::{done, lock_problems, steps, upgraded_with},
    in_centilitres, order, v1, v2, v3,
};

/// Coffee comes from capsules now, and somebody may look at it.
mod capsules {
    use pravah_runtime::prelude::*;

    #[state]
    #[derive(Clone)]
    pub(super) struct Order {
        pub(super) cups: u32,
    }
    #[state]
    pub(super) struct Capsules {
        pub(super) count: u32,
    }
    #[state]
    pub(super) struct Served {
        pub(super) cups: u32,
    }
    #[node]
    fn choose(order: Order) -> Capsules {
        Capsules { count: order.cups }
    }
    #[node]
    fn serve(capsules: Capsules) -> Served {
        Served {
            cups: capsules.count,
        }
    }
    #[flow]
    pub(super) fn coffee(order: Order) -> Served {
        flow! { choose -> serve }
    }
}

#[tokio::test]
async fn a_state_whose_place_is_gone_waits_as_another_one() {
    let mut run = FlowRuntime::new(order()).unwrap();
    steps(&mut run, 1).await;
    let without = upgraded_with::<capsules::Order, _>(&run, &LoadOptions::new());
    let error = without.err().unwrap().to_string();
    assert!(error.contains("the flow has no state `Brewed`"), "{error}");

    let to_capsules = |cups| capsules::Capsules { count: cups };
    let options =
        LoadOptions::new().with_moved_state("Brewed", move |old: v1::Brewed| to_capsules(old.cups));
    let mut upgraded = upgraded_with::<capsules::Order, _>(&run, &options).unwrap();
    assert_eq!(upgraded.load_report().unwrap().migrated, ["/states/Brewed"]);
    assert_eq!(done(&mut upgraded).await.cups, 2);

    // Migrations lead to what is moved, too.
    let options = LoadOptions::new()
        .with_migration(in_centilitres)
        .with_moved_state("Brewed", move |old: v2::Brewed| {
            to_capsules(old.centilitres / 12)
        });
    let mut upgraded = upgraded_with::<capsules::Order, _>(&run, &options).unwrap();
    assert_eq!(done(&mut upgraded).await.cups, 2);
}

#[tokio::test]
async fn a_state_that_is_moved_to_where_there_is_no_place_is_refused() {
    let mut run = FlowRuntime::new(order()).unwrap();
    steps(&mut run, 1).await;
    let options = LoadOptions::new().with_moved_state("Brewed", |old: v1::Brewed| v3::Brewed {
        millilitres: old.cups,
    });
    let error = upgraded_with::<capsules::Order, _>(&run, &options)
        .err()
        .unwrap();
    let text = error.to_string();
    let expected = "`Brewed` cannot be moved by the migration from `Brewed` to `Brewed`: the flow has no state `Brewed`";
    assert!(text.contains(expected), "{text}");
    // Whoever moves a state knows of migrations.
    assert!(!text.contains("help: "), "{text}");

    let ends = LoadOptions::new().with_moved_state("Brewed", |old: v1::Brewed| capsules::Served {
        cups: old.cups,
    });
    let error = upgraded_with::<capsules::Order, _>(&run, &ends)
        .err()
        .unwrap();
    let text = error.to_string();
    assert!(text.contains("`Served` ends the flow"), "{text}");
}

#[tokio::test]
async fn a_moved_state_has_the_form_of_its_place() {
    let mut run = FlowRuntime::new(order()).unwrap();
    steps(&mut run, 1).await;
    mod between {
        use pravah_runtime::prelude::*;

        #[state]
        pub(super) struct Capsules {
            pub(super) boxes: u32,
        }
    }
    let moved = || {
        LoadOptions::new().with_moved_state("Brewed", |old: v1::Brewed| between::Capsules {
            boxes: old.cups,
        })
    };
    let error = upgraded_with::<capsules::Order, _>(&run, &moved())
        .err()
        .unwrap();
    assert!(
        error.to_string().contains("`Capsules` cannot be read"),
        "{error}"
    );
    let options =
        moved().with_migration(|old: between::Capsules| capsules::Capsules { count: old.boxes });
    let mut upgraded = upgraded_with::<capsules::Order, _>(&run, &options).unwrap();
    assert_eq!(done(&mut upgraded).await.cups, 2);
}

#[tokio::test]
async fn a_state_that_had_several_forms_is_moved_by_the_function_of_its_form() {
    let mut run = FlowRuntime::new(order()).unwrap();
    steps(&mut run, 1).await;
    let first = serde_json::to_value(&run).unwrap();
    let mut second = first.clone();
    second["states"]["Brewed"] = serde_json::json!({ "centilitres": 24 });
    // What a lock with the first version says.
    let problems = |options: &LoadOptions| {
        let new = capsules::coffee::graph();
        lock_problems(("1.0.0", v1::Order::graph()), new, options)
    };
    let load = |json: &serde_json::Value, options: &LoadOptions| {
        let snapshot: FlowSnapshot = serde_json::from_value(json.clone()).unwrap();
        FlowRuntime::<capsules::Order>::from_snapshot_with(snapshot, options)
    };
    let of_first = |options: LoadOptions| {
        options.with_moved_state("Brewed", |old: v1::Brewed| capsules::Capsules {
            count: old.cups,
        })
    };
    let of_second = |options: LoadOptions| {
        options.with_moved_state("Brewed", |old: v2::Brewed| capsules::Capsules {
            count: old.centilitres / 12,
        })
    };
    for both in [
        of_second(of_first(LoadOptions::new())),
        of_first(of_second(LoadOptions::new())),
    ] {
        for json in [&first, &second] {
            let mut run = load(json, &both).unwrap();
            assert_eq!(done(&mut run).await.cups, 2);
        }
        assert_eq!(problems(&both), [""; 0]);
    }
    let one = of_second(LoadOptions::new());
    let error = load(&first, &one).err().unwrap().to_string();
    assert!(error.contains("`Brewed` cannot be read"), "{error}");
    let [problem] = problems(&one).try_into().unwrap();
    let expected = "version 1.0.0: a `Brewed` that was stored cannot be read: missing field `centilitres`; the migration \
         from `Brewed` to `Capsules`, which moves it, takes another form";
    assert_eq!(problem, expected);
}
