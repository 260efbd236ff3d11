//! The documents on the pages about documents.

use pravah_runtime::{Context, document::SessionStatus};
use serde_json::json;

use crate::read;

#[tokio::test]
async fn every_document_on_the_page_about_documents_runs() {
    let page = include_str!("../../../docs/documents.md");
    let blocks = page.split("```yaml\n").skip(1);
    let documents = blocks.filter_map(|block| block.split_once("```"));
    let mut count = 0;
    for (text, _) in documents {
        let session = read(text).session(json!({})).unwrap();
        let result = session.run(Context::default()).await.unwrap();
        assert_eq!(
            result.status,
            SessionStatus::Complete,
            "{text}: {:?}",
            result.error
        );
        count += 1;
    }
    assert_eq!(count, 5);
}
