-- Schema version 4: the partitions of one job, for several daemons. Programs of version 3 may go on: they leave the table
-- alone, and what they leave in it is removed with the next look of a newer member.
--
-- The rows of a job are made by the member that holds the job (scheduler.spread_partitions), and are of no use once the
-- job is over. The holder takes partitions under the fencing number of its claim of the job, which is below 2^32. Any
-- other member takes them under the number of a task: the upper 32 bits are the member's, and it is never given twice.
CREATE TABLE IF NOT EXISTS cuzk_part (
    number     bigint NOT NULL,             -- of the job
    part       bigint NOT NULL,             -- the partition, from 0
    state      bigint NOT NULL DEFAULT 0,   -- 0 waits, 1 is being proved, 2 proved, 3 set aside
    member     bigint,                      -- NULL: nobody has it; it stays when the partition is proved
    fence      bigint NOT NULL DEFAULT 0,   -- only who has both may write the proof
    deaths     bigint NOT NULL DEFAULT 0,   -- members that died while they proved it
    died_on    text NOT NULL DEFAULT '',
    error      text NOT NULL DEFAULT '',    -- of state 3
    proof      bytea NOT NULL DEFAULT '',   -- 192 bytes, of state 2
    device_ms  bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (number, part)
);
CREATE INDEX IF NOT EXISTS cuzk_part_waiting ON cuzk_part (number, part) WHERE state = 0 AND member IS NULL;
CREATE INDEX IF NOT EXISTS cuzk_part_held ON cuzk_part (member) WHERE state < 2;
