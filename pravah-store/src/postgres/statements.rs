//! All statements. What comes from outside is always a parameter.
//!
//! Every connection has its `search_path` set to the schema of the store, and transactions are `READ COMMITTED` unless
//! they say otherwise: each statement sees what was committed before it began. What a transaction checks of a run it
//! reads in a first statement that locks the run's row (`FOR NO KEY UPDATE`); whatever it reads and writes of the run
//! after that nobody else can change before it ends. Who has a lease sends all statements at once: the first one notes the
//! row in a setting of the transaction, if the lease holds, and without that the others change nothing. Hence:
//!
//! - *Commit, renew, release, push, retry* of one run happen one after the other. Each sees what those before it wrote.
//! - *A claim* passes over rows that are locked, and so never waits. One that has changed since the claim began is checked
//!   again as it is now (PostgreSQL evaluates the conditions anew once it has the lock). Of two claims of a run the second
//!   finds the row locked, or a lease in it.
//! - *Two starts* of one key: the second waits within `ON CONFLICT` for the first, and then changes nothing. The flow of
//!   the run that exists is read by another statement, which sees it; where it was pruned meanwhile, it starts again.
//! - *A fork* holds the row of its source (`FOR KEY SHARE`), so that it cannot be pruned before the fork is there.
//!   Commits continue: what the fork copies does not change any more.
//! - *Pruning* deletes runs that have ended, for good, and nothing claims or changes those. It passes over rows that are
//!   locked: as it waits for nobody, and all others lock one row, or a row and then what is new, there is no deadlock.
//!
//! Times are those of the database, read where they are needed: whatever the clocks of processes show, a run that one of
//! them has made ready is due for all.

use crate::Filter;

/// What a [`RunInfo`](crate::RunInfo) is read from, in the order in which `rows` reads it.
macro_rules! info {
    () => {
        "run.tenant, run.id, run.flow, run.status, run.created_at, run.updated_at, run.wake_at, run.step, \
         run.questions, run.output, run.error, run.failed_claims, run.forked_from, run.forked_step, \
         (SELECT COALESCE(json_object_agg(name, value)::text, '{}') FROM tag WHERE tag.run = run.seq)"
    };
}

/// The row of a run of this tenant and id.
macro_rules! seq {
    () => {
        "(SELECT seq FROM run WHERE tenant = $1 AND id = $2)"
    };
}

/// The time of the database in milliseconds since 1970.
macro_rules! now {
    () => {
        "floor(EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::bigint"
    };
}

/// The row of the run whose lease a transaction holds, by [`LOCK_HELD`]; null if it does not hold it.
macro_rules! held {
    () => {
        "NULLIF(current_setting('pravah.run', true), '')::bigint"
    };
}

/// When that was locked.
macro_rules! held_at {
    () => {
        "NULLIF(current_setting('pravah.now', true), '')::bigint"
    };
}

/// The row of a run, its flow, status, last step and last command.
macro_rules! found {
    ($lock:literal) => {
        concat!(
            "SELECT seq, flow, status, step, last_command FROM run WHERE tenant = $1 AND id = $2",
            $lock
        )
    };
}

pub(super) const BEGIN: &str = "BEGIN";

/// All that is read is as of one moment.
pub(super) const BEGIN_READ: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

/// The same for a query whose best plan depends on its parameters.
pub(super) const BEGIN_PLANNED_READ: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; \
    SET LOCAL plan_cache_mode TO force_custom_plan";

/// Begins a transaction for a statement that may read whole tables, and whose best plan depends on how many rows it finds.
pub(super) const BEGIN_SCAN: &str =
    "BEGIN; SET LOCAL plan_cache_mode TO force_custom_plan; SET LOCAL enable_seqscan TO on";

pub(super) const COMMIT: &str = "COMMIT";

pub(super) const ROLLBACK: &str = "ROLLBACK";

pub(super) const ENCODING: &str = "SHOW server_encoding";

pub(super) const HAS_SCHEMA: &str =
    "SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = $1)";

/// Whether a schema has a version, and so may be a store.
pub(super) const HAS_VERSION: &str = "SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_class AS class \
    JOIN pg_catalog.pg_namespace AS schema ON schema.oid = class.relnamespace \
    WHERE schema.nspname = $1 AND class.relname = 'schema_version')";

/// Processes that open a store at the same time migrate it one after the other.
pub(super) const LOCK_SCHEMA: &str =
    "SELECT pg_advisory_xact_lock(hashtextextended('pravah ' || $1, 0))";

