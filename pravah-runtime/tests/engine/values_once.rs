//! A value that is held in several places is written once, and shared again when it is read.

use std::{collections::BTreeSet, sync::Arc};

use pravah_runtime::{Entries, prelude::*};

use crate::engine_support::{bytes, load};

#[state]
struct Shelf {
    titles: Vec<String>,
}

#[state]
struct Book {
    title: String,
}

#[state]
struct Opened {
    pages: usize,
}

#[state]
struct Read {
    pages: usize,
}

#[state]
struct Summary {
    pages: usize,
}

#[node]
fn take_out(shelf: &Shelf) -> Each<Book> {
    let titles = shelf.titles.iter().cloned();
    titles.map(|title| Book { title }).collect()
}

/// Keeps every item in the middle of its chain.
#[node]
async fn open(book: &Book) -> Opened {
    tokio::task::yield_now().await;
    Opened {
        pages: book.title.len(),
    }
}

#[gate(prompt = "Read?")]
fn read(opened: Opened, yes: bool, ctx: Context) -> Result<Read, FlowError> {
    let title = &ctx.input::<Book>()?.title;
    assert_eq!(title.len(), opened.pages);
    Ok(Read {
        pages: opened.pages * usize::from(yes),
    })
}

#[node]
fn add_up(read: Each<Read>, ctx: Context) -> Result<Summary, FlowError> {
    let titles = ctx.input::<Shelf>()?.titles.len();
    assert_eq!(titles, read.len());
    Ok(Summary {
        pages: read.iter().map(|it| it.pages).sum(),
    })
}

#[flow]
fn reading(shelf: Shelf) -> Summary {
    flow! { take_out -> each(open -> read) -> add_up }
}

fn shelf() -> Shelf {
    let title = |n: usize| format!("title-{n:04}");
    Shelf {
        titles: (0..5).map(title).collect(),
    }
}

/// How often the title of the third book is in a snapshot.
fn times(run: &FlowRuntime<Shelf>) -> usize {
    let text = String::from_utf8(bytes(run)).unwrap();
    text.matches("title-0002").count()
}

#[tokio::test]
async fn an_input_that_waits_and_an_item_in_its_list_are_written_once() {
    let mut run = FlowRuntime::new(shelf()).unwrap();
    assert_eq!(times(&run), 1);
    let mut seen = BTreeSet::new();
    let mut stored = Entries::default();
    loop {
        run = load(&bytes(&run));
        stored.apply(run.take_changes().unwrap());
        let out = match run.next(Context::default()).await {
            Ok(RunOut::Suspend { tool_id, .. }) => {
                run.answer(Context::default(), &tool_id, true).await
            }
            out => out,
        };
        seen.insert(times(&run));
        if let RunOut::Done(summary) = out.unwrap() {
            assert_eq!(summary.pages, 5 * "title-0002".len());
            break;
        }
    }
    // In the shelf, which is the flow's input, and in the list, also while the item is read.
    assert_eq!(seen, [1, 2].into());
}

#[tokio::test]
async fn an_input_that_waits_is_shared_again_after_a_restore() {
    let run: FlowRuntime<Shelf> = load(&bytes(&FlowRuntime::new(shelf()).unwrap()));
    let waiting = run.peek::<Shelf>().unwrap();
    assert_eq!(waiting.titles.len(), 5);
    assert!(Arc::ptr_eq(&waiting, &run.peek::<Shelf>().unwrap()));
}

#[tokio::test]
async fn what_is_written_once_is_put_where_it_stays_when_it_no_longer_waits() {
    let mut run = FlowRuntime::new(shelf()).unwrap();
    let mut stored = Entries::default();
    stored.apply(run.take_changes().unwrap());
    let keys = |stored: &Entries| -> Vec<String> {
        let keys = stored.iter().map(|(key, _)| key.to_owned());
        keys.filter(|key| key.ends_with("/Shelf")).collect()
    };
    assert_eq!(keys(&stored), ["/states/Shelf"]);
    run.next(Context::default()).await.unwrap();
    stored.apply(run.take_changes().unwrap());
    assert_eq!(keys(&stored), ["/inputs/Shelf"]);
}

#[state]
struct Cloth {
    lines: u32,
}

#[state]
struct Line {
    length: u32,
}

#[state]
struct Cut {
    length: u32,
}

#[state]
struct Hemmed {
    length: u32,
}

#[state]
struct Dress {
    length: u32,
}

#[node]
fn lines(cloth: Cloth) -> Each<Line> {
    (2..2 + cloth.lines).map(|length| Line { length }).collect()
}

#[node]
fn cut(line: Line) -> Cut {
    Cut {
        length: line.length,
    }
}

/// Goes back to the start of the chain until nothing is left.
#[node]
fn hem(cut: Cut, ctx: Context) -> Result<Either<Line, Hemmed>, FlowError> {
    Ok(match cut.length {
        0 => Either::Right(Hemmed {
            length: ctx.input::<Line>()?.length,
        }),
        length => Either::Left(Line { length: length - 1 }),
    })
}

#[flow(named)]
fn hemming(line: Line) -> Hemmed {
    flow! { cut -> hem -> either(cut, done) }
}

#[node]
fn sew(hemmed: Each<Hemmed>) -> Dress {
    Dress {
        length: hemmed.iter().map(|it| it.length).sum(),
    }
}

#[flow]
fn tailoring(cloth: Cloth) -> Dress {
    flow! { lines -> each(hemming) -> sew }
}

#[tokio::test]
async fn an_item_keeps_what_it_started_with_when_it_is_restored_in_a_loop_to_its_start() {
    let mut run = FlowRuntime::new(Cloth { lines: 2 }).unwrap();
    loop {
        run = load(&bytes(&run));
        if let RunOut::Done(dress) = run.next(Context::default()).await.unwrap() {
            assert_eq!(dress.length, 2 + 3);
            return;
        }
    }
}
