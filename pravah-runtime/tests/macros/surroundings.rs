//! What stands beside an item in its file, and does not get in its way.

use pravah_runtime::prelude::*;
use serde_json::json;

#[state]
struct Page {
    text: String,
}

#[state]
struct Read {
    text: String,
}

/// A type all of whose impls are out of sight of the attributes.
struct Author {
    name: String,
}

macro_rules! written_by_hand {
    ($ty:ident: $field:ident) => {
        impl Clone for $ty {
            fn clone(&self) -> Self {
                let $field = self.$field.clone();
                Self { $field }
            }
        }

        impl std::fmt::Debug for $ty {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.$field)
            }
        }

        impl serde::Serialize for $ty {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                self.$field.serialize(to)
            }
        }

        impl<'de> serde::Deserialize<'de> for $ty {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let $field = serde::Deserialize::deserialize(from)?;
                Ok(Self { $field })
            }
        }

        impl schemars::JsonSchema for $ty {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($ty).into()
            }

            fn json_schema(from: &mut schemars::SchemaGenerator) -> schemars::Schema {
                String::json_schema(from)
            }
        }
    };
}

written_by_hand!(Author: name);

#[state]
struct Book {
    author: Author,
    others: Vec<Author>,
}

#[test]
fn a_field_may_have_a_type_whose_impls_are_elsewhere() {
    let author = |name: &str| Author { name: name.into() };
    let book = Book {
        author: author("Ada"),
        others: vec![author("Grace")],
    };
    let written = serde_json::to_value(&book).unwrap();
    assert_eq!(written, json!({ "author": "Ada", "others": ["Grace"] }));
    let read: Book = serde_json::from_value(written).unwrap();
    assert_eq!(
        format!("{:?}", read.clone()),
        "Book { author: Ada, others: [Grace] }"
    );
    let missing = serde_json::from_value::<Book>(json!({ "others": [] })).unwrap_err();
    assert_eq!(missing.to_string(), "missing field `author`");
    let schema = schemars::schema_for!(Book);
    assert_eq!(
        schema.get("required").unwrap(),
        &json!(["author", "others"])
    );
    let fields = schema.get("properties").unwrap();
    assert_eq!(fields["author"], json!({ "$ref": "#/$defs/Author" }));
}

mod nodes {
    use super::{Page, Read};
    use pravah_runtime::prelude::*;

    struct Reader;

    impl Reader {
        fn read(page: Page) -> Read {
            Read { text: page.text }
        }
    }

    #[node]
    pub(super) fn read(page: Page) -> Read {
        Reader::read(page)
    }
}

/// A plain function that is called as a node of another module.
fn read(page: Page) -> Read {
    nodes::read(page)
}

#[derive(PartialEq, Eq)]
#[state]
struct Compared {
    text: String,
}

#[flow(named)]
fn first(page: Page) -> Read {
    flow! { nodes::read }
}

#[tokio::test]
async fn a_name_may_be_in_several_scopes() {
    #[node]
    fn read(page: &Page) -> Read {
        Read {
            text: format!("{}, inside", page.text),
        }
    }

    #[flow(named)]
    fn first(page: Page) -> Read {
        flow! { read }
    }

    let page = |text: &str| Page { text: text.into() };
    let inside = first(page("one"), Context::default()).await.unwrap();
    assert_eq!(inside.text, "one, inside");
    let outside = self::first(page("two"), Context::default()).await.unwrap();
    assert_eq!(outside.text, self::read(page("two")).text);
    let compared = |text: &str| Compared { text: text.into() };
    assert!(compared("a") == compared("a"));
}

mod versions {
    use super::{Page, Read};
    use pravah_runtime::prelude::*;

    #[cfg(any())]
    #[node]
    fn read(page: Page) -> Read {
        Read { text: page.text }
    }

    #[cfg(not(any()))]
    #[node]
    fn read(_: Page) -> Read {
        Read {
            text: "the other".into(),
        }
    }

    #[flow(named)]
    pub(super) fn whichever(page: Page) -> Read {
        flow! { read }
    }
}

#[tokio::test]
async fn one_of_two_conditional_nodes_is_compiled() {
    let page = Page {
        text: String::new(),
    };
    let read = versions::whichever(page, Context::default()).await.unwrap();
    assert_eq!(read.text, "the other");
}
