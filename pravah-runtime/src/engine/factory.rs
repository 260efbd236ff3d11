//! Where a run's agents find their models.

use std::sync::Arc;

use super::run::Run;
use crate::{
    context::Context,
    error::FlowError,
    model::{ClientFactory, ScriptedModel},
};

impl Run {
    /// The run's own clients come before those that the context brings.
    pub(super) fn factory(&self, ctx: &Context) -> Arc<ClientFactory> {
        let default = || self.factory.default.get_or_init(Arc::default);
        let factory = self.factory_that_was_set(ctx);
        factory.unwrap_or_else(|| Arc::clone(default()))
    }

    fn factory_that_was_set(&self, ctx: &Context) -> Option<Arc<ClientFactory>> {
        let of_run = self.factory.of_run.clone();
        of_run.or_else(|| in_context(ctx))
    }

    /// Fails where a script answers for nodes that the flow does not have. That is looked at before the
    /// first step, not at each.
    #[inline]
    pub(super) fn check_script(&mut self, ctx: Option<&Context>) -> Result<(), FlowError> {
        match self.factory.is_checked {
            true => Ok(()),
            false => self.check_script_once(ctx),
        }
    }

    #[cold]
    fn check_script_once(&mut self, ctx: Option<&Context>) -> Result<(), FlowError> {
        let factory = ctx.and_then(|ctx| self.factory_that_was_set(ctx));
        let script = factory.as_ref().and_then(|factory| factory.script());
        let unknown =
            script.map_or_else(Vec::new, |script| script.unknown(&self.agents_in_lists()));
        if !unknown.is_empty() {
            let agents = self.agents();
            return Err(FlowError::UnknownAgents { unknown, agents });
        }
        self.factory.is_checked = true;
        Ok(())
    }
}

/// The factory in a context, or one that answers from the script in it.
fn in_context(ctx: &Context) -> Option<Arc<ClientFactory>> {
    let scripted = || {
        let script = ctx.find::<ScriptedModel>()?;
        let factory = ClientFactory::new().with_scripted((*script).clone());
        Some(Arc::new(factory))
    };
    ctx.find().or_else(scripted)
}
