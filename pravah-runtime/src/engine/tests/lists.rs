//! Lists.

use serde_json::json;

use super::{
    Log, Trouble, fails, flow, gate, go_on, json, name, node, note, restart, start, states,
    suspended, trouble,
};
use crate::{Context, Each, Either, FlowError, FlowGraph, RunOut, graph::NodeSpec};

states!(Book, Page, Read, Report, Half);

fn pages(n: u64) -> Each<Page> {
    (0..n).map(|n| Page { n }).collect()
}

fn reading() -> Result<FlowGraph, FlowError> {
    FlowGraph::link_by_state(
        name::<Page>(),
        name::<Read>(),
        vec![
            node!("open", Page => Half, |page, ctx| {
                note(&ctx, ctx.step_key().unwrap());
                if page.n == 1 {
                    trouble(&ctx)?;
                }
                assert_eq!(ctx.input::<Page>()?.n, page.n);
                Ok(Half { n: page.n * 10 + ctx.input::<Book>()?.n })
            }),
            node!("read", Half => Read, |half, ctx| {
                note(&ctx, ctx.step_key().unwrap());
                Ok(Read { n: half.n })
            }),
        ],
    )
}

flow!(Reading, Book => Report, [
    node!("split", Book => Each<Page>, |book, _| Ok(pages(book.n))),
    NodeSpec::each::<Page, Read>("each(open)", reading()),
    node!("sum", Each<Read> => Report, |read, _| {
        Ok(Report { n: read.iter().fold(0, |sum, read| sum * 100 + read.n) })
    }),
]);

#[tokio::test]
async fn the_items_of_a_list_run_one_after_another_and_come_out_in_order() {
    let log = Log::default();
    let mut run = start::<Reading>(Book { n: 3 });
    assert_eq!(
        go_on(&mut run, &log.ctx()).await,
        RunOut::Done(Report { n: 31_323 })
    );
    let keys: Vec<_> = (0..3)
        .flat_map(|i| {
            ["open(Page)", "read(Half)"]
                .map(|node| format!("r/each(open)(Each_of_Page)#1/{node}[{i}]#1"))
        })
        .collect();
    assert_eq!(log.take(), keys);
}

#[tokio::test]
async fn a_list_without_items_goes_straight_on() {
    let log = Log::default();
    let mut run = start::<Reading>(Book { n: 0 });
    assert_eq!(
        go_on(&mut run, &log.ctx()).await,
        RunOut::Done(Report { n: 0 })
    );
    assert!(log.take().is_empty());
}

#[tokio::test]
async fn an_item_that_fails_leaves_the_run_as_it_was() {
    let mut run = start::<Reading>(Book { n: 3 });
    let troubled = Context::default().with_dep(Trouble);
    while run.next(troubled.clone()).await.is_ok() {}
    run = restart(&run);
    let error = fails(&mut run, &troubled).await;
    assert_eq!(error.to_string(), "node `open[1]` failed: trouble");
    assert_eq!(
        go_on(&mut run, &Context::default()).await,
        RunOut::Done(Report { n: 31_323 })
    );
}

#[tokio::test]
async fn the_last_step_names_the_item() {
    let mut run = start::<Reading>(Book { n: 2 });
    for _ in 0..4 {
        run.next(Context::default()).await.unwrap();
    }
    assert_eq!(run.last_step().unwrap().to_string(), "4. open[1] -> Half");
}

fn asking() -> Result<FlowGraph, FlowError> {
    FlowGraph::link_by_state(
        name::<Page>(),
        name::<Read>(),
        vec![
            gate!("ask", Page, u64 => Half, |page, n, _| Ok(Half { n: page.n + n })),
            node!("read", Half => Read, |half, _| Ok(Read { n: half.n })),
        ],
    )
}

flow!(Asking, Book => Report, [
    node!("split", Book => Each<Page>, |book, _| Ok(pages(book.n))),
    NodeSpec::each::<Page, Read>("each(ask)", asking()),
    node!("sum", Each<Read> => Report, |read, _| {
        Ok(Report { n: read.iter().fold(0, |sum, read| sum * 10 + read.n) })
    }),
]);

// S1.45
#[tokio::test]
async fn a_suspended_item_does_not_stop_the_others_and_each_is_answered_by_its_index() {
    for order in [[0, 1, 2], [2, 0, 1], [1, 2, 0]] {
        let mut run = start::<Asking>(Book { n: 3 });
        for item in 0..3 {
            assert_eq!(
                suspended(go_on(&mut run, &Context::default()).await),
                format!("ask[{item}]")
            );
        }
        // The last restart forgot that two of them were announced.
        for item in 0..2 {
            let again = run.next(Context::default()).await;
            assert_eq!(suspended(again.unwrap()), format!("ask[{item}]"));
        }
        assert!(
            matches!(run.next(Context::default()).await, Err(FlowError::ResumeRequired(id)) if id == "ask[0]")
        );
        for item in order {
            run = restart(&run);
            assert_eq!(
                run.resume(Context::default(), (format!("ask[{item}]"), 5))
                    .await
                    .unwrap(),
                RunOut::Continue
            );
        }
        assert_eq!(
            go_on(&mut run, &Context::default()).await,
            RunOut::Done(Report { n: 567 })
        );
    }
}

