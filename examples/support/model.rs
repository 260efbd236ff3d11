//! Which model answers: a script, which needs no key and no network, or a real one.

use std::{collections::BTreeMap, error::Error, fs, path::Path};

use pravah_runtime::{FlowError, FlowRuntime, ScriptedModel};

use crate::flow::Ticket;

pub(crate) enum Models {
    /// What the model says, by ticket.
    Scripted(BTreeMap<String, ScriptedModel>),
    /// The URL of a model.
    Real(String),
}

impl Models {
    /// Reads the scripts.
    pub(crate) fn scripted(path: &Path) -> Result<Self, Box<dyn Error>> {
        let named = |error: &dyn Error| format!("`{}`: {error}", path.display());
        let json = fs::read(path).map_err(|e| named(&e))?;
        let scripts = serde_json::from_slice(&json).map_err(|e| named(&e))?;
        Ok(Self::Scripted(scripts))
    }

    /// Lets `run` ask the model about the ticket `id`.
    pub(crate) fn serve(
        &self,
        run: FlowRuntime<Ticket>,
        id: &str,
    ) -> Result<FlowRuntime<Ticket>, FlowError> {
        match self {
            Self::Scripted(scripts) => {
                let script = scripts.get(id).cloned().unwrap_or_default();
                Ok(run.with_factory(script))
            }
            Self::Real(url) => run.with_model("triage", url),
        }
    }
}
