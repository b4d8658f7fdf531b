-- Accounts that look after themselves: browser sessions, invitations, links to set a password, and erasure.

-- Whether the refresh token is in a cookie of a browser, and is valid nowhere else.
ALTER TABLE sessions ADD COLUMN cookie INTEGER NOT NULL DEFAULT 0 CHECK (cookie IN (0, 1));

-- Email, username and full name as search sees them.
ALTER TABLE users ADD COLUMN search_key TEXT NOT NULL DEFAULT '';
UPDATE users SET search_key = search_text_of(email || ' ' || username || ' ' || coalesce(full_name, ''));

-- Secrets are stored as SHA-256. One that was used stays, to say by whom; it is valid no more.
CREATE TABLE invitations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  secret_hash BLOB NOT NULL UNIQUE CHECK (length(secret_hash) = 32),
  email TEXT CHECK (length(email) BETWEEN 3 AND 255),
  note TEXT CHECK (length(note) BETWEEN 1 AND 255),
  created_at TEXT NOT NULL,
  created_by INTEGER REFERENCES users (id) ON DELETE SET NULL,
  expires_at TEXT NOT NULL,
  used_at TEXT,
  used_by INTEGER REFERENCES users (id) ON DELETE SET NULL
) STRICT;
CREATE INDEX invitations_by_creator ON invitations (created_by) WHERE created_by IS NOT NULL;
CREATE INDEX invitations_by_user ON invitations (used_by) WHERE used_by IS NOT NULL;

-- At most one for a user.
CREATE TABLE password_resets (
  user_id INTEGER PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  secret_hash BLOB NOT NULL UNIQUE CHECK (length(secret_hash) = 32),
  expires_at TEXT NOT NULL
) STRICT;

-- Users who are being erased. contributions: whether what they wrote goes, too; change_id: how far the change log is cleared.
CREATE TABLE erasures (
  user_id INTEGER PRIMARY KEY,
  contributions TEXT NOT NULL CHECK (contributions IN ('keep', 'delete')),
  change_id INTEGER NOT NULL DEFAULT 0
) STRICT;
