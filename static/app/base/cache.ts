import { trust } from './trust.js';
import type { Entry, Restaurant, Waiting } from './types.js';

const NAME = 'catalogue';
const KEPT_ANSWERS = 300;
const KEPT_PLACES = 3000;

let opened: Promise<IDBDatabase | undefined> | undefined;

// Private windows and locked-down browsers have no database: the app then works without one.
function database() {
  return (opened ??= new Promise((resolve) => {
    try {
      const request = indexedDB.open(NAME, 2);
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
      request.onerror = () => resolve(undefined);
      request.onblocked = () => resolve(undefined);
    } catch {
      resolve(undefined);
    }
  }));
}

/** @returns undefined where there is no database */
async function inStore<Result>(
  name: 'answers' | 'outbox' | 'places',
  mode: IDBTransactionMode,
  run: (store: IDBObjectStore) => IDBRequest<Result>,
): Promise<Result | undefined> {
  const db = await database();
  if (!db) return undefined;
  return new Promise((resolve) => {
    try {
      const transaction = db.transaction(name, mode);
      const request = run(transaction.objectStore(name));
      transaction.oncomplete = () => resolve(request.result);
      transaction.onabort = () => resolve(undefined);
    } catch {
      resolve(undefined);
    }
  });
}

/** The last answer to a request of a user; undefined where there is none. */
export const readAnswer = (
  user: string,
  url: string,
): Promise<Pick<Entry, 'body' | 'etag' | 'at'> | undefined> =>
  inStore('answers', 'readonly', (store) => store.get(`${user} ${url}`));

/** Drops the oldest entries of a store beyond so many. */
function dropOldest(store: IDBObjectStore, most: number) {
  const count = store.count();
  count.onsuccess = () => {
    let surplus = count.result - most;
    if (surplus <= 0) return;
    const cursors = store.index('at').openCursor();
    cursors.onsuccess = () => {
      const cursor = cursors.result;
      if (!cursor || surplus-- <= 0) return;
      cursor.delete();
      cursor.continue();
    };
  };
}

/** Stores an answer for when nothing can be reached; the oldest beyond the last 300 are dropped. */
export const storeAnswer = (user: string, url: string, answer: Pick<Entry, 'body' | 'etag' | 'at'>) =>
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
export const readPlace = (id: number): Promise<Pick<Entry, 'body' | 'at'> | undefined> =>
  inStore('places', 'readonly', (store) => store.get(id));

/** Forgets all answers. */
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
export const forgetUnsent = (user?: number | 'all') =>
  inStore('outbox', 'readwrite', (store) => {
    const request = store.openCursor();
    request.onsuccess = () => {
      const cursor = request.result;
      if (!cursor) return;
      if (trust<Waiting>(cursor.value).user !== user) cursor.delete();
      cursor.continue();
    };
    return request;
  });

export const forgetWaiting = (key: string) => inStore('outbox', 'readwrite', (store) => store.delete(key));