pub(super) const CREATE_VERSION: &str = "CREATE TABLE schema_version (number BIGINT NOT NULL); \
    INSERT INTO schema_version VALUES (0)";

pub(super) const VERSION: &str = "SELECT number FROM schema_version";

pub(super) const SET_VERSION: &str = "UPDATE schema_version SET number = $1";

/// For the statements of a transaction. After the one that locks a run it is the time at which the lock was there.
pub(super) const NOW: &str = concat!("SELECT ", now!());

/// The time of the database in microseconds since 1970.
pub(super) const NOW_IN_MICROS: &str =
    "SELECT (EXTRACT(EPOCH FROM clock_timestamp()) * 1000000)::bigint";

pub(super) const NOTIFY: &str = "SELECT pg_notify(channel, $2) FROM unnest($1::text[]) AS channel";

/// A run with its tags, entries and the first row of its history. `$4` is the time, if not the database's. Returns its row; nothing if the key is taken.
pub(super) const INSERT_RUN: &str = concat!(
    "WITH now AS MATERIALIZED (SELECT COALESCE($4::bigint, ",
    now!(),
    ") AS at), \
    new AS (INSERT INTO run \
            (tenant, id, flow, status, created_at, updated_at, wake_at, forked_from, forked_step) \
        SELECT $1, $2, $3, 'ready', now.at, now.at, now.at, $5, $6::bigint FROM now \
        ON CONFLICT (tenant, id) DO NOTHING RETURNING seq), \
    tags AS (INSERT INTO tag (run, name, value) \
        SELECT new.seq, it.name, it.value FROM new, unnest($7::text[], $8::text[]) AS it (name, value)), \
    entries AS (INSERT INTO entry (run, key, value) \
        SELECT new.seq, it.key, it.value FROM new, unnest($9::bytea[], $10::text[]) AS it (key, value)), \
    start AS (INSERT INTO history (run, step, at, status, node, taken, refused, changes) \
        SELECT new.seq, 0, now.at, 'ready', NULL, '[]', '[]', $11 FROM new, now) \
    SELECT seq FROM new"
);

pub(super) const FLOW: &str = "SELECT flow FROM run WHERE tenant = $1 AND id = $2";

pub(super) const FIND: &str = found!("");

/// Nobody else changes the run before the transaction ends.
pub(super) const LOCK: &str = found!(" FOR NO KEY UPDATE");

/// Nobody deletes the run before the transaction ends.
pub(super) const KEEP: &str = found!(" FOR KEY SHARE");

/// Locks the row of a run, and notes it and the time for the statements that follow in the transaction, if the lease with
/// this number and owner holds. `$5` is the time, if not the database's: that is read after the lock was given. Returns
/// whether the lease holds, and the number of the last command.
pub(super) const LOCK_HELD: &str = concat!(
    "WITH locked AS MATERIALIZED (SELECT seq, last_command, lease, lease_owner, lease_until \
        FROM run WHERE tenant = $1 AND id = $2 FOR NO KEY UPDATE), \
    timed AS MATERIALIZED (SELECT *, COALESCE($5::bigint, ",
    now!(),
    ") AS at FROM locked), \
    checked AS MATERIALIZED (SELECT seq, last_command, at, \
        COALESCE(lease = $3 AND lease_owner = $4 AND lease_until > at, FALSE) AS holds FROM timed) \
    SELECT holds, last_command, set_config('pravah.now', at::text, true), \
        set_config('pravah.run', CASE WHEN holds THEN seq::text ELSE '' END, true) FROM checked"
);

pub(super) const INFO: &str = concat!(
    "SELECT ",
    info!(),
    " FROM run WHERE tenant = $1 AND id = $2"
);

pub(super) const TAGS: &str = concat!("SELECT name, value FROM tag WHERE run = ", seq!());

/// The longest wait first. `$1` is the time, if not the database's. A run whose lease has ended is free again. (As an array, because a plan for any limit would
/// join with all runs.)
pub(super) const CLAIM: &str = concat!(
    "WITH now AS MATERIALIZED (SELECT COALESCE($1::bigint, ",
    now!(),
    ") AS at), \
    due AS MATERIALIZED (SELECT seq FROM run WHERE wake_at <= (SELECT at FROM now) \
            AND (lease_until IS NULL OR lease_until <= (SELECT at FROM now)) AND flow = ANY ($2) \
        ORDER BY wake_at, tenant, id LIMIT $3 FOR NO KEY UPDATE SKIP LOCKED) \
    UPDATE run SET lease = nextval('last_lease'), lease_owner = $4, \
        lease_until = (SELECT at FROM now) + $5, failed_claims = failed_claims + 1 \
    WHERE run.seq = ANY (ARRAY (SELECT due.seq FROM due)) RETURNING ",
    info!(),
    ", run.seq, run.lease"
);

