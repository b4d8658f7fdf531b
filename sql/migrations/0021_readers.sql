-- Who may read a change, so that each reader's part of the log is found by index: a cursor must not move with the private
-- writes of others, and a million of them must not slow its reader down.

-- 0: everybody; a user: that user alone; null: nobody, since what its owner did was erased.
ALTER TABLE changes ADD COLUMN reader INTEGER
  GENERATED ALWAYS AS (CASE WHEN kind IN ('list', 'visit') THEN owner_id ELSE 0 END) VIRTUAL;
CREATE INDEX changes_by_reader ON changes (reader) WHERE reader IS NOT NULL;

-- Now a row for each reader who could see something that was removed.
ALTER TABLE change_floor ADD COLUMN reader INTEGER NOT NULL DEFAULT 0;
CREATE UNIQUE INDEX change_floor_by_reader ON change_floor (reader);

-- Ids of requests that a client chose may say anything about anybody. What is as long as a UUID and made of its characters
-- was generated, with or without dashes.
UPDATE changes SET request_id = NULL
WHERE request_id GLOB '*[^0-9a-fA-F-]*' OR length(request_id) NOT IN (32, 36);

-- The bytes of a user's answers up to this one, so that those beyond the limit are found without adding up. Each counts 1,000
-- more than its body.
DROP INDEX idempotency_keys_of_user;
ALTER TABLE idempotency_keys RENAME COLUMN number TO bytes_so_far;
UPDATE idempotency_keys SET bytes_so_far = sums.bytes FROM (
  SELECT rowid AS answer, sum(length(body) + 1000) OVER (PARTITION BY user_id ORDER BY bytes_so_far) AS bytes
  FROM idempotency_keys
) AS sums WHERE idempotency_keys.rowid = sums.answer;
CREATE UNIQUE INDEX idempotency_keys_of_user ON idempotency_keys (user_id, bytes_so_far);

-- At most one row, while the bodies of stored answers have to go, since something was removed for good that any of them may hold:
-- of those with a rowid above cleared and up to up_to. It stays until the write-ahead log was emptied after that.
CREATE TABLE answers_to_clear (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  cleared INTEGER NOT NULL,
  up_to INTEGER NOT NULL
) STRICT;
