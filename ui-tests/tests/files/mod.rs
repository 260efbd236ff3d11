//! The files of the cases.

use std::{fs, io, path::Path};

/// The `.rs` files in the folders of `root`: `AREA/NAME` and text, by name.
pub(crate) fn files(root: &Path) -> io::Result<Vec<(String, String)>> {
    let mut found = Vec::new();
    for area in fs::read_dir(root)? {
        let area = area?;
        for file in fs::read_dir(area.path())? {
            let file = file?.path();
            if file.extension().is_some_and(|extension| extension == "rs") {
                let name = file.file_stem().unwrap_or_default().to_string_lossy();
                let name = format!("{}/{name}", area.file_name().to_string_lossy());
                found.push((name, fs::read_to_string(&file)?));
            }
        }
    }
    found.sort();
    Ok(found)
}
