import { CONFIG, call, faultOf, sleep } from '../base/api.js';
import { forgetAnswers, readAnswer, storeAnswer } from '../base/cache.js';
import { state, update } from './store.js';
import type { Entry } from '../base/types.js';

const PAUSES = [500, 2000];
// Answers of screens that were left stay for the way back, but not for ever.
const KEPT_ENTRIES = 80;

const userName = () => String(state.session.user?.id ?? '');

const loading = new Map<string, AbortController>();

/**
 * Loads what a screen needs and drops what no screen needs any more: draws the stored answer at once, then asks.
 * @param needs paths below /api
 */
export function sync(needs: readonly string[]) {
  for (const url of [...loading.keys()]) if (!needs.includes(url)) giveUp(url);
  for (const url of needs) {
    const entry = state.data[url];
    if ((!entry || entry.state === 'stale') && !loading.has(url)) void load(url);
  }
  const surplus = Object.keys(state.data).filter((url) => !needs.includes(url));
  for (const url of surplus.slice(0, Math.max(0, surplus.length - KEPT_ENTRIES))) delete state.data[url];
}

/**
 * Asks for an address again, whatever is known of it.
 * @param url below /api
 */
export async function load(url: string) {
  giveUp(url);
  const controller = new AbortController();
  loading.set(url, controller);
  const user = userName();
  try {
    if (!state.data[url]) {
      put(url, { state: 'loading' });
      const stored = await readAnswer(user, url);
      if (stored && !controller.signal.aborted) put(url, { ...stored, state: 'stale' });
    }
    const entry = await ask(url, controller.signal, state.data[url]);
    // A sign-out just now must not be followed by an answer of before.
    controller.signal.throwIfAborted();
    put(url, entry);
    if (entry.state === 'ok')
      void storeAnswer(user, url, { body: entry.body, etag: entry.etag, at: entry.at ?? 0 });
  } catch (error) {
    if (controller.signal.aborted) return forget(url);
    const fault = faultOf(error);
    const before = state.data[url];
    const isUnreachable = fault.status === 0 || fault.status >= 500;
    if (isUnreachable && before?.body !== undefined) put(url, { ...before, state: 'offline', fault });
    else put(url, { state: 'failed', fault });
  } finally {
    if (loading.get(url) === controller) loading.delete(url);
  }
}

/** At once, not when the request has come to its end: whoever draws next may ask for the same again. */
function giveUp(url: string) {
  loading.get(url)?.abort();
  loading.delete(url);
}

function forget(url: string) {
  const entry = state.data[url];
  // Given up while under way: another visit of the screen asks again.
  if (entry?.state === 'loading' && !loading.has(url)) delete state.data[url];
}

function put(url: string, entry: Entry) {
  update((state) => (state.data[url] = entry));
}

async function ask(url: string, signal: AbortSignal, before: Entry | undefined): Promise<Entry> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await askOnce(url, signal, before);
    } catch (error) {
      const { status } = faultOf(error);
      const pause = PAUSES[attempt];
      if (status === 0 && !signal.aborted) setOnline(false);
      if (signal.aborted || pause === undefined || (status !== 0 && status < 500) || !navigator.onLine)
        throw error;
      await sleep(pause);
    }
  }
}

async function askOnce(url: string, signal: AbortSignal, before: Entry | undefined): Promise<Entry> {
  // The page preloads its settings, which a request with other headers could not use.
  const etag = url === CONFIG ? undefined : before?.etag;
  const answer = await call('GET', url, { signal, headers: etag ? { 'If-None-Match': etag } : {} });
  setOnline(true);
  const at = Date.now();
  if (answer.status === 304) return { state: 'ok', body: before?.body, etag, at };
  return { state: 'ok', body: answer.body, etag: answer.headers.get('etag'), at };
}

export function setOnline(isOnline: boolean) {
  if (state.online !== isOnline) update((state) => (state.online = isOnline));
}

/**
 * Has addresses asked for again where a screen shows them, and forgets them elsewhere.
 * @param prefixes below /api; none for all
 */
export function invalidate(prefixes: readonly string[]) {
  update((state) => {
    for (const [url, entry] of Object.entries(state.data)) {
      if (prefixes.length > 0 && !prefixes.some((prefix) => url.startsWith(prefix))) continue;
      giveUp(url);
      if (entry.body === undefined) delete state.data[url];
      else entry.state = 'stale';
    }
  });
}

/** Forgets all answers, on the screen and in the browser's database, and the pictures that were looked at. */
export async function forgetAll() {
  for (const url of [...loading.keys()]) giveUp(url);
  update((state) => (state.data = {}));
  await forgetAnswers();
  // Over plain HTTP there is no such cache.
  await globalThis.caches?.delete('thumbnails');
}
