//! What the nodes of a flow may reach, and what an agent must not.

use super::message::{Message, message};
use crate::{
    context::Capabilities,
    topology::{Inside, ParamRef, Signature, ToolRef, Topology, capabilities},
};

/// Node number `node` of `flow`, which is `only(…)` these.
#[track_caller]
pub const fn check_only(flow: &str, net: &Topology, node: usize, only: Capabilities, words: &str) {
    let node = net.nodes[node].signature;
    let more = node.capabilities().without(only);
    if node.broken || more.is_empty() {
        return;
    }
    let more = more.first();
    let text = message(&[
        "`",
        node.name,
        "` reaches `",
        more.word(),
        "`, and the flow `",
        flow,
    ])
    .and(&["` is `only(", words, ")`: "]);
    let comma = if words.is_empty() { "" } else { ", " };
    let text = path_to(text, node, more);
    match node.capabilities() {
        Capabilities::ALL if only.is_empty() => text.help(&["let it do without"]),
        Capabilities::ALL => text.help(&[
            "let it take what it needs in place of all there is, such as `",
            only.first().ty(),
            "`",
        ]),
        _ => text.help(&[
            "let it do without, or write `only(",
            words,
            comma,
            more.word(),
            ")`",
        ]),
    }
    .fail()
}

/// Who asks for `capability` in `node`, and as what.
const fn path_to(text: Message, node: Signature, capability: Capabilities) -> Message {
    if capabilities(node.asks).meets(capability) {
        return parameter(text.and(&["`", node.name, "`"]), node.asks, capability);
    }
    path_inside(text, node, capability)
}

/// The same for what is inside `node`.
const fn path_inside(text: Message, node: Signature, capability: Capabilities) -> Message {
    match node.inside {
        Inside::Nothing => text,
        Inside::Remote => text.and(&["`", node.name, "` is a remote agent"]),
        Inside::Net(net) => {
            let mut rest = net.nodes;
            while let [inner, others @ ..] = rest {
                if inner.signature.capabilities().meets(capability) {
                    let text = text.and(&["in `", node.name, "`, "]);
                    return path_to(text, inner.signature, capability);
                }
                rest = others;
            }
            text
        }
        Inside::Agent { tools, agents, .. } => {
            let mut rest = tools;
            while let [tool, others @ ..] = rest {
                if capabilities(tool.asks).meets(capability) {
                    let text = text.and(&["the tool `", tool.name, "` of `", node.name, "`"]);
                    return parameter(text, tool.asks, capability);
                }
                rest = others;
            }
            let mut rest = agents;
            while let [agent, others @ ..] = rest {
                if agent.capabilities_inside().meets(capability) {
                    let text = text.and(&["`", node.name, "` may call `", agent.name, "`, and "]);
                    return path_inside(text, *agent, capability);
                }
                rest = others;
            }
            text
        }
        Inside::Calls(mut rest) => {
            while let [agent, others @ ..] = rest {
                if agent.capabilities().meets(capability) {
                    let text = text.and(&["`", node.name, "` calls `", agent.name, "`, and "]);
                    return path_to(text, *agent, capability);
                }
                rest = others;
            }
            text
        }
    }
}

/// The parameter that asks for `capability`.
const fn parameter(text: Message, asks: &[ParamRef], capability: Capabilities) -> Message {
    let mut rest = asks;
    while let [param, others @ ..] = rest {
        if param.need.capabilities.meets(capability) {
            let text = text.and(&[" takes `", param.name, "`"]);
            return match param.need.capabilities {
                Capabilities::ALL => text.and(&[", which is all there is to ask for"]),
                _ => text,
            };
        }
        rest = others;
    }
    text
}

/// A constraint of an agent.
#[derive(Clone, Copy)]
pub struct Refusal {
    word: &'static str,
    refused: Capabilities,
}

impl Refusal {
    pub const NO_NETWORK: Self = Self {
        word: "no_network",
        refused: Capabilities::NO_NETWORK,
    };
    pub const NO_COMMANDS: Self = Self {
        word: "no_commands",
        refused: Capabilities::COMMANDS,
    };
    pub const NO_CREDENTIALS: Self = Self {
        word: "no_credentials",
        refused: Capabilities::NO_CREDENTIALS,
    };
}

/// A tool of `agent`, whose constraints are these.
#[track_caller]
pub const fn check_constraints(agent: &str, tool: ToolRef, refusals: &[Refusal]) {
    if let Some((refusal, capability)) = refused(capabilities(tool.asks), refusals) {
        let text = message(&["the tool `", tool.name, "`"]);
        parameter(text, tool.asks, capability)
            .and(&[
                ", and the agent `",
                agent,
                "` is under `",
                refusal.word,
                "`",
            ])
            .help(&[
                "let the tool ask for less, or take it or `",
                refusal.word,
                "` out of the agent",
            ])
            .fail()
    }
}

/// An agent that `agent` may call, whose constraints are these.
#[track_caller]
pub const fn check_called(agent: &str, called: Signature, refusals: &[Refusal]) {
    if let Some((refusal, capability)) = refused(called.capabilities_inside(), refusals) {
        if let Inside::Remote = called.inside {
            let which = "`, which is a remote agent";
            message(&[
                "`",
                agent,
                "` is under `",
                refusal.word,
                "`, and may call `",
            ])
            .and(&[called.name, which])
            .help(&[
                "take `",
                called.name,
                "` or `",
                refusal.word,
                "` out of the agent",
            ])
            .fail()
        }
        let text = message(&["`", agent, "` may call `", called.name, "`, and "]);
        path_inside(text, called, capability)
            .and(&[", and `", agent, "` is under `", refusal.word, "`"])
            .help(&[
                "let the tool ask for less, or take `",
                called.name,
                "` or `",
                refusal.word,
                "` out of the agent",
            ])
            .fail()
    }
}

/// The function that writes the prompt of an agent.
#[track_caller]
pub const fn check_prompt(agent: Signature, refusals: &[Refusal]) {
    if let Some((refusal, capability)) = refused(capabilities(agent.asks), refusals)
        && !agent.broken
    {
        let text = message(&["the function of the agent `", agent.name, "`"]);
        parameter(text, agent.asks, capability)
            .and(&[", and the agent is under `", refusal.word, "`"])
            .help(&["let it ask for less, or take `", refusal.word, "` out"])
            .fail()
    }
}

/// The first constraint that refuses something of what is asked for.
const fn refused(asked: Capabilities, refusals: &[Refusal]) -> Option<(Refusal, Capabilities)> {
    let mut rest = refusals;
    while let [refusal, others @ ..] = rest {
        let both = asked.of(refusal.refused);
        if !both.is_empty() {
            return Some((*refusal, both.first()));
        }
        rest = others;
    }
    None
}
