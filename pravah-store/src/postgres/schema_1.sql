-- All times are in milliseconds since 1970. Entries, commands and histories go with their run. JSON is text: its
-- numbers, and the order of its keys, stay as they are.
CREATE TABLE run (
    seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    -- Nobody's, where it is empty.
    tenant TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    flow TEXT COLLATE "C" NOT NULL,
    status TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    -- From when a worker may claim it.
    wake_at BIGINT,
    step BIGINT NOT NULL DEFAULT 0,
    -- JSON.
    questions TEXT NOT NULL DEFAULT '[]',
    output TEXT,
    error TEXT,
    failed_claims BIGINT NOT NULL DEFAULT 0,
    forked_from TEXT COLLATE "C",
    forked_step BIGINT,
    -- The number of the last lease, who has it, and until when.
    lease BIGINT NOT NULL DEFAULT 0,
    lease_owner TEXT COLLATE "C",
    lease_until BIGINT,
    -- The number of the last command that was pushed.
    last_command BIGINT NOT NULL DEFAULT 0,
    UNIQUE (tenant, id)
);

-- The number of the last lease of any run: also of one that is gone, whose id another may have.
CREATE SEQUENCE last_lease;

CREATE INDEX run_by_wake ON run (wake_at, tenant, id) WHERE wake_at IS NOT NULL;
CREATE INDEX run_by_creation ON run (created_at, tenant, id);
CREATE INDEX run_by_age ON run (tenant, created_at, id);
CREATE INDEX run_by_status ON run (tenant, status, created_at, id);
CREATE INDEX run_by_flow ON run (tenant, flow, created_at, id);

CREATE TABLE tag (
    run BIGINT NOT NULL REFERENCES run (seq) ON DELETE CASCADE,
    name TEXT COLLATE "C" NOT NULL,
    value TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (run, name)
);

CREATE INDEX tag_by_value ON tag (name, value, run);

CREATE TABLE entry (
    run BIGINT NOT NULL REFERENCES run (seq) ON DELETE CASCADE,
    -- UTF-8, as bytes: a key may have a U+0000 in it, and no text can.
    key BYTEA NOT NULL,
    -- JSON.
    value TEXT NOT NULL,
    PRIMARY KEY (run, key)
);

CREATE TABLE history (
    run BIGINT NOT NULL REFERENCES run (seq) ON DELETE CASCADE,
    step BIGINT NOT NULL,
    at BIGINT NOT NULL,
    status TEXT COLLATE "C" NOT NULL,
    -- JSON, as are the others.
    node TEXT,
    taken TEXT NOT NULL,
    refused TEXT NOT NULL,
    changes TEXT NOT NULL,
    PRIMARY KEY (run, step)
);

CREATE TABLE inbox (
    run BIGINT NOT NULL REFERENCES run (seq) ON DELETE CASCADE,
    number BIGINT NOT NULL,
    is_cancel BOOLEAN NOT NULL,
    -- Whether it is an answer to a question that was not open.
    is_early BOOLEAN NOT NULL,
    -- JSON.
    command TEXT NOT NULL,
    PRIMARY KEY (run, number)
);
