-- The looks of a username (UTS #39 section 4), so that no new one can be taken for another user's. Existing users may
-- share one: the index is not unique.
ALTER TABLE users ADD COLUMN username_skeleton TEXT;
UPDATE users SET username_skeleton = username_skeleton_of(username);
CREATE INDEX users_by_skeleton ON users (username_skeleton);
