//! Answers, events, pauses and cancels, with workers and without.

use std::{sync::Arc, time::Duration};

use pravah_runtime::{Context, FlowRuntime, GateQuestion};
use pravah_store::{Command, NewRun, Runs, Status};
use serde_json::json;
use tokio::time::{Instant, sleep};

use crate::{
    faults::Faulty,
    flows::{Draft, Effects, Invoice, Journey, Order, Published, Settled, Working, until, worker},
    support::{TestStore, key},
};

crate::over_every_store! {
    an_answer_that_comes_too_early_waits_for_its_question,
    an_answer_while_nobody_runs_is_taken_by_the_step_that_uses_it,
    an_answer_is_used_once_wherever_the_process_ends,
    an_answer_that_does_not_fit_is_refused_and_the_question_stays,
    of_two_answers_to_one_question_the_first_counts,
    early_answers_are_used_one_for_each_question,
    an_answer_to_what_is_never_asked_does_not_keep_the_run_busy,
    an_answer_to_what_is_never_asked_is_among_the_commands_that_wait,
    an_answer_to_an_open_question_is_refused_where_none_of_its_id_is_open,
    a_start_says_whether_the_run_is_new,
    a_command_that_comes_right_before_a_commit_is_not_lost,
    an_answer_is_not_for_a_question_whose_answer_is_in_the_snapshot,
    an_event_waits_for_its_gate,
    a_gate_that_nobody_answers_fails_in_time,
    a_cancel_aborts_the_step,
    a_cancel_of_another_process_is_noticed_while_a_step_runs,
    a_paused_run_executes_no_step,
}

async fn an_answer_to_an_open_question_is_refused_where_none_of_its_id_is_open(it: TestStore) {
    let it = it.with_tokio_time();
    let runs = Runs::new(it.store.clone());
    let start = runs.start::<Draft>(Draft { version: 1 });
    let id = start.with_id("7").await.unwrap();
    let early = runs.answer_open(&id, "approve", true).await.unwrap_err();
    let expected = "the run `7` asks no question `approve`; no question is open";
    assert_eq!(early.to_string(), expected);
    let _at_work = Working::start(worker(it.store.clone(), &Effects::default()));
    until(&runs, &id, Status::Suspended).await;
    let misspelt = runs.answer_open(&id, "aprove", true).await.unwrap_err();
    let expected = "the run `7` asks no question `aprove`; open: `approve`";
    assert_eq!(misspelt.to_string(), expected);
    assert!(runs.commands(&id).await.unwrap().is_empty());
    runs.answer_open(&id, "approve", true).await.unwrap();
    until(&runs, &id, Status::Done).await;
    let late = runs.answer_open(&id, "approve", true).await.unwrap_err();
    assert_eq!(
        late.to_string(),
        "cannot push a command: the run `7` is done"
    );
}

async fn a_start_says_whether_the_run_is_new(it: TestStore) {
    let runs = Runs::new(it.store.clone());
    for is_new in [true, false] {
        let start = runs.start::<Draft>(Draft { version: 1 });
        let outcome = start.with_id("7").outcome().await.unwrap();
        assert_eq!((&*outcome.id, outcome.is_new), ("7", is_new));
    }
}

async fn history_of(runs: &Runs, id: &str) -> Vec<(Option<String>, Vec<u64>, Vec<u64>)> {
    let history = runs.history(id).await.unwrap();
    let rows = history.into_iter().map(|row| {
        let refused = row.refused.iter().map(|refusal| refusal.number);
        (row.node.map(|node| node.id), row.taken, refused.collect())
    });
    rows.collect()
}

async fn an_answer_that_comes_too_early_waits_for_its_question(it: TestStore) {
    let it = it.with_tokio_time();
    let runs = Runs::new(it.store.clone());
    let id = runs.start::<Draft>(Draft { version: 1 }).await.unwrap();
    runs.answer(&id, "approve", true).await.unwrap();
    let _worker = Working::start(worker(it.reopen(), &Effects::default()));
    until(&runs, &id, Status::Done).await;
    let output = runs.output::<Draft>(&id).await.unwrap();
    assert_eq!(output, Some(Published { version: 1 }));
}

