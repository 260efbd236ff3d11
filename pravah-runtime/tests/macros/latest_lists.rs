//! `Latest<S>` in lists: in their items, in flows and lists within those, behind them and where they fail.

use pravah_runtime::prelude::*;
use serde_json::json;

use crate::macros_support::{Report, output, restart, states, through_restarts, to_rest};

states!(Topic, Draft, Verdict);

#[node]
fn write(topic: Topic) -> Draft {
    Draft { n: topic.n * 10 }
}

states!(Item, Priced, Total);

#[node]
fn unpack(draft: Draft) -> Each<Item> {
    (1..=draft.n / 10).map(|n| Item { n }).collect()
}

#[node]
fn price(item: Item, draft: Latest<Draft>, all: Latest<Each<Item>>) -> Verdict {
    Verdict {
        n: item.n * all.len() as u32 + draft.n,
    }
}

#[node]
fn settle(verdict: Verdict, item: Latest<Item>, all: Latest<Each<Item>>) -> Priced {
    Priced {
        n: verdict.n + item.n + all.iter().map(|it| it.n).sum::<u32>() * 100,
    }
}

#[node]
fn sum(all: Each<Priced>, items: Latest<Each<Item>>, draft: Latest<Draft>) -> Total {
    Total {
        n: all.iter().map(|it| it.n).sum::<u32>() + (items.len() as u32) * 10_000 + draft.n,
    }
}

#[flow(named)]
fn priced(topic: Topic) -> Total {
    flow! { write -> unpack -> each(price -> settle) -> sum }
}

#[tokio::test]
async fn the_list_itself_is_read_in_its_items_and_behind_them() {
    let total = (33 + 601) + (36 + 602) + (39 + 603) + 30_000 + 30;
    let run = priced::start(Topic { n: 3 }).unwrap();
    assert_eq!(through_restarts(run).await.0, Total { n: total });
    let run = priced::start(Topic { n: 3 }).unwrap();
    let out = run.with_concurrency(8).run(Context::default()).await;
    assert_eq!(output(out), Total { n: total });
}

// What is in the flow of an item is read there, and around it what the item has.
#[node]
fn weigh(item: &Item) -> Verdict {
    Verdict { n: item.n }
}

#[node]
fn add(verdict: Verdict, item: Latest<Item>) -> Result<Priced, String> {
    match verdict.n {
        2 => Err("too heavy".into()),
        n => Ok(Priced { n: n + item.n }),
    }
}

#[flow(named)]
fn weighed(item: Item) -> Priced {
    flow! { weigh -> add }
}

#[node]
fn leave(failure: Failure<Item>, item: Latest<Item>) -> Priced {
    assert_eq!(failure.input, *item);
    Priced { n: item.n * 100 }
}

#[flow(named)]
fn safe(item: Item) -> Priced {
    flow! { weighed -> done; catch(weighed) -> leave }
}

#[node]
fn raise(priced: Priced, draft: Latest<Draft>, item: Latest<Item>) -> Priced {
    Priced {
        n: priced.n + draft.n + item.n,
    }
}

#[node]
fn total(all: Each<Priced>) -> Total {
    Total {
        n: all.iter().map(|it| it.n).sum(),
    }
}

#[flow(named)]
fn list(draft: Draft) -> Total {
    flow! { unpack -> each(safe -> raise) -> total }
}

#[node]
fn tell(total: Total, draft: Latest<Draft>) -> Report {
    Report {
        text: format!("{} of {}", total.n, draft.n),
    }
}

#[flow(named)]
fn listed(topic: Topic) -> Report {
    flow! { write -> list -> tell }
}

#[tokio::test]
async fn an_item_reads_in_a_flow_within_a_list_within_a_flow() {
    let run = listed::start(Topic { n: 3 }).unwrap();
    // 2, 200 and 6, each with 30 and the item.
    assert_eq!(through_restarts(run).await.0.text, "304 of 30");
}

// Lists within lists read what was made before the outer one.
states!(Part, Sized);

#[node]
fn split(item: &Item) -> Each<Part> {
    (0..item.n).map(|n| Part { n }).collect()
}

#[node]
fn size(part: Part, item: Latest<Item>, draft: Latest<Draft>) -> Sized {
    Sized {
        n: part.n + item.n * 10 + draft.n * 100,
    }
}

#[node]
fn gather(all: Each<Sized>, draft: Latest<Draft>) -> Priced {
    Priced {
        n: all.iter().map(|it| it.n).sum::<u32>() + draft.n,
    }
}

