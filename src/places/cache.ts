/** Answers of a provider by what was asked, for a limited time and in limited memory. */
export interface Cache<Value> {
  readonly get: (key: string) => Value | undefined;
  readonly set: (key: string, value: Value) => void;
  /** How much is kept now; bytes are those of key and value as JSON. */
  readonly size: () => { readonly entries: number; readonly bytes: number };
}

export interface CacheOptions {
  readonly maxAgeMs: number;
  readonly maxEntries: number;
  readonly maxBytes: number;
  /** Monotonic clock in milliseconds; a test may bring its own. */
  readonly now?: () => number;
}

interface Entry<Value> {
  readonly value: Value;
  readonly bytes: number;
  readonly since: number;
}

/** Opens an empty cache. When it is full, what was used least recently has to go. */
export function createCache<Value>(options: CacheOptions): Cache<Value> {
  const now = options.now ?? (() => performance.now());
  // A Map keeps the order of insertion; putting an entry back at each use keeps the least recently used in front.
  const entries = new Map<string, Entry<Value>>();
  let bytes = 0;

  function forget(key: string): Entry<Value> | undefined {
    const entry = entries.get(key);
    entries.delete(key);
    bytes -= entry?.bytes ?? 0;
    return entry;
  }

  function keep(key: string, entry: Entry<Value>): void {
    entries.set(key, entry);
    bytes += entry.bytes;
  }

  return {
    get: (key) => {
      const entry = forget(key);
      if (!entry || now() - entry.since >= options.maxAgeMs) return undefined;
      keep(key, entry);
      return entry.value;
    },
    set: (key, value) => {
      forget(key);
      const size = Buffer.byteLength(key) + Buffer.byteLength(JSON.stringify(value));
      if (size > options.maxBytes) return;
      keep(key, { value, bytes: size, since: now() });
      for (const oldest of entries.keys()) {
        if (entries.size <= options.maxEntries && bytes <= options.maxBytes) break;
        forget(oldest);
      }
    },
    size: () => ({ entries: entries.size, bytes }),
  };
}
