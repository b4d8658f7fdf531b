import { CONFIG, call, faultOf, sleep } from '../base/api.js';
import { forgetAnswers, readCopy, storeCopies } from '../base/cache.js';
import { MARKS, adopt } from './places.js';
import { state, update } from './store.js';
import type { Change, Entry, Restaurant } from '../base/types.js';

const PAUSES = [500, 2000];
/** A busy service is asked again after so long, if it does not say when. */
const BUSY_PAUSE = 1000;
// Answers of screens that were left stay for the way back, but not for ever.
const KEPT_ENTRIES = 80;
/** Older answers are asked for again when a screen is entered and when the page is looked at. */
const OLDEST = 5 * 60_000;

/** So many photos and ratings come along with a place; there may be more. */
export const PARTS_KEPT = 20;

/** The addresses below /api whose answers a change of each kind by others may have altered. */
const BY_KIND: Readonly<Record<Change['kind'], RegExp>> = {
  restaurant: /^\/(?:restaurants|lists\/|visits)/,
  category: /^\/(?:restaurants|lists\/|categories|suggestions)/,
  food_type: /^\/(?:restaurants|lists\/|food-types|suggestions)/,
  suggestion: /^\/(?:restaurants|suggestions)/,
  rating: /^\/(?:restaurants|lists\/|ratings|me\/marks)/,
  photo: /^\/(?:restaurants|lists\/|photos)/,
  list: /^\/(?:lists|me\/marks)|[?&]list=/,
  visit: /^\/(?:visits|me\/marks)|[?&]visited=/,
};

