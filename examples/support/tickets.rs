//! Reads the tickets: a file with one JSON object per line.

use std::{error::Error, fs, path::Path};

use crate::flow::Ticket;

/// The tickets of the file, in its order. Empty lines do not count.
///
/// # Errors
///
/// If the file cannot be read, or a line is no ticket: the error names the file and the line.
pub(crate) fn read(path: &Path) -> Result<Vec<Ticket>, Box<dyn Error>> {
    let text = fs::read_to_string(path).map_err(|e| format!("`{}`: {e}", path.display()))?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(index, line)| {
            serde_json::from_str(line)
                .map_err(|e| format!("`{}`, line {}: {e}", path.display(), index + 1).into())
        })
        .collect()
}
