//! What a graph says of its nodes, as data.

use std::time::Duration;

use pravah_runtime::{NodeContract, prelude::*};
use serde_json::{Value, json};

use crate::macros_support::states;

states!(Small, Large, Draft, Half, Rest, Whole, Sum);

/// A tree of notes.
#[state]
struct Tree {
    notes: Vec<Tree>,
}

/// Grows.
///
/// Over several lines.
#[node]
fn grow(tree: Tree) -> Each<Small> {
    tree.notes.iter().map(|_| Small { n: 1 }).collect()
}

/// Doubles a number.
#[node]
fn double(small: Small) -> Large {
    Large { n: small.n * 2 }
}

#[node]
fn add(all: Each<Large>) -> Either<Draft, Whole> {
    let n = all.iter().map(|large| large.n).sum();
    Either::Left(Draft { n })
}

/// Judges the draft.
#[agent(model = "openai://m", output = Half, contract(budget = "8s"))]
fn judge(draft: &Draft) -> String {
    draft.n.to_string()
}

/// Is told when nobody may see the answer.
#[node]
fn refuse(failure: Failure<Draft>) -> Sum {
    Sum { n: failure.input.n }
}

#[gate(prompt = "Really?")]
fn confirm(half: Half, answer: bool) -> Sum {
    Sum {
        n: half.n + u32::from(answer),
    }
}

#[node]
fn split(whole: Whole) -> (Parted, Rest) {
    (Parted { n: whole.n }, Rest { n: whole.n })
}

states!(Parted, Ended);

#[node]
fn meet(parted: Parted, rest: Rest) -> Met {
    Met {
        n: parted.n + rest.n,
    }
}

states!(Met);

#[node]
fn end(sum: Either<Sum, Met>) -> Ended {
    match sum {
        Either::Left(sum) => Ended { n: sum.n },
        Either::Right(met) => Ended { n: met.n },
    }
}

/// Splits and meets again.
#[flow]
fn parting(whole: Whole) -> Met {
    flow! { split -> fork(join(meet), join(meet)) }
}

#[flow]
fn orchard(tree: Tree) -> Ended {
    flow! {
        grow -> each(double) -> add -> either(judge -> confirm -> join(end), parting -> join(end));
        catch(judge) -> refuse -> join(end)
    }
}

fn contracts() -> Vec<NodeContract> {
    orchard::graph().unwrap().node_contracts()
}

fn named(title: &str) -> NodeContract {
    let found = contracts().into_iter().find(|node| node.title == title);
    found.unwrap_or_else(|| panic!("no {title}"))
}

/// The titles of the schemas under `keyword`.
fn titles(schema: &Value, keyword: &str) -> Vec<String> {
    let schemas = schema[keyword].as_array().unwrap();
    let title = |schema: &Value| schema["title"].as_str().unwrap().to_owned();
    schemas.iter().map(title).collect()
}

// S5.1
#[test]
fn each_node_has_a_contract_in_the_order_of_the_flow() {
    let kinds: Vec<(&str, String)> = contracts()
        .into_iter()
        .map(|node| (node.kind, node.title))
        .collect();
    let expected = [
        ("work", "grow"),
        ("each", "each(double)"),
        ("choice", "add"),
        ("agent", "judge"),
        ("gate", "confirm"),
        ("merge", "end"),
        ("flow", "parting"),
        ("rescue", "refuse"),
    ];
    assert_eq!(
        kinds,
        expected.map(|(kind, title)| (kind, title.to_owned()))
    );
}

// S5.1
#[test]
fn a_contract_has_the_path_and_the_doc_comment_of_what_defines_the_node() {
    let grow = named("grow");
    assert_eq!(grow.type_id, "macros::node_contracts::grow");
    assert_eq!(
        grow.description.as_deref(),
        Some("Grows.\n\nOver several lines.")
    );
    let parting = named("parting");
    assert_eq!(parting.type_id, "macros::node_contracts::parting");
    assert_eq!(
        parting.description.as_deref(),
        Some("Splits and meets again.")
    );
    assert_eq!(
        named("judge").description.as_deref(),
        Some("Judges the draft.")
    );
    assert_eq!(named("confirm").description, None);
    assert_eq!(named("each(double)").type_id, "each(double)");
}

