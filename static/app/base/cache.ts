import type { Entry, Waiting } from './types.js';

const NAME = 'catalogue';
const KEPT_ANSWERS = 300;

let opened: Promise<IDBDatabase | undefined> | undefined;

// Private windows and locked-down browsers have no database: the app then works without one.
function database() {
  return (opened ??= new Promise((resolve) => {
    try {
      const request = indexedDB.open(NAME, 1);
      request.onupgradeneeded = () => {
        request.result.createObjectStore('answers').createIndex('at', 'at');
        request.result.createObjectStore('outbox', { keyPath: 'key' });
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
  name: 'answers' | 'outbox',
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

/** Stores an answer for when nothing can be reached; the oldest beyond the last 300 are dropped. */
export async function storeAnswer(user: string, url: string, answer: Pick<Entry, 'body' | 'etag' | 'at'>) {
  await inStore('answers', 'readwrite', (store) => {
    const count = store.count();
    count.onsuccess = () => {
      let surplus = count.result - KEPT_ANSWERS;
      if (surplus <= 0) return;
      store.index('at').openCursor().onsuccess = ({ target }) => {
        const cursor = (target as IDBRequest<IDBCursorWithValue | null>).result;
        if (!cursor || surplus-- <= 0) return;
        cursor.delete();
        cursor.continue();
      };
    };
    return store.put(answer, `${user} ${url}`);
  });
}

/** Forgets all answers. */
export const forgetAnswers = () => inStore('answers', 'readwrite', (store) => store.clear());

/** Forgets the answers of accounts, and leaves those of people who are not signed in. */
export const forgetOwnAnswers = () =>
  inStore('answers', 'readwrite', (store) => store.delete(IDBKeyRange.bound('0', ':')));

/** What waits to be sent, of all users, oldest first. */
export async function readOutbox(): Promise<Waiting[]> {
  const all = ((await inStore('outbox', 'readonly', (store) => store.getAll())) ?? []) as Waiting[];
  return all.sort((one, other) => one.at - other.at);
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
      if (cursor.value.user !== user) cursor.delete();
      cursor.continue();
    };
    return request;
  });

export const forgetWaiting = (key: string) => inStore('outbox', 'readwrite', (store) => store.delete(key));