/// Parks a run of which the claim with this number could not be read.
pub(super) const PARK_CLAIMED: &str = "UPDATE run SET lease_owner = NULL, lease_until = NULL, \
    error = $3, wake_at = NULL, status = 'failed', updated_at = $4 WHERE seq = $1 AND lease = $2";

pub(super) const RENEW: &str = concat!(
    "UPDATE run SET lease_until = ",
    held_at!(),
    " + $1 WHERE seq = ",
    held!()
);

pub(super) const RELEASE_STOPPED: &str = concat!(
    "UPDATE run SET lease_owner = NULL, lease_until = NULL, \
        failed_claims = GREATEST(failed_claims - 1, 0) WHERE seq = ",
    held!()
);

pub(super) const RELEASE_FAILED: &str = concat!(
    "UPDATE run SET lease_owner = NULL, lease_until = NULL, error = $1, wake_at = $2 WHERE seq = ",
    held!()
);

pub(super) const RELEASE_PARKED: &str = concat!(
    "UPDATE run SET lease_owner = NULL, lease_until = NULL, error = $1, wake_at = NULL, \
        status = 'failed', updated_at = ",
    held_at!(),
    " WHERE seq = ",
    held!()
);

/// A command to cancel a run that was released may have come after its worker has looked.
pub(super) const WAKE_TO_CANCEL: &str = concat!(
    "UPDATE run SET wake_at = LEAST(wake_at, ",
    held_at!(),
    ") WHERE seq = ",
    held!(),
    " AND EXISTS (SELECT 1 FROM inbox WHERE run = ",
    held!(),
    " AND is_cancel)"
);

/// `$1` is 1 where a step is written, and otherwise 0. The run may be claimed again at once (`$10`), or from a time on.
/// A command with a larger number than `$8` that is a reason to claim the run wakes it: where it has failed (`$9`), one to
/// cancel it. (`LEAST` leaves out what is null.)
pub(super) const COMMIT_RUN: &str = concat!(
    "UPDATE run SET step = step + $1, status = $2, updated_at = ",
    held_at!(),
    ", wake_at = LEAST(CASE WHEN $10 THEN ",
    held_at!(),
    " ELSE $3::bigint END, CASE WHEN EXISTS (SELECT 1 FROM inbox WHERE run = ",
    held!(),
    " AND number > $8 AND (is_cancel OR NOT $9)) THEN ",
    held_at!(),
    " END), questions = $4, output = $5, error = $6, \
    failed_claims = CASE WHEN $7 THEN 0 ELSE failed_claims END, \
    lease_owner = CASE WHEN $11 THEN NULL ELSE lease_owner END, \
    lease_until = CASE WHEN $11 THEN NULL ELSE lease_until END \
    WHERE seq = ",
    held!()
);

/// All keys in any of these ranges, each without its end. (By their places, and one range after the other: otherwise all
/// entries of the run may be read. Nobody moves them, as the run is locked.)
pub(super) const DELETE_ENTRIES: &str = concat!(
    "DELETE FROM entry WHERE ctid = ANY (ARRAY ( \
        SELECT it.ctid FROM unnest($1::bytea[], $2::bytea[]) AS deleted (start, until), \
            LATERAL (SELECT ctid FROM entry WHERE run = ",
    held!(),
    " AND key >= deleted.start AND key < deleted.until OFFSET 0) AS it))"
);

pub(super) const PUT_ENTRIES: &str = concat!(
    "INSERT INTO entry (run, key, value) SELECT held.run, it.key, it.value FROM (SELECT ",
    held!(),
    " AS run) AS held, unnest($1::bytea[], $2::text[]) AS it (key, value) WHERE held.run IS NOT NULL \
    ON CONFLICT (run, key) DO UPDATE SET value = excluded.value"
);

pub(super) const ENTRIES: &str = concat!("SELECT key, value FROM entry WHERE run = ", seq!());

/// The step after the last one.
pub(super) const INSERT_HISTORY: &str = concat!(
    "INSERT INTO history (run, step, at, status, node, taken, refused, changes) SELECT seq, step + 1, ",
    held_at!(),
    ", $1, $2, $3, $4, $5 FROM run WHERE seq = ",
    held!()
);

pub(super) const HISTORY: &str = concat!(
    "SELECT step, at, status, node, taken, refused FROM history WHERE run = ",
    seq!(),
    " AND step >= $3 ORDER BY step LIMIT $4"
);

