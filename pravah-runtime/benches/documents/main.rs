//! Steps of documents beside steps of the builder, and what loading a document costs.
//!
//! `cargo bench -p pravah-runtime --features documents --bench documents`

#![allow(
    missing_docs,
    clippy::unwrap_used,
    reason = "a benchmark fails by panicking"
)]

use std::time::{Duration, Instant};

use pravah_runtime::{
    document::{DocumentFlow, NodeRegistry},
    prelude::*,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// How often each is measured; the fastest counts.
const SAMPLES: usize = 15;

/// States of a chain that the builder makes, each with the next.
macro_rules! states {
    ($start:ident, $value:ty, $next:expr, $($from:ident $to:ident),+) => {
        #[derive(Clone, Serialize, Deserialize, JsonSchema)]
        struct $start { value: $value }

        $(
            #[derive(Clone, Serialize, Deserialize, JsonSchema)]
            struct $to { value: $value }
        )+

        impl Flow for $start {
            type Output = states!(@last $($to)+);

            fn build() -> Result<FlowGraph, FlowError> {
                FlowGraph::builder()
                    $(
                        .work::<$from, $to, _, _>(async |it: $from, _: Context| {
                            Ok($to { value: $next(it.value)? })
                        })
                    )+
                    .build()
            }
        }
    };
    (@last $only:ident) => { $only };
    (@last $first:ident $($others:ident)+) => { states!(@last $($others)+) };
}

states!(
    N0, u64, |n: u64| Ok::<_, FlowError>(n + 1),
    N0 N1, N1 N2, N2 N3, N3 N4, N4 N5, N5 N6, N6 N7, N7 N8, N8 N9, N9 N10
);
states!(
    J0, Map<String, Value>, pass_on,
    J0 J1, J1 J2, J2 J3, J3 J4, J4 J5, J5 J6, J6 J7, J7 J8, J8 J9, J9 J10
);

/// A state of a chain that is too long to be written out; `N` is its place.
#[derive(Clone, Serialize, Deserialize)]
struct Object<const N: usize> {
    value: Map<String, Value>,
}

impl<const N: usize> JsonSchema for Object<N> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("Object{N}").into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        Map::<String, Value>::json_schema(generator)
    }
}

/// Adds a node for each number from 0 to 999.
macro_rules! thousand {
    ($builder:ident) => { thousand!(@hundreds $builder 0 1 2 3 4 5 6 7 8 9) };
    (@hundreds $builder:ident $($h:literal)+) => { $(thousand!(@tens $builder $h 0 1 2 3 4 5 6 7 8 9);)+ };
    (@tens $builder:ident $h:literal $($t:literal)+) => { $(thousand!(@ones $builder $h $t 0 1 2 3 4 5 6 7 8 9);)+ };
    (@ones $builder:ident $h:literal $t:literal $($o:literal)+) => {
        $(
            $builder = $builder.work::<Object<{ $h * 100 + $t * 10 + $o }>, Object<{ $h * 100 + $t * 10 + $o + 1 }>, _, _>(
                async |it: Object<{ $h * 100 + $t * 10 + $o }>, _: Context| Ok(Object { value: pass_on(it.value)? }),
            );
        )+
    };
}

impl Flow for Object<0> {
    type Output = Object<1000>;

    fn build() -> Result<FlowGraph, FlowError> {
        let mut builder = FlowGraph::builder();
        thousand!(builder);
        builder.build()
    }
}

/// The output of a node of the chain that is a document, made of the one before.
fn pass_on(before: Map<String, Value>) -> Result<Map<String, Value>, FlowError> {
    let value = before.get("value");
    let value = value.ok_or_else(|| FlowError::other("there is no value"))?;
    Ok(Map::from_iter([("value".to_owned(), value.clone())]))
}

/// A chain of nodes that hand a number on.
fn chain(nodes: usize) -> String {
    let node = |number: usize| {
        let value = match number {
            0 => "{{ flow.input.n }}".to_owned(),
            _ => format!("{{{{ n{}.value }}}}", number - 1),
        };
        json!({ "id": format!("n{number}"), "type": "constant", "input": { "value": value } })
    };
    let edge =
        |number: usize| json!({ "from": format!("n{}", number - 1), "to": format!("n{number}") });
    let document = json!({
        "flow": { "name": "chain" },
        "nodes": (0..nodes).map(node).collect::<Vec<Value>>(),
        "edges": (1..nodes).map(edge).collect::<Vec<Value>>(),
    });
    document.to_string()
}

fn fastest(mut measure: impl FnMut() -> Duration) -> Duration {
    (0..SAMPLES).map(|_| measure()).min().unwrap()
}

/// Nanoseconds a step of runs that `start` makes, each of so many steps.
fn step<F: pravah_runtime::FlowEnds>(
    runtime: &tokio::runtime::Runtime,
    steps: usize,
    start: impl Fn() -> FlowRuntime<F>,
) -> f64 {
    let runs = (20_000 / steps).max(1);
    let took = fastest(|| {
        let mut started: Vec<FlowRuntime<F>> = (0..runs).map(|_| start()).collect();
        let ctx = Context::default();
        let since = Instant::now();
        for run in &mut started {
            runtime.block_on(run.run(ctx.clone())).unwrap();
        }
        since.elapsed()
    });
    took.as_secs_f64() * 1e9 / f64::from(u32::try_from(runs * steps).unwrap())
}

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let registry = NodeRegistry::standard();
    let numbers = step(&runtime, 10, || FlowRuntime::new(N0 { value: 0 }).unwrap());
    println!("builder, 10 nodes, a number: {numbers:.0} ns a step");
    let object = Map::from_iter([("value".to_owned(), json!(0))]);
    let objects = step(&runtime, 10, || {
        FlowRuntime::new(J0 {
            value: object.clone(),
        })
        .unwrap()
    });
    println!("builder, 10 nodes, a JSON object: {objects:.0} ns a step");
    let long = step(&runtime, 1_000, || {
        FlowRuntime::new(Object::<0> {
            value: object.clone(),
        })
        .unwrap()
    });
    println!("builder, 1000 nodes, a JSON object: {long:.0} ns a step");
    for nodes in [10, 100, 1_000] {
        let flow = DocumentFlow::read("chain.json", &chain(nodes), &registry).unwrap();
        let step = step(&runtime, nodes, || flow.start(json!({ "n": 0 })).unwrap());
        println!(
            "document, {nodes} nodes: {step:.0} ns a step, {:.2} x 10 builder nodes with a JSON object, {:.2} x 1000 of them, {:.2} x with a number",
            step / objects,
            step / long,
            step / numbers
        );
    }
    for nodes in [100, 1_000, 10_000] {
        let text = chain(nodes);
        let took = fastest(|| {
            let since = Instant::now();
            DocumentFlow::read("chain.json", &text, &registry).unwrap();
            since.elapsed()
        });
        println!(
            "loading and checking {nodes} nodes: {:.1} ms",
            took.as_secs_f64() * 1e3
        );
    }
}
