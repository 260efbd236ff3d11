//! What is around an item in its source file. rustc hands an attribute the item alone, and beside a
//! function in an `impl` there is no place for what the attributes emit.
//!
//! It serves one message. Where the file cannot be read, rustc's own words are left.

mod scan;
#[cfg(test)]
mod tests;

use std::{cell::RefCell, fs, path::PathBuf, time::SystemTime};

use proc_macro2::Span;

use self::scan::{Block, Kind, Place, blocks};

/// A file that was read, kept for the next item in it.
struct Source {
    path: PathBuf,
    modified: SystemTime,
    blocks: Vec<Block>,
}

thread_local! {
    static LAST: RefCell<Option<Source>> = const { RefCell::new(None) };
}

/// The keyword of the `impl` or `trait` that the token at `span` is an associated item of.
pub(crate) fn around(span: Span) -> Option<&'static str> {
    let span = span.unwrap();
    let path = span.local_file()?;
    let modified = fs::metadata(&path).ok()?.modified().ok()?;
    let place = Place {
        line: span.line(),
        column: span.column(),
    };
    LAST.with_borrow_mut(|last| {
        let is_read = |source: &Source| source.path == path && source.modified == modified;
        if !last.as_ref().is_some_and(is_read) {
            *last = Some(Source {
                blocks: blocks(&fs::read_to_string(&path).ok()?),
                path,
                modified,
            });
        }
        innermost(&last.as_ref()?.blocks, place)
    })
}

/// The `impl` or `trait` directly around `place`. What is in a macro may become something else.
fn innermost(blocks: &[Block], place: Place) -> Option<&'static str> {
    let around = blocks
        .iter()
        .filter(|block| block.from < place && place < block.to);
    let mut innermost: Option<&Block> = None;
    for block in around {
        if block.kind == Kind::Macro {
            return None;
        }
        if innermost.is_none_or(|other| other.from < block.from) {
            innermost = Some(block);
        }
    }
    match innermost?.kind {
        Kind::Items(keyword) => Some(keyword),
        Kind::Macro | Kind::Other => None,
    }
}
