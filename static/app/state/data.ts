import { CONFIG, call, faultOf, sleep } from '../base/api.js';
import { forgetAnswers, readCopy, storeCopies } from '../base/cache.js';
import { MARKS, adopt, keepShown } from './places.js';
import { readStored, state, update } from './store.js';
import type { Entry, Restaurant, Sending } from '../base/types.js';

const PAUSES = [500, 2000];
// Answers of screens that were left stay for the way back, but not for ever.
const KEPT_ENTRIES = 80;
/** Older answers are asked for again when a screen is entered and when the page is looked at. */
const OLDEST = 5 * 60_000;

/** So many photos and ratings come along with a place; there may be more. */
export const PARTS_KEPT = 20;

/**
 * The addresses below /api whose answers a write altered: one of this page by its path, whose places and marks in the
 * store follow at once; one of others by its kind.
 */
const ALTERED: readonly (readonly [RegExp, RegExp])[] = [
  [/^\/shared/, /^\/(?:lists|me\/marks)/],
  [/\/links/, /\/links/],
  [/^\/(?:changes|batches|imports)|\/(?:merge|access)$/, /./],
  [/\/photos/, /^\/(?:restaurants\/\d|photos)/],
  // The number of its items is counted at once.
  [/\/items\//, /^\/lists\/|[?&]list=/],
  [/^\/ratings/, /^\/(?:restaurants\/\d|ratings)/],
  [/^rating/, /^\/(?:restaurants|lists\/|ratings|me\/marks)/],
  [/^photo/, /^\/(?:restaurants|lists\/|photos)/],
  [/^(?:category|food_type)/, /^\/(?:restaurants|lists\/|categories|food-types|suggestions)/],
  // Another person's merge moves visits and items of lists along.
  [/^restaurant$/, /^\/(?:restaurants|lists|visits|duplicates|me\/marks)/],
  [/restaurant/, /^\/(?:restaurants|lists\/|visits|duplicates)/],
  [/suggestion/, /^\/(?:restaurants|suggestions)/],
  [/list/, /^\/(?:lists|me\/marks)|[?&]list=/],
  [/visit/, /^\/(?:visits|me\/marks)|[?&]visited=/],
];

/** Has asked for again what writes altered, by their paths below /api or their kinds. */
export function invalidateBy(...writes: readonly string[]) {
  const altered = writes.map(
    (write) => ALTERED.find(([one]) => one.test(write))?.[1] ?? new RegExp(`^/${write.split('/')[1]}`),
  );
  invalidate((url) => altered.some((one) => one.test(url)));
}

const loading = new Map<string, AbortController>();
/** Requests that a busy service refused are tried again one after the other. */
let turn: Promise<unknown> = Promise.resolve();

/** A link may end at any time: nothing of what it shows is stored. */
const isStored = (url: string) => !url.startsWith('/shared/');

/** The key of a user's answer. The settings are needed before that is known. */
const keyOf = (url: string) => `${url === CONFIG ? '' : (state.session.user?.id ?? '')} ${url}`;

/** Takes over the answers of the document. What it returns stores them, once it is known for whom. */
export function seed(answers: Readonly<Record<string, unknown>>, at: number) {
  const entries = Object.entries(answers);
  for (const [url, body] of entries) put(url, { state: 'ok', body, at });
  const stored = entries.filter(([url]) => isStored(url));
  const copies = () => stored.map(([url, body]) => [keyOf(url), { body, at }] as const);
  return () => void storeCopies('answers', copies());
}

/** Loads what a screen needs and drops what none needs: draws the stored answer at once, then asks. */
export function sync(needs: readonly string[]) {
  for (const url of [...loading.keys()]) if (!needs.includes(url)) giveUp(url);
  const isWanted = (url: string) => (state.data[url]?.state ?? 'stale') === 'stale' && !loading.has(url);
  for (const url of needs) if (isWanted(url)) void load(url);
  const surplus = Object.keys(state.data).filter((url) => !needs.includes(url));
  for (const url of surplus.slice(0, -KEPT_ENTRIES)) forgetEntry(url);
}

/** Has what is older than five minutes, or `age`, asked for again where a screen shows it, and draws the screen anew. */
export function refreshOld(meant = /./, age = OLDEST) {
  const since = Date.now() - age;
  update(({ data }) => {
    for (const [url, entry] of Object.entries(data))
      if (entry.state === 'ok' && (entry.at ?? 0) < since && meant.test(url)) entry.state = 'stale';
  });
}

/** Asks for an address below /api again, whatever is known of it. */
export async function load(url: string) {
  giveUp(url);
  const controller = new AbortController();
  const { signal } = controller;
  loading.set(url, controller);
  const key = keyOf(url);
  try {
    if (!state.data[url]) {
      put(url, { state: 'loading' });
      const stored = await readCopy('answers', key);
      // What changes the marks of before is heard in the stream of changes.
      const isYoung = url === MARKS && (stored?.at ?? 0) > Date.now() - OLDEST;
      if (stored && !signal.aborted) put(url, { ...stored, state: isYoung ? 'ok' : 'stale' }, false);
      if (stored && isYoung) return;
    }
    const entry = await ask(url, signal);
    // A sign-out just now must not be followed by an answer of before.
    signal.throwIfAborted();
    if (isStored(url)) void storeCopies('answers', [[key, entry]]);
    put(url, entry);
  } catch (error) {
    if (signal.aborted) return;
    const fault = faultOf(error);
    const id = state.data[url]?.body === undefined && /^\/restaurants\/(\d+)\?/.exec(url)?.[1];
    const before = (id ? await readCopy('places', Number(id)) : undefined) ?? state.data[url];
    const isUnreachable = fault.status === 0 || fault.status >= 500;
    if (isUnreachable && before?.body !== undefined) put(url, { ...before, state: 'offline', fault }, false);
    else put(url, { state: 'failed', fault });
  } finally {
    if (loading.get(url) === controller) loading.delete(url);
  }
}

/** Takes over what a request did. The marks are stored with it, since a page that is opened soon does not ask for them. */
export function settle(done: Sending, created?: { readonly id?: number }) {
  keepShown(done, created);
  const marks = state.data[MARKS];
  if (marks?.body !== undefined) void storeCopies('answers', [[keyOf(MARKS), marks]]);
}

/** Takes over a newer answer than the one that may be under way. */
export function take(url: string, body: unknown) {
  giveUp(url);
  put(url, { state: 'ok', body, at: Date.now() });
}

/** The name under which the secret is stored by which a guest votes at a link. */
export const guestKey = (url: string) => `guest ${url}`;

/** At once, not when the request has come to its end: the next screen may ask for the same again. */
function giveUp(url: string) {
  loading.get(url)?.abort();
  loading.delete(url);
  if (state.data[url]?.state === 'loading') forgetEntry(url);
}

const forgetEntry = (url: string) => Reflect.deleteProperty(state.data, url);

/** @param isFresh false for a copy of earlier, which changes nothing that is known already */
function put(url: string, entry: Entry, isFresh = true) {
  const { body, places } = adopt(entry.body, isFresh);
  const [place]: (Restaurant & { photos?: unknown; ratings?: unknown })[] = places;
  update(({ data }) => {
    data[url] = { ...entry, body };
    if (!place || place !== body) return;
    // The photos and ratings that came along with a place are the answers of their own addresses.
    const { id, photos, ratings } = place;
    // Where there may be more, their own address is asked.
    const isWhole = Array.isArray(photos) && photos.length < PARTS_KEPT;
    if (isWhole) data[`/restaurants/${id}/photos`] = { ...entry, body: photos };
    if (ratings) data[`/restaurants/${id}/ratings?limit=20`] = { ...entry, body: ratings };
  });
  // A list may have been all that showed them.
  const copies = places.map((body) => [body.id, { body, at: entry.at ?? 0 }] as const);
  if (isFresh && places.length > 0 && isStored(url)) void storeCopies('places', copies);
}

async function ask(url: string, signal: AbortSignal): Promise<Entry> {
  for (let attempt = 0; ;) {
    const before = state.data[url];
    const guest = readStored(guestKey(url));
    const headers = {
      ...(before?.etag && { 'If-None-Match': before.etag }),
      ...(guest && { Authorization: `Guest ${guest}` }),
    };
    try {
      const answer = await call('GET', url, { signal, headers, withoutRetry: true });
      setOnline(true);
      const { body, etag } =
        answer.status === 304 && before ? before : { body: answer.body, etag: answer.headers.get('etag') };
      return { state: 'ok', body, etag, at: Date.now() };
    } catch (error) {
      const { status, retryAfter } = faultOf(error);
      if (signal.aborted) throw error;
      if (status === 0) setOnline(false);
      const pause = PAUSES[attempt];
      attempt = status === 429 ? 0 : attempt + 1;
      if (status === 429) {
        if (before?.body !== undefined) update(() => (before.state = 'busy'));
        turn = turn.then(() => sleep((retryAfter ?? 1) * 1000));
        await turn;
      } else if (pause === undefined || (status !== 0 && status < 500) || !navigator.onLine) throw error;
      else await sleep(pause);
    }
  }
}

export function setOnline(isOnline: boolean) {
  if (state.online !== isOnline) update((state) => (state.online = isOnline));
}

/** Has addresses asked for again where a screen shows them, and forgets them elsewhere. */
export function invalidate(isMeant: (url: string) => boolean = () => true) {
  update((state) => {
    for (const [url, entry] of Object.entries(state.data).filter(([url]) => isMeant(url))) {
      giveUp(url);
      if (entry.body === undefined) forgetEntry(url);
      else entry.state = 'stale';
    }
  });
}

/** Forgets all answers, on the screen and in the browser's database, and the pictures that were looked at. */
export async function forgetAll() {
  for (const url of [...loading.keys()]) giveUp(url);
  update((state) => {
    state.data = {};
    state.places.clear();
  });
  await forgetAnswers();
  // Over plain HTTP there is no such cache.
  if ('caches' in globalThis) await caches.delete('thumbnails');
}
