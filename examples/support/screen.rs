//! What is seen of a run: a line for each step and, on a terminal, what the next one is doing meanwhile.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use pravah_runtime::{EventKind, FlowEvent, FlowRuntime, StepKind};

/// Where lines go, with a live one beneath them if that is a terminal.
pub(crate) struct Screen {
    live: ProgressBar,
}

impl Screen {
    pub(crate) fn stdout() -> Self {
        let screen = Self::on(ProgressDrawTarget::stdout());
        screen.live.enable_steady_tick(Duration::from_millis(100));
        screen
    }

    fn on(target: ProgressDrawTarget) -> Self {
        let style = ProgressStyle::with_template("  {spinner} {wide_msg}");
        let style = style.unwrap_or_else(|_| ProgressStyle::default_spinner());
        let live = ProgressBar::with_draw_target(None, target);
        Self {
            live: live.with_style(style),
        }
    }

    /// Shows what `run` is doing.
    pub(crate) fn watch<F>(&self, run: FlowRuntime<F>) -> FlowRuntime<F> {
        if self.live.is_hidden() {
            return run;
        }
        let live = self.live.clone();
        run.with_observer(move |event| {
            if let Some(text) = doing(&event) {
                live.set_message(text);
            }
        })
    }

    /// Prints a line above the live one.
    pub(crate) fn line(&self, line: &str) {
        match self.live.is_hidden() {
            true => println!("{line}"),
            false => self.live.println(line),
        }
    }

    /// Leaves the terminal to somebody else until `f` returns.
    pub(crate) fn step_aside<T>(&self, f: impl FnOnce() -> T) -> T {
        self.live.suspend(f)
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        self.live.finish_and_clear();
    }
}

/// What a run is doing after this event, if that is something else than before.
fn doing(event: &FlowEvent) -> Option<String> {
    let node = event.node.as_deref()?;
    Some(match &event.kind {
        EventKind::AgentStarted { .. } => format!("{node} asks its model"),
        EventKind::NodeStarted => format!("{node} runs"),
        EventKind::ToolStarted { tool, .. } => format!("{node} runs {tool}"),
        EventKind::Step(step) if step.kind == StepKind::ToolCalls => {
            format!("{node} asks its model again")
        }
        EventKind::ModelWaits { model, why, .. } => format!("{node} waits for {model}: {why}"),
        EventKind::NodeFailed { message, .. } => message.clone(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use indicatif::{InMemoryTerm, ProgressDrawTarget};
    use pravah_runtime::{Context, FlowRuntime, ScriptedModel};
    use serde_json::json;

    use super::Screen;
    use crate::{flow::Ticket, model::Models};

    fn run(screen: &Screen) -> FlowRuntime<Ticket> {
        let script = ScriptedModel::new()
            .call("triage", "search_articles", json!({ "words": "kettle" }))
            .error("triage", "no line");
        let models = Models::Scripted([("T-1".to_owned(), script)].into());
        let ticket = Ticket {
            id: "T-1".to_owned(),
            from: "ana@example.com".to_owned(),
            subject: "Kettle".to_owned(),
            body: "It leaks.".to_owned(),
        };
        let run = FlowRuntime::new(ticket).unwrap();
        screen.watch(models.serve(run, "T-1").unwrap())
    }

    #[tokio::test]
    async fn a_terminal_shows_each_step_and_what_the_next_one_does_and_is_clean_in_the_end() {
        let terminal = InMemoryTerm::new(10, 60);
        let target = ProgressDrawTarget::term_like(Box::new(terminal.clone()));
        let screen = Screen::on(target);
        let mut run = run(&screen);
        screen.line("T-1 Kettle");
        run.next(Context::default()).await.unwrap();
        screen.line("  1. triage (model)");
        screen.live.tick();
        let shown = terminal.contents();
        assert!(
            shown.starts_with("T-1 Kettle\n  1. triage (model)\n"),
            "{shown}"
        );
        assert!(shown.ends_with("triage asks its model"), "{shown}");
        drop(screen);
        assert_eq!(terminal.contents(), "T-1 Kettle\n  1. triage (model)");
    }

    #[test]
    fn where_there_is_no_terminal_nobody_watches() {
        let screen = Screen::on(ProgressDrawTarget::hidden());
        let _run = run(&screen);
        assert_eq!(screen.live.message(), "");
    }
}
