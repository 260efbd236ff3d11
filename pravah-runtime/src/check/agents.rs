//! The agents that an agent or a node may call.

use std::marker::PhantomData;

use super::message::message;
use crate::{
    agent::{CALL_AGENT, DEEPEST, RUN_SKILL, TASK_TOOLS},
    context::Context,
    graph::NodeInfo,
    node::Param,
    state::{StateRef, name::same},
    topology::{CallOutput, Inside, ParamRef, Shape, ShapeKind, Signature, ToolRef},
};

/// What is known of the agent `A`: an inherent constant goes before that of a trait.
pub struct CalleeSignature<A>(PhantomData<A>);

impl<A: NodeInfo> CalleeSignature<A> {
    pub const SIGNATURE: Signature = A::SIGNATURE;
}

pub trait UnknownCallee {
    /// An agent written by hand, of whose tools the compiler knows nothing: they may reach all there is.
    const SIGNATURE: Signature = Signature::new(
        "agent written by hand",
        &[],
        Shape::new(ShapeKind::One, &[]),
    )
    .with_inside(Inside::Agent {
        tools: &[ToolRef {
            name: "whatever it has",
            asks: &[<Context as Param>::REF],
        }],
        agents: &[],
        detached: false,
    });
}

impl<A> UnknownCallee for CalleeSignature<A> {}

/// Checks the tool `name` of `agent` beside those that the engine has for it: to call others if it `calls` any, for
/// detached tasks if it `manages_tasks`, and to run skills if it `has_skills`.
#[track_caller]
pub const fn check_beside_call_agent(
    agent: &str,
    name: &str,
    calls: bool,
    manages_tasks: bool,
    has_skills: bool,
) {
    if calls && same(name, CALL_AGENT) {
        fail_reserved(agent, CALL_AGENT, "to call other agents")
    }
    if has_skills && same(name, RUN_SKILL) {
        fail_reserved(agent, RUN_SKILL, "to run the skills in `skills`")
    }
    let mut tools: &[&str] = &TASK_TOOLS;
    while let [tool, rest @ ..] = tools {
        if manages_tasks && same(name, tool) {
            fail_reserved(agent, tool, "to manage its detached tasks")
        }
        tools = rest;
    }
}

/// Checks an agent that is to be `what`: a flow or a remote agent cannot be that.
#[track_caller]
pub const fn check_has_model(called: Signature, what: &str) {
    let is = match called.inside {
        Inside::Net(_) => "a flow",
        Inside::Remote => "a remote agent",
        _ => return,
    };
    message(&["`", called.name, "` is ", is, ", and ", what])
        .and(&[" is an agent with a model"])
        .help(&["name an agent that has a `model`"])
        .fail()
}

#[track_caller]
const fn fail_reserved(agent: &str, tool: &str, purpose: &str) -> ! {
    message(&["the agent `", agent, "` has a tool called `", tool])
        .push("`, which is the engine's own")
        .help(&["rename it: the model calls `", tool, "` ", purpose])
        .fail()
}

/// Checks a `max_depth` that is no literal.
#[track_caller]
pub const fn check_depth(depth: u32) {
    if depth == 0 || depth > DEEPEST {
        message(&["`max_depth` is not a number from 1 to "])
            .push_number(DEEPEST as usize)
            .help(&["write how many levels of agents may be below this one"])
            .fail()
    }
}

/// Checks a `max_children` that is no literal.
#[track_caller]
pub const fn check_children(children: u32) {
    if children == 0 {
        message(&["`max_children` is 0, and no agent could be called"])
            .help(&["write a number from 1 on"])
            .fail()
    }
}

/// Checks an agent that may take over from `agent`, which returns `output`. With `always` there is no other way to
/// call it.
#[track_caller]
pub const fn check_handoff(agent: &str, output: StateRef, called: Signature, always: bool) {
    if let Inside::Net(_) = called.inside {
        if always {
            message(&[
                "the flow `",
                called.name,
                "` cannot take over from `",
                agent,
                "`",
            ])
            .help(&[
                "add `independent`: a flow takes its input, and knows nothing of the conversation",
            ])
            .fail()
        }
        return;
    }
    if let Inside::Remote = called.inside {
        if always {
            message(&[
                "`",
                called.name,
                "` is a remote agent, and cannot take over from `",
                agent,
                "`",
            ])
            .help(&["add `independent`: a remote agent knows nothing of the conversation"])
            .fail()
        }
        return;
    }
    let [returned] = called.shape.states else {
        return;
    };
    if !same(returned.name, output.name) || !same(returned.path, output.path) {
        message(&[
            "`",
            called.name,
            "` may take over from `",
            agent,
            "` and returns ",
        ])
        .and_state(*returned)
        .and(&[", and `", agent, "` returns "])
        .and_state(output)
        .help(&["let both return one type, or leave `shared` out"])
        .fail()
    }
}

/// Checks a `node` that says what becomes of its detached tasks, and returns `shape`.
#[track_caller]
pub const fn check_on_done(node: &str, shape: Shape) {
    if let Some(CallOutput {
        is_detached: false, ..
    }) = shape.calls_return
    {
        message(&[
            "`on_done` is for detached tasks, and `",
            node,
            "` waits for its calls",
        ])
        .help(&["return an `Invoke<Tasks>`, or leave `on_done` out"])
        .fail()
    }
}

/// Checks an agent or a flow that `node` calls, which returns `shape`.
#[track_caller]
pub const fn check_call(node: &str, shape: Shape, called: Signature) {
    // One of the two was reported where it is written, or is not known.
    let (Some(output), false) = (shape.calls_return, called.broken) else {
        return;
    };
    let [ParamRef { states: [_], .. }] = called.params else {
        message(&[
            "`",
            called.name,
            "` does not take exactly one state, so `",
            node,
        ])
        .and(&["` cannot call it"])
        .help(&["let it take one state, or put a `#[flow]` around it that starts with one"])
        .fail()
    };
    let mut asks = called.asks;
    while let [param, others @ ..] = asks {
        if let Some(state) = param.latest() {
            message(&[
                "`",
                called.name,
                "` reads `Latest<",
                state.name,
                ">`, and `",
            ])
            .and(&[node, "` calls it with its input alone"])
            .help(&["let its input hold what it reads"])
            .fail()
        }
        asks = others;
    }
    if output.is_detached {
        return;
    }
    let awaited = output.state;
    let [returned] = called.shape.states else {
        return;
    };
    if !returned.is_same_type(&awaited) || !same(returned.name, awaited.name) {
        message(&["`", called.name, "` returns "])
            .and_state(*returned)
            .and(&[", and `", node, "` waits for "])
            .and_state(awaited)
            .help(&[
                "take it out of `agents`, or let `",
                node,
                "` return an `Invoke` of what it returns",
            ])
            .fail()
    }
}
