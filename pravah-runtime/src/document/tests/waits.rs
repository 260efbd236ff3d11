//! Nodes that wait, and how long.

use std::time::Duration;

use super::*;

fn wait(input: Value, policy: Policy) -> DocumentFlow {
    let input = Template::parse(&input).unwrap();
    let mut wait = work("wait", "control.wait", Work::Wait { input });
    wait.policy = policy;
    wait.policy.continue_on_error = true;
    flow(document(graph(vec![wait], &[])))
}

async fn waited(input: Value, policy: Policy) -> (Value, u128) {
    let started = tokio::time::Instant::now();
    let flow = wait(input, policy);
    let mut run = flow.start(json!({})).unwrap();
    run.next(Context::default()).await.unwrap();
    let json = serde_json::to_string(&run.snapshot()).unwrap();
    let mut run = flow.restore(serde_json::from_str(&json).unwrap()).unwrap();
    // Somebody could send the event.
    let _hub = run.hub();
    let RunOut::Done(done) = run.serve(Context::default()).await.unwrap() else {
        panic!("it is not done")
    };
    (done.outputs["wait"].clone(), started.elapsed().as_millis())
}

// Restored runs go by the clock of those before them.
#[tokio::test(start_paused = true)]
async fn a_wait_that_is_restored_at_every_step_ends_with_its_time() {
    let hour = waited(json!({ "ms": 3_600_000 }), Policy::default()).await;
    assert_eq!(hour, (json!({ "waitedMs": 3_600_000 }), 3_600_000));
}

// S4.21
#[tokio::test(start_paused = true)]
async fn a_wait_that_takes_longer_than_its_timeout_fails() {
    let (short, long) = (Duration::from_millis(20), Duration::from_millis(400));
    let one = |timeout| Policy {
        timeout: Some(timeout),
        ..Policy::default()
    };
    let all = |total_timeout| Policy {
        total_timeout: Some(total_timeout),
        ..Policy::default()
    };
    for policy in [one(short), all(short)] {
        for input in [json!({ "ms": 300 }), json!({ "until": "paid" })] {
            let (output, took) = waited(input, policy.clone()).await;
            assert_eq!(output["error"]["kind"], "timeout", "{output}");
            assert_eq!(took, 20);
        }
    }
    for policy in [one(long), all(long)] {
        let (output, took) = waited(json!({ "ms": 300 }), policy).await;
        assert_eq!((output, took), (json!({ "waitedMs": 300 }), 300));
    }
}

fn gate(input: Value) -> DocumentFlow {
    let input = Template::parse(&input).unwrap();
    let gate = work("ask", "control.gate", Work::Gate { input });
    flow(document(graph(vec![gate], &[])))
}

// S4.47
#[tokio::test]
async fn what_a_gate_is_given_fits_its_type() {
    for (input, problem) in [
        (
            json!({ "prompt": "Go?", "choices": "{{ flow.input }}" }),
            "choices",
        ),
        (json!({ "prompt": "{{ flow.input }}" }), "prompt"),
        (
            json!({ "prompt": "Go?", "allowText": "{{ flow.input }}" }),
            "allowText",
        ),
    ] {
        let mut run = gate(input).start(json!([])).unwrap();
        let error = run.run(Context::default()).await.unwrap_err().to_string();
        assert!(error.contains(problem), "{error}");
    }
}

// B9
#[tokio::test]
async fn a_number_that_is_typed_is_an_answer() {
    let flow = gate(json!({ "prompt": "Which?", "choices": ["1", "true"] }));
    for (answer, choice) in [(json!(1), "1"), (json!(true), "true")] {
        let mut run = flow.start(json!({})).unwrap();
        run.run(Context::default()).await.unwrap();
        let ctx = Context::default();
        run.answer(ctx.clone(), "ask", answer).await.unwrap();
        let done = run.output().unwrap().unwrap();
        let response = json!({ "content": choice, "choice": choice });
        assert_eq!(done.outputs["ask"], json!({ "response": response }));
    }
}
