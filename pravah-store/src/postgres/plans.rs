//! How PostgreSQL goes about the statements.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

#[allow(dead_code)]
#[path = "../../tests/conformance/server.rs"]
mod server;

use std::time::SystemTime;

use tokio_postgres::Client;

use self::server::{Server, new_schema};
use super::{connect::settings, statements::*};
use crate::{Cursor, Filter, RunInfo, RunKey, Status};

/// 60,000 runs, of which some ask, and most have ended. One of them is large.
const FILL: &str = "\
    INSERT INTO run (tenant, id, flow, status, created_at, updated_at, wake_at, lease_until) \
        SELECT 'tenant ' || n % 50, n, 'flow ' || n % 2, \
            CASE n % 20 WHEN 0 THEN 'suspended' ELSE 'done' END, n, n, \
            CASE n % 50 WHEN 0 THEN n END, CASE n % 100 WHEN 0 THEN n + 10 END \
        FROM generate_series(1, 60000) AS n; \
    INSERT INTO tag SELECT seq, 'shop', seq % 500 FROM run; \
    INSERT INTO entry SELECT seq, convert_to('/states/' || n, 'UTF8'), '{}' \
        FROM run, generate_series(1, 3) AS n WHERE seq <= 10000; \
    INSERT INTO entry SELECT 1, convert_to('/items/' || n, 'UTF8'), '{}' \
        FROM generate_series(1, 5000) AS n; \
    INSERT INTO history SELECT seq, n, n, 'ready', NULL, '[]', '[]', '{}' \
        FROM run, generate_series(0, 3) AS n WHERE seq <= 10000; \
    INSERT INTO inbox SELECT seq, n, false, false, '{}' FROM run, generate_series(1, 2) AS n \
        WHERE seq % 20 = 0; \
    ANALYZE";

/// The statements that are repeated, and what of its plan shows how each finds its rows.
const REPEATED: &[(&str, &str)] = &[
    (CLAIM, "Index Scan using run_by_wake"),
    (LOCK, "Index Scan using run_tenant_id_key"),
    (LOCK_HELD, "Index Scan using run_tenant_id_key"),
    (KEEP, "Index Scan using run_tenant_id_key"),
    (INFO, "Index Scan using run_tenant_id_key"),
    (TAGS, "Index Scan using tag_pkey"),
    (ENTRIES, "entry_pkey"),
    (
        DELETE_ENTRIES,
        "Index Cond: ((run = (NULLIF(current_setting('pravah.run'::text, true), ''::text))::bigint) \
             AND (key >= deleted.start) AND (key < deleted.until))",
    ),
    (DELETE_ENTRIES, "Tid Scan on entry"),
    (PUT_ENTRIES, "Conflict Arbiter Indexes: entry_pkey"),
    (COMMIT_RUN, "Index Scan using run_pkey"),
    (COMMIT_RUN, "inbox_pkey"),
    (INSERT_HISTORY, "Index Scan using run_pkey"),
    (DELETE_COMMANDS, "inbox_pkey"),
    (DELETE_ALL_COMMANDS, "inbox_pkey"),
    (RENEW, "Index Scan using run_pkey"),
    (RELEASE_STOPPED, "Index Scan using run_pkey"),
    (RELEASE_FAILED, "Index Scan using run_pkey"),
    (RELEASE_PARKED, "Index Scan using run_pkey"),
    (WAKE_TO_CANCEL, "inbox_pkey"),
    (COUNT_COMMANDS, "inbox_pkey"),
    (
        INBOX,
        "Index Cond: ((run = (InitPlan 1).col1) AND (number > $3))",
    ),
    (HISTORY, "Index Scan using history_pkey"),
    (CHANGES_UNTIL, "Index Scan using history_pkey"),
];

/// How a statement is run, whatever its parameters are.
async fn plan(client: &Client, sql: &str) -> String {
    let statement = client.prepare(sql).await.unwrap();
    let params = match statement.params().len() {
        0 => String::new(),
        count => format!("({})", vec!["NULL"; count].join(", ")),
    };
    plan_with(client, sql, (&params, "force_generic_plan")).await
}

