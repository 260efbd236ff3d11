//! Agents that are in flight together.

use pravah_runtime::{Budget, prelude::*};
use serde_json::json;

use crate::support::{Act::*, Models, Play, Turn, body, ms, states, taking};

states!(Open, One, Two, Three, OneDone, TwoDone, ThreeDone, Shut);

#[node]
fn begin(open: Open) -> (One, Two, Three) {
    let n = open.n;
    (One { n }, Two { n }, Three { n })
}

#[agent(model = "openai://m", preamble = "", output = OneDone)]
fn one(_: &One) -> String {
    "Well?".into()
}

#[agent(model = "openai://m", preamble = "", output = TwoDone)]
fn two(_: &Two) -> String {
    "Well?".into()
}

#[agent(model = "openai://m", preamble = "", output = ThreeDone)]
fn three(_: &Three) -> String {
    "Well?".into()
}

#[node]
fn end(one: OneDone, two: TwoDone, three: ThreeDone) -> Shut {
    Shut {
        n: one.n + two.n + three.n,
    }
}

#[flow(named)]
fn team(open: Open) -> Shut {
    flow! { begin -> fork(one, two, three) -> join(end) }
}

const SAYS: &str = r#"{"n":1}"#;

fn models() -> Models {
    ["one", "two", "three"]
        .iter()
        .fold(Models::default(), |models, node| {
            models.with(node, [Turn::Says(10, SAYS), Turn::Says(10, SAYS)])
        })
}

fn start(models: &Models, budget: Budget) -> FlowRuntime<team> {
    let run = team::start(Open { n: 1 }).unwrap();
    run.with_concurrency(8)
        .with_factory(models.factory())
        .with_budget(budget)
}

mod asking {
    use super::*;

    states!(Begin, Talk, Work, Talked, Worked, Over);

    /// Asks a person, and takes its time with the answer.
    #[tool]
    async fn ask(what: String, ctx: Context) -> Result<String, ToolError> {
        match ctx.resumed::<String>()? {
            None => Err(ToolError::suspend(what)),
            Some(answer) => {
                let ended = body(&ctx, &format!("{what} {answer}")).await;
                ended.map(|()| answer).map_err(ToolError::fatal)
            }
        }
    }

    #[agent(model = "openai://m", preamble = "", output = Talked, tools = [ask])]
    fn talk(_: &Talk) -> String {
        "Well?".into()
    }

    #[node]
    fn start(begin: Begin) -> (Talk, Work) {
        (Talk { n: begin.n }, Work { n: begin.n })
    }

    #[node]
    async fn work(work: Work, ctx: Context) -> Result<Worked, String> {
        body(&ctx, "work").await?;
        Ok(Worked { n: work.n })
    }

    #[node]
    fn over(talked: Talked, worked: Worked) -> Over {
        Over {
            n: talked.n + worked.n,
        }
    }

    #[flow(named)]
    fn both(begin: Begin) -> Over {
        flow! { start -> fork(talk, work) -> join(over) }
    }

    #[tokio::test(start_paused = true)]
    async fn a_second_answer_to_an_agent_in_flight_starts_its_step_again_with_both() {
        let arguments = |what| json!({ "what": what });
        let script = ScriptedModel::new()
            .calls("talk", [("ask", arguments("a")), ("ask", arguments("b"))])
            .call("talk", "submit", json!({ "n": 1 }));
        let play = Play::default()
            .with("work", [Takes(10)])
            .with("a yes", [Hangs, Takes(100), Takes(30)]);
        let ctx = play.ctx().with_dep(script);
        let run = both::start(Begin { n: 1 }).unwrap();
        let mut run = run.with_concurrency(2);
        while run.suspensions().len() < 2 {
            run.next(ctx.clone()).await.unwrap();
        }
        let ids: Vec<String> = run.suspensions().into_iter().map(|it| it.tool_id).collect();
        // The answer stays, and the step is made by `next`.
        let answer = run.answer(ctx.clone(), &ids[0], "yes");
        tokio::time::timeout(ms(1), answer).await.unwrap_err();
        while play.count("work ends") == 0 {
            run.next(ctx.clone()).await.unwrap();
        }
        assert_eq!((play.count("a yes"), play.count("a yes dropped")), (2, 1));
        let (out, took) = taking(run.answer(ctx.clone(), &ids[1], "no")).await;
        assert_eq!((out.unwrap(), took), (RunOut::Continue, 30));
        assert_eq!((play.count("a yes"), play.count("a yes dropped")), (3, 2));
        assert_eq!(play.count("b no"), 1);
        let out = run.run(ctx).await.unwrap();
        assert_eq!(out, RunOut::Done(Over { n: 2 }));
    }
}

#[tokio::test(start_paused = true)]
async fn models_are_asked_together_as_far_as_the_budget_allows() {
    for (budget, most, time) in [
        (Budget::new(), 3, 10),
        (Budget::new().calls(3), 3, 10),
        (Budget::new().tokens(30), 1, 30),
    ] {
        let models = models();
        let mut run = start(&models, budget);
        let (out, took) = taking(run.run(Context::default())).await;
        assert_eq!(out.unwrap(), RunOut::Done(Shut { n: 3 }));
        assert_eq!((models.most(), took), (most, time));
    }
}

#[tokio::test(start_paused = true)]
async fn a_budget_is_never_passed() {
    for budget in [Budget::new().calls(2), Budget::new().tokens(20)] {
        let models = models();
        let mut run = start(&models, budget);
        for _ in 0..3 {
            let error = run.run(Context::default()).await.unwrap_err();
            assert!(matches!(error, FlowError::Limit { .. }), "{error}");
        }
        assert_eq!((run.model_calls(), models.asked().len()), (2, 2));
    }
}

#[tokio::test(start_paused = true)]
async fn nor_by_a_model_that_is_due_again() {
    let models = Models::default()
        .with("one", [Turn::Busy(5), Turn::Says(10, SAYS)])
        .with("two", [Turn::Says(20, SAYS)])
        .with("three", [Turn::Says(20, SAYS)]);
    let mut run = start(&models, Budget::new().calls(2));
    let error = run.run(Context::default()).await.unwrap_err();
    assert!(matches!(error, FlowError::Limit { .. }), "{error}");
    assert_eq!(run.model_calls(), 2);
}
