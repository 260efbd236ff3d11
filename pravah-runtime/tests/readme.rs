//! The README's tour, pasted into a crate of its own.
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a helper that fails is a test that fails"
)]

use std::{fs, path::Path, process::Command};

const HERE: &str = env!("CARGO_MANIFEST_DIR");

/// The text of the first block of this language in which `word` is.
fn block<'a>(page: &'a str, language: &str, word: &str) -> &'a str {
    let fence = format!("```{language}\n");
    let blocks = page.split(&*fence).skip(1);
    let mut texts = blocks.filter_map(|block| Some(block.split_once("\n```")?.0));
    texts.find(|text| text.contains(word)).unwrap()
}

#[test]
fn the_tour_runs_when_it_is_pasted_from_the_page() {
    let root = Path::new(HERE).parent().unwrap();
    let page = fs::read_to_string(root.join("README.md")).unwrap();
    let dependencies = block(&page, "toml", "[dependencies]");
    // The one thing that is not as on the page: the crate is this one, and not the published one.
    let git = "git = \"https://github.com/pravah-rs/pravah\"";
    assert!(dependencies.contains(git), "{dependencies}");
    let dependencies = dependencies.replace(git, &format!("path = {HERE:?}"));

    let tour = Path::new(env!("CARGO_TARGET_TMPDIR")).join("tour");
    fs::create_dir_all(tour.join("src")).unwrap();
    let package =
        "[package]\nname = \"tour\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n";
    fs::write(
        tour.join("Cargo.toml"),
        format!("{package}\n{dependencies}\n"),
    )
    .unwrap();
    fs::copy(root.join("Cargo.lock"), tour.join("Cargo.lock")).unwrap();
    fs::write(tour.join("src/main.rs"), block(&page, "rust", "fn main()")).unwrap();

    let output = Command::new(env!("CARGO"))
        .args(["run", "--offline"])
        .current_dir(&tour)
        .env("CARGO_TARGET_DIR", tour.join("target"))
        .env("RUSTFLAGS", "-D warnings")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}{errors}");
    assert!(said.contains("See the article on keyboards."), "{said}");
    assert!(said.contains("flowchart"), "{said}");
}
