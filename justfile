# What CI runs.
ci:
    .ci/run

# The flagship example.
support *args:
    cargo run -p pravah-examples --bin support -- {{args}}

# All tests.
test:
    cargo test --workspace

# All tests, where property tests draw other cases than in CI.
test-random seed=`date +%s`:
    PROPTEST_RNG_SEED={{seed}} cargo test --workspace

# Rewrites the expected compiler messages; read every difference.
ui-bless:
    TRYBUILD=overwrite cargo test -p pravah-ui-tests

# The benchmarks, with the ratios of docs/benchmarks.md.
bench:
    cargo bench -p pravah-runtime

# Published crates beside ours, in one table: M1 to M6, M9, M10 and M12 to M15 of docs/benchmarks.md.
bench-peers *parts:
    cd benches/peers && cargo run --release -- {{parts}}

# The instructions of 1,000 runs: of `stored-step` (10 steps each), `fork` or `list`, of `ours` or `graph-flow`; of `agent`, `saved` or
# `waiting`, of `ours`. Needs valgrind.
count-peers row who:
    cd benches/peers && cargo build --release
    cd benches/peers && valgrind --tool=callgrind --callgrind-out-file=target/callgrind.out target/release/pravah-peers count {{row}} {{who}}

# What a node adds to a build: M7 of docs/benchmarks.md.
bench-build:
    benches/build_cost.py

# What a step costs on Restate, and how long runs stand still when their process is gone: docs/restate.md.
bench-restate:
    conformance/restate/run bench
    conformance/restate/run bench recovery

# A durable step in PostgreSQL: LangGraph, DBOS and ours in turns.
bench-durable:
    benches/durable/run

# How long the soundness check takes where proc macros run it: without optimisation.
bench-soundness:
    cargo run -p pravah-graph --example soundness_cost

# Licences, sources and duplicate crates.
deny:
    cargo deny --offline check bans licenses sources

# What a new version breaks for those who use the last one; needs cargo-semver-checks, and a tag.
semver baseline:
    cargo semver-checks -p pravah-runtime --baseline-rev {{baseline}}

# Looks for inputs that break the reading of documents, or of bindings and conditions; needs cargo-fuzz.
fuzz target="reading" seconds="60":
    mkdir -p fuzz/corpus/{{target}}
    cargo fuzz run --sanitizer none {{target}} fuzz/corpus/{{target}} examples/documents pravah-document/tests/problems -- -max_total_time={{seconds}}

# Formats everything.
fmt:
    cargo fmt --all

# What is sent to the providers, against their SDKs' types and a mock server.
conformance:
    conformance/run

# Writes the requests of tests/wire anew; read every difference.
wire-bless:
    PRAVAH_BLESS=1 cargo test -p pravah-runtime --test wire