#[tokio::test]
async fn an_answered_item_goes_on_before_items_that_have_not_started() {
    let mut run = start::<Asking>(Book { n: 3 });
    go_on(&mut run, &Context::default()).await;
    run.resume(Context::default(), ("ask[0]", 5)).await.unwrap();
    run = restart(&run);
    run.next(Context::default()).await.unwrap();
    assert_eq!(run.last_step().unwrap().to_string(), "4. read[0] -> Read");
    assert_eq!(
        json(&run)["lists"]["Each_of_Page"]["done"],
        json!({ "0": { "n": 5 } })
    );
}

states!(Shelf, Count);

flow!(Nested, Shelf => Report, [
    node!("take", Shelf => Each<Book>, |shelf, _| Ok((1..=shelf.n).map(|n| Book { n }).collect())),
    NodeSpec::each::<Book, Report>("each(books)", <Asking as crate::FlowDef>::graph()),
    node!("all", Each<Report> => Count, |reports, _| Ok(Count { n: reports.iter().map(|report| report.n).sum() })),
    node!("end", Count => Report, |count, _| Ok(Report { n: count.n })),
]);

#[tokio::test]
async fn lists_within_lists_are_told_apart_by_both_indices() {
    let mut run = start::<Nested>(Shelf { n: 2 });
    for id in ["ask[0][0]", "ask[1][0]", "ask[1][1]"] {
        assert_eq!(suspended(go_on(&mut run, &Context::default()).await), id);
    }
    for id in ["ask[1][1]", "ask[0][0]", "ask[1][0]"] {
        run = restart(&run);
        run.resume(Context::default(), (id, 5)).await.unwrap();
    }
    assert_eq!(
        go_on(&mut run, &Context::default()).await,
        RunOut::Done(Report { n: 5 + 56 })
    );
}

flow!(Rereading, Book => Report, [
    node!("split", Book => Each<Page>, |book, _| Ok([Page { n: 10 * book.n }].into_iter().collect())),
    NodeSpec::each::<Page, Read>("each(open)", reading()),
    node!("again", Each<Read> => Either<Book, Report>, |reads, _| {
        // Ten times the page's number, which is ten times the book's, and the flow's input.
        let read: u64 = reads.iter().map(|read| read.n).sum();
        Ok(match (read - 2) / 100 {
            1 => Either::Right(Report { n: 1 }),
            n => Either::Left(Book { n: n - 1 }),
        })
    }),
]);

#[tokio::test]
async fn the_same_item_of_a_list_that_comes_again_is_another_step() {
    let log = Log::default();
    let mut run = start::<Rereading>(Book { n: 2 });
    assert_eq!(
        go_on(&mut run, &log.ctx()).await,
        RunOut::Done(Report { n: 1 })
    );
    let keys = [1, 2].map(|visit| {
        ["open(Page)", "read(Half)"]
            .map(|node| format!("r/each(open)(Each_of_Page)#{visit}/{node}[0]#1"))
    });
    assert_eq!(log.take(), keys.concat());
}

flow!(Wrapped, Shelf => Report, [
    node!("take", Shelf => Book, |shelf, _| Ok(Book { n: shelf.n })),
    NodeSpec::flow(super::signature::<Book, Report>("asking"), <Asking as crate::FlowDef>::graph()),
]);

// S1.22
#[tokio::test]
async fn a_list_in_a_nested_flow_carries_the_prefix_of_the_flow() {
    let mut run = start::<Wrapped>(Shelf { n: 2 });
    assert_eq!(
        suspended(go_on(&mut run, &Context::default()).await),
        "asking::ask[0]"
    );
    assert!(json(&run)["lists"].get("asking::Each_of_Page").is_some());
}

#[tokio::test]
async fn a_list_in_a_snapshot_that_does_not_add_up_is_refused() {
    let mut run = start::<Asking>(Book { n: 3 });
    go_on(&mut run, &Context::default()).await;
    let refused = |change: &dyn Fn(&mut serde_json::Value)| {
        let mut json = json(&run);
        change(&mut json["lists"]["Each_of_Page"]);
        let snapshot: crate::FlowSnapshot = serde_json::from_value(json).unwrap();
        match crate::FlowRuntime::<Asking>::from_snapshot(snapshot) {
            Err(FlowError::SnapLoadError(why)) => why.to_string(),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(
        refused(&|list| list["items"]["3"] = list["items"]["0"].clone()),
        "the items of `Each_of_Page` are more than its list has"
    );
    assert_eq!(
        refused(&|list| list["done"] = json!({ "0": {} })),
        "item 0 of `Each_of_Page` is done, and yet states wait"
    );
    assert_eq!(
        refused(&|list| list["items"]["0"] = json!({ "states": {} })),
        "item 0 of `Each_of_Page` is not done, and yet no state waits"
    );
    assert_eq!(
        refused(&|list| list["items"]["0"]["gates"] = json!({})),
        "nothing waits for the question `ask[0]` (item 0 of `Each_of_Page`)"
    );
}
