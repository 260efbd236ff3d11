//! What a run's nodes ask for and its context lacks is known before they are reached.

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
struct Cup {
    number: u32,
}

#[state]
struct Washed {
    number: u32,
}

#[state]
struct Served {
    text: String,
}

struct Machine;

struct Menu;

trait Sink: Send + Sync {}

struct Basin;

impl Sink for Basin {}

#[node]
fn brew(order: Order, _: Dep<Machine>) -> Brewed {
    Brewed { cups: order.cups }
}

#[node]
fn lay(brewed: Brewed) -> Each<Cup> {
    (0..brewed.cups).map(|number| Cup { number }).collect()
}

#[node]
fn wash(cup: Cup, _: Dep<dyn Sink>, _: Input<Order>) -> Washed {
    Washed { number: cup.number }
}

/// Reads the menu.
#[tool]
async fn menu(_: Dep<Menu>, _: Files) -> Result<(), ToolError> {
    Ok(())
}

/// Serves.
#[agent(
    model = "anthropic://claude",
    fallback = [custom("acme://m")],
    output = Served,
    tools = [menu],
)]
fn serve(washed: &Each<Washed>) -> String {
    washed.len().to_string()
}

#[flow(named)]
fn washing(brewed: Brewed) -> Served {
    flow! { lay -> each(wash) -> serve }
}

#[flow]
fn coffee(order: Order) -> Served {
    flow! { brew -> washing }
}

/// Of a flow that is written by hand the compiler does not know what its nodes ask for.
impl Flow for Brewed {
    type Output = Served;

    fn build() -> Result<FlowGraph, FlowError> {
        washing::graph()
    }
}

fn factory() -> ClientFactory {
    ClientFactory::new().with_scripted(ScriptedModel::new())
}

#[test]
fn it_lists_dependencies_by_node_and_tool_in_nested_flows_and_lists() {
    let run = FlowRuntime::new(Order { cups: 2 })
        .unwrap()
        .with_factory(factory());
    let unmet = run.preflight(&Context::default());
    let seen: Vec<_> = unmet
        .iter()
        .map(|unmet| match unmet {
            Unmet::Dep {
                node, tool, source, ..
            } => {
                let name = source.type_name().rsplit("::").next().unwrap();
                (node.as_str(), tool.as_deref(), name)
            }
            unmet => panic!("{unmet}"),
        })
        .collect();
    assert_eq!(
        seen,
        [
            ("brew", None, "Machine"),
            ("washing::wash", None, "Sink"),
            ("washing::serve", Some("menu"), "Menu"),
        ]
    );
    let text = unmet[2].to_string();
    assert!(
        text.starts_with("the tool `menu` of `washing::serve`: the context has no"),
        "{text}"
    );
}

#[test]
fn a_context_that_has_all_lacks_nothing() {
    let sink: Arc<dyn Sink> = Arc::new(Basin);
    let ctx = Context::default()
        .with_dep(Machine)
        .with_dep(Arc::new(Menu))
        .with_dep_arc(sink)
        .with_dep(factory());
    let run = FlowRuntime::new(Order { cups: 2 }).unwrap();
    let unmet = run.preflight(&ctx);
    assert!(unmet.is_empty(), "{unmet:?}");
}

#[test]
fn models_that_could_not_be_asked_are_among_it() {
    let run = FlowRuntime::new(Brewed { cups: 2 }).unwrap();
    let unmet = run.preflight(&Context::default());
    let models = unmet
        .iter()
        .filter(|unmet| matches!(unmet, Unmet::Model { .. }));
    let models: Vec<String> = models.map(ToString::to_string).collect();
    assert_eq!(models.len(), 2, "{models:?}");
    assert!(models[0].contains("ANTHROPIC_API_KEY"), "{models:?}");
    let start = "the model of agent `serve` cannot be asked: ";
    assert!(models[0].starts_with(start), "{models:?}");
    assert!(models[1].contains("acme"), "{models:?}");
}

#[test]
fn an_input_of_a_flow_that_is_not_around_is_among_it() {
    let run = FlowRuntime::new(Brewed { cups: 2 })
        .unwrap()
        .with_factory(factory());
    let unmet = run.preflight(&Context::default());
    let [_, Unmet::Input { node, state, .. }, ..] = &unmet[..] else {
        panic!("{unmet:?}");
    };
    assert_eq!((&**node, *state), ("wash", "Order"));
    assert!(
        unmet[1]
            .to_string()
            .contains("`wash`: no flow around it starts with `Order`")
    );
}

#[state]
struct Address {
    url: String,
}
#[state]
struct Fetched {
    text: String,
}

#[node]
async fn fetch(address: Address, _: Http) -> Fetched {
    Fetched { text: address.url }
}
#[node]
fn count(fetched: Fetched, _: Commands) -> Served {
    Served { text: fetched.text }
}

#[flow]
fn reading(address: Address) -> Served {
    flow! { fetch -> count }
}

#[test]
fn a_web_client_without_hosts_and_a_shell_without_commands_are_among_it() {
    let address = Address { url: String::new() };
    let run = FlowRuntime::new(address).unwrap();
    let unmet = run.preflight(&Context::default());
    let unmet: Vec<String> = unmet.iter().map(ToString::to_string).collect();
    assert_eq!(
        unmet,
        [
            "`fetch`: `FlowConf::hosts` is empty, and allows none",
            "`count`: `FlowConf::commands` is empty, and allows none",
        ]
    );
    let conf = FlowConf {
        commands: vec!["wc".to_owned()],
        hosts: vec!["example.com".to_owned()],
        ..FlowConf::default()
    };
    assert!(run.preflight(&Context::new(conf)).is_empty());
}
