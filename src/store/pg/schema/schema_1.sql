-- Schema version 1 of the shared job store: PostgreSQL 15 or later, YugabyteDB. No advisory locks, no
-- unlogged tables, no triggers. The statements can be repeated: a migration that was cut short starts again.
--
-- 64-bit numbers of the program without a sign (sector_size, miner_id, ...) are kept as bigint with the
-- same bits. Names that end in _ms are milliseconds of Unix time by the clock of a daemon; names that end
-- in _at are times by the clock of the database. Leases are judged by the clock of the database alone.

-- A daemon from its start to its end. A daemon that starts again, or that lost its lease, is a new member.
CREATE TABLE IF NOT EXISTS cuzk_member (
    incarnation  bigint PRIMARY KEY,        -- never given twice
    name         text NOT NULL,             -- of the daemon: equal over restarts, unique among living members
    address      text NOT NULL,             -- where its gRPC server listens; '' when that is not told
    version      text NOT NULL,             -- of the program
    joined_at    timestamptz NOT NULL DEFAULT now(),
    heard_at     timestamptz NOT NULL DEFAULT now(), -- last renewal
    lease_until  timestamptz NOT NULL,      -- after this time others may take its jobs
    is_alive     boolean NOT NULL DEFAULT true,
    is_draining  boolean NOT NULL DEFAULT false,
    end_reason   text NOT NULL DEFAULT '',  -- why it is not alive: 'left', 'replaced', 'lease lost'
    completed    bigint NOT NULL DEFAULT 0, -- jobs that ended by it
    failed       bigint NOT NULL DEFAULT 0
);
CREATE INDEX IF NOT EXISTS cuzk_member_alive ON cuzk_member (name) WHERE is_alive;

CREATE TABLE IF NOT EXISTS cuzk_job (
    number        bigint PRIMARY KEY,       -- never given twice
    job_id        text NOT NULL,            -- what clients ask for
    request_id    bytea NOT NULL,           -- as the client gave it
    owner         bytea NOT NULL,           -- the client
    kind          bigint NOT NULL,          -- 1 PoRep, 2 update, 3 WindowPoSt, 4 WinningPoSt
    priority      bigint NOT NULL,          -- as the client gave it
    sector_size   bigint NOT NULL,
    registered_proof bigint NOT NULL,
    sector_number bigint NOT NULL,
    miner_id      bigint NOT NULL,
    partition_index bigint NOT NULL,
    content       bytea NOT NULL,           -- SHA-256 of what is to be proved
    accepted_ms   bigint NOT NULL,
    deadline_ms   bigint NOT NULL,          -- 0: none
    cancel_when_unwatched boolean NOT NULL,
    -- order of claims: class downwards, then due_ms, then accepted_at
    class         bigint NOT NULL,          -- 1 low .. 4 critical; rises while the job waits
    class_at      timestamptz NOT NULL DEFAULT now(), -- last rise
    due_ms        bigint NOT NULL,          -- deadline_ms, or the largest bigint
    accepted_at   timestamptz NOT NULL DEFAULT now(),
    state         bigint NOT NULL,          -- 0 queued, 1 running, 2 completed, 3 failed, 4 cancelled
    -- the lease: member is its holder, fence its number. Only who has both may write the result.
    member        bigint,                   -- NULL: nobody proves the job
    fence         bigint NOT NULL DEFAULT 0,
    claimed_at    timestamptz,
    started_at    timestamptz,
    deaths        bigint NOT NULL DEFAULT 0,  -- members that died while they proved the job
    died_on       text NOT NULL DEFAULT '',   -- and their names
    cancel_asked  boolean NOT NULL DEFAULT false,
    proved_by     text NOT NULL DEFAULT '',   -- name of the member that wrote the result
    -- the end
    ended_ms      bigint NOT NULL,
    code          bigint NOT NULL,
    error         text NOT NULL,
    proof         bytea NOT NULL,
    queue_wait_ms bigint NOT NULL,
    srs_load_ms   bigint NOT NULL,
    synthesis_ms  bigint NOT NULL,
    gpu_compute_ms bigint NOT NULL,
    total_ms      bigint NOT NULL,
    -- the input, in cuzk_input until the job ends
    input_bytes   bigint NOT NULL,
    input_digest  bytea NOT NULL            -- SHA-256 of all parts
);
CREATE INDEX IF NOT EXISTS cuzk_job_id ON cuzk_job (job_id, accepted_ms);
CREATE INDEX IF NOT EXISTS cuzk_job_content ON cuzk_job (content);
-- Equal jobs of two daemons at one moment: the second one joins the first.
CREATE UNIQUE INDEX IF NOT EXISTS cuzk_job_open ON cuzk_job (content, request_id) WHERE state < 2;
CREATE INDEX IF NOT EXISTS cuzk_job_waiting ON cuzk_job (class DESC, due_ms, accepted_at, number)
    WHERE state = 0 AND member IS NULL;
CREATE INDEX IF NOT EXISTS cuzk_job_held ON cuzk_job (member) WHERE state < 2;
CREATE INDEX IF NOT EXISTS cuzk_job_ended ON cuzk_job (ended_ms ASC, number) WHERE state >= 2;

-- Inputs, in parts of one megabyte: apart from the rows that change.
CREATE TABLE IF NOT EXISTS cuzk_input (
    number        bigint NOT NULL,
    part          bigint NOT NULL,
    data          bytea NOT NULL,
    PRIMARY KEY (number, part)
);

-- next_number: of a store that one program uses alone; next_incarnation: of members.
CREATE TABLE IF NOT EXISTS cuzk_meta (
    name          text PRIMARY KEY,
    value         bigint NOT NULL
);
INSERT INTO cuzk_meta VALUES ('next_number', 1), ('next_incarnation', 1) ON CONFLICT DO NOTHING;
