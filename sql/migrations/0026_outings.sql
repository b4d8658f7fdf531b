-- Outings: several people vote on where to eat. The change log has none of this: how people voted is shown to no one.

-- A user_id of null is the placeholder's. The token opens the vote to everyone who has it, and nothing else, so it is stored as
-- it is and participants can pass it on. list_name is that of a list of the creator, from which the options are.
CREATE TABLE outings (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER REFERENCES users (id) ON DELETE CASCADE,
  token TEXT NOT NULL UNIQUE,
  title TEXT CHECK (length(title) BETWEEN 1 AND 100),
  list_name TEXT,
  at TEXT NOT NULL,
  closes_at TEXT NOT NULL CHECK (closes_at < at),
  state TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'decided', 'cancelled')),
  outcome TEXT CHECK (outcome IN ('votes', 'tie_rating', 'tie_order', 'nothing_left', 'no_votes')),
  winner INTEGER,
  created_at TEXT NOT NULL,
  -- When the state last changed.
  changed_at TEXT NOT NULL,
  CHECK (winner IS NULL OR outcome IS NOT NULL),
  CHECK (state <> 'decided' OR outcome IS NOT NULL)
) STRICT;
CREATE INDEX outings_by_user ON outings (user_id, state);
CREATE INDEX outings_by_end ON outings (closes_at) WHERE state = 'open';

-- Options stay when their restaurant is deleted or merged; name is what it was called.
CREATE TABLE outing_options (
  outing_id INTEGER NOT NULL REFERENCES outings (id) ON DELETE CASCADE,
  rank INTEGER NOT NULL,
  restaurant_id INTEGER NOT NULL,
  name TEXT NOT NULL,
  PRIMARY KEY (outing_id, rank)
) STRICT, WITHOUT ROWID;

-- The creator, and everyone who voted: users, and guests with a name and the SHA-256 of a secret. coming is null before the
-- first vote. choices is a JSON object of yes, ok or no by the restaurant_id of options.
CREATE TABLE outing_voters (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  outing_id INTEGER NOT NULL REFERENCES outings (id) ON DELETE CASCADE,
  user_id INTEGER REFERENCES users (id) ON DELETE CASCADE,
  guest_name TEXT CHECK (length(guest_name) BETWEEN 1 AND 50),
  name_key TEXT,
  secret_hash BLOB,
  coming INTEGER CHECK (coming IN (0, 1)),
  choices TEXT NOT NULL DEFAULT '{}',
  veto INTEGER,
  CHECK ((guest_name IS NULL) = (secret_hash IS NULL) AND (guest_name IS NULL) = (name_key IS NULL)),
  CHECK (user_id IS NULL OR guest_name IS NULL)
) STRICT;
CREATE UNIQUE INDEX outing_guests ON outing_voters (outing_id, name_key) WHERE guest_name IS NOT NULL;
CREATE INDEX outing_voters_by_outing ON outing_voters (outing_id);
CREATE INDEX outing_voters_by_user ON outing_voters (user_id, guest_name, outing_id);
