-- Schema version 2: packed inputs in several places, clients with weights and quotas, what members have loaded.
-- Programs of version 1 may go on: all that is new has a default.

ALTER TABLE cuzk_job
    ADD COLUMN IF NOT EXISTS input_form   bigint NOT NULL DEFAULT 0,  -- 0: kept as it is encoded; 1: packed and compressed
    ADD COLUMN IF NOT EXISTS input_place  bigint NOT NULL DEFAULT 0,  -- 0: cuzk_input; 1: the shared folder; 2: a folder of input_keeper
    ADD COLUMN IF NOT EXISTS input_keeper text NOT NULL DEFAULT '',   -- name of the daemon that keeps the input
    ADD COLUMN IF NOT EXISTS kept_bytes   bigint NOT NULL DEFAULT 0,  -- what is kept: its length (0: input_bytes) and SHA-256
    ADD COLUMN IF NOT EXISTS kept_digest  bytea NOT NULL DEFAULT '',
    ADD COLUMN IF NOT EXISTS circuit      text NOT NULL DEFAULT '',   -- what proves the job; '' of old programs
    ADD COLUMN IF NOT EXISTS share_tag    bigint NOT NULL DEFAULT 0;  -- order among the jobs of several clients
CREATE INDEX IF NOT EXISTS cuzk_job_shared ON cuzk_job (class DESC, due_ms, share_tag, accepted_at, number)
    WHERE state = 0 AND member IS NULL;
CREATE INDEX IF NOT EXISTS cuzk_job_owner ON cuzk_job (owner) WHERE state < 2;

ALTER TABLE cuzk_member
    ADD COLUMN IF NOT EXISTS reads      bigint NOT NULL DEFAULT 1,    -- newest version of the tables that the program knows
    ADD COLUMN IF NOT EXISTS loaded     text NOT NULL DEFAULT '',     -- circuits in memory: ' porep-32g wpost-32g '
    ADD COLUMN IF NOT EXISTS places     bigint NOT NULL DEFAULT 0,    -- jobs that it can prove at once
    ADD COLUMN IF NOT EXISTS devices    bigint NOT NULL DEFAULT 0,    -- its cards
    ADD COLUMN IF NOT EXISTS healthy    bigint NOT NULL DEFAULT 0;    -- those of them that can be used

-- What an operator decides about a client (the owner of its jobs); the row is made by its first job.
-- A job's share_tag is its client's next_tag, or the newest tag that is being proved, whichever is later; then
-- next_tag moves on by the job's cost over the weight (start-time fair queueing).
CREATE TABLE IF NOT EXISTS cuzk_client (
    name          bytea PRIMARY KEY,
    weight        bigint NOT NULL DEFAULT 100, -- share of the fleet, in hundredths
    max_jobs      bigint NOT NULL DEFAULT 0,   -- unfinished ones; 0: any number
    next_tag      bigint NOT NULL DEFAULT 0
);

-- What each member has done for each client. A row is written by its member alone.
CREATE TABLE IF NOT EXISTS cuzk_usage (
    client        bytea NOT NULL,
    member        text NOT NULL,
    completed     bigint NOT NULL DEFAULT 0,   -- jobs
    failed        bigint NOT NULL DEFAULT 0,
    cancelled     bigint NOT NULL DEFAULT 0,
    proofs        bigint NOT NULL DEFAULT 0,   -- of 192 bytes: ten of a PoRep
    device_ms     bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (client, member)
);

-- How long each member takes for a job of each circuit, from its begin to its end: a moving average.
CREATE TABLE IF NOT EXISTS cuzk_pace (
    circuit       text NOT NULL,
    member        text NOT NULL,
    ms            bigint NOT NULL,
    PRIMARY KEY (circuit, member)
);
