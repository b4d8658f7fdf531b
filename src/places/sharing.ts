import { type CacheOptions, createCache } from '../memory/cache.ts';

/**
 * Answers `key` from the cache, else together with an equal question that is under way, else by `work`. `admit` is
 * called before `work` alone, and its error is not shared.
 */
export type Sharing<Value> = (key: string, admit: () => void, work: () => Promise<Value>) => Promise<Value>;

/** Shares answers among equal questions. A failure is shared only while it is under way. */
export function createSharing<Value>(options: CacheOptions): Sharing<Value> {
  const cache = createCache<string, Value>(options);
  const underWay = new Map<string, Promise<Value>>();

  async function answer(key: string, work: () => Promise<Value>): Promise<Value> {
    try {
      const value = await work();
      cache.set(key, value, key.length + JSON.stringify(value).length);
      return value;
    } finally {
      underWay.delete(key);
    }
  }

  return async (key, admit, work) => {
    const known = cache.get(key) ?? underWay.get(key);
    if (known !== undefined) return known;
    admit();
    const call = answer(key, work);
    underWay.set(key, call);
    return call;
  };
}
