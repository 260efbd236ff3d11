//! A flow, called as a function.

use super::{run_out::RunOut, runtime::FlowRuntime};
use crate::{
    context::Context,
    error::{FlowError, Stuck},
    flow::FlowDef,
};

/// Runs a flow from its input to its output: what an annotated flow is, called as a function.
#[doc(hidden)]
pub async fn call<F: FlowDef>(input: F::Input, ctx: Context) -> Result<F::Output, FlowError> {
    let mut run = FlowRuntime::<F>::start_unchecked(input)?;
    match run.run(ctx).await? {
        RunOut::Done(output) => Ok(output),
        RunOut::Suspend { value, tool_id } => Err(FlowError::Suspended {
            tool_id,
            value,
            snapshot: Box::new(run.snapshot()),
        }),
        RunOut::Continue | RunOut::Waiting { .. } => {
            let reason = "the run stopped before it was done";
            Err(FlowError::Deadlock(Stuck::new::<String>(reason, [])))
        }
    }
}
