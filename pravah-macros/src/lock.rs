//! The lock of a flow: the nets of its released versions, read while it compiles.

use std::collections::BTreeMap;

use proc_macro2::TokenStream;
use quote::quote;
use serde_json::Value;
use syn::LitStr;

use crate::{crate_files, diag::Diagnostics, root::private};

/// The layout that is read: what `FlowLock` writes.
const FORMAT: u64 = 1;

/// A lock that an option names.
#[derive(Clone)]
pub(crate) struct Lock {
    /// The path, as it is written.
    pub(crate) path: LitStr,
    /// Where that is.
    pub(crate) file: String,
    /// The id of the flow that it is of.
    pub(crate) flow: String,
    /// The versions, as a constant has them.
    pub(crate) versions: TokenStream,
}

impl Lock {
    pub(crate) fn read(path: LitStr, errors: &mut Diagnostics) -> Option<Self> {
        let file = crate_files::locate(&path);
        let text = match std::fs::read_to_string(&file) {
            Ok(text) => text,
            Err(error) => {
                let fact = format!("`{}` cannot be read: {error}", path.value());
                let help = format!(
                    "{}; create an empty file there, and `pravah lock` adds this version to it",
                    crate_files::HELP
                );
                errors.error(path.span(), fact, help);
                return None;
            }
        };
        let (flow, versions) = match read(&text) {
            Ok(read) => read,
            Err(unreadable) => {
                let (fact, help) = unreadable.message(&path.value());
                errors.error(path.span(), fact, help);
                return None;
            }
        };
        let file = file.display().to_string();
        Some(Self {
            path,
            file,
            flow,
            versions,
        })
    }
}

/// What is wrong with a lock.
type Read<T> = Result<T, String>;

/// Why a lock file cannot be read.
enum Unreadable {
    NewerFormat(u64),
    Conflict,
    Malformed(String),
}

impl From<String> for Unreadable {
    fn from(problem: String) -> Self {
        Self::Malformed(problem)
    }
}

impl Unreadable {
    /// The fact, and the help.
    fn message(&self, path: &str) -> (String, &'static str) {
        match self {
            Self::NewerFormat(format) => (
                format!(
                    "`{path}` has format {format}, and this release of Pravah reads up to {FORMAT}"
                ),
                "update Pravah",
            ),
            Self::Conflict => (
                format!("`{path}` has conflict markers"),
                "keep the versions of both sides",
            ),
            Self::Malformed(problem) => (
                format!("`{path}` is not a flow lock file: {problem}"),
                "restore the file as `pravah lock` wrote it, or start with an empty one",
            ),
        }
    }
}

/// The id of the flow and the versions of a lock file. An empty one has none.
fn read(text: &str) -> Result<(String, TokenStream), Unreadable> {
    // Some editors put a byte order mark before a text, which is no part of JSON.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim().is_empty() {
        return Ok((String::new(), quote!(&[])));
    }
    if text.lines().any(|line| line.starts_with("<<<<<<< ")) {
        return Err(Unreadable::Conflict);
    }
    let lock: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    match field(&lock, "format")?.as_u64() {
        Some(1..=FORMAT) => {}
        Some(newer) if newer > FORMAT => return Err(Unreadable::NewerFormat(newer)),
        _ => return Err("`format` is not a whole number from 1 on".to_owned().into()),
    }
    let flow = string(&lock, "flow")?.to_owned();
    let versions = list(&lock, "versions")?.iter().map(version);
    let versions: Vec<TokenStream> = versions.collect::<Read<_>>()?;
    Ok((flow, quote!(&[#(#versions),*])))
}

fn version(version: &Value) -> Read<TokenStream> {
    let private = private();
    let release = string(version, "release")?;
    let net = || {
        string(version, "fingerprint")?;
        field(version, "schemas")?;
        Net::read(version)
    };
    let net = net().map_err(|why| format!("in version {release} {why}"))?;
    let net = net.constant();
    Ok(quote!(#private::LockedVersion { release: #release, net: &#net }))
}

fn field<'a>(value: &'a Value, name: &str) -> Read<&'a Value> {
    value
        .get(name)
        .ok_or_else(|| format!("there is no `{name}`"))
}

fn list<'a>(value: &'a Value, name: &str) -> Read<&'a [Value]> {
    let list = field(value, name)?.as_array();
    let list = list.ok_or_else(|| format!("`{name}` is not a list"))?;
    Ok(list)
}

fn string<'a>(value: &'a Value, name: &str) -> Read<&'a str> {
    let string = field(value, name)?.as_str();
    string.ok_or_else(|| format!("`{name}` is not a string"))
}

