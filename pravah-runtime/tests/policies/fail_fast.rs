//! `fail_fast = false`: everything else goes on before a run fails.

use pravah_runtime::{RunStatus, SystemClock, prelude::*};

use crate::support::{Act::*, Models, Play, Turn, body, is_failed, restart, states};

states!(Start, One, Two, Three, OneDone, TwoDone, ThreeDone, End);

#[node]
fn open(start: Start) -> (One, Two, Three) {
    let n = start.n;
    (One { n }, Two { n }, Three { n })
}

macro_rules! works {
    ($($name:ident($from:ident) -> $to:ident;)+) => {$(
        #[node]
        async fn $name(from: $from, ctx: Context) -> Result<$to, String> {
            body(&ctx, stringify!($name)).await?;
            Ok($to { n: from.n })
        }
    )+};
}

works! {
    one(One) -> OneDone;
    two(Two) -> TwoDone;
    three(Three) -> ThreeDone;
}

#[node]
fn close(one: OneDone, two: TwoDone, three: ThreeDone) -> End {
    End {
        n: one.n + two.n + three.n,
    }
}

#[flow(named, fail_fast = false)]
fn patient(start: Start) -> End {
    flow! { open -> fork(one, two, three) -> join(close) }
}

#[tokio::test(start_paused = true)]
async fn everything_else_goes_on_and_then_the_error_comes() {
    for concurrency in [1, 8] {
        let play = Play::default()
            .with("one", [Fails])
            .with("three", [Takes(20)]);
        let run = patient::start(Start { n: 1 }).unwrap();
        let mut run = run.with_concurrency(concurrency);
        let error = run.run(play.ctx()).await.unwrap_err();
        assert_eq!(error.to_string(), "node `one` failed: one failed");
        assert!(is_failed(&run));
        for name in ["one", "two ends", "three ends"] {
            assert_eq!(play.count(name), 1);
        }
        let out = run.run(play.ctx()).await.unwrap();
        assert_eq!(out, RunOut::Done(End { n: 3 }));
        assert_eq!(play.count("one"), 2);
    }
}

#[tokio::test(start_paused = true)]
async fn several_nodes_fail_and_each_can_be_tried_again() {
    let play = Play::default().with("one", [Fails]).with("three", [Panics]);
    let mut run = patient::start(Start { n: 1 }).unwrap();
    let mut errors = Vec::new();
    let end = loop {
        match run.run(play.ctx()).await {
            Ok(RunOut::Done(end)) => break end,
            Ok(out) => panic!("{out:?}"),
            Err(error) => errors.push(error),
        }
    };
    assert_eq!(end, End { n: 3 });
    assert_eq!(errors.len(), 2, "{errors:?}");
    assert!(matches!(&errors[1], FlowError::Panicked { node, .. } if node == "three"));
}

#[tokio::test(start_paused = true)]
async fn a_node_that_fails_for_good_does_not_keep_another_one_from_being_tried() {
    let play = Play::default()
        .with("one", [Fails; 100])
        .with("two", [Fails]);
    let mut run = patient::start(Start { n: 1 }).unwrap();
    for _ in 0..6 {
        run.run(play.ctx()).await.unwrap_err();
    }
    assert_eq!(play.count("two"), 2);
}

#[tokio::test(start_paused = true)]
async fn a_restored_run_says_in_words_what_failed() {
    let play = Play::default().with("two", [Fails]);
    let clock = SystemClock::new();
    let run = patient::start(Start { n: 1 }).unwrap();
    let mut run = run.with_clock(clock);
    while play.count("three ends") == 0 {
        run.next(play.ctx()).await.unwrap();
    }
    run = restart(&run, clock);
    let RunStatus::Failed { node, attempts, .. } = run.status() else {
        panic!("{:?}", run.status());
    };
    assert_eq!((&*node, attempts), ("two", 1));
    let error = run.run(play.ctx()).await.unwrap_err();
    let FlowError::Failed {
        node,
        kind,
        message,
        attempts,
        ..
    } = &error
    else {
        panic!("{error}")
    };
    assert_eq!((&**node, *kind, *attempts), ("two", FailureKind::Error, 1));
    assert_eq!(message, "node `two` failed: two failed");
    assert_eq!(play.count("two"), 1);
    let run = &mut restart(&run, clock);
    let out = run.run(play.ctx()).await.unwrap();
    assert_eq!(out, RunOut::Done(End { n: 3 }));
}

mod lists {
    use super::*;

    states!(Batch, Item, Middle, ItemDone, Sum);

    #[node]
    fn items(batch: Batch) -> Each<Item> {
        (0..batch.n).map(|n| Item { n }).collect()
    }

    #[node]
    async fn read(item: Item, ctx: Context) -> Result<Middle, String> {
        body(&ctx, &format!("read{}", item.n)).await?;
        Ok(Middle { n: item.n })
    }

    #[node]
    async fn see(middle: Middle, ctx: Context) -> Result<ItemDone, String> {
        body(&ctx, &format!("see{}", middle.n)).await?;
        Ok(ItemDone { n: middle.n })
    }

    #[node]
    fn sum(all: Each<ItemDone>) -> Sum {
        Sum {
            n: all.iter().map(|item| item.n).sum(),
        }
    }

    #[flow(named, fail_fast = false)]
    fn many(batch: Batch) -> Sum {
        flow! { items -> each(read -> see) -> sum }
    }

    #[tokio::test(start_paused = true)]
    async fn items_that_fail_do_not_stop_the_others() {
        for concurrency in [1, 2, 8] {
            for restarts in [false, true] {
                let play = Play::default()
                    .with("read1", [Fails])
                    .with("see2", [Fails])
                    .with("see3", [Takes(30)]);
                let clock = SystemClock::new();
                let run = many::start(Batch { n: 4 }).unwrap();
                let mut run = run.with_clock(clock).with_concurrency(concurrency);
                let mut errors = 0;
                let out = loop {
                    match run.next(play.ctx()).await {
                        Ok(RunOut::Done(sum)) => break sum,
                        Ok(_) => {}
                        Err(_) if errors == 0 => {
                            errors += 1;
                            for name in ["see0", "see3"] {
                                assert_eq!(play.count(&format!("{name} ends")), 1);
                            }
                            assert!(is_failed(&run), "{:?}", run.status());
                        }
                        Err(_) => errors += 1,
                    }
                    if restarts {
                        run = restart(&run, clock).with_concurrency(concurrency);
                    }
                };
                assert_eq!((out, errors), (Sum { n: 6 }, 2));
            }
        }
    }
}

mod agents {
    use super::*;

    states!(Note, Verdict);

    #[agent(model = "openai://m", preamble = "", output = Verdict)]
    fn triage(_: &Note) -> String {
        "Well?".into()
    }

    #[flow(named, fail_fast = false)]
    fn support(note: Note) -> Verdict {
        flow! { triage }
    }

    #[tokio::test(start_paused = true)]
    async fn an_agent_that_waited_for_its_model_and_failed_is_not_tried_for_ever() {
        let models = Models::default().with(
            "triage",
            [Turn::Busy(10), Turn::Refuses, Turn::Says(0, r#"{"n":1}"#)],
        );
        let run = support::start(Note { n: 1 }).unwrap();
        let mut run = run.with_factory(models.factory());
        run.run(Context::default()).await.unwrap_err();
        assert_eq!(models.asked().len(), 2);
        let out = run.run(Context::default()).await.unwrap();
        assert_eq!(out, RunOut::Done(Verdict { n: 1 }));
    }
}
