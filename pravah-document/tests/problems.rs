//! Each kind of problem, as it is printed: `tests/problems/NAME.yaml` beside `NAME.txt`.
//!
//! `PRAVAH_BLESS=1 cargo test -p pravah-document --test problems` writes the expected texts anew; read every difference.

#![expect(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "tests fail by panicking"
)]

use std::{collections::BTreeSet, fs, path::Path};

use pravah_document::{Catalogue, FileError, Files, Options, Problems, read};

struct NoFiles;

impl Files for NoFiles {
    fn read(&self, _: &str) -> Result<String, FileError> {
        Err(FileError::Missing)
    }
}

fn check(name: &str, text: &str) -> Problems {
    let check_model = |model: &str| match model.split_once("://") {
        Some((scheme, _)) if scheme != "openai" => Err(format!("there is no provider `{scheme}`")),
        _ => Ok(()),
    };
    let catalogue = Catalogue::standard();
    let options = Options::new(&catalogue)
        .packs(["core", "claude", "tutorial"])
        .subflows(["billing"])
        .tools(["search"])
        .check_model(&check_model)
        .files(&NoFiles);
    // `http.request` is wanted where its input is what is wrong.
    let options = if name.starts_with("invalid-input") {
        options.packs(["core", "integration"])
    } else {
        options
    };
    read(name, text, &options).expect_err(name)
}

fn folder(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// B5, B10, B19, B20, B21, B22, P1.6, P8, P9, S4.23, S4.24, S4.30, S4.49, S4.50, S4.51, S5.4, S5.6, S5.7, S5.19.
#[test]
fn every_problem_is_printed_as_expected() {
    let mut shown = BTreeSet::new();
    let is_blessing = std::env::var_os("PRAVAH_BLESS").is_some();
    let mut differing = Vec::new();
    for entry in fs::read_dir(folder("tests/problems")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "txt") {
            continue;
        }
        let name = path.file_name().unwrap().to_str().unwrap();
        let problems = check(name, &fs::read_to_string(&path).unwrap());
        shown.extend(problems.iter().map(|problem| problem.code));
        let printed = format!("{problems}\n");
        let expected = path.with_extension("txt");
        if is_blessing {
            fs::write(expected, printed).unwrap();
        } else if fs::read_to_string(expected).unwrap_or_default() != printed {
            println!("{printed}");
            differing.push(name.to_owned());
        }
    }
    assert_eq!(differing, [""; 0]);
    // What is too large for a file is in `hostile.rs`.
    let missing: Vec<_> = codes()
        .into_iter()
        .filter(|code| !shown.contains(code.as_str()))
        .collect();
    assert_eq!(missing, ["not-utf8", "too-large"]);
}

/// The codes that the sources give to `push`.
fn codes() -> BTreeSet<String> {
    let mut codes = BTreeSet::new();
    let mut folders = vec![folder("src")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let source = fs::read_to_string(&path).unwrap();
            for call in source
                .split("sink.push(")
                .chain(source.split("sink\n            .push("))
                .skip(1)
            {
                if let Some(code) = call.trim_start().strip_prefix('"') {
                    codes.insert(code.split('"').next().unwrap().to_owned());
                }
            }
        }
    }
    codes
}
