-- All times are in milliseconds since 1970. Entries, commands and histories go with their run.
CREATE TABLE run (
    seq INTEGER PRIMARY KEY,
    -- Nobody's, where it is empty.
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    flow TEXT NOT NULL,
    status TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    -- From when a worker may claim it.
    wake_at INTEGER,
    step INTEGER NOT NULL DEFAULT 0,
    -- JSON.
    questions TEXT NOT NULL DEFAULT '[]',
    output TEXT,
    error TEXT,
    failed_claims INTEGER NOT NULL DEFAULT 0,
    forked_from TEXT,
    forked_step INTEGER,
    -- The number of the last lease, who has it, and until when.
    lease INTEGER NOT NULL DEFAULT 0,
    lease_owner TEXT,
    lease_until INTEGER,
    -- The number of the last command that was pushed.
    last_command INTEGER NOT NULL DEFAULT 0,
    UNIQUE (tenant, id)
) STRICT;

-- The number of the last lease of any run: also of one that is gone, whose id another may have.
CREATE TABLE last_lease (number INTEGER NOT NULL) STRICT;
INSERT INTO last_lease VALUES (0);

CREATE INDEX run_by_wake ON run (wake_at, tenant, id) WHERE wake_at IS NOT NULL;
CREATE INDEX run_by_creation ON run (created_at, tenant, id);
CREATE INDEX run_by_age ON run (tenant, created_at, id);
CREATE INDEX run_by_status ON run (tenant, status, created_at, id);
CREATE INDEX run_by_flow ON run (tenant, flow, created_at, id);

CREATE TABLE tag (
    run INTEGER NOT NULL REFERENCES run (seq) ON DELETE CASCADE,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (run, name)
) STRICT, WITHOUT ROWID;

CREATE INDEX tag_by_value ON tag (name, value, run);

CREATE TABLE entry (
    run INTEGER NOT NULL REFERENCES run (seq) ON DELETE CASCADE,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (run, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE history (
    run INTEGER NOT NULL REFERENCES run (seq) ON DELETE CASCADE,
    step INTEGER NOT NULL,
    at INTEGER NOT NULL,
    status TEXT NOT NULL,
    -- JSON, as are the others.
    node TEXT,
    taken TEXT NOT NULL,
    refused TEXT NOT NULL,
    changes TEXT NOT NULL,
    PRIMARY KEY (run, step)
) STRICT, WITHOUT ROWID;

CREATE TABLE inbox (
    run INTEGER NOT NULL REFERENCES run (seq) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    is_cancel INTEGER NOT NULL,
    -- Whether it is an answer to a question that was not open.
    is_early INTEGER NOT NULL,
    -- JSON.
    command TEXT NOT NULL,
    PRIMARY KEY (run, number)
) STRICT, WITHOUT ROWID;
