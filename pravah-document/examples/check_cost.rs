//! How long reading and checking takes: `cargo run --release -p pravah-document --example check_cost`.

use std::{
    fmt::Write,
    time::{Duration, Instant},
};

use pravah_document::{Catalogue, Options, read};

/// A chain in which every node reads the one before it, and every tenth one far behind.
fn document(count: usize) -> String {
    let mut text = String::from("flow: { name: chain }\nnodes:\n");
    for index in 0..count {
        let source = if index % 10 == 9 {
            index / 2
        } else {
            index.saturating_sub(1)
        };
        let binding = if index == 0 {
            String::new()
        } else {
            format!("{{{{ n{source}.text }}}}")
        };
        let _ = writeln!(
            text,
            "  - id: n{index}\n    type: echo\n    input: {{ text: \"{binding}\" }}"
        );
    }
    text.push_str("edges:\n");
    for index in 1..count {
        let _ = writeln!(text, "  - {{ from: n{}, to: n{index} }}", index - 1);
    }
    text
}

fn main() {
    let catalogue = Catalogue::standard();
    for count in [10, 1_000, 10_000, 100_000] {
        let text = document(count);
        let mut best = Duration::MAX;
        for _ in 0..3 {
            let start = Instant::now();
            let problems = read("chain.yaml", &text, &Options::new(&catalogue)).err();
            best = best.min(start.elapsed());
            if let Some(problems) = problems {
                println!("{problems}");
            }
        }
        println!("{count} nodes, {} kB: {best:?}", text.len() / 1_000);
    }
}
