//! The page of requirements lists those that tests cite, and no others.
#![allow(
    clippy::unwrap_used,
    reason = "a helper that fails is a test that fails"
)]

use std::{collections::BTreeSet, fs, path::Path};

#[test]
fn every_requirement_that_a_test_cites_can_be_looked_up() {
    fn cited(place: &Path, found: &mut BTreeSet<String>) {
        for entry in fs::read_dir(place).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                cited(&path, found);
            } else if path.extension().is_some_and(|it| it == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                let words = text.split(|c: char| !c.is_alphanumeric() && c != '.');
                found.extend(words.filter_map(number));
            }
        }
    }

    /// `S1.2`, as a number of a requirement is written.
    fn number(word: &str) -> Option<String> {
        let (part, number) = word
            .trim_end_matches('.')
            .strip_prefix('S')?
            .split_once('.')?;
        let is_number = |text: &str| text.parse::<u32>().is_ok();
        (is_number(part) && is_number(number)).then(|| format!("S{part}.{number}"))
    }

    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("../docs/requirements.md")).unwrap();
    let mut found = BTreeSet::new();
    for place in [
        "src",
        "tests",
        "../examples",
        "../pravah-document",
        "../pravah-macros/src",
        "../pravah-graph",
    ] {
        cited(&root.join(place), &mut found);
    }
    let listed: BTreeSet<String> = page
        .lines()
        .filter_map(|line| number(line.strip_prefix("- **")?.split("**").next()?))
        .collect();
    assert_eq!(found, listed);
}

#[test]
fn every_test_that_a_page_names_exists() {
    fn functions(place: &Path, found: &mut BTreeSet<String>) {
        for entry in fs::read_dir(place).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && !path.ends_with("target") {
                functions(&path, found);
            } else if path.extension().is_some_and(|it| it == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                let rest = text.split("fn ").skip(1);
                let name = |rest: &str| rest.split('(').next().unwrap_or_default().to_owned();
                found.extend(rest.map(name));
            }
        }
    }

    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut known = BTreeSet::new();
    for place in [
        "pravah-document",
        "pravah-runtime",
        "pravah-cli",
        "pravah-macros",
        "examples",
    ] {
        functions(&root.join(place), &mut known);
    }
    let mut named = 0;
    for page in fs::read_dir(root.join("docs/specs")).unwrap() {
        let page = page.unwrap().path();
        let text = fs::read_to_string(&page).unwrap();
        let rows = text.lines().filter_map(|line| line.strip_prefix("| "));
        for row in rows.skip(1) {
            let shown_by = row.split(" | ").nth(1).unwrap_or_default();
            let names: Vec<_> = shown_by.split('`').skip(1).step_by(2).collect();
            assert!(!names.is_empty(), "{}: {row}", page.display());
            for name in names {
                assert!(known.contains(name), "{}: {name}", page.display());
                named += 1;
            }
        }
    }
    assert!(named > 100, "{named}");
}