async fn an_answer_while_nobody_runs_is_taken_by_the_step_that_uses_it(it: TestStore) {
    let it = it.with_tokio_time();
    let runs = Runs::new(it.store.clone());
    let id = runs.start::<Draft>(Draft { version: 1 }).await.unwrap();
    let asks = Working::start(worker(it.reopen(), &Effects::default()));
    let info = until(&runs, &id, Status::Suspended).await;
    asks.kill().await;
    let [question] = &info.questions[..] else {
        panic!("{info:?}")
    };
    assert_eq!(question.id, "approve");
    let asked: GateQuestion = serde_json::from_value(question.value.clone()).unwrap();
    assert_eq!(asked.prompt, "Publish this?");

    let number = runs.answer(&id, "approve", true).await.unwrap();
    let _answers = Working::start(worker(it.store.clone(), &Effects::default()));
    let info = until(&runs, &id, Status::Done).await;
    assert!(info.questions.is_empty());
    let history = history_of(&runs, &id).await;
    let approve = || Some("approve".to_owned());
    assert_eq!(
        history,
        [
            (None, vec![], vec![]),
            (approve(), vec![], vec![]),
            (approve(), vec![number], vec![]),
        ]
    );
}

async fn an_answer_is_used_once_wherever_the_process_ends(it: TestStore) {
    let it = it.with_tokio_time();
    for answers_last in [true, false] {
        let runs = Runs::new(it.store.clone());
        let id = format!("run-{answers_last}");
        let start = runs.start::<Draft>(Draft { version: 1 });
        start.with_id(&*id).await.unwrap();
        for yes in [false, false, true] {
            runs.answer(&id, "approve", yes).await.unwrap();
        }
        while runs.status(&id).await.unwrap().status != Status::Done {
            let mut store = Faulty::new(it.reopen()).with_commits(1);
            store.answers_last = answers_last;
            let worker = worker(Arc::new(store.clone()), &Effects::default());
            let worker = Working::start(worker);
            while store.commits_left() > 0 {
                sleep(Duration::from_millis(100)).await;
            }
            worker.kill().await;
        }
        let output = runs.output::<Draft>(&id).await.unwrap();
        assert_eq!(output, Some(Published { version: 3 }));
        let history = history_of(&runs, &id).await;
        let taken: Vec<_> = history.iter().flat_map(|(_, taken, _)| taken).collect();
        assert_eq!(taken, [&1, &2, &3]);
    }
}

async fn an_answer_that_does_not_fit_is_refused_and_the_question_stays(it: TestStore) {
    let it = it.with_tokio_time();
    let runs = Runs::new(it.store.clone());
    let _worker = Working::start(worker(it.reopen(), &Effects::default()));
    let id = runs.start::<Draft>(Draft { version: 1 }).await.unwrap();
    until(&runs, &id, Status::Suspended).await;
    let wrong = runs.answer(&id, "approve", "perhaps").await.unwrap();
    sleep(Duration::from_secs(5)).await;
    let info = runs.status(&id).await.unwrap();
    assert_eq!((info.status, info.questions.len()), (Status::Suspended, 1));
    let history = runs.history(&id).await.unwrap();
    let refused = &history.last().unwrap().refused;
    assert_eq!((refused.len(), refused[0].number), (1, wrong));
    assert!(refused[0].error.contains("approve"), "{refused:?}");
    assert!(it.store.load(&info.key).await.unwrap().inbox.is_empty());
    runs.answer(&id, "approve", true).await.unwrap();
    until(&runs, &id, Status::Done).await;
}

async fn of_two_answers_to_one_question_the_first_counts(it: TestStore) {
    let it = it.with_tokio_time();
    let runs = Runs::new(it.store.clone());
    let id = runs.start::<Draft>(Draft { version: 1 }).await.unwrap();
    let asks = Working::start(worker(it.store.clone(), &Effects::default()));
    until(&runs, &id, Status::Suspended).await;
    asks.kill().await;
    let first = runs.answer(&id, "approve", false).await.unwrap();
    let second = runs.answer(&id, "approve", true).await.unwrap();
    let _worker = Working::start(worker(it.store.clone(), &Effects::default()));
    sleep(Duration::from_secs(5)).await;
    // The second was for the question that is answered, and not for the one that is asked now.
    let info = until(&runs, &id, Status::Suspended).await;
    assert_eq!(info.questions[0].number, 1);
    let history = history_of(&runs, &id).await;
    let taken: Vec<_> = history.iter().flat_map(|row| &row.1).collect();
    let refused: Vec<_> = history.iter().flat_map(|row| &row.2).collect();
    assert_eq!((taken, refused), (vec![&first], vec![&second]));
}

