//! The object as Restate sees it: its handlers, and what they are called with.
//!
//! It is written by hand where the SDK has macros: the name of the object is known when it is bound, and mistakes in what is
//! sent or stored are errors that are not tried again.

use std::{future::Future, pin::Pin, sync::Arc, time::Duration};

use restate_sdk::{
    discovery,
    endpoint::{self, ContextInternal},
    errors::{HandlerError, TerminalError},
    service::{Service, ServiceDefinition, macro_support},
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

use crate::{
    RestateError,
    invocation::Invocation,
    object::{Handled, RunObject},
    state::bad_request,
};

/// Until when Restate waits for a sign of life of a step: in practice, for as long as the step takes. Once it has waited it
/// would end the stream on which a cancel comes.
const STEP_TIMEOUT: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// How long Restate waits at most until it calls again, where no process answers or one has ended.
const LONGEST_RETRY: Duration = Duration::from_secs(10);

/// How often it calls: for as long as the programs that serve the flows may be away. Then it would pause the run until
/// somebody resumes it by hand.
const MAX_CALLS: u64 = 1_000_000;

/// The object under a name.
pub(crate) fn define(
    object: RunObject,
    name: &str,
    journal_retention: Duration,
) -> Result<ServiceDefinition, RestateError> {
    let manifest = manifest(name, journal_retention);
    let manifest: Result<discovery::Service, _> = serde_json::from_value(manifest);
    let manifest = manifest.map_err(|source| RestateError::ObjectName {
        name: name.to_owned(),
        source,
    })?;
    let dispatcher = Dispatcher(Arc::new(object));
    Ok(macro_support::service_definition(dispatcher, manifest))
}

/// The handler that runs a step.
const STEP: &str = "tick";

/// A handler as Restate is told of it.
struct Handler {
    name: &'static str,
    /// Whether it runs beside others, and only reads state.
    is_shared: bool,
    /// Whether only the object itself calls it.
    is_private: bool,
    has_input: bool,
    has_output: bool,
}

const fn handler(name: &'static str) -> Handler {
    Handler {
        name,
        is_shared: false,
        is_private: false,
        has_input: false,
        has_output: false,
    }
}

const HANDLERS: [Handler; 12] = [
    handler("start").takes_input().has_output(),
    handler(STEP).takes_input().private(),
    handler("send").takes_input().has_output(),
    handler("answer").takes_input().has_output(),
    handler("cancel").takes_input().shared(),
    handler("cancel_step").takes_input().shared().private(),
    handler("cancel_later").takes_input().private(),
    handler("retry"),
    handler("status").shared().has_output(),
    handler("result").shared().has_output(),
    handler("watch").takes_input().private(),
    handler("delete"),
];

impl Handler {
    const fn shared(mut self) -> Self {
        self.is_shared = true;
        self
    }

    const fn private(mut self) -> Self {
        self.is_private = true;
        self
    }

    const fn takes_input(mut self) -> Self {
        self.has_input = true;
        self
    }

    const fn has_output(mut self) -> Self {
        self.has_output = true;
        self
    }

    /// Restate sends the full state with each invocation unless lazy state is on; only a step needs most of it.
    fn manifest(&self) -> Value {
        let json = json!({ "contentType": "application/json", "required": true });
        let written = json!({ "contentType": "application/json", "setContentTypeIfEmpty": false });
        let nothing = json!({ "setContentTypeIfEmpty": false });
        let runs_steps = self.name == STEP;
        json!({
            "name": self.name,
            "ty": if self.is_shared { "SHARED" } else { "EXCLUSIVE" },
            "input": if self.has_input { json } else { json!({}) },
            "output": if self.has_output { written } else { nothing },
            "ingressPrivate": self.is_private,
            "enableLazyState": !runs_steps,
            "inactivityTimeout": runs_steps.then(|| millis(STEP_TIMEOUT)),
        })
    }
}

fn manifest(name: &str, journal_retention: Duration) -> Value {
    json!({
        "name": name,
        "ty": "VIRTUAL_OBJECT",
        "handlers": HANDLERS.iter().map(Handler::manifest).collect::<Vec<_>>(),
        "journalRetention": millis(journal_retention),
        "retryPolicyMaxInterval": millis(LONGEST_RETRY),
        "retryPolicyMaxAttempts": MAX_CALLS,
    })
}

fn millis(duration: Duration) -> Value {
    u64::try_from(duration.as_millis())
        .unwrap_or(u64::MAX)
        .into()
}

struct Dispatcher(Arc<RunObject>);

impl Service for Dispatcher {
    type Future = Pin<Box<dyn Future<Output = Result<(), endpoint::Error>> + Send>>;

    fn handle(&self, ctx: ContextInternal) -> Self::Future {
        let object = Arc::clone(&self.0);
        Box::pin(async move {
            let handler = ctx.handler_name().to_owned();
            if !HANDLERS.iter().any(|it| it.name == handler) {
                let service = ctx.service_name();
                return Err(endpoint::Error::unknown_handler(service, &handler));
            }
            let (input, metadata) = ctx.input::<Vec<u8>>().await;
            let call = Invocation::new(&ctx, metadata);
            let handled = handle(&object, &handler, &call, &input).await;
            ctx.handle_handler_result(handled.map_err(HandlerError::from));
            ctx.end();
            Ok(())
        })
    }
}

async fn handle(
    object: &RunObject,
    handler: &str,
    call: &Invocation<'_>,
    input: &[u8],
) -> Handled<Vec<u8>> {
    match handler {
        "start" => output(object.start(call, read(input)?).await),
        STEP => nothing(object.tick(call, read(input)?).await),
        "send" => output(RunObject::send(call, read(input)?).await),
        "answer" => output(RunObject::answer(call, read(input)?).await),
        "cancel" => nothing(RunObject::cancel(call, read(input)?).await),
        "cancel_step" => nothing(RunObject::cancel_step(call, read(input)?).await),
        "cancel_later" => nothing(RunObject::cancel_later(call, read(input)?).await),
        "retry" => nothing(RunObject::retry(call).await),
        "status" => output(RunObject::status(call).await),
        "result" => output(RunObject::result(call).await),
        "watch" => nothing(RunObject::watch(call, read(input)?).await),
        "delete" => nothing(RunObject::delete(call).await),
        other => Err(TerminalError::new_with_code(
            404,
            format!("there is no handler `{other}`"),
        )),
    }
}

fn read<T: DeserializeOwned>(input: &[u8]) -> Handled<T> {
    serde_json::from_slice(input).map_err(|error| bad_request(format!("the input: {error}")))
}

fn output<T: Serialize>(handled: Handled<T>) -> Handled<Vec<u8>> {
    serde_json::to_vec(&handled?).map_err(TerminalError::from_error)
}

fn nothing(handled: Handled<()>) -> Handled<Vec<u8>> {
    handled.map(|()| Vec::new())
}

#[cfg(test)]
mod tests {
    use crate::{RestateError, RestateFlows};

    #[test]
    fn a_name_that_restate_does_not_take_is_an_error() {
        for name in ["", "7runs", "all runs", "runs/of"] {
            let refused = RestateFlows::new().with_name(name).into_service();
            let error = refused.err();
            assert!(
                matches!(error, Some(RestateError::ObjectName { .. })),
                "{name:?}"
            );
        }
        assert!(
            RestateFlows::new()
                .with_name("Support.v2")
                .into_service()
                .is_ok()
        );
    }
}
