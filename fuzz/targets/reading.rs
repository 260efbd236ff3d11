//! Any bytes as a document: a document, or problems at places that are in it.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pravah_document::{Catalogue, Options, read_bytes};

fuzz_target!(|bytes: &[u8]| {
    let catalogue = Catalogue::standard();
    let options = Options::new(&catalogue).any_subflow().model("openai://any");
    match read_bytes("fuzz.yaml", bytes, &options) {
        Ok(document) => {
            assert!(!document.name.is_empty());
            document.to_mermaid();
            document.to_dot();
        }
        Err(problems) => {
            let text = String::from_utf8_lossy(bytes);
            let mut last = 0;
            for problem in &problems {
                assert!(last <= problem.span.start, "{problems}");
                last = problem.span.start;
                assert!(problem.line <= text.split('\n').count(), "{problem:?}");
            }
            assert!(problems.to_string().contains("error["));
        }
    }
});
