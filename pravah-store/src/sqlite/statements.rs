//! All statements. What comes from outside is always a parameter.

use crate::Filter;

/// What a [`RunInfo`](crate::RunInfo) is read from, in the order in which `rows` reads it.
macro_rules! info {
    () => {
        "run.tenant, run.id, run.flow, run.status, run.created_at, run.updated_at, run.wake_at, run.step, \
         run.questions, run.output, run.error, run.failed_claims, run.forked_from, run.forked_step, \
         (SELECT json_group_object(name, value) FROM tag WHERE tag.run = run.seq)"
    };
}

pub(super) const INSERT_RUN: &str = "INSERT INTO run \
    (tenant, id, flow, status, created_at, updated_at, wake_at, forked_from, forked_step) \
    VALUES (?1, ?2, ?3, 'ready', ?4, ?4, ?4, ?5, ?6)";

pub(super) const INSERT_TAG: &str = "INSERT INTO tag (run, name, value) VALUES (?1, ?2, ?3)";

/// The row of a run, its flow, status, last step and last command.
pub(super) const FIND: &str =
    "SELECT seq, flow, status, step, last_command FROM run WHERE tenant = ?1 AND id = ?2";

pub(super) const INFO: &str = concat!(
    "SELECT run.seq, ",
    info!(),
    " FROM run WHERE tenant = ?1 AND id = ?2"
);

/// The longest wait first. A run whose lease has ended is free again.
pub(super) const CLAIMABLE: &str = "SELECT seq FROM run \
    WHERE wake_at <= ?1 AND (lease_until IS NULL OR lease_until <= ?1) \
    AND flow IN (SELECT value FROM json_each(?2)) ORDER BY wake_at, tenant, id LIMIT ?3";

pub(super) const NEXT_LEASE: &str = "UPDATE last_lease SET number = number + 1";

pub(super) const CLAIM: &str = "UPDATE run SET lease = (SELECT number FROM last_lease), lease_owner = ?2, \
    lease_until = ?3, failed_claims = failed_claims + 1 WHERE seq = ?1";

pub(super) const CLAIMED: &str = concat!("SELECT run.lease, ", info!(), " FROM run WHERE seq = ?1");

/// The run of a lease, if that still holds.
pub(super) const LEASED: &str = "SELECT seq, flow, status, step, last_command FROM run \
    WHERE tenant = ?1 AND id = ?2 AND lease = ?3 AND lease_owner = ?4 AND lease_until > ?5";

pub(super) const RENEW: &str = "UPDATE run SET lease_until = ?2 WHERE seq = ?1";

pub(super) const RELEASE_STOPPED: &str = "UPDATE run SET lease_owner = NULL, lease_until = NULL, \
    failed_claims = MAX(failed_claims - 1, 0) WHERE seq = ?1";

pub(super) const RELEASE_FAILED: &str = "UPDATE run SET lease_owner = NULL, lease_until = NULL, \
    error = ?2, wake_at = ?3 WHERE seq = ?1";

pub(super) const RELEASE_PARKED: &str = "UPDATE run SET lease_owner = NULL, lease_until = NULL, \
    error = ?2, wake_at = NULL, status = 'failed', updated_at = ?3 WHERE seq = ?1";

/// A command to cancel a run that was released may have come after its worker has looked.
pub(super) const WAKE_TO_CANCEL: &str = "UPDATE run SET wake_at = MIN(COALESCE(wake_at, ?2), ?2) \
    WHERE seq = ?1 AND EXISTS (SELECT 1 FROM inbox WHERE run = ?1 AND is_cancel)";

/// `:step` is the number of the step that is written, or of the last one.
pub(super) const COMMIT: &str = "UPDATE run SET step = :step, status = :status, updated_at = :now, \
    wake_at = :wake_at, questions = :questions, output = :output, error = :error, \
    failed_claims = IIF(:is_progress, 0, failed_claims), \
    lease_owner = IIF(:release, NULL, lease_owner), lease_until = IIF(:release, NULL, lease_until) \
    WHERE seq = :seq";