// S5.1
#[test]
fn a_contract_has_the_schemas_of_what_the_node_takes_and_gives() {
    let number = |title: &str| {
        json!({
            "title": title,
            "type": "object",
            "properties": { "n": { "type": "integer", "format": "uint32", "minimum": 0 } },
            "required": ["n"],
        })
    };
    let judge = named("judge");
    assert_eq!(judge.input_schema, number("Draft"));
    assert_eq!(judge.output_schema, number("Half"));

    let add = named("add");
    assert_eq!(titles(&add.output_schema, "anyOf"), ["Draft", "Whole"]);
    let end = named("end");
    assert_eq!(titles(&end.input_schema, "anyOf"), ["Sum", "Met"]);

    let each = named("each(double)");
    assert_eq!(each.input_schema["title"], "Each_of_Small");
    assert_eq!(each.input_schema["items"]["$ref"], "#/$defs/Small");
    assert_eq!(
        each.input_schema["$defs"]["Small"]["properties"],
        number("Small")["properties"]
    );
    // What a person answers is no part of what the gate takes.
    assert_eq!(named("confirm").input_schema, number("Half"));
}

#[test]
fn a_schema_of_several_states_is_an_array_with_an_item_for_each() {
    let [split, meet] = <[NodeContract; 2]>::try_from(named("parting").inside).unwrap();
    assert_eq!(
        titles(&split.output_schema, "prefixItems"),
        ["Parted", "Rest"]
    );
    assert_eq!(
        titles(&meet.input_schema, "prefixItems"),
        ["Parted", "Rest"]
    );
    assert_eq!(meet.input_schema["minItems"], 2);
    assert_eq!(meet.input_schema["maxItems"], 2);
    assert_eq!(meet.output_schema["title"], "Met");
}

#[test]
fn the_nodes_of_a_list_and_of_a_nested_flow_are_inside_them() {
    let inside = |title: &str| -> Vec<String> {
        let nodes = named(title).inside.into_iter();
        nodes.map(|node| node.type_id).collect()
    };
    assert_eq!(inside("each(double)"), ["macros::node_contracts::double"]);
    assert_eq!(
        inside("parting"),
        [
            "macros::node_contracts::split",
            "macros::node_contracts::meet"
        ]
    );
    assert_eq!(inside("grow"), [""; 0]);
}

#[test]
fn the_schema_of_a_type_that_contains_itself_refers_to_its_definition() {
    let schema = named("grow").input_schema;
    let item = &schema["properties"]["notes"]["items"]["$ref"];
    assert_eq!(*item, "#/$defs/Tree");
    let again = &schema["$defs"]["Tree"]["properties"]["notes"]["items"]["$ref"];
    assert_eq!(again, item);
}

#[test]
fn the_budget_of_a_contract_is_a_constraint() {
    let budget = Some(Duration::from_secs(8));
    assert_eq!(named("judge").constraints.max_duration, budget);
    assert_eq!(named("add").constraints.max_duration, None);
}

#[test]
fn the_shortest_time_limit_of_an_attempt_is_a_constraint() {
    #[node(timeout = "30s", total_timeout = "5m")]
    async fn fetch(small: Small) -> Large {
        Large { n: small.n }
    }

    /// Judges.
    #[agent(model = "openai://m", output = Draft, contract(budget = "8s"), timeout = "5s")]
    fn in_time(large: &Large) -> String {
        large.n.to_string()
    }

    /// Judges.
    #[agent(model = "openai://m", output = Half, contract(budget = "8s"), total_timeout = "9s")]
    fn in_budget(draft: &Draft) -> String {
        draft.n.to_string()
    }

    #[gate(prompt = "Really?", timeout = "24h")]
    fn ask(half: Half, _answer: bool) -> Whole {
        Whole { n: half.n }
    }

    #[node]
    fn first(_: Failure<Large>) -> Whole {
        Whole { n: 0 }
    }

    #[node]
    fn second(_: Failure<Draft>) -> Whole {
        Whole { n: 0 }
    }

    #[flow(named)]
    fn limited(small: Small) -> Whole {
        flow! {
            fetch -> in_time -> in_budget -> ask;
            catch(in_time) -> first;
            catch(in_budget) -> second;
        }
    }

    let contracts = limited::graph().unwrap().node_contracts();
    let limits: Vec<_> = contracts
        .iter()
        .map(|node| node.constraints.max_duration.map(|it| it.as_secs()))
        .collect();
    assert_eq!(limits, [Some(30), Some(5), Some(8), None, None, None]);
}

