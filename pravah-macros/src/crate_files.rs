//! Files of the user's crate that attributes name.

use std::path::PathBuf;

use syn::LitStr;

/// What helps where one cannot be read.
pub(crate) const HELP: &str = "the path starts at the folder of the crate's `Cargo.toml`";

/// Where a file is.
pub(crate) fn locate(path: &LitStr) -> PathBuf {
    let folder = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    folder.unwrap_or_default().join(path.value())
}