pub(super) const CHANGES_UNTIL: &str = concat!(
    "SELECT changes FROM history WHERE run = ",
    seq!(),
    " AND step <= $3 ORDER BY step"
);

pub(super) const INSERT_COMMAND: &str =
    "INSERT INTO inbox (run, number, is_cancel, is_early, command) VALUES ($1, $2, $3, $4, $5)";

pub(super) const INBOX: &str = concat!(
    "SELECT number, command FROM inbox WHERE run = ",
    seq!(),
    " AND number > $3 ORDER BY number"
);

pub(super) const COUNT_COMMANDS: &str = concat!(
    "SELECT COUNT(*), COUNT(*) FILTER (WHERE is_cancel), COUNT(*) FILTER (WHERE is_early) \
     FROM inbox WHERE run = ",
    seq!()
);

pub(super) const DELETE_COMMANDS: &str = concat!(
    "DELETE FROM inbox WHERE number = ANY ($1) AND run = ",
    held!()
);

pub(super) const DELETE_ALL_COMMANDS: &str = concat!("DELETE FROM inbox WHERE run = ", held!());

/// The run is claimable at once if the command is a reason for it.
pub(super) const SET_LAST_COMMAND: &str = "UPDATE run SET last_command = $2, \
    wake_at = CASE WHEN $3 THEN LEAST(wake_at, $4) ELSE wake_at END WHERE seq = $1";

pub(super) const RETRY: &str = "UPDATE run SET status = 'ready', failed_claims = 0, \
    updated_at = $2, wake_at = LEAST(wake_at, $2) WHERE seq = $1";

/// The runs that pass a filter. Only conditions that the filter has are in it, so that an index serves them: each is a
/// constant, and its values are parameters, in this order: the limit; the tags' names and values, and the name and value of
/// one of them; the tenant; the flow; the status; the place of the cursor.
pub(super) fn list(filter: &Filter) -> String {
    let mut parameters = 1;
    let mut next = || {
        parameters += 1;
        parameters
    };
    let mut sql = concat!("SELECT ", info!()).to_owned();
    if filter.tags.is_empty() {
        sql.push_str(" FROM run WHERE TRUE");
    } else {
        // By one of the tags the index finds the runs.
        let [names, values, name, value] = [next(), next(), next(), next()];
        sql.push_str(&format!(
            " FROM tag AS one JOIN run ON run.seq = one.run \
             WHERE one.name = ${name} AND one.value = ${value} AND NOT EXISTS \
                (SELECT 1 FROM unnest(${names}::text[], ${values}::text[]) AS wanted (name, value) \
                 WHERE NOT EXISTS (SELECT 1 FROM tag WHERE tag.run = run.seq \
                    AND tag.name = wanted.name AND tag.value = wanted.value))"
        ));
    }
    if filter.tenant.column().is_some() {
        sql.push_str(&format!(" AND run.tenant = ${}", next()));
    }
    if filter.flow.is_some() {
        sql.push_str(&format!(" AND run.flow = ${}", next()));
    }
    if filter.status.is_some() {
        sql.push_str(&format!(" AND run.status = ${}", next()));
    }
    if filter.after.is_some() {
        let (created_at, tenant, id) = (next(), next(), next());
        sql.push_str(&format!(
            " AND (run.created_at, run.tenant, run.id) < (${created_at}, ${tenant}, ${id})"
        ));
    }
    sql.push_str(" ORDER BY run.created_at DESC, run.tenant DESC, run.id DESC LIMIT $1");
    sql
}

macro_rules! prune {
    ($tenant:literal) => {
        concat!(
            "WITH ended AS (SELECT seq, updated_at, \
                ROW_NUMBER() OVER (PARTITION BY tenant ORDER BY updated_at DESC, id DESC) AS place \
                FROM run WHERE ",
            $tenant,
            " AND status IN ('done', 'cancelled')), \
            old AS MATERIALIZED (SELECT run.seq FROM run JOIN ended ON ended.seq = run.seq \
                WHERE ended.place > $3 OR ended.updated_at < $2 FOR UPDATE OF run SKIP LOCKED), \
            gone AS (DELETE FROM run USING old WHERE run.seq = old.seq RETURNING run.seq) \
            SELECT COUNT(*) FROM gone"
        )
    };
}

/// Deletes all but the last `$3` runs of a tenant that have ended, and those that ended before `$2`. Returns how many.
pub(super) const PRUNE: &str = prune!("tenant = $1");

/// The same of every tenant.
pub(super) const PRUNE_EVERY: &str = prune!("$1::text IS NULL");
