-- A copy of the database must not open sessions, and links must not outlive the administrator who made them.

-- An access token names its session by text that is derived from the refresh token it was issued with. Only the SHA-256
-- of that name is stored: in mode oauth the key that signs access tokens is in this database. Access tokens from before
-- stay valid, and a refresh gives their session another name.
ALTER TABLE refresh_tokens ADD COLUMN sid_hash BLOB CHECK (length(sid_hash) = 32);
UPDATE refresh_tokens SET sid_hash = (SELECT sha256_of(sid) FROM sessions WHERE id = session_id AND sid IS NOT NULL)
WHERE rotated_at IS NULL;
CREATE UNIQUE INDEX refresh_tokens_by_sid ON refresh_tokens (sid_hash) WHERE sid_hash IS NOT NULL;
DROP INDEX sessions_by_sid;
ALTER TABLE sessions DROP COLUMN sid;

-- Nobody knows who made the open links without a creator, or whether that is still an administrator.
DELETE FROM password_resets;
DELETE FROM invitations WHERE used_at IS NULL AND NOT EXISTS (
  SELECT 1 FROM users WHERE id = created_by AND is_admin = 1 AND is_active = 1
);

-- Null: made on the command line.
ALTER TABLE password_resets ADD COLUMN created_by INTEGER REFERENCES users (id) ON DELETE CASCADE;
CREATE INDEX password_resets_by_creator ON password_resets (created_by) WHERE created_by IS NOT NULL;

-- Triggers, because operators also change the stored record by hand.
CREATE TRIGGER users_end_links AFTER UPDATE OF is_active, is_admin ON users
WHEN new.is_active = 0 OR new.is_admin = 0 BEGIN
  DELETE FROM invitations WHERE created_by = new.id AND used_at IS NULL;
  DELETE FROM password_resets WHERE created_by = new.id;
END;
CREATE TRIGGER users_delete_links BEFORE DELETE ON users BEGIN
  DELETE FROM invitations WHERE created_by = old.id AND used_at IS NULL;
  DELETE FROM password_resets WHERE created_by = old.id;
END;
