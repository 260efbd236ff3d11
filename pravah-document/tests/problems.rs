//! Each kind of problem, as it is printed: `tests/problems/NAME.yaml` beside `NAME.txt`.
//!
//! `docs/problems.md` shows one of each kind.
//!
//! `PRAVAH_BLESS=1 cargo test -p pravah-document --test problems` writes the expected texts and that page anew; read every
//! difference.

#![expect(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "tests fail by panicking"
)]

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

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
    match read(name, text, &options) {
        Ok(document) => document.warnings.expect(name),
        Err(problems) => problems,
    }
}

fn folder(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// B5, B10, B19, B20, B21, B22, P1.6, P8, P9, S4.23, S4.24, S4.30, S4.49, S4.50, S4.51, S5.4, S5.6, S5.7, S5.19.
#[test]
fn every_problem_is_printed_as_expected() {
    let mut differing = Vec::new();
    let mut examples = BTreeMap::new();
    for (name, problems) in documents() {
        let printed = format!("{problems}\n");
        let expected = folder("tests/problems").join(&name).with_extension("txt");
        if !matches_or_bless(&expected, &printed) {
            println!("{printed}");
            differing.push(name);
        }
        for problem in problems.iter() {
            let level = if problem.is_warning {
                "warning"
            } else {
                "error"
            };
            let start = format!("{level}[{}]", problem.code);
            // Not all are drawn where there are many.
            if let Some(drawn) = printed.split("\n\n").find(|it| it.starts_with(&start)) {
                let drawn = drawn.trim_end().to_owned();
                examples.entry(problem.code).or_insert(drawn);
            }
        }
    }
    assert_eq!(differing, [""; 0]);
    // What is too large for a file is in `hostile.rs`.
    let missing: Vec<_> = codes()
        .into_iter()
        .filter(|code| !examples.contains_key(code.as_str()))
        .collect();
    assert_eq!(missing, ["not-utf8", "too-large"]);
    let page = folder("../docs/problems.md");
    assert!(
        matches_or_bless(&page, &page_of(&examples)),
        "{page:?} is old"
    );
}

/// The documents in `tests/problems`, by name, and what is wrong with them.
fn documents() -> Vec<(String, Problems)> {
    let entries = fs::read_dir(folder("tests/problems")).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let documents = paths.filter(|path| path.extension().is_none_or(|it| it != "txt"));
    let mut problems: Vec<_> = documents
        .map(|path| {
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            let problems = check(&name, &fs::read_to_string(&path).unwrap());
            (name, problems)
        })
        .collect();
    problems.sort_by(|(one, _), (other, _)| one.cmp(other));
    problems
}

/// Whether a file holds this. It is written where the texts are written anew.
fn matches_or_bless(path: &Path, text: &str) -> bool {
    if std::env::var_os("PRAVAH_BLESS").is_some() {
        fs::write(path, text).unwrap();
    }
    fs::read_to_string(path).unwrap_or_default() == text
}

fn page_of(examples: &BTreeMap<&str, String>) -> String {
    let mut page = String::from(
        "# Problems of documents

One example of each problem and warning that `pravah check`, `pravah run`, `flow_yaml!` and `DocumentFlow::load` report,
by the code in brackets. `not-utf8` (a file that is no text) and `too-large` (more than 16 MiB) have none. A test checks this
page.
",
    );
    for (code, drawn) in examples {
        page += &format!("\n## {code}\n\n```text\n{drawn}\n```\n");
    }
    page
}

/// The codes that the sources give to `push` and `warn`.
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
            let calls = ["sink.push(", "sink\n            .push(", "sink.warn("];
            for call in calls.iter().flat_map(|call| source.split(call).skip(1)) {
                if let Some(code) = call.trim_start().strip_prefix('"') {
                    codes.insert(code.split('"').next().unwrap().to_owned());
                }
            }
        }
    }
    codes
}
