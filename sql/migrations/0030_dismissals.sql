-- Each user may dismiss a limited number of pairs. Those of mode none, of deleted users and from before this belong to none.
ALTER TABLE dismissed_pairs ADD COLUMN user_id INTEGER REFERENCES users (id) ON DELETE SET NULL;
CREATE INDEX dismissed_pairs_by_user ON dismissed_pairs (user_id);
