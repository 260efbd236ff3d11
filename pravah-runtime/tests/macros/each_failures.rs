//! Lists in which an item fails, cannot be read or cannot be copied.

use pravah_runtime::prelude::*;

use crate::macros_support::{only_failed, restart, states};

#[state]
#[derive(Clone, Debug, PartialEq)]
struct Text {
    text: String,
}

mod failing {
    use super::*;

    states!(Start, Item, Seen);

    /// Which item is to fail.
    struct Broken(u32);

    #[node]
    fn items(start: Start) -> Each<Item> {
        (0..start.n).map(|n| Item { n }).collect()
    }

    #[node]
    fn see(item: &Item, ctx: Context) -> Result<Seen, String> {
        if ctx.dep::<Broken>().is_ok_and(|broken| broken.0 == item.n) {
            return Err("broken".into());
        }
        Ok(Seen { n: item.n })
    }

    #[node]
    fn list(seen: Each<Seen>) -> Text {
        Text {
            text: seen.len().to_string(),
        }
    }

    #[flow]
    fn each(start: Start) -> Text {
        flow! { items -> each(see) -> list }
    }

    #[tokio::test]
    async fn an_item_that_failed_runs_again_and_the_others_do_not() {
        let ctx = Context::default();
        let mut run = FlowRuntime::new(Start { n: 3 }).unwrap();
        let error = run.run(ctx.clone().with_dep(Broken(1))).await.unwrap_err();
        assert_eq!(error.to_string(), "node `see[1]` failed: broken");
        let mut run = restart(&run);
        let mut steps = Vec::new();
        while run.next(ctx.clone()).await.unwrap() == RunOut::Continue {
            steps.push(run.last_step().unwrap().to_string());
        }
        assert_eq!(steps, ["3. see[1] -> Seen", "4. see[2] -> Seen"]);
    }
}

mod an_item_that_cannot_be_read {
    use super::*;

    /// It is written as what it is not read from.
    #[state]
    struct Odd {
        #[serde(serialize_with = "as_text")]
        x: u32,
    }

    fn as_text<S: serde::Serializer>(x: &u32, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(x)
    }

    states!(Start, Inner, Read, Sum, Saved);

    #[node]
    fn open(start: &Start) -> Inner {
        Inner { n: start.n }
    }

    #[node]
    fn items(_: &Inner) -> Each<Odd> {
        vec![Odd { x: 0 }].into()
    }

    #[node]
    fn read(odd: &Odd) -> Read {
        Read { n: odd.x }
    }

    #[node]
    fn sum(all: &Each<Read>) -> Sum {
        Sum {
            n: all.len() as u32,
        }
    }

    #[flow]
    fn inner(inner: Inner) -> Sum {
        flow! { items -> each(read) -> sum }
    }

    #[node]
    fn fine(sum: &Sum) -> Saved {
        Saved { n: sum.n }
    }

    #[node]
    fn rescue(failure: &Failure<Inner>) -> Saved {
        assert!(
            failure.message.contains("Each_of_Odd"),
            "{}",
            failure.message
        );
        Saved { n: 99 }
    }

    #[flow]
    fn whole(start: Start) -> Saved {
        flow! { open -> inner -> fine; catch(inner) -> rescue }
    }

    #[tokio::test]
    async fn is_a_failure_that_a_catch_around_the_flow_takes() {
        let mut run = FlowRuntime::new(Start { n: 1 }).unwrap();
        for _ in 0..2 {
            run.next(Context::default()).await.unwrap();
        }
        let out = restart(&run).run(Context::default()).await.unwrap();
        assert_eq!(out, RunOut::Done(Saved { n: 99 }));
    }

    #[tokio::test]
    async fn and_need_not_be_before_it_was_written() {
        let saved = whole(Start { n: 1 }, Context::default()).await.unwrap();
        assert_eq!(saved, Saved { n: 1 });
    }
}

mod a_copy_that_panics {
    use super::*;

    states!(Start, Item, Sum);

    #[state(manual(Clone))]
    #[derive(Debug)]
    struct Read {
        n: u32,
    }

    impl Clone for Read {
        fn clone(&self) -> Self {
            assert_ne!(self.n, 1, "it does not like to be copied");
            Self { n: self.n }
        }
    }

    #[node]
    fn items(start: &Start) -> Each<Item> {
        (0..start.n).map(|n| Item { n }).collect()
    }

    #[node]
    fn read(item: &Item) -> Read {
        Read { n: item.n }
    }

    #[node]
    fn sum(all: &Each<Read>) -> Sum {
        Sum {
            n: all.len() as u32,
        }
    }

    #[flow]
    fn whole(start: Start) -> Sum {
        flow! { items -> each(read) -> sum }
    }

    #[tokio::test]
    async fn is_an_error_and_leaves_the_run_as_it_was() {
        let mut run = FlowRuntime::new(Start { n: 2 }).unwrap();
        // They hold what the items return; otherwise nothing would be copied.
        let mut snapshots = Vec::new();
        for _ in 0..3 {
            assert_eq!(
                run.next(Context::default()).await.unwrap(),
                RunOut::Continue
            );
            snapshots.push(run.snapshot());
        }
        let before = serde_json::to_value(run.snapshot()).unwrap();
        for _ in 0..2 {
            let error = run.next(Context::default()).await.unwrap_err();
            assert!(matches!(error, FlowError::Panicked { .. }), "{error}");
            only_failed(&run, &before, "Each_of_Item");
        }
    }
}
