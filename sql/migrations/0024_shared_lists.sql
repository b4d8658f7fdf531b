-- Lists that several people keep together, links that open a list without an account, and addresses of feeds.

-- Who added an item: null for the placeholder of mode none, and where the account is gone. user_id stays the owner of the list.
ALTER TABLE list_items ADD COLUMN added_by INTEGER;
UPDATE list_items SET added_by = user_id;
-- An erased account is taken off the lists of others.
CREATE INDEX list_items_by_adder ON list_items (added_by) WHERE added_by <> user_id;

-- The people of a list that was ever joined, its owner among them. The log has changes of such a list under the owner
-- -list_id, so these rows also say who may read them, and stay when the list is deleted.
CREATE TABLE list_members (
  list_id INTEGER NOT NULL,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  joined_at TEXT NOT NULL,
  PRIMARY KEY (list_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX list_members_by_user ON list_members (user_id, list_id);

-- token_hash is the SHA-256 of the secret in the address. The links of a deleted list work again when it is restored.
CREATE TABLE links (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  list_id INTEGER NOT NULL,
  access TEXT NOT NULL CHECK (access IN ('read', 'join')),
  notes INTEGER NOT NULL CHECK (notes IN (0, 1)),
  token_hash BLOB NOT NULL UNIQUE,
  created_at TEXT NOT NULL,
  expires_at TEXT
) STRICT;
CREATE INDEX links_by_list ON links (list_id);
CREATE TRIGGER deleted_lists_links AFTER DELETE ON deleted_lists WHEN NOT EXISTS (SELECT 1 FROM lists WHERE id = old.id) BEGIN
  DELETE FROM links WHERE list_id = old.id;
END;

-- A user_id of null is the placeholder's.
CREATE TABLE feeds (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER REFERENCES users (id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('visits', 'changes', 'outings')),
  token_hash BLOB NOT NULL UNIQUE,
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX feeds_by_user ON feeds (user_id);