/// Whether a command was pushed that is a reason to claim the run.
pub(super) const HAS_UNSEEN: &str = "SELECT EXISTS \
    (SELECT 1 FROM inbox WHERE run = ?1 AND number > ?2 AND (is_cancel OR NOT ?3))";

pub(super) const DELETE_ENTRY: &str = "DELETE FROM entry WHERE run = ?1 AND key = ?2";

/// All keys that start with a key and a `/`: `?3` is the key with the character that follows `/`.
pub(super) const DELETE_ENTRIES_UNDER: &str =
    "DELETE FROM entry WHERE run = ?1 AND key >= ?2 AND key < ?3";

pub(super) const PUT_ENTRY: &str = "INSERT INTO entry (run, key, value) VALUES (?1, ?2, ?3) \
    ON CONFLICT (run, key) DO UPDATE SET value = excluded.value";

pub(super) const ENTRIES: &str = "SELECT key, value FROM entry WHERE run = ?1";

pub(super) const INSERT_HISTORY: &str = "INSERT INTO history \
    (run, step, at, status, node, taken, refused, changes) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";

pub(super) const HISTORY: &str = "SELECT step, at, status, node, taken, refused FROM history \
    WHERE run = ?1 AND step >= ?2 ORDER BY step LIMIT ?3";

pub(super) const CHANGES_UNTIL: &str =
    "SELECT changes FROM history WHERE run = ?1 AND step <= ?2 ORDER BY step";

pub(super) const INSERT_COMMAND: &str =
    "INSERT INTO inbox (run, number, is_cancel, is_early, command) VALUES (?1, ?2, ?3, ?4, ?5)";

pub(super) const INBOX: &str =
    "SELECT number, command FROM inbox WHERE run = ?1 AND number > ?2 ORDER BY number";

pub(super) const COUNT_COMMANDS: &str = "SELECT COUNT(*), COALESCE(SUM(is_cancel), 0), COALESCE(SUM(is_early), 0) FROM inbox WHERE run = ?1";

pub(super) const DELETE_COMMAND: &str = "DELETE FROM inbox WHERE run = ?1 AND number = ?2";

pub(super) const DELETE_COMMANDS: &str = "DELETE FROM inbox WHERE run = ?1";

pub(super) const SET_LAST_COMMAND: &str = "UPDATE run SET last_command = ?2 WHERE seq = ?1";

pub(super) const WAKE: &str =
    "UPDATE run SET wake_at = MIN(COALESCE(wake_at, ?2), ?2) WHERE seq = ?1";

pub(super) const RETRY: &str = "UPDATE run SET status = 'ready', failed_claims = 0, \
    updated_at = ?2, wake_at = MIN(COALESCE(wake_at, ?2), ?2) WHERE seq = ?1";

pub(super) const COPY_TAGS: &str =
    "INSERT INTO tag (run, name, value) SELECT ?2, name, value FROM tag WHERE run = ?1";

/// The runs that pass a filter. Only conditions that the filter has are in it, so that an index serves them: each is a
/// constant, and its values are parameters.
pub(super) fn list(filter: &Filter) -> String {
    let mut sql = String::from(match filter.tags.is_empty() {
        true => concat!("SELECT run.seq, ", info!(), " FROM run WHERE TRUE"),
        // `:tags` is an object with all of them, and `:name` and `:value` are one of them, by which the index finds the
        // runs.
        false => concat!(
            "SELECT run.seq, ",
            info!(),
            " FROM tag AS one JOIN run ON run.seq = one.run \
             WHERE one.name = :name AND one.value = :value \
             AND NOT EXISTS (SELECT 1 FROM json_each(:tags) AS wanted WHERE NOT EXISTS \
                 (SELECT 1 FROM tag WHERE tag.run = run.seq \
                  AND tag.name = wanted.key AND tag.value = wanted.value))"
        ),
    });
    if filter.tenant.column().is_some() {
        sql.push_str(" AND run.tenant = :tenant");
    }
    if filter.flow.is_some() {
        sql.push_str(" AND run.flow = :flow");
    }
    if filter.status.is_some() {
        sql.push_str(" AND run.status = :status");
    }
    if filter.after.is_some() {
        sql.push_str(
            " AND (run.created_at, run.tenant, run.id) < (:created_at, :after_tenant, :after_id)",
        );
    }
    sql.push_str(" ORDER BY run.created_at DESC, run.tenant DESC, run.id DESC LIMIT :limit");
    sql
}

