//! Reads the tickets: a file with one JSON object per line.

use std::{collections::BTreeSet, error::Error, fs, path::Path};

use crate::flow::Ticket;

/// The tickets of the file, in its order. Empty lines do not count.
///
/// # Errors
///
/// If the file cannot be read, a line is no ticket, or two have one id: the error names the file
/// and the line.
pub(crate) fn read(path: &Path) -> Result<Vec<Ticket>, Box<dyn Error>> {
    let text = fs::read_to_string(path).map_err(|e| format!("`{}`: {e}", path.display()))?;
    let mut seen = BTreeSet::new();
    let mut tickets = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        let wrong = |what: String| format!("`{}`, line {}: {what}", path.display(), index + 1);
        let ticket: Ticket = serde_json::from_str(line).map_err(|e| wrong(e.to_string()))?;
        if !seen.insert(ticket.id.clone()) {
            return Err(wrong(format!("there is a ticket `{}` already", ticket.id)).into());
        }
        tickets.push(ticket);
    }
    Ok(tickets)
}
