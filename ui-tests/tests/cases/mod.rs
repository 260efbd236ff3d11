//! The cases on disk, and what their `.stderr` files say.

use std::{fs, io, path::Path};

use crate::files::files;

/// A file in `fail/AREA/` with what the compiler says about it.
pub(crate) struct Case {
    /// `AREA/MISTAKE`.
    pub(crate) name: String,
    pub(crate) source: String,
    pub(crate) stderr: String,
}

/// All cases, by name.
pub(crate) fn all() -> io::Result<Vec<Case>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fail");
    let cases = files(&root)?.into_iter().map(|(name, source)| {
        let stderr = fs::read_to_string(root.join(format!("{name}.stderr")))?;
        Ok(Case {
            name,
            source,
            stderr,
        })
    });
    cases.collect()
}

impl Case {
    pub(crate) fn area(&self) -> &str {
        self.name.split('/').next().unwrap_or_default()
    }

    /// How many errors rustc counts.
    pub(crate) fn errors(&self) -> usize {
        let starts = ["error:", "error["];
        let is_error = |line: &&str| starts.iter().any(|start| line.starts_with(start));
        self.stderr.lines().filter(is_error).count()
    }

    /// What the first error says, without the compiler's own words around it.
    pub(crate) fn message(&self) -> &str {
        let line = self.stderr.lines().find(|line| line.starts_with("error"));
        let text = line.and_then(|line| line.split_once(": "));
        let text = text.map(|(_, text)| text).unwrap_or_default();
        text.strip_prefix("evaluation panicked: ").unwrap_or(text)
    }

    /// The help: our `help:`, or the note that stands for it.
    pub(crate) fn help(&self) -> Option<&str> {
        let help = self
            .stderr
            .lines()
            .filter(|line| line.starts_with("       "))
            .find_map(|line| line.trim_start().strip_prefix("help: "));
        let compiler = [
            "required for",
            "this error originates",
            "for local types",
            "for types",
        ];
        let is_ours = |note: &&str| !compiler.iter().any(|other| note.starts_with(other));
        let notes = self
            .stderr
            .lines()
            .filter_map(|line| line.trim_start().strip_prefix("= note: "));
        help.or_else(|| notes.into_iter().find(is_ours))
    }

    /// The source without what every file has: the flow, with its nodes and states.
    pub(crate) fn flow(&self) -> String {
        let everywhere = ["use pravah_runtime::prelude::*;", "fn main() {}"];
        let lines = self
            .source
            .lines()
            .filter(|line| !everywhere.contains(line));
        let mut flow = String::new();
        for line in lines {
            let is_second_empty = line.is_empty() && (flow.is_empty() || flow.ends_with("\n\n"));
            if !is_second_empty {
                flow.push_str(line);
                flow.push('\n');
            }
        }
        flow.trim_end().to_owned()
    }
}
