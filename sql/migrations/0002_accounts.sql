-- Accounts: who may sign in, their sessions, their links to identity providers, their tokens for scripts.

-- email_key, username_key: what "unique without case" compares.
CREATE TABLE users (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  email TEXT NOT NULL CHECK (length(email) BETWEEN 3 AND 255),
  email_key TEXT NOT NULL UNIQUE,
  username TEXT NOT NULL CHECK (length(username) BETWEEN 1 AND 100),
  username_key TEXT NOT NULL UNIQUE,
  password_hash TEXT CHECK (length(password_hash) <= 255),
  provider TEXT NOT NULL DEFAULT 'local' CHECK (length(provider) BETWEEN 1 AND 50),
  provider_id TEXT CHECK (length(provider_id) <= 255),
  full_name TEXT CHECK (length(full_name) <= 255),
  avatar_url TEXT,
  is_active INTEGER NOT NULL DEFAULT 1 CHECK (is_active IN (0, 1)),
  is_admin INTEGER NOT NULL DEFAULT 0 CHECK (is_admin IN (0, 1)),
  email_verified INTEGER NOT NULL DEFAULT 0 CHECK (email_verified IN (0, 1)),
  last_login_at TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;

-- Id 1 is the placeholder user of mode none, who has no row: nobody who registers may ever be taken for it.
INSERT INTO sqlite_sequence (name, seq) VALUES ('users', 1);

-- Ids are never used again, so that an ended session's access tokens cannot come alive with a later one.
CREATE TABLE sessions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  ip_address TEXT NOT NULL CHECK (length(ip_address) <= 45),
  user_agent TEXT NOT NULL CHECK (length(user_agent) <= 512),
  created_at TEXT NOT NULL,
  last_used_at TEXT NOT NULL,
  expires_at TEXT NOT NULL
) STRICT;

CREATE INDEX sessions_by_user ON sessions (user_id);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

-- Where a user has signed in from, as limits count addresses. A guesser's failures from elsewhere do not slow these down.
CREATE TABLE login_addresses (
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  address_key TEXT NOT NULL,
  last_login_at TEXT NOT NULL,
  PRIMARY KEY (user_id, address_key)
) STRICT, WITHOUT ROWID;

-- The refresh tokens that a session has had, as SHA-256. One that was rotated stays, so that its reuse is noticed;
-- its successor can be told again to who holds it, since it is made of the token and the salt.
CREATE TABLE refresh_tokens (
  token_hash BLOB PRIMARY KEY CHECK (length(token_hash) = 32),
  session_id INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  rotated_at TEXT,
  successor_salt BLOB,
  CHECK ((rotated_at IS NULL) = (successor_salt IS NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX refresh_tokens_by_session ON refresh_tokens (session_id);

-- A person at an identity provider is who the issuer and its subject say, never who an email says.
CREATE TABLE identities (
  issuer TEXT NOT NULL,
  subject TEXT NOT NULL CHECK (length(subject) BETWEEN 1 AND 255),
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at TEXT NOT NULL,
  PRIMARY KEY (issuer, subject)
) STRICT, WITHOUT ROWID;

CREATE INDEX identities_by_user ON identities (user_id);

-- Tokens for scripts, as SHA-256. Those without a user are the placeholder's and are good for nothing outside mode none.
CREATE TABLE api_tokens (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER REFERENCES users (id) ON DELETE CASCADE,
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
  token_hash BLOB NOT NULL UNIQUE CHECK (length(token_hash) = 32),
  created_at TEXT NOT NULL,
  expires_at TEXT,
  last_used_at TEXT
) STRICT;

CREATE INDEX api_tokens_by_user ON api_tokens (user_id);

-- Who rated. Null: an import, the placeholder, or somebody whose account is gone.
ALTER TABLE ratings ADD COLUMN user_id INTEGER REFERENCES users (id) ON DELETE SET NULL;
CREATE INDEX ratings_by_user ON ratings (user_id);

-- A rating outlives its author's account; what it says is never changed.
DROP TRIGGER ratings_update;
CREATE TRIGGER ratings_update
BEFORE UPDATE OF id, restaurant_id, food_rating, service_rating, ambiance_rating, comment, created_at ON ratings BEGIN
  SELECT raise(ABORT, 'ratings are never changed');
END;