/** The same for writes of this page, by their paths. The places and marks in the store follow at once. */
const BY_PATH: readonly (readonly [RegExp, RegExp])[] = [
  [/^\/(?:changes|batches|imports)/, /./],
  [/\/photos/, /^\/(?:restaurants\/\d|photos)/],
  // The number of its items is counted at once.
  [/\/items\//, /^\/lists\/|[?&]list=/],
  [/^\/ratings/, /^\/(?:restaurants\/\d|ratings)/],
  [/^\/restaurants/, BY_KIND.restaurant],
  [/^\/categories/, BY_KIND.category],
  [/^\/food-types/, BY_KIND.food_type],
  [/^\/suggestions/, BY_KIND.suggestion],
  [/^\/lists/, BY_KIND.list],
  [/^\/visits/, BY_KIND.visit],
];

/** What changes of others altered. */
export const affectedBy = (changes: readonly Pick<Change, 'kind'>[]) => (url: string) =>
  changes.some(({ kind }) => BY_KIND[kind].test(url));

/** Has asked for again what a write of this page to a path below /api altered. */
export function invalidateAfter(path: string) {
  const [first = ''] = /^\/[^/?]+/.exec(path) ?? [];
  const altered = BY_PATH.find(([written]) => written.test(path))?.[1];
  invalidate((url) => altered?.test(url) ?? url.startsWith(first));
}

const loading = new Map<string, AbortController>();
/** Requests that a busy service refused are tried again one after the other. */
let turn: Promise<unknown> = Promise.resolve();

/** The key of a user's answer. The settings are needed before that is known. */
const keyOf = (url: string) => `${url === CONFIG ? '' : (state.session.user?.id ?? '')} ${url}`;

/** Takes over the answers of the document. What it returns stores them, once it is known for whom. */
export function seed(answers: Readonly<Record<string, unknown>>, at: number) {
  const entries = Object.entries(answers);
  for (const [url, body] of entries) put(url, { state: 'ok', body, at });
  return () =>
    void storeCopies(
      'answers',
      entries.map(([url, body]) => [keyOf(url), { body, at }]),
    );
}

/** Loads what a screen needs and drops what none needs: draws the stored answer at once, then asks. */
export function sync(needs: readonly string[]) {
  for (const url of [...loading.keys()]) if (!needs.includes(url)) giveUp(url);
  for (const url of needs) {
    const entry = state.data[url];
    if ((!entry || entry.state === 'stale') && !loading.has(url)) void load(url);
  }
  const surplus = Object.keys(state.data).filter((url) => !needs.includes(url));
  for (const url of surplus.slice(0, Math.max(0, surplus.length - KEPT_ENTRIES))) forgetEntry(url);
}

/** Has what is older than five minutes asked for again where a screen shows it. */
export function refreshOld() {
  const since = Date.now() - OLDEST;
  update(({ data }) => {
    for (const entry of Object.values(data))
      if (entry.state === 'ok' && (entry.at ?? 0) < since) entry.state = 'stale';
  });
}

/** Has places asked for again of which it was known only until now whether they are open, and draws the screen anew. */
export function refreshPassed() {
  const isPassed = ({ opening }: Restaurant) => opening?.until && Date.parse(opening.until) <= Date.now();
  invalidate((url) => {
    const entry = state.data[url];
    return entry?.state === 'ok' && adopt(entry.body, false).places.some(isPassed);
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
    const { body, etag, at = 0 } = entry;
    // The text of the answer: the places in the store may be changed before it is written.
    void storeCopies('answers', [[key, { body, etag, at }]]);
    put(url, entry);
  } catch (error) {
    if (!signal.aborted) await fail(url, error);
  } finally {
    if (loading.get(url) === controller) loading.delete(url);
  }
}

async function fail(url: string, error: unknown) {
  const fault = faultOf(error);
  const isUnreachable = fault.status === 0 || fault.status >= 500;
  const id = /^\/restaurants\/(\d+)\?/.exec(url)?.[1];
  const known = state.data[url]?.body === undefined && id ? await readCopy('places', Number(id)) : undefined;
  const before = known ?? state.data[url];
  if (isUnreachable && before?.body !== undefined) put(url, { ...before, state: 'offline', fault }, false);
  else put(url, { state: 'failed', fault });
}

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
  const [place] = places;
  update((state) => {
    state.data[url] = { ...entry, body };
    if (place === body && place) putParts(place, entry);
  });
  // A list may have been all that showed them.
  const copies = places.map((body) => [body.id, { body, at: entry.at ?? 0 }] as const);
  if (isFresh && places.length > 0) void storeCopies('places', copies);
}

/** The photos and ratings that came along with a place are the answers of their own addresses. */
function putParts(place: Restaurant & { photos?: unknown; ratings?: unknown }, entry: Entry) {
  const { id, photos, ratings } = place;
  // Where there may be more, those of its own address are asked for.
  const isWhole = Array.isArray(photos) && photos.length < PARTS_KEPT;
  if (isWhole) state.data[`/restaurants/${id}/photos`] = { ...entry, body: photos };
  if (ratings) state.data[`/restaurants/${id}/ratings?limit=20`] = { ...entry, body: ratings };
}

async function ask(url: string, signal: AbortSignal): Promise<Entry> {
  for (let attempt = 0; ;) {
    const before = state.data[url];
    const headers = before?.etag ? { 'If-None-Match': before.etag } : undefined;
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
      if (status === 429) await waitInLine(url, (retryAfter ?? 0) * 1000);
      else if (pause === undefined || (status !== 0 && status < 500) || !navigator.onLine) throw error;
      else await sleep(pause);
    }
  }
}

/** Says that the service is busy, and waits for a turn to ask it again. */
async function waitInLine(url: string, pause: number) {
  update(({ data }) => {
    const entry = data[url];
    if (entry?.body !== undefined) entry.state = 'busy';
  });
  turn = turn.then(() => sleep(Math.max(BUSY_PAUSE, pause)));
  await turn;
}

export function setOnline(isOnline: boolean) {
  if (state.online !== isOnline) update((state) => (state.online = isOnline));
}

/** Has addresses asked for again where a screen shows them, and forgets them elsewhere. */
export function invalidate(isMeant: (url: string) => boolean = () => true) {
  update((state) => {
    for (const [url, entry] of Object.entries(state.data)) {
      if (!isMeant(url)) continue;
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
