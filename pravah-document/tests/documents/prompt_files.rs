//! Prompts in files beside a document.

use pravah_document::{FileError, Files, Folder};

use super::*;

struct Prompts;

impl Files for Prompts {
    fn read(&self, path: &str) -> Result<String, FileError> {
        match path {
            "prompts/test.md" => Ok("Say {{ flow.input.word }}.".to_owned()),
            _ => Err(FileError::Missing),
        }
    }
}

/// B20, S4.50: what is in the file counts as if it were written in its place.
#[test]
fn a_prompt_comes_from_a_file() {
    let catalogue = Catalogue::standard();
    let options = Options::new(&catalogue).model("m").files(&Prompts);
    let text = "flow: { name: f }\nnodes:\n- { id: a, type: claude.agent, input: { promptFile: ./prompts/test.md } }\n- { id: b, type: agent.plan, input: { promptFile: prompts/../prompts/test.md } }\nedges: []";
    let document = read("f.yaml", text, &options).unwrap_or_else(|problems| panic!("{problems}"));
    for (index, field) in ["prompt", "input"].into_iter().enumerate() {
        let Work::Agent(input) = &node(&document.graph, index).work else {
            panic!("{document:?}");
        };
        let input = input.resolve(&json!({ "flow": { "input": { "word": "hello" } } }));
        assert_eq!(input.unwrap(), json!({ field: "Say hello." }));
    }
}

/// B20: links count as what they lead to.
#[test]
fn files_are_those_of_the_folder() {
    let outer = std::env::temp_dir().join(format!("pravah-document-{}", std::process::id()));
    let inner = outer.join("flows");
    std::fs::create_dir_all(&inner).unwrap();
    std::fs::write(outer.join("secret.md"), "secret").unwrap();
    std::fs::write(inner.join("test.md"), "hello").unwrap();
    std::fs::write(inner.join("bytes.md"), [0xff]).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(outer.join("secret.md"), inner.join("link.md")).unwrap();
    let folder = Folder::new(&inner);
    assert_eq!(folder.read("test.md"), Ok("hello".to_owned()));
    assert_eq!(folder.read("nothing.md"), Err(FileError::Missing));
    assert!(matches!(
        folder.read("bytes.md"),
        Err(FileError::Unreadable(_))
    ));
    assert!(matches!(folder.read("."), Err(FileError::Unreadable(_))));
    #[cfg(unix)]
    assert_eq!(folder.read("link.md"), Err(FileError::Outside));
    std::fs::remove_dir_all(outer).unwrap();
}

#[test]
fn an_empty_path_is_called_empty_and_not_outside() {
    let catalogue = Catalogue::standard();
    let options = Options::new(&catalogue).model("m").files(&Prompts);
    for (path, why) in [("''", "its path is empty"), ("../a.md", "it is outside")] {
        let text = format!(
            "flow: {{ name: f }}\nnodes:\n- {{ id: a, type: claude.agent, input: {{ promptFile: {path} }} }}\nedges: []"
        );
        let problems = read("f.yaml", &text, &options).unwrap_err().to_string();
        let expected = format!("the prompt of the node `a` cannot be read: {why}");
        assert!(problems.contains(&expected), "{problems}");
    }
}
