//! A list passes on the very values that its items returned, not copies of them.

use std::cell::Cell;

use pravah_runtime::prelude::*;
use serde::{Deserialize, Deserializer};

thread_local! {
    static CLONES: Cell<usize> = const { Cell::new(0) };
    static IS_READABLE: Cell<bool> = const { Cell::new(true) };
}

#[state]
struct Book {
    pages: u32,
}

#[state]
struct Number {
    n: u32,
}

#[state(manual(Clone))]
struct Page {
    #[serde(deserialize_with = "fail_unless_readable")]
    n: u32,
}

impl Clone for Page {
    fn clone(&self) -> Self {
        CLONES.set(CLONES.get() + 1);
        Self { n: self.n }
    }
}

fn fail_unless_readable<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    match IS_READABLE.get() {
        true => u32::deserialize(deserializer),
        false => Err(serde::de::Error::custom("the page is lost")),
    }
}

#[state]
#[derive(PartialEq)]
struct Bound {
    pages: Vec<u32>,
}

#[node]
fn numbers(book: &Book) -> Each<Number> {
    (0..book.pages).map(|n| Number { n }).collect()
}

#[node]
fn read(number: &Number) -> Page {
    Page { n: number.n }
}

#[node]
fn bind(pages: &Each<Page>) -> Bound {
    Bound {
        pages: pages.iter().map(|page| page.n).collect(),
    }
}

#[flow]
fn reading(book: Book) -> Bound {
    flow! { numbers -> each(read) -> bind }
}

/// Short lists, and one too long for the short form of a sorted map.
const LENGTHS: [u32; 3] = [1, 3, 100];

fn bound(pages: u32) -> RunOut<Bound> {
    RunOut::Done(Bound {
        pages: (0..pages).collect(),
    })
}

/// A run whose next step is that of its last item.
async fn before_the_last_item(pages: u32) -> FlowRuntime<Book> {
    let mut run = FlowRuntime::new(Book { pages }).unwrap();
    for _ in 0..pages {
        assert_eq!(
            run.next(Context::default()).await.unwrap(),
            RunOut::Continue
        );
    }
    run
}

#[tokio::test]
async fn a_list_passes_on_what_its_items_returned_without_copying_it() {
    for pages in LENGTHS {
        let mut run = FlowRuntime::new(Book { pages }).unwrap();
        let out = run.run(Context::default()).await.unwrap();
        assert_eq!(out, bound(pages));
        assert_eq!(CLONES.get(), 0);
    }
}

#[tokio::test]
async fn a_snapshot_keeps_what_the_items_returned() {
    for pages in LENGTHS {
        let mut run = before_the_last_item(pages).await;
        let snapshot = run.snapshot();
        let before = serde_json::to_string(&snapshot).unwrap();

        assert_eq!(run.run(Context::default()).await.unwrap(), bound(pages));

        assert_eq!(serde_json::to_string(&snapshot).unwrap(), before);
        let mut restored = FlowRuntime::<Book>::from_snapshot(snapshot).unwrap();
        assert_eq!(
            restored.run(Context::default()).await.unwrap(),
            bound(pages)
        );
    }
}

#[tokio::test]
async fn a_list_that_fails_keeps_what_its_items_returned() {
    // Not of one page: it would not be JSON.
    for pages in [3, 100] {
        let run = before_the_last_item(pages).await;
        let mut run = loaded(&serde_json::to_string(&run).unwrap());

        // All pages but the last are still JSON.
        IS_READABLE.set(false);
        assert_eq!(
            run.next(Context::default()).await.unwrap(),
            RunOut::Continue
        );
        let failed = run.next(Context::default()).await.unwrap_err();
        assert!(failed.to_string().contains("Page"), "{failed}");
        let saved = serde_json::to_string(&run).unwrap();

        IS_READABLE.set(true);
        for mut run in [run, loaded(&saved)] {
            assert_eq!(run.run(Context::default()).await.unwrap(), bound(pages));
        }
    }
}

fn loaded(saved: &str) -> FlowRuntime<Book> {
    FlowRuntime::from_snapshot(serde_json::from_str(saved).unwrap()).unwrap()
}
