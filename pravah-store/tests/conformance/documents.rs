//! Flows that are read from documents, beside those of types.

use std::{sync::Arc, time::Duration};

use pravah_runtime::{
    document::{DocumentFlow, NodeRegistry, NodeType},
    prelude::*,
};
use pravah_store::{Command, RunStore, Runs, Status, StoreError, Worker};
use serde_json::{Value, json};

use crate::{
    flows::{Bridge, Effects, Order, Served, Working, until, worker},
    support::TestStore,
};

crate::over_every_store! {
    a_document_waits_for_the_answer_to_its_gate,
    each_item_of_a_documents_list_is_committed,
    a_document_resumes_where_its_process_ended,
    documents_and_annotated_flows_are_served_by_one_worker,
    a_document_that_nobody_serves_here_is_left_to_others,
    a_run_of_a_changed_document_resumes_where_it_still_can,
    a_run_that_a_changed_document_cannot_finish_waits_for_one_that_can,
    what_a_changed_document_has_no_use_for_is_dropped_where_that_is_allowed,
    a_document_that_has_failed_is_tried_again,
    an_input_that_no_document_takes_starts_no_run,
}

/// The types of nodes that are used here: `note` is an effect, and `cross` needs a bridge.
fn registry() -> NodeRegistry {
    let type_of = |name: &str| {
        let text = json!({ "type": "object", "properties": { "text": { "type": "string" } } });
        NodeType::new(name, "host", "For tests.").input(text)
    };
    NodeRegistry::standard()
        .with_fn(type_of("note"), async |input: Value, ctx: Context| {
            ctx.dep::<Effects>()?.happen(&ctx);
            Ok(json!({ "noted": input["text"] }))
        })
        .with_fn(type_of("cross"), async |_: Value, ctx: Context| {
            match ctx
                .dep::<Bridge>()?
                .0
                .load(std::sync::atomic::Ordering::Relaxed)
            {
                true => Ok(json!({})),
                false => Err("there is no bridge".into()),
            }
        })
}

pub(crate) fn document(text: &str) -> DocumentFlow {
    DocumentFlow::read("flow.yaml", text, &registry()).unwrap()
}

/// Asks, and notes the answer.
fn review() -> DocumentFlow {
    document(
        "
flow: { name: review, input: { title: nothing } }
nodes:
  - { id: ask, type: control.gate, input: { prompt: 'Publish {{ flow.input.title }}?' } }
  - { id: publish, type: note, input: { text: '{{ ask.response.content }}' } }
edges: [{ from: ask, to: publish }]
",
    )
}

/// Notes each item of a list.
fn stock_taking() -> DocumentFlow {
    document(
        "
flow: { name: stock, input: { shelves: [a, b, c] } }
nodes:
  - { id: all, type: control.foreach, input: { list: '{{ flow.input.shelves }}', as: shelf, body: [count] } }
  - { id: count, type: note, input: { text: '{{ shelf }}' } }
  - { id: report, type: note, input: { text: '{{ all.count }} shelves' } }
edges: [{ from: all, to: report }]
",
    )
}

fn serving<const N: usize>(
    store: Arc<dyn RunStore>,
    effects: &Effects,
    documents: [DocumentFlow; N],
) -> Working {
    let documents = documents.into_iter();
    let worker = documents.fold(worker(store, effects), |worker, document| {
        worker.serve_document(document)
    });
    Working::start(worker)
}

async fn a_document_waits_for_the_answer_to_its_gate(it: TestStore) {
    let it = it.with_tokio_time();
    let runs = Runs::new(it.store.clone());
    let effects = Effects::default();
    let asks = serving(it.reopen(), &effects, [review()]);
    let start = runs.start_document(&review(), json!({ "title": "Ulysses" }));
    let id = start
        .with_id("book-7")
        .with_tag("shelf", "a")
        .await
        .unwrap();
    let info = until(&runs, &id, Status::Suspended).await;
    assert_eq!(info.flow, "review");
    assert_eq!(info.questions[0].value["prompt"], "Publish Ulysses?");
    assert!(
        runs.output_of_document(&review(), &id)
            .await
            .unwrap()
            .is_none()
    );
    asks.kill().await;

    runs.answer(&id, "ask", "yes").await.unwrap();
    let _publishes = serving(it.reopen(), &effects, [review()]);
    until(&runs, &id, Status::Done).await;
    let output = runs.output_of_document(&review(), &id).await.unwrap();
    let outputs = output.unwrap().outputs;
    assert_eq!(outputs["publish"], json!({ "noted": "yes" }));
    let other = runs.output_of_document(&stock_taking(), &id).await;
    let expected = format!("the run `{id}` is of the flow `review`, not of `stock`");
    assert_eq!(other.unwrap_err().to_string(), expected);
}