async fn plan_with(client: &Client, sql: &str, (params, mode): (&str, &str)) -> String {
    let explain = format!(
        "SET plan_cache_mode TO {mode}; PREPARE it AS {sql}; EXPLAIN (COSTS OFF) EXECUTE it {params}"
    );
    let said = client.simple_query(&explain).await.unwrap();
    client.batch_execute("DEALLOCATE it").await.unwrap();
    let lines = said.iter().filter_map(|message| match message {
        tokio_postgres::SimpleQueryMessage::Row(row) => row.get(0),
        _ => None,
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// A schema with these rows in it, and a connection that is set up like those of a store.
async fn filled(fill: &str) -> (super::PostgresStore, Client) {
    let schema = new_schema();
    let store = Server::shared().open(&schema);
    let client = Server::shared().client();
    client.batch_execute(&settings(&schema)).await.unwrap();
    client.batch_execute(fill).await.unwrap();
    (store, client)
}

#[tokio::test]
async fn no_statement_that_is_repeated_reads_or_sorts_all_runs() {
    let (_store, client) = filled(FILL).await;
    for (sql, index) in REPEATED {
        let plan = plan(&client, sql).await;
        // Before PostgreSQL 18 what a subquery found has another name.
        let plan = plan.replace("$0", "(InitPlan 1).col1");
        assert!(plan.contains(index), "{sql}\n{plan}");
        assert!(!plan.contains("Sort"), "{sql}\n{plan}");
        assert!(!plan.contains("Seq Scan"), "{sql}\n{plan}");
    }
}

/// The plan outlasts what it was made for, until the server looks at the tables again.
#[tokio::test]
async fn no_statement_that_is_planned_for_small_tables_reads_all_runs() {
    let few = FILL.replace("60000", "3").replace("5000", "3");
    let (_store, client) = filled(&few).await;
    for (sql, _) in REPEATED {
        let plan = plan(&client, sql).await;
        assert!(!plan.contains("Seq Scan"), "{sql}\n{plan}");
    }
}

#[tokio::test]
async fn no_page_of_a_list_reads_or_sorts_all_runs() {
    let (_store, client) = filled(FILL).await;
    let key = RunKey::new("7").unwrap().of_tenant("tenant 7").unwrap();
    let info = RunInfo::new(key, "flow 1", Status::Done, SystemTime::UNIX_EPOCH);
    let first = Filter::new().with_limit(100).with_tenant("tenant 7");
    let page = first.clone().with_after(Cursor::of(&info));
    let of_flow = Filter {
        flow: Some(String::new()),
        ..page.clone()
    };
    for (filter, params) in [
        (first, ""),
        (page.clone(), ""),
        (of_flow, ", 'flow 1'"),
        (page.clone().with_status(Status::Done), ", 'done'"),
        (page.every_tenant(), ""),
    ] {
        let tenant = filter.tenant.column().map_or("", |_| ", 'tenant 7'");
        let after = filter
            .after
            .as_ref()
            .map_or("", |_| ", 45000, 'tenant 7', '7'");
        let params = format!("(101{tenant}{params}{after})");
        let plan = plan_with(&client, &list(&filter), (&params, "force_custom_plan")).await;
        // Which index is cheapest depends on how many runs a tenant has.
        let is_in_order = plan.contains("Index Scan Backward using run_by_");
        assert!(is_in_order, "{filter:?}\n{plan}");
        assert!(!plan.contains("Sort"), "{filter:?}\n{plan}");
        assert!(!plan.contains("Seq Scan"), "{filter:?}\n{plan}");
    }
    // The runs of a tag are sorted, and no others.
    let by_tag = plan(&client, &list(&Filter::new().with_tag("a", "b"))).await;
    assert!(by_tag.contains("tag_by_value"), "{by_tag}");
    assert!(!by_tag.contains("Seq Scan"), "{by_tag}");
}
