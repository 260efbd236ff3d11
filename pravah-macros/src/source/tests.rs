//! What is found around a `#[node]` in a file.

use super::{
    innermost,
    scan::{Place, blocks},
};

/// What is around the `^` in a text.
fn around(text: &str) -> Option<&'static str> {
    let before = text.split('^').next().unwrap();
    let last = before.lines().last().unwrap_or_default();
    let place = Place {
        line: before.matches('\n').count() + 1,
        column: last.chars().count() + 1,
    };
    innermost(&blocks(&text.replace('^', "x")), place)
}

#[test]
fn a_function_in_an_impl_or_a_trait_is_found() {
    for (text, keyword) in [
        ("impl Nodes { #[node] fn ^() {} }", "impl"),
        (
            "impl<T: Into<[u8; 4]>> Read for Nodes<T>\nwhere T: Copy {\n    fn ^() {}\n}",
            "impl",
        ),
        (
            "struct Nodes;\n\n#[allow(unused)]\nunsafe impl Nodes { fn one() {} fn ^() {} }",
            "impl",
        ),
        ("pub(crate) trait Nodes { fn ^(); }", "trait"),
        (
            "mod nodes { use super::*; impl Nodes { fn ^() {} } }",
            "impl",
        ),
        ("fn outer() { impl Nodes { fn ^() {} } }", "impl"),
    ] {
        assert_eq!(around(text), Some(keyword), "{text}");
    }
}

#[test]
fn a_function_elsewhere_is_free() {
    for text in [
        "fn ^() {}",
        "impl Nodes {}\nfn ^() {}",
        "mod nodes { fn ^() {} }",
        "impl Nodes { fn test() { fn ^() {} } }",
        "fn make() -> impl Fn() { fn ^() {} || () }",
        "const _: () = { impl Nodes { fn one() {} } fn ^() {} };",
    ] {
        assert_eq!(around(text), None, "{text}");
    }
}

#[test]
fn what_is_in_a_macro_is_not_judged() {
    for text in [
        "nodes! { impl Nodes { fn ^() {} } }",
        "impl Nodes { nodes! { fn ^() {} } }",
        "nodes!(impl Nodes { fn ^() {} });",
        "macro_rules! nodes { () => { impl Nodes { fn ^() {} } } }",
    ] {
        assert_eq!(around(text), None, "{text}");
    }
}

#[test]
fn braces_in_comments_and_literals_are_none() {
    for text in [
        "// impl A {\nfn ^() {}",
        "/* impl A { /* { */ { */ fn ^() {}",
        "const A: &str = \"impl A { \\\" {\";\nfn ^() {}",
        "const A: &str = r#\"\" impl A {\"#;\nfn ^() {}",
        "const A: [char; 3] = ['{', '\\'', '\"'];\nfn r#^() {}",
        "const A: &[u8] = b\"{\";\nfn one<'a>(a: &'a str) -> &'a str { a }\nfn ^() {}",
    ] {
        assert_eq!(around(text), None, "{text}");
        let inside = format!("impl Nodes {{\n{text}\n}}");
        assert_eq!(around(&inside), Some("impl"), "{inside}");
    }
}
