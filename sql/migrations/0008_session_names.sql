-- By what an access token names its session: 128 random bits. Ids will not do, since a database that is put back from a
-- backup gives them again, and a token of a session that was lost would open the one that came after. A session without
-- a name is opened by no token.
ALTER TABLE sessions ADD COLUMN sid TEXT CHECK (length(sid) = 32);
UPDATE sessions SET sid = lower(hex(randomblob(16)));
CREATE UNIQUE INDEX sessions_by_sid ON sessions (sid);
