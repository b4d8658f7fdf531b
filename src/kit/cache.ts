/** A map within bounds: entries that were not used lately make way for new ones. */
export interface Cache<Key, Value> {
  /** Undefined also for an entry that is too old. */
  readonly get: (key: Key) => Value | undefined;
  /** `bytes` is roughly the memory of the value. One that would take most of the cache is not stored. */
  readonly set: (key: Key, value: Value, bytes?: number) => void;
  readonly delete: (key: Key) => void;
  /** The number of entries in memory, of which some may be too old. */
  readonly size: () => number;
}

export interface CacheOptions {
  readonly maxEntries?: number;
  readonly maxBytes?: number;
  /** Milliseconds since an entry was set. */
  readonly maxAgeMs?: number;
  /** Monotonic clock in milliseconds; for tests. */
  readonly now?: () => number;
}

interface Entry<Value> {
  readonly value: Value;
  readonly bytes: number;
  readonly setAt: number;
}

// Of an entry itself, without its value.
const ENTRY_BYTES = 100;

/**
 * Two maps, each with half of the bounds. New and used entries are put into the young one; when that is full or as old
 * as entries may be, it becomes the old one, whose entries are dropped. So the half of the entries that were used last
 * always stays. Each step costs the same at any size: a single map in the order of use has to skip all deleted entries
 * to find its first one, which took half a millisecond a request with 100,000 entries.
 */
export function createCache<Key, Value>(options: CacheOptions): Cache<Key, Value> {
  const { maxEntries = Infinity, maxBytes = Infinity, maxAgeMs = Infinity } = options;
  const { now = () => performance.now() } = options;
  let young = new Map<Key, Entry<Value>>();
  let old: typeof young = new Map();
  let youngBytes = 0;
  let youngSince = now();

  function startYoung(previous: typeof young): void {
    old = previous;
    young = new Map();
    youngBytes = 0;
    youngSince = now();
  }

  function put(key: Key, entry: Entry<Value>): void {
    old.delete(key);
    youngBytes += entry.bytes - (young.get(key)?.bytes ?? 0);
    young.set(key, entry);
    if (young.size >= maxEntries / 2 || youngBytes > maxBytes / 2) startYoung(young);
  }

  function remove(key: Key): void {
    youngBytes -= young.get(key)?.bytes ?? 0;
    young.delete(key);
    old.delete(key);
  }

  return {
    get: (key) => {
      const entry = young.get(key) ?? old.get(key);
      if (!entry || now() - entry.setAt >= maxAgeMs) return undefined;
      if (!young.has(key)) put(key, entry);
      return entry.value;
    },
    set: (key, value, bytes = 0) => {
      const setAt = now();
      const age = setAt - youngSince;
      if (age >= maxAgeMs) startYoung(age < 2 * maxAgeMs ? young : new Map<Key, Entry<Value>>());
      if (bytes <= maxBytes / 8) put(key, { value, bytes: bytes + ENTRY_BYTES, setAt });
      else remove(key);
    },
    delete: remove,
    size: () => young.size + old.size,
  };
}
