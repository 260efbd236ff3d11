//! The files of the cases.

use std::{fs, path::Path};

/// The `.rs` files in the folders of `root`: `AREA/NAME` and text, by name.
pub(crate) fn files(root: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for area in fs::read_dir(root).expect("the folder of the cases") {
        let area = area.expect("an area").path();
        for file in fs::read_dir(&area).expect("the folder of an area") {
            let file = file.expect("a case").path();
            if file.extension().is_some_and(|extension| extension == "rs") {
                let name = file
                    .strip_prefix(root)
                    .expect("below the root")
                    .with_extension("");
                let text = fs::read_to_string(&file).expect("a case");
                found.push((name.display().to_string().replace('\\', "/"), text));
            }
        }
    }
    found.sort();
    found
}