/// The strings in the list `list`, which is called `name`.
fn strings<'a>(list: &'a Value, name: &str) -> Read<Vec<&'a str>> {
    let strings = list.as_array().map(|list| list.iter().map(Value::as_str));
    let strings: Option<Option<Vec<&str>>> = strings.map(Iterator::collect);
    strings
        .flatten()
        .ok_or_else(|| format!("`{name}` contains something other than a list of strings"))
}

/// The same where the list is not empty.
fn some_strings<'a>(list: &'a Value, name: &str) -> Read<Vec<&'a str>> {
    let strings = strings(list, name)?;
    match strings.is_empty() {
        true => Err(format!("`{name}` contains an empty list")),
        false => Ok(strings),
    }
}

/// The net of a version, with numbers for its places and moves.
#[derive(Default)]
struct Net<'a> {
    places: Vec<Place<'a>>,
    numbers: BTreeMap<&'a str, usize>,
    start: Vec<usize>,
    moves: Vec<Move<'a>>,
    chains: Vec<(usize, Net<'a>)>,
}

struct Place<'a> {
    key: &'a str,
    taker: &'a str,
    left_by: Option<usize>,
}

struct Move<'a> {
    node: &'a str,
    before: Option<usize>,
    takes: Vec<usize>,
    leaves: Vec<usize>,
}

impl<'a> Net<'a> {
    fn read(net: &'a Value) -> Read<Self> {
        let mut read = Self::default();
        let nodes = list(net, "nodes")?;
        let mut takes: Vec<Vec<Vec<usize>>> = Vec::with_capacity(nodes.len());
        for node in nodes {
            let id = string(node, "id")?;
            let slots = list(node, "takes")?.iter().map(|keys| {
                let keys = some_strings(keys, "takes")?.into_iter();
                keys.map(|key| read.add_place(key, id)).collect()
            });
            takes.push(slots.collect::<Read<_>>()?);
        }
        read.start = read.places_of(some_strings(field(net, "start")?, "start")?)?;
        for (node, takes) in nodes.iter().zip(&takes) {
            read.add_node(node, takes)?;
        }
        let catches = match net.get("catches") {
            Some(_) => list(net, "catches")?,
            None => &[],
        };
        for catch in catches {
            read.add_catch(catch)?;
        }
        read.find_paths();
        Ok(read)
    }

    /// The place of a state that a node takes.
    fn add_place(&mut self, key: &'a str, node: &'a str) -> Read<usize> {
        let taker = key.split_once('@').map_or(node, |(_, taker)| taker);
        let number = self.places.len();
        if self.numbers.insert(key, number).is_some() {
            return Err(format!("two nodes take `{key}`"));
        }
        self.places.push(Place {
            key,
            taker,
            left_by: None,
        });
        Ok(number)
    }

    fn places_of(&self, keys: Vec<&str>) -> Read<Vec<usize>> {
        let places = keys.into_iter().map(|key| {
            let number = self.numbers.get(key).copied();
            number.ok_or_else(|| format!("no node takes `{key}`"))
        });
        places.collect()
    }

    /// A nested flow that fails as a whole.
    fn add_catch(&mut self, catch: &'a Value) -> Read<()> {
        let takes = self.places_of(some_strings(field(catch, "start")?, "start")?)?;
        let leaves = self.places_of(strings(field(catch, "failed")?, "failed")?)?;
        let node = takes.first().and_then(|place| self.places.get(*place));
        let node = node.map_or("", |place| place.taker);
        self.moves.push(Move {
            node,
            before: None,
            takes,
            leaves,
        });
        Ok(())
    }

