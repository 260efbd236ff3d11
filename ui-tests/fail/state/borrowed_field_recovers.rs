use pravah_runtime::prelude::*;

#[state] struct Order {}
#[state]
#[serde(rename_all = "camelCase")]
struct Label { order_text: &'static str }

#[node] fn print(_: Order) -> Label { Label { order_text: "" } }
#[node] fn scan(_: Label) -> Order { Order {} }

#[flow] fn printing(order: Order) -> Label { flow! { print } }
#[flow] fn scanning(label: Label) -> Order { flow! { scan } }

async fn start(ctx: Context) -> Result<String, FlowError> {
    let label = printing(Order {}, ctx.clone()).await?;
    FlowRuntime::new(label.clone())?.run(ctx).await?;
    Ok(format!("{label:?}"))
}

fn main() {}
