import { trust } from './trust.js';
import type { Entry, Restaurant, Waiting } from './types.js';

type Stored = Pick<Entry, 'body' | 'etag' | 'at'>;

const KEPT_ANSWERS = 300;
const KEPT_PLACES = 3000;

let opened: Promise<IDBDatabase | undefined> | undefined;

// Private windows and locked-down browsers have no database: the app then works without one.
const database = () =>
  (opened ??= new Promise<IDBDatabase>((resolve, reject) => {
    const request = indexedDB.open('catalogue', 2);
    request.onupgradeneeded = () => {
      const { result: made } = request;
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
  }).catch(() => undefined));

/** @returns undefined where there is no database */
async function inStore<Result>(
  name: 'answers' | 'outbox' | 'places',
  mode: IDBTransactionMode,
  run: (store: IDBObjectStore) => IDBRequest<Result>,
): Promise<Result | undefined> {
  const db = await database();
  if (!db) return undefined;
  return new Promise<Result>((resolve, reject) => {
    const transaction = db.transaction(name, mode);
    const request = run(transaction.objectStore(name));
    transaction.oncomplete = () => resolve(request.result);
    transaction.onabort = reject;
  }).catch(() => undefined);
}

function dropOldest(store: IDBObjectStore, most: number) {
  const keys = store.index('at').getAllKeys();
  keys.onsuccess = () => keys.result.slice(0, -most).forEach((key) => store.delete(key));
}

/** The last answer to a request of a user; undefined where there is none. */
export const readAnswer = (user: string, url: string): Promise<Stored | undefined> =>
  inStore('answers', 'readonly', (store) => store.get(`${user} ${url}`));

/** Stores an answer for when nothing can be reached. */
export const storeAnswer = (user: string, url: string, answer: Stored) =>
  inStore('answers', 'readwrite', (store) => {
    dropOldest(store, KEPT_ANSWERS);
    return store.put(answer, `${user} ${url}`);
  });

/** Stores places for when nothing can be reached: a list may have been all that showed them. */
export const storePlaces = (places: readonly Restaurant[], at: number) =>
  inStore('places', 'readwrite', (store) => {
    dropOldest(store, KEPT_PLACES);
    for (const place of places) store.put({ body: place, at }, place.id);
    return store.count();
  });

/** A place as it was seen last; undefined where it never was. */
export const readPlace = (id: number): Promise<Stored | undefined> =>
  inStore('places', 'readonly', (store) => store.get(id));

export async function forgetAnswers() {
  await inStore('places', 'readwrite', (store) => store.clear());
  await inStore('answers', 'readwrite', (store) => store.clear());
}

/** Forgets the answers of accounts, and leaves those of people who are not signed in. */
export const forgetOwnAnswers = () =>
  inStore('answers', 'readwrite', (store) => store.delete(IDBKeyRange.bound('0', ':')));

/** What waits to be sent, of all users, oldest first. */
export async function readOutbox(): Promise<Waiting[]> {
  const all = await inStore('outbox', 'readonly', (store) => store.getAll());
  return trust<Waiting[]>(all ?? []).sort((one, other) => one.at - other.at);
}

/** Stores a request until it is sent; resolves to whether it is safe there. */
export const storeWaiting = async (waiting: Waiting) =>
  (await inStore('outbox', 'readwrite', (store) => store.put(waiting))) !== undefined;

/** Forgets what all accounts but one have not sent. */
export async function forgetUnsent(user?: number | 'all') {
  for (const one of await readOutbox()) if (one.user !== user) await forgetWaiting(one.key);
}

export const forgetWaiting = (key: string) => inStore('outbox', 'readwrite', (store) => store.delete(key));