#[test]
fn a_contract_is_written_as_json() {
    let mut judge = serde_json::to_value(named("judge")).unwrap();
    for schema in ["inputSchema", "outputSchema"] {
        assert!(judge[schema].take().is_object());
    }
    assert_eq!(
        judge,
        json!({
            "kind": "agent",
            "typeId": "macros::node_contracts::judge",
            "title": "judge",
            "description": "Judges the draft.",
            "inputSchema": null,
            "outputSchema": null,
            "constraints": { "maxDurationMs": 8000 },
        })
    );
}

#[test]
fn a_node_of_the_builder_has_a_contract_too() {
    let graph = FlowGraph::builder()
        .fork::<Whole, Parted, Rest, _>(|whole, _| Ok((Parted { n: whole.n }, Rest { n: whole.n })))
        .join::<Parted, Rest, Met, _>(|parted, rest, _| {
            Ok(Met {
                n: parted.n + rest.n,
            })
        })
        .build()
        .unwrap();
    let [fork, join] = <[NodeContract; 2]>::try_from(graph.node_contracts()).unwrap();
    assert_eq!((fork.kind, join.kind), ("fork", "join"));
    assert_eq!(fork.type_id, "macros::node_contracts::Whole");
    assert_eq!(fork.title, "Whole");
    assert_eq!(
        titles(&fork.output_schema, "prefixItems"),
        ["Parted", "Rest"]
    );
    assert_eq!(
        titles(&join.input_schema, "prefixItems"),
        ["Parted", "Rest"]
    );
}

/// A type whose schema is written by hand, with a definition of its own, and with itself in it.
macro_rules! written {
    ($name:ident, $number:ty, $kind:literal) => {
        #[derive(serde::Serialize, serde::Deserialize)]
        struct $name {
            n: $number,
            next: Option<Box<$name>>,
        }

        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({
                    "type": "object",
                    "properties": {
                        "n": { "$ref": "#/$defs/Number" },
                        "next": { "anyOf": [{ "$ref": "#" }, { "type": "null" }] },
                    },
                    "$defs": { "Number": { "type": $kind } },
                })
            }
        }
    };
}

written!(Counted, u32, "integer");
written!(Worded, String, "string");

#[test]
fn definitions_that_types_bring_themselves_are_kept_apart_and_found_from_the_root() {
    let graph = FlowGraph::builder()
        .fork::<Whole, Counted, Worded, _>(|whole, _| {
            let (n, word) = (whole.n, whole.n.to_string());
            let next = None;
            Ok((
                Counted { n, next },
                Worded {
                    n: word,
                    next: None,
                },
            ))
        })
        .join::<Counted, Worded, Met, _>(|whole, worded, _| {
            let more = whole.next.is_some() || worded.next.is_some() || worded.n.is_empty();
            Ok(Met {
                n: whole.n + u32::from(more),
            })
        })
        .build()
        .unwrap();
    let [fork, join] = <[NodeContract; 2]>::try_from(graph.node_contracts()).unwrap();
    for schema in [fork.output_schema, join.input_schema] {
        for (item, name, kind) in [(0, "Counted", "integer"), (1, "Worded", "string")] {
            let fields = &schema["prefixItems"][item]["properties"];
            assert_eq!(fields["n"]["$ref"], format!("#/$defs/{name}.Number"));
            assert_eq!(schema["$defs"][format!("{name}.Number")]["type"], kind);
            let itself = format!("#/$defs/{name}");
            assert_eq!(fields["next"]["anyOf"][0]["$ref"], itself);
            let again = &schema["$defs"][name]["properties"]["next"]["anyOf"][0];
            assert_eq!(again["$ref"], itself);
        }
    }
}
