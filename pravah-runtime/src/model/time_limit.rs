//! The time limit of a call, for clients that do not keep it themselves.

use std::{sync::Arc, time::Duration};

use super::{ModelClient, ModelError, ModelFuture, ModelRequest, OnText, ScriptedModel};

/// A client whose calls end after [`ModelOptions::timeout`](super::ModelOptions::timeout).
pub(super) struct TimeLimited(pub(super) Arc<dyn ModelClient>);

impl ModelClient for TimeLimited {
    fn check(&self, request: &ModelRequest) -> Result<(), ModelError> {
        self.0.check(request)
    }

    fn script(&self) -> Option<&ScriptedModel> {
        self.0.script()
    }

    fn wants_counts(&self) -> bool {
        self.0.wants_counts()
    }

    fn complete<'a>(&'a self, request: &'a ModelRequest) -> ModelFuture<'a> {
        end_after(request.options.timeout, self.0.complete(request))
    }

    fn stream<'a>(&'a self, request: &'a ModelRequest, on_text: OnText<'a>) -> ModelFuture<'a> {
        end_after(request.options.timeout, self.0.stream(request, on_text))
    }
}

fn end_after(limit: Option<Duration>, call: ModelFuture<'_>) -> ModelFuture<'_> {
    let Some(limit) = limit else {
        return call;
    };
    Box::pin(async move {
        let answer = tokio::time::timeout(limit, call).await;
        answer.unwrap_or_else(|_| Err(ModelError::not_within(limit)))
    })
}
