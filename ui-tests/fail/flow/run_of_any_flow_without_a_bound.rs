use pravah_runtime::prelude::*;

async fn drive<F>(run: &mut FlowRuntime<F>) -> Result<(), FlowError> {
    run.run(Context::default()).await?;
    Ok(())
}

fn main() {}
