import { type CacheOptions, createCache } from './cache.ts';

/**
 * Answers `key` from the cache, else together with an equal question that is under way, else by `work`. `admit` is
 * called before `work` alone; when it throws, nobody shares in that.
 */
export type Sharing<Value> = (key: string, admit: () => void, work: () => Promise<Value>) => Promise<Value>;

/** Lets equal questions have one answer. What fails is kept for nobody who comes later. */
export function createSharing<Value>(options: CacheOptions): Sharing<Value> {
  const cache = createCache<Value>(options);
  const underWay = new Map<string, Promise<Value>>();

  async function answer(key: string, work: () => Promise<Value>): Promise<Value> {
    try {
      const value = await work();
      cache.set(key, value);
      return value;
    } finally {
      underWay.delete(key);
    }
  }

  return async (key, admit, work) => {
    const known = cache.get(key);
    if (known !== undefined) return known;
    const shared = underWay.get(key);
    if (shared) return shared;
    admit();
    const call = answer(key, work);
    underWay.set(key, call);
    return call;
  };
}
