//! A console that has lost events, or whose answers come too late.

use std::{pin::pin, time::Duration};

use futures_util::FutureExt as _;
use pravah_runtime::prelude::*;
use tokio::time::{sleep, timeout};

use super::{
    Draft, Page,
    console::{console, printing, type_line},
};

/// Has more events than a channel can wait with.
fn crowd(run: &mut FlowRuntime<printing>) {
    for _ in 0..600 {
        run.pause();
        run.unpause();
    }
}

#[tokio::test]
async fn a_console_that_lost_a_question_asks_it() {
    let (console, keys, screen) = console();
    let mut run = printing::start(Draft { n: 1 }).unwrap();
    let hub = run.hub();
    let mut attached = pin!(hub.attach(console));
    assert!(attached.as_mut().now_or_never().is_none());
    run.run(Context::default()).await.unwrap();
    crowd(&mut run);
    let person = async {
        screen.shows("? How many?").await;
        type_line(&keys, "2");
        screen.shows("? Shall it be printed?").await;
        type_line(&keys, "yes");
    };
    let all = async { tokio::join!(run.serve(Context::default()), attached, person) };
    let (out, ended, ()) = timeout(Duration::from_secs(10), all).await.unwrap();
    assert_eq!(out.unwrap(), RunOut::Done(Page { n: 3 }));
    ended.unwrap();
    assert!(screen.text().contains("events were not shown"));
    assert_eq!(screen.text().matches("How many?").count(), 1);
}

#[tokio::test]
async fn a_console_that_lost_the_answer_to_a_question_waits_for_it_no_more() {
    let (console, keys, screen) = console();
    let mut run = printing::start(Draft { n: 1 }).unwrap();
    let hub = run.hub();
    let mut attached = pin!(hub.attach(console));
    assert!(attached.as_mut().now_or_never().is_none());
    run.run(Context::default()).await.unwrap();
    assert!(attached.as_mut().now_or_never().is_none());
    screen.shows("? How many?").await;
    run.answer(Context::default(), "size", 4).await.unwrap();
    run.run(Context::default()).await.unwrap();
    crowd(&mut run);
    let person = async {
        screen.shows("? Shall it be printed?").await;
        type_line(&keys, "yes");
    };
    let all = async { tokio::join!(run.serve(Context::default()), attached, person) };
    let (out, ended, ()) = timeout(Duration::from_secs(10), all).await.unwrap();
    assert_eq!(out.unwrap(), RunOut::Done(Page { n: 5 }));
    ended.unwrap();
}

#[tokio::test]
async fn an_answer_that_comes_after_another_is_refused_and_not_asked_for_again() {
    let (console, keys, screen) = console();
    let mut run = printing::start(Draft { n: 1 }).unwrap();
    run.run(Context::default()).await.unwrap();
    let hub = run.hub();
    let mut attached = pin!(hub.attach(console));
    assert!(attached.as_mut().now_or_never().is_none());
    // Both answers wait before the run takes one.
    let first = hub.reply("size", 4);
    type_line(&keys, "9");
    let waiting = async {
        while serde_json::to_value(run.snapshot()).unwrap()["inbox"]
            .as_object()
            .is_none_or(|inbox| inbox.len() < 2)
        {
            sleep(Duration::from_millis(1)).await;
        }
    };
    timeout(Duration::from_secs(10), waiting).await.unwrap();
    let person = async {
        screen.shows("? Shall it be printed?").await;
        screen.shows("`size`").await;
        type_line(&keys, "yes");
        first.await.unwrap();
    };
    let all = async { tokio::join!(run.serve(Context::default()), attached, person) };
    let (out, ended, ()) = timeout(Duration::from_secs(10), all).await.unwrap();
    assert_eq!(out.unwrap(), RunOut::Done(Page { n: 5 }));
    ended.unwrap();
    assert!(!screen.text().contains("try again"), "{}", screen.text());
}