async fn early_answers_are_used_one_for_each_question(it: TestStore) {
    let it = it.with_tokio_time();
    let runs = Runs::new(it.store.clone());
    let id = runs.start::<Draft>(Draft { version: 1 }).await.unwrap();
    for yes in [false, true] {
        runs.answer(&id, "approve", yes).await.unwrap();
    }
    let _worker = Working::start(worker(it.store.clone(), &Effects::default()));
    until(&runs, &id, Status::Done).await;
    let output = runs.output::<Draft>(&id).await.unwrap();
    assert_eq!(output, Some(Published { version: 2 }));
}

async fn an_answer_to_what_is_never_asked_does_not_keep_the_run_busy(it: TestStore) {
    let it = it.with_tokio_time();
    let runs = Runs::new(it.store.clone());
    let _worker = Working::start(worker(it.store.clone(), &Effects::default()));
    let id = runs.start::<Draft>(Draft { version: 1 }).await.unwrap();
    runs.answer(&id, "reject", true).await.unwrap();
    until(&runs, &id, Status::Suspended).await;
    sleep(Duration::from_secs(60)).await;
    let info = runs.status(&id).await.unwrap();
    assert_eq!((info.wake_at, info.failed_claims), (None, 0));
    assert_eq!(it.store.inbox(&info.key, 0).await.unwrap().len(), 1);
    runs.answer(&id, "approve", true).await.unwrap();
    until(&runs, &id, Status::Done).await;
    assert!(it.store.inbox(&info.key, 0).await.unwrap().is_empty());
}

async fn an_answer_to_what_is_never_asked_is_among_the_commands_that_wait(it: TestStore) {
    let it = it.with_tokio_time();
    let runs = Runs::new(it.store.clone());
    let _worker = Working::start(worker(it.store.clone(), &Effects::default()));
    let id = runs.start::<Draft>(Draft { version: 1 }).await.unwrap();
    until(&runs, &id, Status::Suspended).await;
    let number = runs.answer(&id, "aprove", true).await.unwrap();
    sleep(Duration::from_secs(60)).await;
    let waiting = serde_json::to_value(runs.commands(&id).await.unwrap()).unwrap();
    let answer = json!({ "type": "answer", "id": "aprove", "answer": true });
    let expected = json!([{ "number": number, "command": answer, "error": null }]);
    assert_eq!(waiting, expected);
    let acme = runs.of_tenant("acme").unwrap();
    assert!(crate::faults::is_not_found(&acme.commands(&id).await));
    // Of a run that has ended nothing waits.
    runs.answer(&id, "approve", true).await.unwrap();
    until(&runs, &id, Status::Done).await;
    assert!(runs.commands(&id).await.unwrap().is_empty());
}

async fn a_command_that_comes_right_before_a_commit_is_not_lost(it: TestStore) {
    let it = it.with_tokio_time();
    let runs = Runs::new(it.store.clone());
    let id = runs.start::<Draft>(Draft { version: 1 }).await.unwrap();
    let store = Faulty::new(it.store.clone()).saying_before_release(Command::Answer {
        id: "approve".to_owned(),
        number: None,
        answer: true.into(),
    });
    let _worker = Working::start(worker(Arc::new(store), &Effects::default()));
    until(&runs, &id, Status::Done).await;
    assert_eq!(runs.status(&id).await.unwrap().failed_claims, 0);
}