    fn add_node(&mut self, node: &'a Value, takes: &[Vec<usize>]) -> Read<()> {
        let id = string(node, "id")?;
        for outcome in list(node, "outcomes")? {
            let leaves = self.places_of(strings(outcome, "outcomes")?)?;
            for takes in alternatives(takes) {
                let leaves = leaves.clone();
                self.moves.push(Move {
                    node: id,
                    before: None,
                    takes,
                    leaves,
                });
            }
        }
        if let Some(chain) = node.get("chain").filter(|chain| !chain.is_null())
            && let Some(place) = takes.first().and_then(|slot| slot.first())
        {
            self.chains.push((*place, Self::read(chain)?));
        }
        Ok(())
    }

    /// Finds how runs come to each move, and to each place.
    fn find_paths(&mut self) {
        let mut takers: Vec<Vec<usize>> = vec![Vec::new(); self.places.len()];
        for (number, step) in self.moves.iter().enumerate() {
            for place in &step.takes {
                takers
                    .get_mut(*place)
                    .into_iter()
                    .for_each(|it| it.push(number));
            }
        }
        let mut open = self.start.clone();
        let mut left_by: Vec<Option<usize>> = vec![None; self.places.len()];
        let mut is_seen = vec![false; self.places.len()];
        for place in &open {
            is_seen
                .get_mut(*place)
                .into_iter()
                .for_each(|it| *it = true);
        }
        let mut at = 0;
        while let Some(&place) = open.get(at) {
            at += 1;
            let came_by = left_by.get(place).copied().flatten();
            for &number in takers.get(place).into_iter().flatten() {
                let Some(step) = self.moves.get_mut(number) else {
                    continue;
                };
                step.before = step.before.or(came_by);
                for &next in &step.leaves {
                    let is_new = is_seen.get_mut(next).filter(|seen| !**seen);
                    if let (Some(seen), Some(left_by)) = (is_new, left_by.get_mut(next)) {
                        (*seen, *left_by) = (true, Some(number));
                        open.push(next);
                    }
                }
            }
        }
        for (place, left_by) in self.places.iter_mut().zip(left_by) {
            place.left_by = left_by;
        }
    }

    fn constant(&self) -> TokenStream {
        let private = private();
        let start = &self.start;
        let places = self.places.iter().map(|place| {
            let Place {
                key,
                taker,
                left_by,
            } = place;
            let left_by = option(*left_by);
            quote!(#private::LockedPlace { key: #key, taker: #taker, left_by: #left_by })
        });
        let moves = self.moves.iter().map(|step| {
            let Move {
                node,
                before,
                takes,
                leaves,
            } = step;
            let before = option(*before);
            quote! {
                #private::LockedMove {
                    node: #node, before: #before, takes: &[#(#takes),*], leaves: &[#(#leaves),*],
                }
            }
        });
        let chains = self.chains.iter().map(|(place, chain)| {
            let chain = chain.constant();
            quote!((#place, &#chain))
        });
        quote! {
            #private::LockedNet {
                places: &[#(#places),*],
                start: &[#(#start),*],
                moves: &[#(#moves),*],
                chains: &[#(#chains),*],
            }
        }
    }
}

/// One state of each parameter; no more than one is another than the first.
fn alternatives(takes: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let first: Vec<usize> = takes
        .iter()
        .filter_map(|slot| slot.first().copied())
        .collect();
    let mut all = vec![first.clone()];
    for (param, slot) in takes.iter().enumerate() {
        for other in slot.iter().skip(1) {
            let mut taken = first.clone();
            if let Some(place) = taken.get_mut(param) {
                *place = *other;
            }
            all.push(taken);
        }
    }
    all
}

fn option(number: Option<usize>) -> TokenStream {
    match number {
        Some(number) => quote!(::core::option::Option::Some(#number)),
        None => quote!(::core::option::Option::None),
    }
}
