//! The table: a row for each thing that is measured, a column for each crate.

/// The published crates, in the order of their columns.
const PEERS: [&str; 3] = ["pravah 0.2.0", "pravah 0.4.25", "graph-flow 0.8.1"];

/// What a peer takes, or nothing where it has no such thing.
pub type Peers = [Option<f64>; 3];

#[derive(Default)]
pub struct Table {
    rows: Vec<Row>,
    /// What no measure asks for.
    besides: Vec<Row>,
}

struct Row {
    measure: u8,
    what: String,
    ours: f64,
    peers: Peers,
}

impl Table {
    /// `what` names the unit where that is not a nanosecond.
    pub fn row(&mut self, measure: u8, what: impl Into<String>, ours: f64, peers: Peers) {
        self.rows.push(Row::new(measure, what.into(), ours, peers));
    }

    /// A row that tells more than the measure asks for.
    pub fn beside(&mut self, measure: u8, what: impl Into<String>, ours: f64, peers: Peers) {
        let row = Row::new(measure, what.into(), ours, peers);
        self.besides.push(row);
    }

    /// In the order of the measures, which is not that in which they are made.
    pub fn print(mut self) {
        self.rows.sort_by_key(|row| row.measure);
        self.besides.sort_by_key(|row| row.measure);
        for rows in [self.rows, self.besides] {
            println!("| | | ours | {} |", PEERS.join(" | "));
            println!("|---|---|---{}|", "|---".repeat(PEERS.len()));
            rows.iter().for_each(Row::print);
            println!();
        }
    }
}

impl Row {
    fn new(measure: u8, what: String, ours: f64, peers: Peers) -> Self {
        eprintln!("M{measure}: {what}");
        Self {
            measure,
            what,
            ours,
            peers,
        }
    }

    fn print(&self) {
        let ours = self.ours;
        print!("| M{} | {} | {}", self.measure, self.what, number(ours));
        for peer in self.peers {
            match peer {
                Some(peer) => print!(" | {} (×{})", number(peer), ratio(peer / ours)),
                None => print!(" | –"),
            }
        }
        println!(" |");
    }
}

/// With commas between thousands, and with digits after the point where there are few before it.
fn number(number: f64) -> String {
    if number < 10.0 {
        return format!("{number:.2}");
    }
    let digits = format!("{number:.0}");
    let mut out = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place) % 3 == 0 {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

fn ratio(ratio: f64) -> String {
    match ratio {
        ..1.095 => format!("{ratio:.2}"),
        1.095..9.95 => format!("{ratio:.1}"),
        _ => number(ratio),
    }
}
