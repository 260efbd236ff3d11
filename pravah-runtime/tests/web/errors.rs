//! What is refused, with its status.

use super::{ALLOWED, Answer, get, plain, post, served, server};

fn error(answer: &Answer) -> String {
    assert!(answer.headers.contains("content-type: application/json"));
    let json = answer.json();
    let fields = json.as_object().unwrap();
    assert_eq!(fields.len(), 1, "{json}");
    fields["error"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn every_error_is_json_with_its_status() {
    let address = served(&server()).await;
    let delete = plain(address, "DELETE /runs", &ALLOWED, "").await;
    assert!(delete.headers.contains("allow: get"), "{}", delete.headers);
    let strange = get(address, "/runs/%FF").await;
    // One byte more than is read.
    let long = post(address, "/runs/r/commands", &"x".repeat(2_097_153)).await;
    let pause = post(address, "/runs/r/commands", "{\"type\":\"pause\"}").await;
    let stranger = plain(address, "GET /runs", &ALLOWED[..1], "").await;
    for (answer, status, said) in [
        (get(address, "/nothing").await, 404, "Not Found"),
        (delete, 405, "Method Not Allowed"),
        (strange, 400, "Invalid URL"),
        (long, 413, "length limit exceeded"),
        (get(address, "/runs/r/socket").await, 400, "upgrade"),
        (pause, 404, "no run of this id is shown"),
        (stranger, 401, "the token is missing or wrong"),
    ] {
        assert_eq!(answer.status, status, "{}", answer.body);
        let error = error(&answer);
        assert!(error.contains(said), "{error}");
    }
}
