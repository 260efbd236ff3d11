#!/usr/bin/env python3
"""M7 of docs/benchmarks.md: what a node of a flow adds to a build, in milliseconds.

Builds a crate with one chain of N async nodes, and the same functions and types with the plain
derives of serde and schemars, and prints the difference for each node.

    benches/build_cost.py [NODES ...]      # 100 and 300 unless told otherwise
"""

import os
import pathlib
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


def build(crate: pathlib.Path, *command: str) -> float:
    """The least of five builds after the source was touched, in milliseconds."""
    times = []
    for _ in range(6):
        (crate / "src/lib.rs").touch()
        start = time.monotonic()
        subprocess.run(["cargo", *command, "--quiet"], cwd=crate, check=True)
        times.append(1_000 * (time.monotonic() - start))
    # The first one also builds the dependencies.
    return min(times[1:])


def measure(nodes: int, folder: pathlib.Path, *command: str) -> float:
    least = {}
    for name, is_flow in [("flow", True), ("plain", False)]:
        crate = folder / f"{name}{nodes}"
        (crate / "src").mkdir(parents=True, exist_ok=True)
        (crate / "Cargo.toml").write_text(MANIFEST.format(name=crate.name, root=ROOT))
        (crate / "src/lib.rs").write_text(source(nodes, is_flow))
        least[name] = build(crate, *command)
    return (least["flow"] - least["plain"]) / nodes


def main() -> None:
    sizes = [int(size) for size in sys.argv[1:]] or [100, 300]
    with tempfile.TemporaryDirectory() as folder:
        os.environ.setdefault("CARGO_TARGET_DIR", f"{folder}/target")
        for label, incremental, command in [
            ("`cargo check` again", "1", ["check"]),
            ("`cargo check` from nothing", "0", ["check"]),
            ("`cargo build --release`", "0", ["build", "--release"]),
        ]:
            os.environ["CARGO_INCREMENTAL"] = incremental
            cells = [f"{measure(size, pathlib.Path(folder), *command):.1f}" for size in sizes]
            print(f"| {label} | {' | '.join(cells)} |", flush=True)


main()
