//! Drives the flow: one step at a time, each on the disk before the next starts.

use std::{error::Error, path::PathBuf};

use pravah_runtime::prelude::*;

use crate::{
    flow::{Resolution, Ticket},
    model::Models,
    person::Person,
    saved::Saved,
    screen::Screen,
};

/// What it takes to handle tickets.
pub(crate) struct Desk {
    pub(crate) ctx: Context,
    pub(crate) models: Models,
    pub(crate) person: Person,
    pub(crate) saved: Saved,
    /// The file that `saved` is kept in.
    pub(crate) state: PathBuf,
    /// How many steps may be made; without it there is no limit.
    pub(crate) steps_left: Option<u64>,
}

impl Desk {
    /// Takes a ticket from where it is to its resolution.
    pub(crate) async fn handle(&mut self, ticket: Ticket) -> Result<(), Box<dyn Error>> {
        if self.saved.done.iter().any(|done| done.ticket == ticket.id) {
            return Ok(());
        }
        let screen = Screen::stdout();
        screen.line(&format!(
            "{} {} ({})",
            ticket.id, ticket.subject, ticket.from
        ));
        let id = ticket.id.clone();
        let run = match self.saved.open.take() {
            Some((open, snapshot)) if open == id => FlowRuntime::from_snapshot(snapshot)?,
            _ => FlowRuntime::new(ticket)?,
        };
        let mut run = screen.watch(self.models.serve(run, &id)?);
        loop {
            self.count()?;
            let out = self.step(&mut run, &screen).await?;
            if let Some(step) = run.last_step() {
                screen.line(&format!("  {step}"));
            }
            match out {
                RunOut::Done(resolution) => {
                    screen.line("");
                    self.saved.done.push(resolution);
                    self.saved.open = None;
                    return self.saved.write(&self.state);
                }
                _ => {
                    self.saved.open = Some((id.clone(), run.snapshot()));
                    self.saved.write(&self.state)?;
                }
            }
        }
    }

    /// Makes the run's next step, with a person's answer if it waits for one.
    async fn step(
        &self,
        run: &mut FlowRuntime<Ticket>,
        screen: &Screen,
    ) -> Result<RunOut<Resolution>, Box<dyn Error>> {
        let ctx = self.ctx.clone();
        match run.suspensions().first() {
            Some(question) => {
                let decision = screen.step_aside(|| self.person.decide(question))?;
                Ok(run.answer(ctx, &question.tool_id, decision).await?)
            }
            None => {
                let out = run.next(ctx).await?;
                if let RunOut::Waiting { .. } = out {
                    run.wait().await;
                }
                Ok(out)
            }
        }
    }

    fn count(&mut self) -> Result<(), &'static str> {
        match &mut self.steps_left {
            None => Ok(()),
            Some(0) => Err("stopped: `--resume` goes on"),
            Some(left) => {
                *left -= 1;
                Ok(())
            }
        }
    }
}
