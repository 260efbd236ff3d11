#!/usr/bin/env python3
"""M7 of docs/benchmarks.md: what a node of a flow adds to a build, in milliseconds.

Builds a crate with one chain of N async nodes, and the same functions and types with the plain
derives of serde and schemars, and prints the difference for each node. A release build compiles nothing of a derive
that nobody calls, so there it also prints what the plain types and functions cost when each is used. Or how long
`cargo check` takes for a whole flow, in user CPU seconds: a chain, one fork after the other, and the nodes of
those alone.

    benches/build_cost.py [NODES ...]      # 100 and 300 unless told otherwise
    benches/build_cost.py whole [NODES ...]    # whole flows alone, 250, 500 and 1,000 unless told otherwise
"""

import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent

MANIFEST = """
[workspace]
[package]
name = "{name}"
version = "0.0.0"
edition = "2024"
[dependencies]
pravah-runtime = {{ path = "{root}/pravah-runtime", default-features = false }}
schemars = "1"
serde = {{ version = "1", features = ["derive"] }}
serde_json = "1"
"""

PLAIN_STATE = "#[derive(Clone, Debug, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]"


def source(nodes: int, is_flow: bool) -> str:
    state, node = ("#[state]", "#[node]") if is_flow else (PLAIN_STATE, "#[allow(dead_code)]")
    lines = ["#![allow(dead_code)]"]
    if is_flow:
        lines.append("use pravah_runtime::prelude::*;")
    for i in range(nodes + 1):
        lines.append(f"{state}\npub struct State{i} {{ pub count: u64, pub text: String }}")
    for i in range(nodes):
        lines.append(
            f"{node}\npub async fn node{i}(state: State{i}) -> State{i + 1} "
            f"{{ State{i + 1} {{ count: state.count + 1, text: state.text }} }}"
        )
    if is_flow:
        chain = " -> ".join(f"node{i}" for i in range(nodes))
        lines.append(f"#[flow]\npub fn chain(start: State0) -> State{nodes} {{ flow! {{ {chain} }} }}")
    return "\n".join(lines) + "\n"


def used(nodes: int) -> str:
    """The plain functions and types, each function started behind a box and each type written and read."""
    lines = [source(nodes, False)]
    lines.append("use std::{future::Future, pin::Pin};\ntype Boxed<T> = Pin<Box<dyn Future<Output = T> + Send>>;")
    for i in range(nodes + 1):
        lines.append(
            f"pub fn write{i}(state: &State{i}) -> serde_json::Result<String> {{ serde_json::to_string(state) }}\n"
            f"pub fn read{i}(json: &str) -> serde_json::Result<State{i}> {{ serde_json::from_str(json) }}"
        )
    for i in range(nodes):
        lines.append(f"pub fn start{i}(state: State{i}) -> Boxed<State{i + 1}> {{ Box::pin(node{i}(state)) }}")
    return "\n".join(lines) + "\n"


def forks(nodes: int, is_flow: bool) -> str:
    """A flow of one fork after the other, each with its join: four nodes for a fork. Or the nodes alone."""
    lines = ["#![allow(dead_code)]", "use pravah_runtime::prelude::*;"]
    field = "pub count: u64, pub text: String"
    lines.append(f"#[state]\npub struct State0 {{ {field} }}")
    for i in range(nodes // 4):
        for state in [f"Shared{i}", f"Left{i}", f"Right{i}", f"State{i + 1}"]:
            lines.append(f"#[state]\npub struct {state} {{ {field} }}")
        for name, takes, gives in [
            (f"share{i}", f"one: &State{i}", f"Shared{i}"),
            (f"left{i}", f"one: &Shared{i}", f"Left{i}"),
            (f"right{i}", f"one: &Shared{i}", f"Right{i}"),
            (f"join{i}", f"one: Left{i}, _: Right{i}", f"State{i + 1}"),
        ]:
            body = "{ count: one.count + 1, text: one.text.clone() }"
            lines.append(f"#[node]\npub async fn {name}({takes}) -> {gives} {{ {gives} {body} }}")
    if is_flow:
        blocks = (f"share{i} -> fork(left{i}, right{i}) -> join(join{i})" for i in range(nodes // 4))
        flow = " -> ".join(blocks)
        lines.append(f"#[flow]\npub fn all(start: State0) -> State{nodes // 4} {{ flow! {{ {flow} }} }}")
    return "\n".join(lines) + "\n"


def crate(folder: pathlib.Path, name: str, text: str) -> pathlib.Path:
    made = folder / name
    (made / "src").mkdir(parents=True, exist_ok=True)
    (made / "Cargo.toml").write_text(MANIFEST.format(name=name, root=ROOT))
    (made / "src/lib.rs").write_text(text)
    return made


def build(made: pathlib.Path, *command: str) -> tuple[float, float]:
    """The least of five builds after the source was touched: seconds of the clock, and user CPU seconds."""
    clock, processors = [], []
    for _ in range(6):
        (made / "src/lib.rs").touch()
        start, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(["cargo", *command, "--quiet"], cwd=made, check=True)
        clock.append(time.monotonic() - start)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        processors.append(after.ru_utime - before.ru_utime)
    # The first one also builds the dependencies.
    return min(clock[1:]), min(processors[1:])


def measure(nodes: int, folder: pathlib.Path, text: str, *command: str) -> float:
    """What `text` costs for each node over the plain functions and types, in milliseconds."""
    made, _ = build(crate(folder, f"made{nodes}", text), *command)
    plain, _ = build(crate(folder, f"plain{nodes}", source(nodes, False)), *command)
    return 1_000 * (made - plain) / nodes


def measure_whole(sizes: list[int], folder: pathlib.Path) -> None:
    os.environ["CARGO_INCREMENTAL"] = "0"
    for nodes in sizes:
        _, chain = build(crate(folder, f"chain{nodes}", source(nodes, True)), "check")
        _, forked = build(crate(folder, f"forks{nodes}", forks(nodes, True)), "check")
        _, alone = build(crate(folder, f"alone{nodes}", forks(nodes, False)), "check")
        print(f"| {nodes} nodes | {chain:.1f} | {forked:.1f} | {alone:.1f} |", flush=True)


def main() -> None:
    if sys.argv[1:2] == ["whole"]:
        with tempfile.TemporaryDirectory() as folder:
            os.environ.setdefault("CARGO_TARGET_DIR", f"{folder}/target")
            sizes = [int(size) for size in sys.argv[2:]] or [250, 500, 1_000]
            measure_whole(sizes, pathlib.Path(folder))
        return
    sizes = [int(size) for size in sys.argv[1:]] or [100, 300]
    with tempfile.TemporaryDirectory() as folder:
        os.environ.setdefault("CARGO_TARGET_DIR", f"{folder}/target")
        flow, release = (lambda nodes: source(nodes, True)), ["build", "--release"]
        for label, incremental, text, command in [
            ("`cargo check` again", "1", flow, ["check"]),
            ("`cargo check` from nothing", "0", flow, ["check"]),
            ("`cargo build --release`", "0", flow, release),
            ("the same without a flow, all of it used", "0", used, release),
        ]:
            os.environ["CARGO_INCREMENTAL"] = incremental
            cells = [f"{measure(size, pathlib.Path(folder), text(size), *command):.1f}" for size in sizes]
            print(f"| {label} | {' | '.join(cells)} |", flush=True)


main()
