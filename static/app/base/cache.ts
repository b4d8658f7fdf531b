import { type Entry, type Waiting, trust } from './types.js';

type Stored = Pick<Entry, 'body' | 'etag' | 'at'>;

/** What is stored for when nothing can be reached, and how much of it. */
const MOST = { answers: 300, places: 3000, outbox: Infinity };
type Name = keyof typeof MOST;

// Private windows and locked-down browsers have no database: the app then works without one.
const database = new Promise<IDBDatabase>((resolve, reject) => {
  const request = indexedDB.open('catalogue', 2);
  request.onupgradeneeded = () => {
    const { result: made } = request;
    // Version 1 had all but the places.
    if (made.objectStoreNames.length === 0) {
      made.createObjectStore('answers').createIndex('at', 'at');
      made.createObjectStore('outbox', { keyPath: 'key' });
    }
    made.createObjectStore('places').createIndex('at', 'at');
  };
  request.onsuccess = () => {
    // Another tab with a newer version of the app must be able to upgrade it.
    request.result.onversionchange = () => request.result.close();
    resolve(request.result);
  };
  request.onerror = reject;
  request.onblocked = reject;
}).catch(() => undefined);

/** @returns undefined where there is no database */
async function inStore<Result>(name: Name, run: (store: IDBObjectStore) => IDBRequest<Result>) {
  const db = await database;
  if (!db) return undefined;
  return new Promise<Result>((resolve, reject) => {
    const transaction = db.transaction(name, 'readwrite');
    const request = run(transaction.objectStore(name));
    transaction.oncomplete = () => resolve(request.result);
    transaction.onabort = reject;
  }).catch(() => undefined);
}

/** The last answer to a request of a user, or a place by its id, as it was seen last; undefined where it never was. */
export const readCopy = (name: Name, key: IDBValidKey): Promise<Stored | undefined> =>
  inStore(name, (store) => store.get(key));

/** Stores copies by their keys, and drops the oldest where there are too many. */
export const storeCopies = (name: Name, copies: readonly (readonly [IDBValidKey, Stored])[]) =>
  inStore(name, (store) => {
    const old = store.index('at').getAllKeys();
    old.onsuccess = () => old.result.slice(0, -MOST[name]).forEach((key) => store.delete(key));
    for (const [key, copy] of copies) store.put(copy, key);
    return old;
  });

export async function forgetAnswers() {
  await inStore('places', (store) => store.clear());
  await inStore('answers', (store) => store.clear());
}

/** Forgets the answers of accounts, and leaves those of people who are not signed in. */
export const forgetOwnAnswers = () =>
  inStore('answers', (store) => store.delete(IDBKeyRange.bound('0', ':')));

/** What waits to be sent, of all users, oldest first. */
export async function readOutbox(): Promise<Waiting[]> {
  const all = await inStore('outbox', (store) => store.getAll());
  return trust<Waiting[]>(all ?? []).sort((one, other) => one.at - other.at);
}

/** Stores a request until it is sent; resolves to whether it is safe there. */
export const storeWaiting = async (waiting: Waiting) =>
  (await inStore('outbox', (store) => store.put(waiting))) !== undefined;

/** Forgets what all accounts but one have not sent. */
export async function forgetUnsent(user?: number | 'all') {
  for (const one of await readOutbox()) if (one.user !== user) await forgetWaiting(one.key);
}

export const forgetWaiting = (key: string) => inStore('outbox', (store) => store.delete(key));
