//! Flows that nobody wrote: whatever the tokens, an answer comes, and structured flows are sound.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::{
    kept, lowered, mistakes,
    slots::{is_exact, is_in_order},
    sound,
};

/// Tokens in any order; only what opens is closed, as a macro sees it.
fn soup() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "a",
        "b",
        "c",
        "d",
        "self::e",
        "x::y",
        "::z",
        "r#type",
        "done",
        "self::done",
        "as",
        "a as f",
        "b as a",
        "either",
        "catch",
        "->",
        "->",
        "->",
        "->",
        ";",
        ",",
        "-",
        ">",
        "=>",
        ":",
        "::",
        "5",
        "\"t\"",
        "'l",
    ]);
    let word = word.prop_map(str::to_owned);
    word.prop_recursive(4, 60, 8, |inner| {
        let before = prop::sample::select(vec![
            "a -> either",
            "a -> fork",
            "either",
            "fork",
            "join",
            "each",
            "catch",
            "other",
            "",
        ]);
        let separator = prop::sample::select(vec![", ", " -> ", " ", "; "]);
        let parts = (prop::collection::vec(inner, 0..6), separator);
        let brackets = prop::sample::select(vec!["()", "()", "()", "()", "{}", "[]"]);
        (before, parts, brackets).prop_map(|(before, (parts, separator), brackets)| {
            let (open, close) = brackets.split_at(1);
            format!("{before}{open}{}{close}", parts.join(separator))
        })
    })
}

/// A part of a structured flow: what starts with one node and ends with one.
#[derive(Clone, Debug)]
enum Part {
    Node,
    Chain(Vec<Part>),
    Either(Vec<Part>),
    Fork(Vec<Part>),
    /// A loop that goes round the part.
    Loop(Box<Part>),
    Each(Box<Part>),
    /// Forks between which something chooses, and whose branches lead to one join.
    Forks(Forks),
}

/// Parts that are in branches of several forks.
#[derive(Clone, Debug)]
struct Forks {
    /// The parts that take the place of each other, for each branch of a fork.
    parts: Vec<Vec<Part>>,
    /// Of each fork which of them it has, and in what order.
    forks: Vec<Vec<(usize, prop::sample::Index)>>,
    /// Whether the forks after the first lead back to the join.
    is_loop: bool,
}

fn forks(inner: impl Strategy<Value = Part> + Clone) -> impl Strategy<Value = Forks> {
    (2..5_usize, 2..6_usize).prop_flat_map(move |(branches, forks)| {
        let parts = prop::collection::vec(inner.clone(), 1..4);
        let fork: Vec<_> = (0..branches)
            .map(|branch| (Just(branch), any::<prop::sample::Index>()))
            .collect();
        let parts = prop::collection::vec(parts, branches);
        let forks = prop::collection::vec(fork.prop_shuffle(), forks);
        (parts, forks, any::<bool>()).prop_map(|(parts, forks, is_loop)| Forks {
            parts,
            forks,
            is_loop,
        })
    })
}

fn part() -> impl Strategy<Value = Part> {
    Just(Part::Node).prop_recursive(4, 40, 4, |inner| {
        let some = |from| prop::collection::vec(inner.clone(), from..4);
        prop_oneof![
            some(1).prop_map(Part::Chain),
            some(2).prop_map(Part::Either),
            some(2).prop_map(Part::Fork),
            inner.clone().prop_map(|part| Part::Loop(Box::new(part))),
            inner.clone().prop_map(|part| Part::Each(Box::new(part))),
            forks(inner.clone()).prop_map(Part::Forks),
        ]
    })
}

/// Writes parts down with a new name for every node.
#[derive(Default)]
struct Writer {
    nodes: usize,
    /// Which of them are uses of one function: a bit for each, and again from the start.
    uses: u64,
}

impl Writer {
    fn node(&mut self) -> String {
        self.nodes += 1;
        match self.uses >> (self.nodes % 64) & 1 {
            0 => format!("n{}", self.nodes),
            _ => format!("function as n{}", self.nodes),
        }
    }