#[flow(named)]
fn within(topic: Topic) -> Total {
    flow! { write -> unpack -> each(split -> each(size) -> gather) -> total }
}

#[tokio::test]
async fn a_list_in_a_list_reads_what_was_made_before_both() {
    // One part of the first item and two of the second.
    let expected = (10 + 2000) + (20 + 2000) + (21 + 2000) + 2 * 20;
    let run = within::start(Topic { n: 2 }).unwrap();
    assert_eq!(through_restarts(run).await.0, Total { n: expected });
    let run = within::start(Topic { n: 2 }).unwrap();
    let out = run.with_concurrency(8).run(Context::default()).await;
    assert_eq!(output(out), Total { n: expected });
}

#[node]
fn fails(item: Item, all: Latest<Each<Item>>) -> Result<Priced, String> {
    Err(format!("{} of {}", item.n, all.len()))
}

#[flow(named)]
fn fragile(items: Each<Item>) -> Total {
    flow! { each(fails) -> total }
}

#[node]
fn give_up(failure: Failure<Each<Item>>, all: Latest<Each<Item>>, draft: Latest<Draft>) -> Total {
    assert_eq!(failure.input.len(), all.len());
    Total {
        n: draft.n + all.len() as u32,
    }
}

#[flow(named)]
fn given_up(topic: Topic) -> Total {
    flow! { write -> unpack -> fragile -> done; catch(fragile) -> give_up }
}

#[tokio::test]
async fn who_rescues_a_list_reads() {
    let run = given_up::start(Topic { n: 3 }).unwrap();
    assert_eq!(through_restarts(run).await.0, Total { n: 33 });
}

// A gate asks about an item, with what was made before the list and in the item.
#[state]
struct Decision {
    keep: bool,
}

#[gate(prompt = format!("keep {} of {}?", item.n, draft.n))]
fn decide(
    verdict: Verdict,
    draft: Latest<Draft>,
    item: Latest<Item>,
    decision: Decision,
) -> Priced {
    assert_eq!(verdict.n, item.n);
    Priced {
        n: u32::from(decision.keep) * (item.n + draft.n),
    }
}

#[flow(named)]
fn decided(topic: Topic) -> Total {
    flow! { write -> unpack -> each(weigh -> decide) -> total }
}

#[tokio::test]
async fn a_gate_in_a_list_reads_the_same_when_it_is_answered_in_another_process() {
    let mut run = decided::start(Topic { n: 2 }).unwrap();
    to_rest(&mut run).await;
    let questions = run.suspensions();
    let prompts: Vec<&str> = questions
        .iter()
        .map(|it| it.value["prompt"].as_str().unwrap())
        .collect();
    assert_eq!(prompts, ["keep 1 of 20?", "keep 2 of 20?"]);
    for question in &questions {
        run = restart(&run);
        let answer = json!({ "keep": true });
        let out = run
            .answer(Context::default(), &question.tool_id, answer)
            .await;
        out.unwrap();
    }
    let out = restart(&run).run(Context::default()).await;
    assert_eq!(output(out), Total { n: 21 + 22 });
}

#[node]
fn weigh_part(part: Part, draft: Latest<Draft>) -> Part {
    Part {
        n: part.n + draft.n,
    }
}

#[node]
fn in_parts(item: Item) -> Each<Part> {
    Each::from(vec![Part { n: item.n }])
}

#[node]
fn of_parts(parts: Each<Part>, draft: Latest<Draft>) -> Priced {
    let parts: u32 = parts.iter().map(|part| part.n).sum();
    Priced { n: parts + draft.n }
}

#[flow(named)]
fn read_often(topic: Topic) -> Total {
    flow! {
        write -> unpack -> each(in_parts -> each(
            weigh_part -> weigh_part as p2 -> weigh_part as p3 -> weigh_part as p4 -> weigh_part as p5
                -> weigh_part as p6 -> weigh_part as p7 -> weigh_part as p8 -> weigh_part as p9
                -> weigh_part as p10 -> weigh_part as p11 -> weigh_part as p12
        ) -> of_parts) -> sum_up
    }
}

#[node]
fn sum_up(all: Each<Priced>) -> Total {
    Total {
        n: all.iter().map(|it| it.n).sum(),
    }
}

#[tokio::test]
async fn every_node_of_a_long_chain_in_a_list_in_a_list_may_read() {
    let mut run = read_often::start(Topic { n: 2 }).unwrap();
    let out = run.run(Context::default()).await;
    assert_eq!(output(out), Total { n: 3 + 2 * 13 * 20 });
}
