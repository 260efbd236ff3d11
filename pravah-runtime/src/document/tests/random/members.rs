//! The nodes and the regions of random documents.

use pravah_document::{
    Case, Condition, Graph, Member, MergeMode, Node, Policy, Repeat, Retry, Selector, Template,
    Work,
};
use serde_json::{Value, json};

use super::document::{Drawer, DrawnGraph, Scope, WORK, ids, last_id, parsed};

impl Drawer {
    pub(super) fn member(&mut self, scope: &Scope, edges: usize) -> Member {
        let is_flat = scope.depth >= 2;
        let kind = self.dice.roll(if is_flat { 16 } else { 21 });
        if kind == 20 {
            return Member::Repeat(Box::new(self.repeat(scope)));
        }
        let id = self.id();
        let (kind, work) = match kind {
            0 => ("control.if", Work::If(Condition::When(self.when(scope)))),
            1 => ("control.switch", self.switch(scope)),
            2 => (
                "control.gate",
                Work::Gate {
                    input: template(&json!({ "prompt": "?" })),
                },
            ),
            3 => (
                "control.wait",
                Work::Wait {
                    input: template(&json!({ "ms": self.dice.roll(3) * 5 })),
                },
            ),
            4..=6 if edges > 0 => ("control.merge", self.merge()),
            16 | 17 => ("control.foreach", self.foreach(scope)),
            18 => ("control.loop", self.rounds(scope)),
            19 => ("control.subflow", self.subflow(scope)),
            _ => (WORK, self.work(&id, scope)),
        };
        let is_merge = matches!(work, Work::Merge { .. });
        let has_when = self.dice.is(1, 8) && !(is_merge && self.kinds.names_sources);
        let node = Node {
            policy: self.policy(&work),
            when: has_when.then(|| self.when(scope)),
            config: json!({}),
            type_name: kind.to_owned(),
            id,
            work,
        };
        Member::Node(Box::new(node))
    }

    fn work(&mut self, id: &str, scope: &Scope) -> Work {
        let fails = match self.dice.roll(10) {
            0 => 100,
            1 => 1,
            2 => 2,
            _ => 0,
        };
        let seen = self.variable(scope);
        Work::Run(template(&json!({
            "id": id,
            "base": self.dice.roll(4),
            "seen": format!("{{{{?{seen}}}}}"),
            "fails": fails,
        })))
    }

    fn policy(&mut self, work: &Work) -> Policy {
        let retry = Retry {
            max_attempts: u32::try_from(self.dice.roll(3)).unwrap() + 1,
            backoff: std::time::Duration::from_millis(self.dice.roll(2) * 7),
            factor: 1.0,
            max_backoff: None,
            jitter: false,
        };
        let is_retried = matches!(work, Work::Run(_)) && self.dice.is(1, 3);
        let may_fail = !matches!(work, Work::Gate { .. } | Work::Wait { .. });
        Policy {
            retry: is_retried.then_some(retry),
            continue_on_error: may_fail && self.dice.is(1, 4),
            ..Policy::default()
        }
    }

    fn switch(&mut self, scope: &Scope) -> Work {
        let case = |route: &str, when: Value| Case {
            when: parsed(&when),
            route: route.to_owned(),
        };
        let seen = self.variable(scope);
        Work::Switch {
            value: template(&json!(format!("{{{{?{seen}}}}}"))),
            cases: vec![
                case("low", json!({ "equals": { "var": "value", "value": 1 } })),
                case("high", json!({ "gte": { "var": "value", "value": 2 } })),
            ],
        }
    }

    fn merge(&mut self) -> Work {
        let mode = match self.kinds.first && self.dice.is(2, 3) {
            true => MergeMode::Any,
            false => MergeMode::All,
        };
        Work::Merge {
            mode,
            cancel_losers: mode == MergeMode::Any && self.dice.is(1, 2),
        }
    }

    fn body(&mut self, scope: &Scope, names: &[&str]) -> Graph {
        let size = self.dice.below(4);
        self.graph(size, &scope.inner(names), false).graph
    }

    fn foreach(&mut self, scope: &Scope) -> Work {
        let items: Vec<u64> = (0..self.dice.roll(4)).collect();
        Work::Foreach {
            list: template(&json!(items)),
            item: "item".to_owned(),
            concurrency: u32::try_from(self.dice.roll(3)).unwrap() + 1,
            body: self.body(scope, &["item", "index", "$last"]),
        }
    }

    fn rounds(&mut self, scope: &Scope) -> Work {
        let body = self.body(scope, &["iteration"]);
        let mut after = scope.clone();
        after.names.extend(body.members.iter().flat_map(ids));
        after.names.push("iteration".to_owned());
        Work::Loop {
            condition: Condition::When(self.when(&after)),
            max_iterations: u32::try_from(self.dice.roll(4)).unwrap() + 1,
            stops_at_cap: self.dice.is(2, 3),
            body,
        }
    }

    fn subflow(&mut self, scope: &Scope) -> Work {
        let inner = Scope {
            names: vec!["flow.input.n".to_owned()],
            depth: scope.depth + 1,
        };
        let size = self.dice.below(4);
        let graph = self.graph(size, &inner, false).graph;
        let name = format!("sub{}", self.subflows.len());
        let document = self.document(&name, graph);
        self.subflows.push(document);
        let seen = self.variable(scope);
        let input = json!({ "n": format!("{{{{?{seen}}}}}") });
        Work::Subflow {
            name,
            input: self.dice.is(1, 2).then(|| template(&input)),
        }
    }

    /// What a loop edge repeats.
    fn repeat(&mut self, scope: &Scope) -> Repeat {
        let size = self.dice.below(4) + 1;
        let DrawnGraph {
            mut graph,
            first,
            last,
        } = self.graph(size, &scope.inner(&[]), true);
        self.read_back(&mut graph, first, last);
        let mut after = scope.clone();
        after.names.extend(graph.members.iter().flat_map(ids));
        let name = |member: usize| last_id(&graph.members[member]);
        Repeat {
            id: format!("{}..{}", name(first), name(last)),
            target: first,
            source: last,
            max_iterations: u32::try_from(self.dice.roll(3)).unwrap() + 1,
            on: match self.dice.roll(4) {
                0 => Selector::Failure,
                1 => Selector::Any,
                _ => Selector::Success,
            },
            when: self.dice.is(5, 6).then(|| self.when(&after)),
            graph,
        }
    }
}

impl Drawer {
    /// Lets the first node of a region read what the last has left in the round before.
    fn read_back(&mut self, graph: &mut Graph, first: usize, last: usize) {
        let last = last_id(&graph.members[last]).to_owned();
        if let Member::Node(node) = &mut graph.members[first]
            && let Work::Run(input) = &mut node.work
        {
            let mut changed = input.source();
            changed["seen"] = json!(format!("{{{{?{last}.v}}}}"));
            *input = template(&changed);
        }
    }
}

fn template(input: &Value) -> Template {
    Template::parse(input).unwrap()
}
