-- Answers to writes that were sent with an Idempotency-Key, so that a repeated request gets the same one.

CREATE TABLE idempotency_keys (
  -- The placeholder of mode none has no row in users.
  user_id INTEGER NOT NULL,
  key TEXT NOT NULL CHECK (length(key) BETWEEN 1 AND 255),
  -- Counts the answers of a user, so that those of which there are too many are found without counting.
  number INTEGER NOT NULL,
  -- SHA-256 of method, path and content, in base64url.
  request_hash TEXT NOT NULL CHECK (length(request_hash) = 43),
  status INTEGER NOT NULL,
  location TEXT,
  change_id INTEGER,
  body BLOB NOT NULL,
  created_at TEXT NOT NULL,
  PRIMARY KEY (user_id, key)
) STRICT;
CREATE INDEX idempotency_keys_by_time ON idempotency_keys (created_at);
CREATE UNIQUE INDEX idempotency_keys_of_user ON idempotency_keys (user_id, number);
