//! What is found around an item in a file.

use super::{
    Function,
    lex::Place,
    scan::{Outline, outline},
};

/// What a text shows of itself, and the place of the `^` before a name in it.
fn read(text: &str) -> (Outline, Place) {
    let before = text.split('^').next().unwrap();
    let last = before.lines().last().unwrap_or_default();
    let column = match before.ends_with('\n') {
        true => 1,
        false => last.chars().count() + 1,
    };
    let line = before.matches('\n').count() + 1;
    (outline(&text.replace('^', "")), Place { line, column })
}

fn associated(text: &str) -> Option<&'static str> {
    let (outline, place) = read(text);
    outline.associated(place)
}

fn defined_before(text: &str) -> Option<usize> {
    let (outline, place) = read(text);
    outline.defined_before(place, "read")
}

fn function(text: &str, path: &str) -> Option<Function> {
    let (outline, place) = read(text);
    outline.function(place, path)
}

fn is_plain(text: &str) -> bool {
    function(text, "read") == Some(Function::Plain)
}

#[test]
fn a_function_in_an_impl_or_a_trait_is_associated() {
    for (text, keyword) in [
        ("impl Nodes { #[node] fn ^read() {} }", "impl"),
        (
            "impl<T: Into<[u8; 4]>> Read for Nodes<T>\nwhere T: Copy {\n    fn ^read() {}\n}",
            "impl",
        ),
        (
            "struct Nodes;\n\n#[allow(unused)]\nunsafe impl Nodes { fn one() {} fn ^read() {} }",
            "impl",
        ),
        ("pub(crate) trait Nodes { fn ^read(); }", "trait"),
        (
            "mod nodes { use super::*; impl Nodes { fn ^read() {} } }",
            "impl",
        ),
        ("fn outer() { impl Nodes { fn ^read() {} } }", "impl"),
    ] {
        assert_eq!(associated(text), Some(keyword), "{text}");
    }
}

#[test]
fn a_function_elsewhere_is_free() {
    for text in [
        "fn ^read() {}",
        "impl Nodes {}\nfn ^read() {}",
        "mod nodes { fn ^read() {} }",
        "impl Nodes { fn test() { fn ^read() {} } }",
        "fn make() -> impl Fn() { fn ^read() {} || () }",
        "const _: () = { impl Nodes { fn one() {} } fn ^read() {} };",
    ] {
        assert_eq!(associated(text), None, "{text}");
    }
}

#[test]
fn what_is_in_a_macro_is_not_judged() {
    for text in [
        "nodes! { impl Nodes { fn read() {} fn ^read() {} } }",
        "impl Nodes { nodes! { fn read() {} fn ^read() {} } }",
        "nodes!(impl Nodes { fn read() {} fn ^read() {} });",
        "macro_rules! nodes { () => { impl Nodes { fn read() {} fn ^read() {} } } }",
    ] {
        assert_eq!(associated(text), None, "{text}");
        assert_eq!(defined_before(text), None, "{text}");
    }
    for attributes in ["#[nodes]", "#[allow(unused)] #[nodes::free]"] {
        let text = format!("{attributes} impl Nodes {{ fn ^read() {{}} }}");
        assert_eq!(associated(&text), None, "{text}");
        let text = format!("{attributes} mod nodes {{ fn read() {{}} #[flow] fn ^story() {{}} }}");
        assert!(!is_plain(&text), "{text}");
    }
    assert!(!is_plain("nodes! { fn read() {} #[flow] fn ^story() {} }"));
}

#[test]
fn comments_and_literals_are_passed_over() {
    for text in [
        "// impl A {\nfn ^read() {}",
        "/* impl A { /* { */ { */ fn ^read() {}",
        "const A: &str = \"impl A { \\\" {\";\nfn ^read() {}",
        "const A: &str = r#\"\" impl A {\"#;\nfn ^read() {}",
        "const A: [char; 3] = ['{', '\\'', '\"'];\nfn ^r#read() {}",
        "const A: &[u8] = b\"{\";\nfn one<'a>(a: &'a str) -> &'a str { a }\nfn ^read() {}",
    ] {
        assert_eq!(associated(text), None, "{text}");
        let inside = format!("impl Nodes {{\n{text}\n}}");
        assert_eq!(associated(&inside), Some("impl"), "{inside}");
    }
}

