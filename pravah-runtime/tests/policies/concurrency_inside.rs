//! Bodies in flight together in lists, and in flows that a `catch` is around.

use pravah_runtime::prelude::*;

use crate::support::{Act::*, Play, body, json, ms, states, taking};

mod lists {
    use super::*;

    states!(Batch, Item, Part, PartDone, ItemDone, Sum);

    #[node]
    fn items(batch: Batch) -> Each<Item> {
        (0..batch.n).map(|n| Item { n }).collect()
    }

    #[node]
    fn parts(item: Item) -> Each<Part> {
        (0..3).map(|n| Part { n: item.n * 10 + n }).collect()
    }

    #[node(retry(max_attempts = 2, backoff = "15ms"))]
    async fn part(part: Part, ctx: Context) -> Result<PartDone, String> {
        body(&ctx, "part").await?;
        Ok(PartDone { n: part.n })
    }

    #[node]
    fn item(parts: Each<PartDone>) -> ItemDone {
        ItemDone {
            n: parts.iter().map(|part| part.n).sum(),
        }
    }

    #[node]
    fn sum(items: Each<ItemDone>) -> Sum {
        Sum {
            n: items.iter().fold(0, |sum, item| sum * 1_000 + item.n),
        }
    }

    #[flow(named)]
    fn free(batch: Batch) -> Sum {
        flow! { items -> each(parts -> each(part) -> item) -> sum }
    }

    #[flow(named)]
    fn outer_narrow(batch: Batch) -> Sum {
        flow! { items -> each(parts -> each(part) -> item, limit = 2) -> sum }
    }

    #[flow(named)]
    fn inner_narrow(batch: Batch) -> Sum {
        flow! { items -> each(parts -> each(part, limit = 1) -> item) -> sum }
    }

    const SUM: u64 = 3_033_063;

    #[tokio::test(start_paused = true)]
    async fn items_of_lists_in_lists_overlap_and_limits_narrow_them() {
        macro_rules! check {
            ($flow:ident, $concurrency:literal, $time:literal, $most:literal) => {
                let play = Play::default().with("part", [Takes(10); 9]);
                let run = $flow::start(Batch { n: 3 }).unwrap();
                let mut run = run.with_concurrency($concurrency);
                let (out, took) = taking(run.run(play.ctx())).await;
                assert_eq!(out.unwrap(), RunOut::Done(Sum { n: SUM }));
                assert_eq!((took, play.most()), ($time, $most));
            };
        }
        check!(free, 1, 90, 1);
        check!(free, 9, 10, 9);
        check!(free, 3, 30, 3);
        check!(outer_narrow, 9, 50, 2);
        check!(inner_narrow, 9, 30, 3);
        check!(inner_narrow, 2, 60, 2);
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_due_again_does_not_pass_the_limit_either() {
        let play = Play::default()
            .with("part", [Fails, Fails])
            .with("part", [Takes(40); 9]);
        let run = inner_narrow::start(Batch { n: 1 }).unwrap();
        let mut run = run.with_concurrency(9);
        let out = run.run(play.ctx()).await.unwrap();
        assert_eq!(out, RunOut::Done(Sum { n: 3 }));
        assert_eq!(play.most(), 1);
    }
}

mod catching {
    use super::*;

    states!(
        Open, Inner, Left, Right, LeftDone, RightDone, InnerDone, Shut
    );

    #[node]
    fn begin(open: Open) -> Inner {
        Inner { n: open.n }
    }

    #[node]
    fn split(inner: Inner) -> (Left, Right) {
        (Left { n: inner.n }, Right { n: inner.n })
    }

    /// Starts something outside the body that ends when it is told to.
    fn spawn(ctx: &Context, name: &'static str) {
        let ctx = ctx.clone();
        tokio::spawn(async move {
            ctx.cancelled().await;
            body(&ctx, name).await.unwrap();
        });
    }

    #[node]
    async fn left(left: Left, ctx: Context) -> Result<LeftDone, String> {
        spawn(&ctx, "left told");
        body(&ctx, "left").await?;
        Ok(LeftDone { n: left.n })
    }

    #[node]
    async fn right(right: Right, ctx: Context) -> Result<RightDone, String> {
        spawn(&ctx, "right told");
        body(&ctx, "right").await?;
        Ok(RightDone { n: right.n })
    }

    #[node]
    fn meet(left: LeftDone, right: RightDone) -> InnerDone {
        InnerDone {
            n: left.n + right.n,
        }
    }

    #[flow]
    fn inner(inner: Inner) -> InnerDone {
        flow! { split -> fork(left, right) -> join(meet) }
    }

    #[node]
    fn close(done: InnerDone) -> Shut {
        Shut { n: done.n }
    }

    #[node]
    async fn rescue(failure: Failure<Inner>, ctx: Context) -> Result<Shut, String> {
        body(&ctx, "rescue").await?;
        Ok(Shut {
            n: 100 + failure.input.n,
        })
    }

    #[flow(named)]
    fn around(open: Open) -> Shut {
        flow! { begin -> inner -> close; catch(inner) -> rescue }
    }

    #[tokio::test(start_paused = true)]
    async fn a_catch_around_a_flow_drops_what_is_in_flight_in_it() {
        let play = Play::default()
            .with("left", [FailsAfter(10)])
            .with("right", [Takes(50)])
            .with("rescue", [Takes(100)]);
        let run = around::start(Open { n: 1 }).unwrap();
        let mut run = run.with_concurrency(8);
        let (out, took) = taking(run.run(play.ctx())).await;
        assert_eq!(out.unwrap(), RunOut::Done(Shut { n: 101 }));
        assert_eq!(took, 110);
        assert_eq!(
            play.log()[..5],
            ["left", "right", "left ends", "right dropped", "rescue"]
        );
        assert_eq!(play.count("right told"), 1);
        assert_eq!(play.count("left told"), 0, "it was not dropped");
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_will_start_again_is_not_cancelled() {
        let play = Play::default().with("left", [Hangs]);
        let run = around::start(Open { n: 1 }).unwrap();
        let mut run = run.with_concurrency(8);
        let out = tokio::time::timeout(ms(10), run.run(play.ctx())).await;
        assert!(out.is_err());
        tokio::time::sleep(ms(10)).await;
        assert_eq!(play.count("left dropped"), 1);
        assert_eq!(play.count("left told"), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn it_drops_what_has_ended_and_is_not_committed() {
        let play = Play::default()
            .with("left", [FailsAfter(10)])
            .with("right", [Takes(10)]);
        let run = around::start(Open { n: 1 }).unwrap();
        let mut run = run.with_concurrency(8);
        let out = run.run(play.ctx()).await.unwrap();
        assert_eq!(out, RunOut::Done(Shut { n: 101 }));
        assert_eq!(json(&run)["steps"], 4);
        tokio::time::sleep(ms(1)).await;
        assert_eq!(play.count("right told"), 1);
    }
}
