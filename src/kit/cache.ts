export interface CacheOptions {
  readonly maxEntries?: number;
  readonly maxBytes?: number;
  /** Milliseconds after which an entry expires. */
  readonly maxAgeMs?: number;
  /** Monotonic clock in milliseconds; for tests. */
  readonly now?: () => number;
}

interface Entry<Value> {
  readonly value: Value;
  readonly bytes: number;
  readonly setAt: number;
}

// Estimated size of an entry without its value.
const ENTRY_BYTES = 100;

/**
 * A bounded map: entries not used recently make way for new ones.
 *
 * It consists of two maps with half the bounds each. New and used entries go into the young one. When that is full, or
 * as old as entries may get, it becomes the old one, and the previous old one is dropped, so the most recently used
 * half of the entries always stays. Every operation costs the same at any size: a single map in order of use would
 * have to skip all deleted entries to find its first one, which took half a millisecond a request with 100,000
 * entries.
 */
export class Cache<Key, Value> {
  readonly #maxEntries: number;
  readonly #maxBytes: number;
  readonly #maxAgeMs: number;
  readonly #now: () => number;
  #young = new Map<Key, Entry<Value>>();
  #old = new Map<Key, Entry<Value>>();
  #youngBytes = 0;
  #youngSince: number;

  constructor(options: CacheOptions) {
    this.#maxEntries = options.maxEntries ?? Infinity;
    this.#maxBytes = options.maxBytes ?? Infinity;
    this.#maxAgeMs = options.maxAgeMs ?? Infinity;
    this.#now = options.now ?? (() => performance.now());
    this.#youngSince = this.#now();
  }

  /** Undefined if there is no entry, or only an expired one. */
  get(key: Key): Value | undefined {
    const entry = this.#young.get(key) ?? this.#old.get(key);
    if (!entry || this.#now() - entry.setAt >= this.#maxAgeMs) return undefined;
    if (!this.#young.has(key)) this.#put(key, entry);
    return entry.value;
  }

  /** `bytes` is the approximate size of the value. A value that would take most of the cache is not stored. */
  set(key: Key, value: Value, bytes = 0): void {
    const setAt = this.#now();
    const age = setAt - this.#youngSince;
    if (age >= this.#maxAgeMs)
      this.#startYoung(age < 2 * this.#maxAgeMs ? this.#young : new Map<Key, Entry<Value>>());
    if (bytes <= this.#maxBytes / 8) this.#put(key, { value, bytes: bytes + ENTRY_BYTES, setAt });
    else this.delete(key);
  }

  delete(key: Key): void {
    this.#youngBytes -= this.#young.get(key)?.bytes ?? 0;
    this.#young.delete(key);
    this.#old.delete(key);
  }

  clear(): void {
    this.#startYoung(new Map<Key, Entry<Value>>());
  }

  /** The number of entries in memory, including expired ones. */
  size(): number {
    return this.#young.size + this.#old.size;
  }

  #put(key: Key, entry: Entry<Value>): void {
    this.#old.delete(key);
    this.#youngBytes += entry.bytes - (this.#young.get(key)?.bytes ?? 0);
    this.#young.set(key, entry);
    const isFull = this.#young.size >= this.#maxEntries / 2 || this.#youngBytes > this.#maxBytes / 2;
    if (isFull) this.#startYoung(this.#young);
  }

  #startYoung(previous: Map<Key, Entry<Value>>): void {
    this.#old = previous;
    this.#young = new Map();
    this.#youngBytes = 0;
    this.#youngSince = this.#now();
  }
}