#[test]
fn a_name_is_taken_by_what_comes_first() {
    for (text, line) in [
        ("#[node] fn read() {}\n#[node] fn ^read() {}", 1),
        ("\n\nfn read() {}\n#[node] pub async fn ^r#read() {}", 3),
        ("struct read;\n#[node] fn ^read() {}", 1),
        ("#[state] enum read {}\n#[state] struct ^read {}", 1),
        ("mod a { use super::*;\nfn read() {}\nfn ^read() {} }", 2),
        ("fn test() {\nfn read() {}\nfn ^read() {} }", 2),
    ] {
        assert_eq!(defined_before(text), Some(line), "{text}");
    }
}

#[test]
fn one_name_may_be_defined_in_several_places() {
    for text in [
        "fn ^read() {}\nfn read() {}",
        "mod a { fn read() {} }\nfn ^read() {}",
        "fn one() { fn read() {} }\nfn two() { fn ^read() {} }",
        "fn one() { { fn read() {} } fn ^read() {} }",
        "impl A { fn read() {} }\nfn ^read() {}",
        "#[cfg(a)] #[node] fn read() {}\n#[cfg(not(a))] #[node] fn ^read() {}",
        "#[node] fn read() {}\n#[node] #[cfg_attr(a, b)] fn ^read() {}",
        "#[allow(non_snake_case)] fn read() {}\n#[state] struct ^read {}",
        "fn one(read: A) { read() }\nfn ^read() {}",
    ] {
        assert_eq!(defined_before(text), None, "{text}");
    }
}

#[test]
fn a_function_without_an_attribute_is_plain() {
    for text in [
        "fn read() {}\n#[flow] fn ^story() { flow! { read } }",
        "#[flow] fn ^story() { flow! { read } }\n/// Reads.\npub async fn read() {}",
        "use pravah_runtime::prelude::*;\nuse a::{b, c};\nfn read() {}\n#[flow] fn ^story() {}",
        "fn test() { fn read() {} #[flow] fn ^story() {} }",
    ] {
        assert!(is_plain(text), "{text}");
    }
}

#[test]
fn a_function_that_may_be_a_node_is_not_called_plain() {
    for text in [
        "#[node] fn read() {}\n#[flow] fn ^story() {}",
        "#[flow] fn ^story() {}",
        "mod a { fn read() {} }\n#[flow] fn ^story() {}",
        "use a::{b, read};\nfn read() {}\n#[flow] fn ^story() {}",
        "use a::*;\nfn read() {}\n#[flow] fn ^story() {}",
        "use crate::prelude::*;\nfn read() {}\n#[flow] fn ^story() {}",
        "use super::*;\nfn read() {}\n#[flow] fn ^story() {}",
        "fn read() {}\nstruct read;\n#[flow] fn ^story() {}",
        "fn read() {}\nfn test() { #[flow] fn ^story() {} }",
    ] {
        assert!(!is_plain(text), "{text}");
    }
}

#[test]
fn a_function_is_found_in_a_module() {
    let text = "mod nodes { use super::*; mod inner { pub fn read() {} } fn write() {} }\n\
                impl A { fn write() {} }\n\
                #[flow] fn ^story() {}";
    assert_eq!(function(text, "nodes::inner::read"), Some(Function::Plain));
    assert_eq!(function(text, "nodes::write"), Some(Function::Plain));
    for path in [
        "read",
        "inner::read",
        "nodes::read",
        "nodes::plan",
        "nodes::inner",
    ] {
        assert_eq!(function(text, path), None, "{path}");
    }
}

#[test]
fn a_function_is_found_in_a_type() {
    let text = "struct Nodes;\nimpl Nodes { #[node] fn read() {} #[inline] fn write() {} }\n\
                mod other { pub struct More; }\n#[flow] fn ^story() {}";
    let of_type = |reported| Some(Function::OfType { reported });
    assert_eq!(function(text, "Nodes::read"), of_type(true));
    assert_eq!(function(text, "Nodes::write"), of_type(false));
    assert_eq!(function(text, "other::More::write"), of_type(false));
    for path in ["Nodes::plan", "More::write", "Nodes::write::read", "write"] {
        assert_eq!(function(text, path), None, "{path}");
    }
    let text = "mod nodes; fn other() {} impl Nodes { fn read() {} }\n#[flow] fn ^story() {}";
    for path in ["nodes::read", "other::read", "elsewhere::read"] {
        assert_eq!(function(text, path), None, "{path}");
    }
}