async fn an_answer_is_not_for_a_question_whose_answer_is_in_the_snapshot(it: TestStore) {
    let it = it.with_tokio_time();
    let runs = Runs::new(it.store.clone());
    // As a process leaves it that handed over the first answer, and ended before the run took it.
    let mut run = FlowRuntime::new(Draft { version: 1 }).unwrap();
    run.next(Context::default()).await.unwrap();
    drop(run.hub().reply("approve", false));
    let entries = run.take_changes().unwrap();
    assert!(entries.put().any(|(key, _)| key.starts_with("/inbox/")));
    let new = NewRun::new(key("a"), "Draft", entries);
    it.store.start(new).await.unwrap();

    runs.answer("a", "approve", true).await.unwrap();
    let _worker = Working::start(worker(it.store.clone(), &Effects::default()));
    until(&runs, "a", Status::Done).await;
    let output = runs.output::<Draft>("a").await.unwrap();
    assert_eq!(output, Some(Published { version: 2 }));
}

async fn an_event_waits_for_its_gate(it: TestStore) {
    let it = it.with_tokio_time();
    let runs = Runs::new(it.store.clone());
    let id = runs.start::<Invoice>(Invoice { number: 7 }).await.unwrap();
    runs.emit(&id, "paid:8", 1).await.unwrap();
    runs.emit(&id, "paid:7", 250).await.unwrap();
    let _worker = Working::start(worker(it.store.clone(), &Effects::default()));
    until(&runs, &id, Status::Done).await;
    let output = runs.output::<Invoice>(&id).await.unwrap();
    assert_eq!(output, Some(Settled { cents: 250 }));
}

async fn a_gate_that_nobody_answers_fails_in_time(it: TestStore) {
    let it = it.with_tokio_time();
    let runs = Runs::new(it.store.clone());
    let _worker = Working::start(worker(it.store.clone(), &Effects::default()));
    let started = Instant::now();
    let id = runs.start::<Invoice>(Invoice { number: 7 }).await.unwrap();
    let info = until(&runs, &id, Status::Suspended).await;
    assert_eq!(info.wake_at, info.questions[0].until);
    until(&runs, &id, Status::Done).await;
    let hour = Duration::from_secs(3600);
    assert!(started.elapsed() >= hour && started.elapsed() < hour + Duration::from_secs(5));
    let output = runs.output::<Invoice>(&id).await.unwrap();
    assert_eq!(output, Some(Settled { cents: 0 }));
}

async fn a_cancel_aborts_the_step(it: TestStore) {
    let it = it.with_tokio_time();
    let (effects, runs) = (Effects::default(), Runs::new(it.store.clone()));
    let _worker = Working::start(worker(it.store.clone(), &effects));
    let id = runs
        .start::<Journey>(Journey { seconds: 3600 })
        .await
        .unwrap();
    sleep(Duration::from_secs(1)).await;
    let told = Instant::now();
    runs.cancel(&id, "enough").await.unwrap();
    let info = until(&runs, &id, Status::Cancelled).await;
    assert!(told.elapsed() < Duration::from_secs(1));
    assert_eq!(info.error.as_deref(), Some("enough"));
    assert!(effects.keys().is_empty());
    assert!(it.store.inbox(&info.key, 0).await.unwrap().is_empty());
}

async fn a_cancel_of_another_process_is_noticed_while_a_step_runs(it: TestStore) {
    let it = it.with_tokio_time();
    let (effects, runs) = (Effects::default(), Runs::new(it.reopen()));
    let _worker = Working::start(worker(it.store.clone(), &effects));
    let id = runs
        .start::<Journey>(Journey { seconds: 3600 })
        .await
        .unwrap();
    sleep(Duration::from_secs(5)).await;
    let told = Instant::now();
    runs.cancel(&id, "enough").await.unwrap();
    until(&runs, &id, Status::Cancelled).await;
    // A third of the lease.
    assert!(told.elapsed() <= Duration::from_secs(11));
}

async fn a_paused_run_executes_no_step(it: TestStore) {
    let it = it.with_tokio_time();
    let (effects, runs) = (Effects::default(), Runs::new(it.store.clone()));
    let id = runs.start::<Order>(Order { cups: 2 }).await.unwrap();
    runs.send(&id, Command::Pause).await.unwrap();
    let _worker = Working::start(worker(it.store.clone(), &effects));
    until(&runs, &id, Status::Paused).await;
    sleep(Duration::from_secs(60)).await;
    assert!(effects.keys().is_empty());
    runs.send(&id, Command::Unpause).await.unwrap();
    until(&runs, &id, Status::Done).await;
    assert_eq!(effects.keys().len(), 2);
}
