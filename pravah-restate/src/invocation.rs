//! One call of a handler, with what it may ask Restate for. The SDK's own contexts take only keys of state that live as long
//! as the call, which those of entries do not.

use std::{future::Future, time::Duration};

use restate_sdk::{
    context::{RequestTarget, RunFuture},
    endpoint::{ContextInternal, InputMetadata},
    errors::TerminalError,
    serde::Json,
};
use serde::{Serialize, de::DeserializeOwned};

pub(crate) struct Invocation<'ctx> {
    ctx: &'ctx ContextInternal,
    metadata: InputMetadata,
}

impl<'ctx> Invocation<'ctx> {
    pub(crate) fn new(ctx: &'ctx ContextInternal, metadata: InputMetadata) -> Self {
        Self { ctx, metadata }
    }

    /// The key of the object.
    pub(crate) fn key(&self) -> &str {
        &self.metadata.key
    }

    /// The id of the call.
    pub(crate) fn id(&self) -> &str {
        &self.metadata.invocation_id
    }

    /// The keys of the object's state.
    pub(crate) async fn state_keys(&self) -> Result<Vec<String>, TerminalError> {
        self.ctx.get_keys().await
    }

    /// The value under a key of the object's state, which is JSON.
    ///
    /// What the SDK reads by itself and cannot read it tries again for ever.
    pub(crate) async fn get<T: DeserializeOwned>(
        &self,
        key: &str,
    ) -> Result<Option<T>, TerminalError> {
        let json = self.ctx.get::<Vec<u8>>(key).await?;
        let value = json.map(|json| serde_json::from_slice(&json)).transpose();
        value.map_err(|error| unreadable(key, error))
    }

    /// Sets the value under a key of the object's state.
    pub(crate) fn set(&self, key: &str, value: &impl Serialize) -> Result<(), TerminalError> {
        let json = serde_json::to_vec(value).map_err(TerminalError::from_error)?;
        self.ctx.set(key, json);
        Ok(())
    }

    /// Removes a key of the object's state.
    pub(crate) fn clear(&self, key: &str) {
        self.ctx.clear(key);
    }

    /// Removes all of the object's state.
    pub(crate) fn clear_all(&self) {
        self.ctx.clear_all();
    }

    /// Does something once, and journals its result.
    pub(crate) async fn run<T, F>(
        &self,
        name: &str,
        action: impl FnOnce() -> F + Send,
    ) -> Result<T, TerminalError>
    where
        T: Serialize + DeserializeOwned + Send + 'static,
        F: Future<Output = T> + Send,
    {
        let run = self.ctx.run(move || {
            let action = action();
            async move { Ok(Json(action.await)) }
        });
        let Json(value) = run.name(name).await?;
        Ok(value)
    }

    /// Calls another handler of this object later, without waiting for it.
    pub(crate) fn send(&self, handler: &str, input: &impl Serialize, wait: Duration) {
        // Any value that handlers take can be written.
        let input = serde_json::to_vec(input).unwrap_or_default();
        let target = RequestTarget::object(self.ctx.service_name(), self.key(), handler);
        let wait = (!wait.is_zero()).then_some(wait);
        let (scope, limit) = (self.metadata.scope.clone(), self.metadata.limit_key.clone());
        let _ = self
            .ctx
            .send(target, None, scope, limit, Vec::new(), input, wait);
    }

    /// Waits for a signal to this call.
    pub(crate) fn signal(
        &self,
        name: &str,
    ) -> impl Future<Output = Result<Vec<u8>, TerminalError>> + Send + use<> {
        self.ctx.signal(name)
    }

    /// Sends a signal to another call. One that has ended takes no notice.
    pub(crate) fn send_signal(&self, invocation: &str, name: &str, value: &str) {
        let value = value.as_bytes().to_vec();
        self.ctx.resolve_signal(invocation, name, value);
    }

    /// A name under which anybody can complete what this call waits for.
    pub(crate) fn awakeable<T: DeserializeOwned + 'static>(
        &self,
    ) -> (
        String,
        impl Future<Output = Result<T, TerminalError>> + Send,
    ) {
        let (id, value) = self.ctx.awakeable::<Vec<u8>>();
        let value = async move {
            let json = value.await?;
            serde_json::from_slice(&json).map_err(TerminalError::from_error)
        };
        (id, value)
    }

    pub(crate) fn resolve(&self, awakeable: &str, value: &impl Serialize) {
        match serde_json::to_vec(value) {
            Ok(json) => self.ctx.resolve_awakeable(awakeable, json),
            Err(error) => self.reject(awakeable, TerminalError::from_error(error)),
        }
    }

    pub(crate) fn reject(&self, awakeable: &str, error: TerminalError) {
        self.ctx.reject_awakeable(awakeable, error);
    }
}

pub(crate) fn unreadable(key: &str, why: impl std::fmt::Display) -> TerminalError {
    TerminalError::new(format!(
        "the state `{key}` of the run cannot be read: {why}"
    ))
}
