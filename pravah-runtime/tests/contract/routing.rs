//! What becomes of an answer: it goes on, waits for a person, or is hidden.

use std::sync::{Arc, Mutex};

use pravah_runtime::{FlowEvent, FlowObserver, StepKind, prelude::*};
use serde_json::json;

use crate::{
    macros_support::{output, restart, suspended},
    refunds::{answers, envelope, letter, run},
};

// S5.16
#[tokio::test]
async fn an_answer_above_the_threshold_goes_on_by_itself() {
    assert_eq!(letter(envelope(0.95, false)).await, "You get 20 euros.");
}

// S5.16: strictly above.
#[tokio::test]
async fn an_answer_at_the_threshold_waits_for_a_person() {
    let model = answers(envelope(0.9, false));
    let mut run = run(&model);
    let (id, question) = suspended(run.run(Context::default()).await);
    assert_eq!(id, "judge");
    assert_eq!(question["primary_output"], json!({ "euros": 20 }));
    assert_eq!(question["confidence"], 0.9);
    assert_eq!(question["reasoning"], "the parcel was late");
    assert_eq!(question["review"], json!({ "low": 0.4, "high": 0.9 }));
    assert_eq!(question["state"], json!({ "text": "My parcel was late." }));
    assert_eq!(run.last_step().unwrap().kind, StepKind::ModelCall);
}

// S5.15
#[tokio::test]
async fn an_answer_that_the_model_escalates_waits_for_a_person() {
    let model = answers(envelope(1.0, true));
    suspended(run(&model).run(Context::default()).await);
}

// S5.14, S5.19
#[tokio::test]
async fn a_suppressed_answer_goes_to_the_catch_and_is_not_shown() {
    for escalate in [false, true] {
        let text = letter(envelope(0.39, escalate)).await;
        assert!(text.starts_with("Suppressed: "), "{text}");
        assert!(!text.contains("20") && !text.contains("0."), "{text}");
    }
}

#[tokio::test]
async fn a_suppressed_answer_is_asked_for_once_and_its_cost_is_kept() {
    let model = answers(envelope(0.1, false));
    let mut run = run(&model);
    assert!(matches!(
        run.next(Context::default()).await.unwrap(),
        RunOut::Continue
    ));
    // A crash here repeats no call.
    let mut run = restart(&run).with_factory(model.factory());
    let calls = run.model_calls();
    output(run.run(Context::default()).await);
    assert_eq!((calls, run.model_calls(), model.asked().len()), (1, 1, 1));
}

// S5.19
#[tokio::test]
async fn a_suppressed_answer_is_in_no_snapshot_and_no_event() {
    #[derive(Default)]
    struct Seen(Mutex<String>);

    impl FlowObserver for Seen {
        fn on_event(&self, event: &FlowEvent) {
            self.0.lock().unwrap().push_str(&format!("{event:?}"));
        }

        fn wants_text(&self) -> bool {
            true
        }
    }

    let seen = Arc::new(Seen::default());
    let mut answer = envelope(0.1, false);
    answer["reasoning"] = json!("sesame");
    let model = answers(answer);
    let mut run = run(&model).with_observer(seen.clone());
    run.next(Context::default()).await.unwrap();
    let snapshot = serde_json::to_string(&run.snapshot()).unwrap();
    output(run.run(Context::default()).await);
    let history = serde_json::to_string(run.history()).unwrap();
    for place in [snapshot, history, seen.0.lock().unwrap().clone()] {
        assert!(!place.contains("sesame"), "{place}");
    }
}
