//! The lock of a flow: the nets of its released versions, read while it compiles.

use std::{collections::BTreeMap, path::PathBuf};

use proc_macro2::TokenStream;
use quote::quote;
use serde_json::Value;
use syn::LitStr;

use crate::{diag::Diagnostics, root::private};

/// The layout that is read: what `FlowLock` writes.
const FORMAT: u64 = 1;

/// A lock that an option names.
#[derive(Clone)]
pub(crate) struct Lock {
    /// The path, as it is written.
    pub(crate) path: LitStr,
    /// Where that is.
    pub(crate) file: String,
    /// The versions, as a constant has them.
    pub(crate) versions: TokenStream,
}

impl Lock {
    pub(crate) fn read(path: LitStr, errors: &mut Diagnostics) -> Option<Self> {
        let folder = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
        let file = folder.unwrap_or_default().join(path.value());
        let text = match std::fs::read_to_string(&file) {
            Ok(text) => text,
            Err(error) => {
                let fact = format!("`{}` cannot be read: {error}", path.value());
                let help = "the path starts at the folder of the crate's `Cargo.toml`; create an empty file there, and `pravah lock` adds this version to it";
                errors.error(path.span(), fact, help);
                return None;
            }
        };
        let versions = match versions(&text) {
            Ok(versions) => versions,
            Err(why) => {
                let fact = format!("`{}` is no lock of a flow: {why}", path.value());
                let help = "restore the file as `pravah lock` wrote it, or start with an empty one";
                errors.error(path.span(), fact, help);
                return None;
            }
        };
        let file = file.display().to_string();
        Some(Self {
            path,
            file,
            versions,
        })
    }
}

/// What is wrong with a lock.
type Read<T> = Result<T, String>;

/// The versions of a lock. An empty file has none.
fn versions(text: &str) -> Read<TokenStream> {
    if text.trim().is_empty() {
        return Ok(quote!(&[]));
    }
    let lock: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    match lock.get("format").and_then(Value::as_u64) {
        Some(..=FORMAT) => {}
        Some(newer) => {
            return Err(format!(
                "its format is {newer}, and this release of Pravah reads up to {FORMAT}"
            ));
        }
        None => return Err("it has no `format`".to_owned()),
    }
    let private = private();
    let versions = list(&lock, "versions")?.iter().map(|version| {
        let (release, net) = (text_of(version, "release")?, Net::read(version)?);
        let net = net.constant();
        Ok(quote!(#private::LockedVersion { release: #release, net: &#net }))
    });
    let versions: Vec<TokenStream> = versions.collect::<Read<_>>()?;
    Ok(quote!(&[#(#versions),*]))
}

fn field<'a>(value: &'a Value, name: &str) -> Read<&'a Value> {
    value
        .get(name)
        .ok_or_else(|| format!("there is no `{name}`"))
}

fn list<'a>(value: &'a Value, name: &str) -> Read<&'a [Value]> {
    let list = field(value, name)?.as_array();
    let list = list.ok_or_else(|| format!("`{name}` is no list"))?;
    Ok(list)
}

fn text_of<'a>(value: &'a Value, name: &str) -> Read<&'a str> {
    let text = field(value, name)?.as_str();
    text.ok_or_else(|| format!("`{name}` is no text"))
}

fn texts(value: &Value) -> Read<Vec<&str>> {
    let texts = value.as_array().ok_or("a list is missing")?.iter();
    let texts = texts.map(|text| text.as_str().ok_or_else(|| format!("{text} is no text")));
    texts.collect()
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
            let id = text_of(node, "id")?;
            let slots = list(node, "takes")?.iter().map(|keys| {
                let keys = texts(keys)?.into_iter();
                Ok(keys.map(|key| read.add_place(key, id)).collect())
            });
            takes.push(slots.collect::<Read<_>>()?);
        }
        read.start = read.places_of(texts(field(net, "start")?)?)?;
        for (node, takes) in nodes.iter().zip(&takes) {
            read.add_node(node, takes)?;
        }
        for catch in net
            .get("catches")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            let takes = read.places_of(texts(field(catch, "start")?)?)?;
            let leaves = read.places_of(texts(field(catch, "failed")?)?)?;
            let node = takes.first().and_then(|place| read.places.get(*place));
            let node = node.map_or("", |place| place.taker);
            read.moves.push(Move {
                node,
                before: None,
                takes,
                leaves,
            });
        }
        read.find_ways();
        Ok(read)
    }

    /// The place of a state that a node takes.
    fn add_place(&mut self, key: &'a str, node: &'a str) -> usize {
        let taker = key.split_once('@').map_or(node, |(_, taker)| taker);
        let number = self.places.len();
        self.numbers.insert(key, number);
        self.places.push(Place {
            key,
            taker,
            left_by: None,
        });
        number
    }

    fn places_of(&self, keys: Vec<&str>) -> Read<Vec<usize>> {
        let places = keys.into_iter().map(|key| {
            let number = self.numbers.get(key).copied();
            number.ok_or_else(|| format!("no node takes `{key}`"))
        });
        places.collect()
    }

    fn add_node(&mut self, node: &'a Value, takes: &[Vec<usize>]) -> Read<()> {
        let id = text_of(node, "id")?;
        for outcome in list(node, "outcomes")? {
            let leaves = self.places_of(texts(outcome)?)?;
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
    fn find_ways(&mut self) {
        let mut open = self.start.clone();
        let mut left_by: Vec<Option<usize>> = vec![None; self.places.len()];
        let mut is_seen = vec![false; self.moves.len()];
        let mut at = 0;
        while let Some(&place) = open.get(at) {
            at += 1;
            let came_by = left_by.get(place).copied().flatten();
            for (number, step) in self.moves.iter_mut().enumerate() {
                let Some(seen) = is_seen.get_mut(number).filter(|seen| !**seen) else {
                    continue;
                };
                if !step.takes.contains(&place) {
                    continue;
                }
                (*seen, step.before) = (true, came_by);
                for next in &step.leaves {
                    if let Some(left_by) = left_by.get_mut(*next)
                        && left_by.is_none()
                        && !self.start.contains(next)
                    {
                        *left_by = Some(number);
                        open.push(*next);
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
