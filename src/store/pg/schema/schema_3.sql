-- Schema version 3: no program of version 1 uses the tables any more. From here on inputs are packed, which such
-- programs cannot read. A daemon of version 1 that was stopped for long, and continues now, cannot join again.
ALTER TABLE cuzk_member ALTER COLUMN reads DROP DEFAULT;
