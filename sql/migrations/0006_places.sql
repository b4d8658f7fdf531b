-- How many calls to the maps provider left the service on the last UTC day on which one did: one row at most.
CREATE TABLE maps_calls (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  day TEXT NOT NULL CHECK (length(day) = 10),
  calls INTEGER NOT NULL CHECK (calls >= 1)
) STRICT;