async fn each_item_of_a_documents_list_is_committed(it: TestStore) {
    let it = it.with_tokio_time();
    let runs = Runs::new(it.store.clone());
    let effects = Effects::default();
    let _at_work = serving(it.reopen(), &effects, [stock_taking()]);
    let id = runs
        .start_document(&stock_taking(), json!({}))
        .await
        .unwrap();
    until(&runs, &id, Status::Done).await;
    let nodes: Vec<_> = runs.history(&id).await.unwrap();
    let items = nodes.into_iter().filter_map(|row| row.node);
    let items: Vec<_> = items
        .filter(|node| node.id == "count")
        .map(|node| node.items)
        .collect();
    assert_eq!(items, [[0], [1], [2]]);
    assert_eq!(effects.keys().len(), 4);
    let output = runs.output_of_document(&stock_taking(), &id).await.unwrap();
    assert_eq!(output.unwrap().outputs["report"]["noted"], "3 shelves");
}

async fn a_document_resumes_where_its_process_ended(it: TestStore) {
    let it = it.with_tokio_time();
    let runs = Runs::new(it.store.clone());
    for commits in 1..8 {
        let effects = Effects::default();
        let id = runs
            .start_document(&stock_taking(), json!({}))
            .await
            .unwrap();
        let dying = crate::faults::Faulty::new(it.reopen()).with_commits(commits);
        let dies = serving(Arc::new(dying.clone()), &effects, [stock_taking()]);
        tokio::time::sleep(Duration::from_secs(5)).await;
        dies.kill().await;
        let _resumes = serving(it.reopen(), &effects, [stock_taking()]);
        until(&runs, &id, Status::Done).await;
        // What was not committed happens again, under the same key.
        let mut keys = effects.keys();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), 4, "{commits}");
        let history = runs.history(&id).await.unwrap();
        let notes = history.iter().filter_map(|row| row.node.as_ref());
        let notes = notes.filter(|node| ["count", "report"].contains(&&*node.id));
        assert_eq!(notes.count(), 4, "{commits}");
    }
}

async fn documents_and_annotated_flows_are_served_by_one_worker(it: TestStore) {
    let it = it.with_tokio_time();
    let runs = Runs::new(it.store.clone());
    let effects = Effects::default();
    let _at_work = serving(it.reopen(), &effects, [review(), stock_taking()]);
    let reviewed = runs.start_document(&review(), json!({})).await.unwrap();
    let counted = runs
        .start_document(&stock_taking(), json!({}))
        .await
        .unwrap();
    let ordered = runs.start::<Order>(Order { cups: 2 }).await.unwrap();
    runs.answer(&reviewed, "ask", "no").await.unwrap();
    for id in [&reviewed, &counted, &ordered] {
        until(&runs, id, Status::Done).await;
    }
    let output = runs.output::<Order>(&ordered).await.unwrap();
    assert_eq!(output, Some(Served { cups: 2 }));
    let output = runs.output_of_document(&review(), &reviewed).await.unwrap();
    assert_eq!(output.unwrap().outputs["publish"]["noted"], "no");
}

async fn a_document_that_nobody_serves_here_is_left_to_others(it: TestStore) {
    let it = it.with_tokio_time();
    let runs = Runs::new(it.store.clone());
    let effects = Effects::default();
    let id = runs
        .start_document(&stock_taking(), json!({}))
        .await
        .unwrap();
    let others = serving(it.reopen(), &effects, [review()]);
    tokio::time::sleep(Duration::from_secs(60)).await;
    let info = runs.status(&id).await.unwrap();
    assert_eq!((info.step, info.failed_claims), (0, 0));
    let _serves_it = serving(it.reopen(), &effects, [stock_taking()]);
    until(&runs, &id, Status::Done).await;
    others.kill().await;
}

/// The review with one node more, behind its end.
fn review_with_an_archive() -> DocumentFlow {
    document(
        "
flow: { name: review, input: { title: nothing } }
nodes:
  - { id: ask, type: control.gate, input: { prompt: 'Publish {{ flow.input.title }}?' } }
  - { id: publish, type: note, input: { text: '{{ ask.response.content }}' } }
  - { id: archive, type: note, input: { text: archived } }
edges: [{ from: ask, to: publish }, { from: publish, to: archive }]
",
    )
}

/// The review without its question.
fn review_without_a_gate() -> DocumentFlow {
    document(
        "
flow: { name: review, input: { title: nothing } }
nodes: [{ id: publish, type: note, input: { text: '{{ flow.input.title }}' } }]
edges: []
",
    )
}

