//! What a function takes beside its states: told by types, in any order.

use std::sync::Arc;

use pravah_runtime::prelude::*;

#[state]
#[derive(Clone)]
struct Order {
    cups: u32,
}

#[state]
struct Brewed {
    cups: u32,
}

#[state]
struct Billed {
    cents: u32,
}

#[state]
struct Served {
    text: String,
}

trait Prices: Send + Sync {
    fn cents(&self, cups: u32) -> u32;
}

struct Fixed(u32);

impl Prices for Fixed {
    fn cents(&self, cups: u32) -> u32 {
        self.0 * cups
    }
}

struct Greeting(&'static str);

fn host() -> Context {
    let prices: Arc<dyn Prices> = Arc::new(Fixed(250));
    Context::default()
        .with_dep_arc(prices)
        .with_dep(Greeting("Enjoy"))
}

type Ctx = Context;
type Price = Dep<dyn Prices>;
type Made = Brewed;

#[node]
fn accept(_: Step, order: Order, prices: Price) -> (Brewed, Billed) {
    let cents = prices.cents(order.cups);
    (Brewed { cups: order.cups }, Billed { cents })
}

#[node]
async fn serve(
    greeting: Dep<Greeting>,
    brewed: &Made,
    ctx: &Ctx,
    billed: Billed,
    order: Input<Order>,
    step: Step,
) -> Served {
    assert_eq!(ctx.step_key().unwrap_or_default(), step.key());
    let Order { cups } = *order;
    Served {
        text: format!(
            "{}: {} of {cups} for {}",
            greeting.0, brewed.cups, billed.cents
        ),
    }
}

#[flow]
fn coffee(order: Order) -> Served {
    flow! { accept -> fork(join(serve), join(serve)) }
}

#[tokio::test]
async fn what_a_node_asks_for_stands_in_any_order_among_its_states() {
    let served = coffee(Order { cups: 2 }, host()).await.unwrap();
    assert_eq!(served.text, "Enjoy: 2 of 2 for 500");
}

#[tokio::test]
async fn the_function_of_a_node_is_called_in_a_test_without_a_run() {
    let (brewed, billed) = accept(
        Step::default(),
        Order { cups: 2 },
        Dep::from_arc(Arc::new(Fixed(1))),
    );
    let ctx = Context::default();
    let served = serve(
        Dep::new(Greeting("Here")),
        &brewed,
        &ctx,
        billed,
        Input::new(Order { cups: 3 }),
        Step::default(),
    );
    assert_eq!(served.await.text, "Here: 2 of 3 for 2");
}

/// States of the names that the runtime's own parameters have.
mod own {
    use pravah_runtime::{flow, node, state};

    #[state]
    pub(super) struct Context {
        pub(super) n: u32,
    }

    #[state]
    pub(super) struct Files {
        pub(super) n: u32,
    }

    #[state]
    pub(super) struct Step {
        pub(super) n: u32,
    }

    #[node]
    fn files(ctx: Context) -> Files {
        Files { n: ctx.n + 1 }
    }

    #[node]
    fn step(_: pravah_runtime::Context, files: &Files) -> Step {
        Step { n: files.n + 1 }
    }

    #[flow]
    pub(super) fn steps(ctx: Context) -> Step {
        flow! { files -> step }
    }
}

#[tokio::test]
async fn states_may_have_the_names_of_what_nodes_ask_for() {
    let step = own::steps(own::Context { n: 1 }, Context::default()).await;
    assert_eq!(step.unwrap().n, 3);
}

#[expect(private_interfaces, reason = "it is what is tested")]
mod private {
    use pravah_runtime::prelude::*;

    use super::Order;

    #[state]
    struct Hidden {
        n: u32,
    }

    struct Secret(u32);

    #[node]
    pub(super) fn hide(order: Order, secret: Dep<Secret>) -> Hidden {
        Hidden {
            n: order.cups + secret.0,
        }
    }

    #[node]
    pub(super) fn show(hidden: Hidden, _: Files) -> super::Served {
        super::Served {
            text: hidden.n.to_string(),
        }
    }

    pub(super) fn host() -> Context {
        Context::default().with_dep(Secret(40))
    }
}

use private::{hide, show};

#[flow(named)]
fn hidden(order: Order) -> Served {
    flow! { hide -> show }
}

#[tokio::test]
async fn states_and_dependencies_may_be_private_behind_their_nodes() {
    let served = hidden(Order { cups: 2 }, private::host()).await;
    assert_eq!(served.unwrap().text, "42");
}

#[node]
fn fail(order: Order, _: Commands, _: Step, brewed: Input<Order>) -> Result<Served, String> {
    Err(format!("no {} cups of {}", order.cups, brewed.cups))
}

#[node]
fn rescue(ctx: Context, failure: Failure<Order>) -> Served {
    Served {
        text: format!("{} {}", failure.input.cups, ctx.step().visit()),
    }
}

#[flow(named)]
fn caught(order: Order) -> Served {
    flow! { fail -> done; catch(fail) -> rescue }
}

#[tokio::test]
async fn a_failure_holds_only_what_the_node_consumed() {
    let served = caught(Order { cups: 2 }, Context::default()).await;
    assert_eq!(served.unwrap().text, "2 1");
}

#[node]
fn split(order: Order) -> Each<Order> {
    (0..order.cups).map(|cups| Order { cups }).collect()
}

#[node]
fn brew(step: Step, order: Order) -> Brewed {
    Brewed {
        cups: order.cups * 10 + u32::try_from(step.items()[0]).unwrap(),
    }
}

#[node]
fn sum(files: &Files, brewed: Each<Brewed>) -> Served {
    let _ = files;
    let cups: Vec<String> = brewed.iter().map(|it| it.cups.to_string()).collect();
    Served {
        text: cups.join(" "),
    }
}

#[flow(named)]
fn many(order: Order) -> Served {
    flow! { split -> each(brew) -> sum }
}

#[tokio::test]
async fn the_first_node_of_a_list_asks_for_more_than_its_item() {
    let served = many(Order { cups: 3 }, Context::default()).await;
    assert_eq!(served.unwrap().text, "0 11 22");
}

#[tokio::test]
async fn a_dependency_that_is_missing_fails_the_node_and_names_the_type() {
    let mut run = FlowRuntime::new(Order { cups: 2 }).unwrap();
    let error = run.run(Context::default()).await.unwrap_err();
    let FlowError::Node { node, source, .. } = error else {
        panic!("{error}");
    };
    let missing: &pravah_runtime::DepsError = source.downcast_ref().unwrap();
    assert_eq!(node, "accept");
    assert!(
        missing.type_name().ends_with("dyn macros::params::Prices"),
        "{missing}"
    );
    // The run is where it was, and goes on when the dependency is there.
    assert!(matches!(run.run(host()).await, Ok(RunOut::Done(_))));
}

#[node(retry(max_attempts = 3))]
fn insist(order: Order, step: Step) -> Result<Served, String> {
    let text = format!("{} {} {}", order.cups, step.visit(), step.attempt());
    match step.attempt() {
        1 | 2 => Err(text),
        _ => Ok(Served { text }),
    }
}

#[flow(named)]
fn insisting(order: Order) -> Served {
    flow! { insist }
}

#[tokio::test]
async fn a_step_knows_its_visit_and_its_attempt() {
    let served = insisting(Order { cups: 2 }, Context::default()).await;
    assert_eq!(served.unwrap().text, "2 1 3");
}

#[state]
struct Alone {
    cups: u32,
}

#[node]
fn lost(alone: Alone, _: Input<Brewed>) -> Served {
    Served {
        text: alone.cups.to_string(),
    }
}

#[flow(named)]
fn losing(alone: Alone) -> Served {
    flow! { lost }
}

/// Of a flow that is written by hand the compiler does not know what its nodes ask for.
impl Flow for Alone {
    type Output = Served;

    fn build() -> Result<FlowGraph, FlowError> {
        losing::graph()
    }
}

#[tokio::test]
async fn an_input_of_no_flow_around_fails_the_node_and_names_those_there_are() {
    let mut run = FlowRuntime::new(Alone { cups: 2 }).unwrap();
    let error = run.run(Context::default()).await;
    let Err(FlowError::Node { node, source, .. }) = error else {
        panic!("it has no such input");
    };
    let text = source.to_string();
    assert_eq!(node, "lost");
    assert!(
        matches!(source.downcast_ref(), Some(FlowError::NotFound(_))),
        "{text}"
    );
    assert!(text.contains("Brewed") && text.contains("Alone"), "{text}");
}
