//! What somebody has changed in a file, or put in another place.

use pravah_store::{ClaimRequest, DecryptionError, Filter, NewRun, RunStore, Status, StoreError};
use serde_json::json;

use super::{File, claim, fill, keys, not_authentic, read_all, reason};
use crate::support::{changes, key, last_step};

/// What is read of a copy of the file after this was done to it.
async fn read_after(file: &File, sql: &str) -> Result<String, StoreError> {
    let copy = File::new();
    let path = copy.0.path().join("runs.db");
    let path = path.to_str().unwrap();
    file.raw().execute("VACUUM INTO ?1", [path]).unwrap();
    let changed = copy.raw().execute(sql, []).unwrap();
    assert!(changed > 0, "{sql}");
    read_all(&*copy.encrypted(keys()), &key("a")).await
}

/// What was changed is an error; a command alone, which stands in the way of nobody.
#[track_caller]
fn check_not_authentic(sql: &str, read: Result<String, StoreError>) {
    if sql.starts_with("UPDATE inbox") {
        let error = format!("a command cannot be decrypted: {}", not_authentic());
        assert!(read.unwrap().contains(&error), "{sql}");
    } else {
        assert_eq!(reason(read), not_authentic(), "{sql}");
    }
}

/// What to do to the columns that hold payloads: `change` is given each.
fn columns(change: impl Fn(&str) -> String) -> Vec<String> {
    let of_run = "WHERE run = 1";
    vec![
        format!(
            "UPDATE entry SET value = {} {of_run} AND key = '/x'",
            change("value")
        ),
        format!(
            "UPDATE history SET changes = {} {of_run} AND step = 0",
            change("changes")
        ),
        format!(
            "UPDATE history SET refused = {} {of_run} AND step = 1",
            change("refused")
        ),
        format!(
            "UPDATE inbox SET command = {} {of_run} AND number = 1",
            change("command")
        ),
        format!(
            "UPDATE run SET questions = {} WHERE seq = 1",
            change("questions")
        ),
        format!("UPDATE run SET output = {} WHERE seq = 1", change("output")),
    ]
}

#[tokio::test]
async fn a_changed_byte_is_an_error() {
    let file = File::new();
    let store = file.encrypted(keys());
    fill(&*store, &key("a")).await;
    assert!(
        read_after(&file, "UPDATE run SET lease = lease")
            .await
            .is_ok()
    );
    // A character of the nonce, one of the encrypted bytes, and one of the tag.
    for at in [30, 50, 56] {
        let changes = columns(|column| {
            let at = format!("instr({column}, 'enc1:') + {at}");
            let other = format!("iif(substr({column}, {at}, 1) = 'A', 'B', 'A')");
            format!("substr({column}, 1, {at} - 1) || {other} || substr({column}, {at} + 1)")
        });
        for sql in changes {
            check_not_authentic(&sql, read_after(&file, &sql).await);
        }
    }
}

#[tokio::test]
async fn what_is_cut_off_or_no_text_of_the_cipher_is_an_error() {
    let file = File::new();
    let store = file.encrypted(keys());
    fill(&*store, &key("a")).await;
    let replaced = |with: &str| format!("replace(value, substr(value, 7), '{with}\"')");
    for (with, expected) in [
        ("", DecryptionError::Damaged),
        ("A", DecryptionError::Damaged),
        ("AQ", DecryptionError::Damaged),
        ("AQQyMDI2", DecryptionError::Damaged),
        ("%%%%", DecryptionError::Damaged),
        ("ü", DecryptionError::Damaged),
    ] {
        let sql = format!(
            "UPDATE entry SET value = {} WHERE run = 1 AND key = '/x'",
            replaced(with)
        );
        let read = read_after(&file, &sql).await;
        assert_eq!(reason(read), expected, "{with:?}");
    }
}

