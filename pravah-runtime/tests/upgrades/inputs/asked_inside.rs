//! Inputs that are asked for in lists, by tools, and in what is called.

use pravah_runtime::prelude::*;

use crate::{done, refusal_without, steps};

/// A flow whose items ask for its input, in another one.
mod listed {
    use pravah_runtime::prelude::*;

    crate::states!(Text, Draft, Line, Judged, Done);

    #[node]
    fn write(text: Text) -> Draft {
        Draft { n: text.n }
    }

    #[node]
    fn lines(_: &Draft) -> Each<Line> {
        [Line { n: 1 }, Line { n: 2 }].into_iter().collect()
    }

    #[node]
    fn judge(line: Line, draft: Input<Draft>) -> Judged {
        Judged {
            n: line.n + draft.n,
        }
    }

    #[node]
    fn sum(judged: Each<Judged>) -> Done {
        Done {
            n: judged.iter().map(|it| it.n).sum(),
        }
    }

    #[flow(named)]
    fn revise(draft: Draft) -> Done {
        flow! { lines -> each(judge) -> sum }
    }

    #[flow]
    pub(super) fn desk(text: Text) -> Done {
        flow! { write -> revise }
    }
}

#[tokio::test]
async fn items_that_ask_for_an_input_that_is_not_there_refuse_the_run() {
    let mut run = FlowRuntime::new(listed::Text { n: 5 }).unwrap();
    steps(&mut run, 2).await;
    let error = refusal_without(&run, "revise::Draft");
    assert!(
        error
            .contains("asks for `Input<Draft>`, and the flow's input `revise::Draft` is not there"),
        "{error}"
    );
    assert_eq!(done(&mut run).await.n, 13);
}

/// An agent that may call another one, whose tool asks for the input of the flow around it.
mod delegated {
    use pravah_runtime::prelude::*;

    crate::states!(Text, Draft, Brief, Found);

    #[node]
    fn write(text: Text) -> Draft {
        Draft { n: text.n + 1 }
    }

    #[node]
    fn note(draft: Draft) -> Brief {
        Brief { n: draft.n }
    }

    /// Says what is researched.
    #[tool]
    async fn topic(draft: Input<Draft>) -> Result<u64, ToolError> {
        Ok(draft.n)
    }

    /// You look things up.
    #[agent(model = "openai://m", output = Found, tools = [topic])]
    fn researcher(brief: &Brief) -> String {
        brief.n.to_string()
    }

    /// You have things looked up.
    #[agent(model = "openai://m", output = Found, agents = [researcher])]
    fn editor(brief: &Brief) -> String {
        brief.n.to_string()
    }

    #[flow(named)]
    fn research(draft: Draft) -> Found {
        flow! { note -> editor }
    }

    #[flow]
    pub(super) fn desk(text: Text) -> Found {
        flow! { write -> research }
    }
}

#[tokio::test]
async fn what_an_agent_may_call_needs_the_input_that_it_asks_for() {
    let mut run = FlowRuntime::new(delegated::Text { n: 5 }).unwrap();
    steps(&mut run, 2).await;
    FlowRuntime::<delegated::Text>::from_snapshot(run.snapshot()).unwrap();
    let error = refusal_without(&run, "research::Draft");
    assert!(
        error.contains("`research::editor` asks for `Input<Draft>`"),
        "{error}"
    );
}

/// A node that calls a flow, in which a node asks for the input of the flow around the call.
mod called {
    use pravah_runtime::prelude::*;

    crate::states!(Text, Draft, Part, Found);

    #[node]
    fn write(text: Text) -> Draft {
        Draft { n: text.n + 1 }
    }

    #[node]
    fn tell(part: Part, draft: Input<Draft>) -> Found {
        Found {
            n: part.n * 100 + draft.n,
        }
    }

    #[flow(named)]
    fn part_of(part: Part) -> Found {
        flow! { tell }
    }

    #[node]
    fn cut(draft: Draft) -> Part {
        Part { n: draft.n }
    }

    #[node(agents = [part_of])]
    fn search(part: &Part) -> Invoke<Found> {
        part_of::invoke(Part { n: part.n })
    }

    #[flow(named)]
    fn research(draft: Draft) -> Found {
        flow! { cut -> search }
    }

    #[flow]
    pub(super) fn desk(text: Text) -> Found {
        flow! { write -> research }
    }
}

#[tokio::test]
async fn what_a_node_calls_needs_the_input_that_it_asks_for() {
    let mut run = FlowRuntime::new(called::Text { n: 5 }).unwrap();
    steps(&mut run, 2).await;
    let error = refusal_without(&run, "research::Draft");
    assert!(
        error.contains("`research::search` asks for `Input<Draft>`"),
        "{error}"
    );
    assert_eq!(done(&mut run).await.n, 606);
}
