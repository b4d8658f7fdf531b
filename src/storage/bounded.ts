/** A map that holds no more than so many bytes: what was not asked for lately makes way. */
export interface Bounded<Key, Value> {
  readonly get: (key: Key) => Value | undefined;
  /** `bytes` is about what the value takes in memory; one that would take most of the room is not held. */
  readonly set: (key: Key, value: Value, bytes: number) => void;
  readonly delete: (key: Key) => void;
}

interface Entry<Value> {
  readonly value: Value;
  readonly bytes: number;
}

// Of an entry itself, beside its value.
const ENTRY_BYTES = 100;

/**
 * Two maps that each have half of the room. What is new or asked for is put into the young one; once that is full it
 * takes the place of the old one, whose entries are forgotten. That is nearly the order of last use, and every step
 * costs the same however much is held.
 */
export function createBounded<Key, Value>(maxBytes: number): Bounded<Key, Value> {
  let young = new Map<Key, Entry<Value>>();
  let old = new Map<Key, Entry<Value>>();
  let youngBytes = 0;

  function put(key: Key, entry: Entry<Value>): void {
    youngBytes += entry.bytes - (young.get(key)?.bytes ?? 0);
    young.set(key, entry);
    if (youngBytes <= maxBytes / 2) return;
    old = young;
    young = new Map();
    youngBytes = 0;
  }

  return {
    get: (key) => {
      const entry = young.get(key);
      if (entry) return entry.value;
      const older = old.get(key);
      if (older) put(key, older);
      return older?.value;
    },
    set: (key, value, bytes) => {
      if (bytes <= maxBytes / 8) put(key, { value, bytes: bytes + ENTRY_BYTES });
    },
    delete: (key) => {
      youngBytes -= young.get(key)?.bytes ?? 0;
      young.delete(key);
      old.delete(key);
    },
  };
}

/**
 * The values of those keys that have one, in the order of the keys. Those that are not held are made together; whether
 * they are put in is for `make` to say.
 */
export function heldOrMade<Key, Value>(
  held: Bounded<Key, Value>,
  keys: readonly Key[],
  make: (missing: readonly Key[]) => ReadonlyMap<Key, Value>,
): readonly Value[] {
  const found = keys.map((key) => held.get(key));
  const missing = keys.filter((_, index) => found[index] === undefined);
  if (missing.length > 0) {
    const made = make(missing);
    for (const [index, key] of keys.entries()) found[index] ??= made.get(key);
  }
  return found.filter((value) => value !== undefined);
}