#[tokio::test]
async fn rows_of_other_places_and_tenants_are_errors() {
    let file = File::new();
    let store = file.encrypted(keys());
    fill(&*store, &key("a")).await;
    fill(&*store, &key("b")).await;
    fill(&*store, &key("a").of_tenant("acme").unwrap()).await;
    let another = |table: &str, column: &str, whose: &str| {
        format!("(SELECT {column} FROM {table} AS other WHERE {whose})")
    };
    let mut swaps = vec![
        // Of the same run.
        format!("UPDATE entry SET value = {} WHERE run = 1 AND key = '/x'", another("entry", "value", "run = 1 AND key = '/y'")),
        "UPDATE run SET questions = replace(questions, '\"number\":0', '\"number\":7') WHERE seq = 1".to_owned(),
        "UPDATE run SET output = json_quote(json_extract(questions, '$[0].value')) WHERE seq = 1".to_owned(),
        "UPDATE history SET refused = replace(refused, '\"number\":8', '\"number\":5') WHERE run = 1 AND step = 1".to_owned(),
        // Of another run of the same tenant.
        format!("UPDATE inbox SET command = {} WHERE run = 1 AND number = 1", another("inbox", "command", "run = 2 AND number = 1")),
    ];
    // Of the same place of another tenant.
    swaps.extend(columns(|column| match column {
        "value" => another("entry", column, "run = 3 AND key = '/x'"),
        "changes" => another("history", column, "run = 3 AND step = 0"),
        "refused" => another("history", column, "run = 3 AND step = 1"),
        "command" => another("inbox", column, "run = 3 AND number = 1"),
        _ => another("run", column, "seq = 3"),
    }));
    for column in ["questions", "output"] {
        let other = another("run", column, "seq = 2");
        swaps.push(format!("UPDATE run SET {column} = {other} WHERE seq = 1"));
    }
    for sql in swaps {
        check_not_authentic(&sql, read_after(&file, &sql).await);
    }
}

#[tokio::test]
async fn an_answer_to_another_question_is_an_error() {
    let file = File::new();
    let store = file.encrypted(keys());
    fill(&*store, &key("a")).await;
    let sent = "SELECT command FROM inbox WHERE number = 1";
    let sent: String = file.raw().query_row(sent, [], |row| row.get(0)).unwrap();
    for (from, to) in [
        ("\"id\":\"one\"", "\"id\":\"two\""),
        ("\"number\":0,", "\"number\":1,"),
        ("\"number\":0,", ""),
    ] {
        let sql = format!(
            "UPDATE inbox SET command = replace(command, '{from}', '{to}') WHERE run = 1 AND number = 1"
        );
        file.raw().execute(&sql, []).unwrap();
        // No worker takes it, and none waits for it.
        let [changed, other] = store.inbox(&key("a"), 0).await.unwrap().try_into().unwrap();
        let error = changed.error.unwrap();
        assert!(
            error.ends_with(&DecryptionError::WrongCommand.to_string()),
            "{to}: {error}"
        );
        assert_eq!(other.error, None);
        file.raw()
            .execute(
                &format!("UPDATE inbox SET command = '{sent}' WHERE number = 1"),
                [],
            )
            .unwrap();
    }
}

#[tokio::test]
async fn one_run_that_cannot_be_decrypted_hides_no_other() {
    let file = File::new();
    let store = file.encrypted(keys());
    fill(&*store, &key("a")).await;
    fill(&*store, &key("b")).await;
    let broken = "UPDATE run SET output = '7' WHERE id = 'a'";
    file.raw().execute(broken, []).unwrap();
    let mut runs = store.list(Filter::new()).await.unwrap().runs;
    runs.sort_by(|a, b| a.key.cmp(&b.key));
    assert_eq!(
        (runs[0].error.as_deref(), runs[1].error.as_deref()),
        (
            Some(
                "the output cannot be decrypted: it was stored without encryption: start runs and send commands \
                 through the `EncryptedStore`, or let `EncryptedStore::reading_unencrypted` read it"
            ),
            Some("it broke")
        )
    );
    // Both have answers to take.
    let request = ClaimRequest::new("worker", ["a", "b"].map(str::to_owned)).with_limit(9);
    assert_eq!(store.claim(request).await.unwrap().len(), 2);
    assert!(store.get(&key("b")).await.is_ok());
    assert_eq!(
        reason(store.get(&key("a")).await),
        DecryptionError::NotEncrypted
    );
}

#[tokio::test]
async fn questions_that_could_not_be_read_again_are_refused() {
    let file = File::new();
    let store = file.encrypted(keys());
    store
        .start(NewRun::new(key("a"), "flow", changes(&[], &[])))
        .await
        .unwrap();
    let lease = claim(&*store, "flow").await.lease;
    let mut value = json!(0);
    for _ in 0..200 {
        value = json!([value]);
    }
    let mut question: pravah_store::Question =
        serde_json::from_value(json!({ "id": "ask", "number": 0, "value": 0 })).unwrap();
    question.value = value;
    let mut commit = last_step(Status::Suspended);
    commit.questions = vec![question];
    let refused = store.commit(&lease, commit).await;
    assert!(matches!(refused, Err(StoreError::NotStorable { .. })));
    assert_eq!(store.get(&key("a")).await.unwrap().status, Status::Ready);
}