/// A run of the review that waits for its answer, and nobody serves.
async fn waiting_review(it: &TestStore, runs: &Runs) -> String {
    let asks = serving(it.reopen(), &Effects::default(), [review()]);
    let id = runs.start_document(&review(), json!({})).await.unwrap();
    until(runs, &id, Status::Suspended).await;
    asks.kill().await;
    id
}

async fn a_run_of_a_changed_document_resumes_where_it_still_can(it: TestStore) {
    let it = it.with_tokio_time();
    let runs = Runs::new(it.store.clone());
    let id = waiting_review(&it, &runs).await;
    let changed = review_with_an_archive();
    let _at_work = serving(it.reopen(), &Effects::default(), [changed.clone()]);
    runs.answer(&id, "ask", "yes").await.unwrap();
    until(&runs, &id, Status::Done).await;
    let output = runs.output_of_document(&changed, &id).await.unwrap();
    let outputs = output.unwrap().outputs;
    assert_eq!(outputs["publish"]["noted"], "yes");
    assert_eq!(outputs["archive"]["noted"], "archived");
}

async fn a_run_that_a_changed_document_cannot_finish_waits_for_one_that_can(it: TestStore) {
    let it = it.with_tokio_time();
    let runs = Runs::new(it.store.clone());
    let id = waiting_review(&it, &runs).await;
    let changed = serving(it.reopen(), &Effects::default(), [review_without_a_gate()]);
    runs.answer(&id, "ask", "yes").await.unwrap();
    tokio::time::sleep(Duration::from_secs(5)).await;
    let info = runs.status(&id).await.unwrap();
    assert_eq!(info.step, 1);
    let error = info.error.unwrap();
    assert!(error.contains("no state `->ask`"), "{error}");
    changed.kill().await;

    let _at_work = serving(it.reopen(), &Effects::default(), [review()]);
    until(&runs, &id, Status::Done).await;
}

async fn what_a_changed_document_has_no_use_for_is_dropped_where_that_is_allowed(it: TestStore) {
    let it = it.with_tokio_time();
    let runs = Runs::new(it.store.clone());
    let id = waiting_review(&it, &runs).await;
    // Nobody is asked any more.
    let changed = document(
        "
flow: { name: review, input: { title: nothing } }
nodes:
  - { id: ask, type: note, input: { text: published } }
  - { id: publish, type: note, input: { text: '{{ ask.noted }}' } }
edges: [{ from: ask, to: publish }]
",
    );
    let effects = Effects::default();
    let refused = serving(it.reopen(), &effects, [changed.clone()]);
    runs.send(&id, Command::Unpause).await.unwrap();
    tokio::time::sleep(Duration::from_secs(5)).await;
    let error = runs.status(&id).await.unwrap().error.unwrap();
    assert!(error.contains("drop_progress"), "{error}");
    refused.kill().await;

    let allowed = worker(it.reopen(), &effects).serve_document(changed.clone());
    let options = LoadOptions::new().drop_progress();
    let _allowed = Working::start(allowed.with_load_options_of("review", options));
    until(&runs, &id, Status::Done).await;
    let output = runs.output_of_document(&changed, &id).await.unwrap();
    assert_eq!(output.unwrap().outputs["publish"]["noted"], "published");
}

async fn a_document_that_has_failed_is_tried_again(it: TestStore) {
    let it = it.with_tokio_time();
    let runs = Runs::new(it.store.clone());
    let crossing = document(
        "
flow: { name: crossing }
nodes: [{ id: over, type: cross, input: {}, policy: { retry: { maxAttempts: 2, backoffMs: 10000 } } }]
edges: []
",
    );
    let bridge = Bridge::default();
    let ctx = Context::default().with_dep(bridge.clone());
    let worker = Worker::new(it.reopen()).with_context(ctx);
    let _at_work = Working::start(worker.serve_document_with(crossing.clone(), |run, info| {
        assert_eq!(info.flow, "crossing");
        Ok(run.with_concurrency(8))
    }));
    let id = runs.start_document(&crossing, json!({})).await.unwrap();
    until(&runs, &id, Status::Waiting).await;
    let info = until(&runs, &id, Status::Failed).await;
    let error = info.error.unwrap();
    assert!(error.contains("there is no bridge"), "{error}");
    bridge.0.store(true, std::sync::atomic::Ordering::Relaxed);
    runs.retry(&id).await.unwrap();
    until(&runs, &id, Status::Done).await;
}

async fn an_input_that_no_document_takes_starts_no_run(it: TestStore) {
    let runs = Runs::new(it.store.clone());
    let mut input = json!(0);
    for _ in 0..200 {
        input = json!({ "title": input });
    }
    let started = runs.start_document(&review(), input).with_id("a").await;
    assert!(matches!(started, Err(StoreError::Flow(_))));
    let started = runs.status("a").await;
    assert!(matches!(started, Err(StoreError::NotFound { .. })));
}