#[test]
fn a_derive_is_found_above_an_attribute() {
    let text = "#[derive(Clone, serde::Serialize)]\n#[serde(deny_unknown_fields)]\n/// A page.\n\
                #[state]\n#[derive(Debug)]\nstruct ^Page { text: Vec<Clone> }";
    let (outline, place) = read(text);
    let [at_state, at_the_end] = [4, 9].map(|line| Place { line, column: 1 });
    assert_eq!(
        outline.derived_above(place, at_state),
        ["Clone", "serde", "Serialize"]
    );
    assert_eq!(outline.derived_above(place, at_the_end).len(), 4);
    assert!(outline.derived_above(at_state, at_the_end).is_empty());
}

#[test]
fn a_private_node_of_a_module_is_found() {
    for (nodes, found) in [
        ("#[node] fn read() {}", Some(Function::Private)),
        ("#[node] async fn read() {}", Some(Function::Private)),
        ("#[node] pub fn read() {}", None),
        ("#[node] pub(super) fn read() {}", None),
        ("#[other] fn read() {}", None),
        (
            "use super::*; #[node] fn read() {}",
            Some(Function::Private),
        ),
        ("use elsewhere::*; #[node] fn read() {}", None),
    ] {
        let text = format!("mod nodes {{ {nodes} }}\n#[flow] fn ^story() {{}}");
        assert_eq!(function(&text, "nodes::read"), found, "{text}");
        let text = format!("#[cfg(test)] {text}");
        assert_eq!(function(&text, "nodes::read"), None, "{text}");
    }
}

#[test]
fn a_flow_with_the_input_of_another_is_found() {
    let found = |text: &str| {
        let (outline, place) = read(text);
        outline.flow_of_same_input(place)
    };
    let first = "#[flow] fn story(a: A) -> B { flow! { read } }\n";
    let one = |second: &str| found(&format!("{first}{second}"));
    assert_eq!(
        one("#[flow] fn ^other(text: A) -> C {}").as_deref(),
        Some("story")
    );
    assert_eq!(
        one("#[flow(fail_fast = false)] fn ^other(a: A) {}").as_deref(),
        Some("story")
    );
    for second in [
        "#[flow] fn ^other(b: B) -> C {}",
        "#[flow] fn ^other(a: nodes::A) -> C {}",
        "#[flow(named)] fn ^other(a: A) -> C {}",
        "#[flow] #[cfg(test)] fn ^other(a: A) -> C {}",
        "fn test() { #[flow] fn ^other(a: A) -> C {} }",
        "flows! { #[flow] fn ^other(a: A) -> C {} }",
    ] {
        assert_eq!(one(second), None, "{second}");
    }
    assert_eq!(
        found("#[flow] fn ^story(a: A) {}\n#[flow] fn other(a: A) {}"),
        None
    );
}

#[test]
fn a_type_without_pub_is_private() {
    for (text, is_private) in [
        ("struct A;\n#[flow] pub fn ^story() {}", true),
        ("#[state] enum A {}\n#[flow] pub fn ^story() {}", true),
        ("pub struct A;\n#[flow] pub fn ^story() {}", false),
        ("pub(crate) struct A;\n#[flow] pub fn ^story() {}", false),
        ("type A = B;\n#[flow] pub fn ^story() {}", false),
        ("mod nodes { struct A; }\n#[flow] pub fn ^story() {}", false),
        ("use nodes::A;\n#[flow] pub fn ^story() {}", false),
    ] {
        let (outline, place) = read(text);
        assert_eq!(outline.is_private_type(place, "A"), is_private, "{text}");
    }
}

#[test]
fn a_type_that_lacks_something_is_bare() {
    for (text, is_bare) in [
        ("struct A { text: String }", true),
        ("#[derive(Clone, Debug)] pub enum A {}", true),
        ("#[derive(Serialize, Deserialize)] struct A;", true),
        (
            "#[derive(serde::Serialize, Deserialize, JsonSchema)] struct A;",
            false,
        ),
        ("#[state] struct A;", false),
        ("#[derive(Clone)] #[other] struct A;", false),
        ("struct A; impl<'de> Deserialize<'de> for A {}", false),
        ("struct A; impl A { fn new() {} }", true),
        ("fn A() {}", false),
        ("use nodes::A;", false),
    ] {
        let text = format!("{text}\n#[state] struct ^B {{ a: A }}");
        let (outline, place) = read(&text);
        assert_eq!(outline.is_bare_type(place, "A"), is_bare, "{text}");
    }
}