macro_rules! prune {
    ($tenant:literal) => {
        concat!(
            "DELETE FROM run WHERE seq IN (SELECT seq FROM (SELECT seq, updated_at, \
                ROW_NUMBER() OVER (PARTITION BY tenant ORDER BY updated_at DESC, id DESC) AS place \
                FROM run WHERE ",
            $tenant,
            " AND status IN ('done', 'cancelled')) WHERE place > ?3 OR updated_at < ?2)"
        )
    };
}

/// Deletes all but the last `?3` runs of a tenant that have ended, and those that ended before `?2`.
pub(super) const PRUNE: &str = prune!("tenant = ?1");

/// The same of every tenant.
pub(super) const PRUNE_EVERY: &str = prune!("?1 IS NULL");

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::*;
    use crate::{RunInfo, RunKey, Status, query::Cursor, sqlite::schema::migrate};

    /// How SQLite goes about a statement.
    fn plan(sql: &str) -> String {
        let mut connection = Connection::open_in_memory().unwrap();
        let path = std::path::Path::new("in memory");
        assert!(migrate(&mut connection, path).is_ok());
        let explained = format!("EXPLAIN QUERY PLAN {sql}");
        let mut statement = connection.prepare(&explained).unwrap();
        let rows = statement.raw_query().mapped(|row| row.get::<_, String>(3));
        rows.map(Result::unwrap).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn no_query_that_is_repeated_reads_or_sorts_all_runs() {
        let info = RunInfo::new(
            RunKey::new("a").unwrap(),
            "flow",
            Status::Ready,
            std::time::SystemTime::now(),
        );
        let page = |filter: Filter| list(&filter.with_after(Cursor::of(&info)));
        for (sql, index) in [
            (CLAIMABLE, "run_by_wake"),
            (INFO, "(tenant=? AND id=?)"),
            (LEASED, "(tenant=? AND id=?)"),
            (ENTRIES, "PRIMARY KEY"),
            (
                DELETE_ENTRIES_UNDER,
                "PRIMARY KEY (run=? AND key>? AND key<?)",
            ),
            (INBOX, "PRIMARY KEY (run=? AND number>?)"),
            (HISTORY, "PRIMARY KEY (run=? AND step>?)"),
            (PRUNE, "run_by_status (tenant=? AND status=?"),
            (&list(&Filter::new()), "run_by_age"),
            (
                &page(Filter::new()),
                "run_by_age (tenant=? AND created_at<?)",
            ),
            (
                &page(Filter::new().with_flow("a")),
                "run_by_flow (tenant=? AND flow=?",
            ),
            (
                &page(Filter::new().with_status(Status::Done)),
                "run_by_status (tenant=? AND status=?",
            ),
            (
                &page(Filter::new().every_tenant()),
                "run_by_creation ((created_at,tenant,id)<(?,?,?))",
            ),
        ] {
            let plan = plan(sql);
            assert!(plan.contains(index), "{sql}\n{plan}");
            assert!(!plan.contains("B-TREE FOR ORDER BY"), "{sql}\n{plan}");
        }
        // The runs of a tag are sorted, and no others.
        let by_tag = plan(&list(&Filter::new().with_tag("a", "b")));
        assert!(
            by_tag.contains("tag_by_value (name=? AND value=?"),
            "{by_tag}"
        );
    }
}
