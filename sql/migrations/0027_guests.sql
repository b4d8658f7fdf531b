-- A keyed hash of the address of a guest, since only so many may come from one.
ALTER TABLE outing_voters ADD COLUMN address_key BLOB;

-- Outings are removed long after they ended.
CREATE INDEX outings_by_change ON outings (changed_at) WHERE state <> 'open';
