-- name: createRowLog
-- Which rows were changed, each once, at its newest change. A number is never given again, so that no replica takes a
-- change for one that it knows.
CREATE TABLE IF NOT EXISTS followed_rows (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  key TEXT NOT NULL,
  UNIQUE (name, key)
) STRICT;
-- The starts of the service since there is a log, and the newest change at each of them.
CREATE TABLE IF NOT EXISTS followed_epochs (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  epoch TEXT NOT NULL UNIQUE,
  after INTEGER NOT NULL
) STRICT;

-- name: dropRowLog
DROP TABLE followed_rows;
DROP TABLE followed_epochs;

-- name: findRowLog
SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'followed_rows'

-- name: listRowLogTriggers
SELECT name FROM sqlite_schema WHERE type = 'trigger' AND name LIKE 'followed\_%' ESCAPE '\'

-- name: listTriggers
SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'

-- name: beginEpoch
INSERT INTO followed_epochs (epoch, after)
SELECT :epoch, coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'followed_rows'), 0)

-- name: forgetEpochs
-- Those of a thousand starts ago.
DELETE FROM followed_epochs WHERE number <= (SELECT max(number) FROM followed_epochs) - 1000

-- name: getEpoch
-- The newest one, and the newest change.
SELECT epoch, coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'followed_rows'), 0) AS seq
FROM followed_epochs ORDER BY number DESC LIMIT 1

-- name: getEndOfEpoch
-- A replica that has seen more of it has seen what this database never held, or no longer holds.
SELECT coalesce(
  (SELECT min(after) FROM followed_epochs AS later WHERE later.number > own.number),
  (SELECT seq FROM sqlite_sequence WHERE name = 'followed_rows'),
  0
) AS seq
FROM followed_epochs AS own WHERE epoch = :epoch

-- name: getSchemaVersion
SELECT max(version) AS version FROM schema_migrations

-- name: listChangedRows
SELECT seq, name, key FROM followed_rows WHERE seq > :seq ORDER BY seq LIMIT :limit

-- name: listSequences
SELECT name, seq FROM sqlite_sequence WHERE name NOT LIKE 'followed\_%' ESCAPE '\' ORDER BY name

-- name: createPlace
CREATE TABLE following (epoch TEXT NOT NULL, seq INTEGER NOT NULL) STRICT

-- name: dropPlace
DROP TABLE following

-- name: insertPlace
INSERT INTO following (epoch, seq) VALUES (:epoch, :seq)

-- name: getPlace
SELECT epoch, seq FROM following

-- name: setPlace
UPDATE following SET epoch = :epoch, seq = :seq

-- name: setSequence
UPDATE sqlite_sequence SET seq = CAST(:seq AS INTEGER) WHERE name = :name

-- name: insertSequence
INSERT INTO sqlite_sequence (name, seq) VALUES (:name, CAST(:seq AS INTEGER))

-- name: removeDocument
DELETE FROM search_texts WHERE rowid = :id

-- name: insertDocument
INSERT INTO search_texts (rowid, text)
SELECT id, text || tokens FROM search_documents WHERE id = :id
UNION ALL SELECT id, text || tokens FROM pending_documents WHERE id = :id