    fn write(&mut self, part: &Part) -> String {
        match part {
            Part::Node => self.node(),
            Part::Chain(parts) => {
                let parts: Vec<String> = parts.iter().map(|part| self.write(part)).collect();
                parts.join(" -> ")
            }
            Part::Either(parts) => self.group("either", parts),
            Part::Fork(parts) => self.group("fork", parts),
            Part::Loop(part) => {
                let (first, inside) = (self.node(), self.write(part));
                let (choice, last) = (self.node(), self.node());
                let again = self.node();
                format!(
                    "join({first}) -> {inside} -> {choice} -> either({last}, {again} -> join({first}))"
                )
            }
            Part::Each(part) => {
                let (before, after) = (self.node(), self.node());
                let (first, inside) = (self.node(), self.write(part));
                format!("{before} -> each({first} -> {inside}) -> {after}")
            }
            Part::Forks(forks) => self.forks(forks),
        }
    }

    /// Each part is written where it is first, and named where it is again.
    fn forks(&mut self, forks: &Forks) -> String {
        let (first, last) = (self.node(), self.node());
        let join = format!("join({last})");
        let mut known = BTreeMap::new();
        let mut written = Vec::new();
        for fork in &forks.forks {
            let mut branches = Vec::new();
            for (branch, part) in fork {
                let parts = &forks.parts[*branch];
                let part = part.index(parts.len());
                branches.push(match known.get(&(*branch, part)) {
                    Some(named) => String::clone(named),
                    None => {
                        let head = self.node();
                        known.insert((*branch, part), head.replace("function as ", ""));
                        format!("{head} -> {} -> {join}", self.write(&parts[part]))
                    }
                });
            }
            written.push(format!("{} -> fork({})", self.node(), branches.join(", ")));
        }
        match written.split_first() {
            Some((fork, others)) if forks.is_loop => {
                let (choice, end) = (self.node(), self.node());
                let others = others.join(", ");
                format!("{fork} -> {join} -> {choice} -> either({end}, {others})")
            }
            _ => format!("{first} -> either({}) -> {join}", written.join(", ")),
        }
    }

    fn group(&mut self, word: &str, parts: &[Part]) -> String {
        let first = self.node();
        let parts: Vec<String> = parts.iter().map(|part| self.write(part)).collect();
        let last = self.node();
        format!("{first} -> {word}({}) -> join({last})", parts.join(", "))
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_tokens_are_a_flow_or_have_a_mistake(parts in prop::collection::vec(soup(), 0..12)) {
        let flow = parts.join(" ");
        let (graph, errors) = lowered(&flow);
        prop_assert!(!graph.nodes.is_empty() || !errors.is_empty(), "{flow}");
        prop_assert!(!errors.is_empty() || sound::is_sound(&graph), "{flow}");
        // What is kept for the editor is a list of names, whatever the mistake.
        kept(&flow);
    }

    #[test]
    fn a_structured_flow_is_sound(part in part()) {
        let flow = format!("start -> {}", Writer::default().write(&part));
        let (graph, errors) = lowered(&flow);
        prop_assert_eq!(errors.shown(), Vec::<String>::new(), "{}", flow);
        prop_assert!(is_exact(&graph) && is_in_order(&graph), "{}", flow);
    }

    #[test]
    fn a_structured_flow_may_start_with_branches(
        parts in prop::collection::vec(part(), 2..4),
        uses: u64,
    ) {
        let mut writer = Writer { nodes: 0, uses };
        let parts: Vec<String> = parts.iter().map(|part| writer.write(part)).collect();
        let flow = format!("fork({}) -> join(last)", parts.join(", "));
        prop_assert_eq!(mistakes(&flow), Vec::<String>::new(), "{}", flow);
    }

    #[test]
    fn a_flow_that_is_cut_off_has_mistakes_that_name_its_tokens(part in part(), keep in 0.0..1.0) {
        let flow = format!("start -> {}", Writer::default().write(&part));
        let words: Vec<&str> = flow.split_inclusive([' ', '(', ')', ',']).collect();
        let mut cut: String = words[..(words.len() as f64 * keep) as usize].concat();
        let open = cut.matches('(').count() - cut.matches(')').count();
        cut.push_str(&")".repeat(open));
        for mistake in mistakes(&cut) {
            prop_assert!(mistake.contains("help: "), "{}: {}", cut, mistake);
        }
    }
}
