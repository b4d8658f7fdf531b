import { CONFIG, call, faultOf, sleep } from '../base/api.js';
import { forgetAnswers, readAnswer, readPlace, storeAnswer, storePlaces } from '../base/cache.js';
import { affectedByWrites } from './affected.js';
import { MARKS, adopt } from './places.js';
import { state, update } from './store.js';
import type { Entry, Restaurant } from '../base/types.js';

const PAUSES = [500, 2000];
/** A busy service is asked again after so long, if it does not say when. */
const BUSY_PAUSE = 1000;
// Answers of screens that were left stay for the way back, but not for ever.
const KEPT_ENTRIES = 80;
/** Older answers are asked for again when a screen is entered and when the page is looked at. */
const OLDEST = 5 * 60_000;

/** So many photos and ratings come along with a place; there may be more. */
export const PARTS_KEPT = 20;

/** Whose stored answers are meant. The settings are needed before that is known. */
const ownerOf = (url: string) => (url === CONFIG ? '' : String(state.session.user?.id ?? ''));

const loading = new Map<string, AbortController>();
/** Requests that a busy service refused are tried again one after the other. */
let turn: Promise<unknown> = Promise.resolve();

/**
 * Takes over the answers that the document brought along, by their addresses below /api.
 * @param at when they were made
 */
export function seed(answers: Readonly<Record<string, unknown>>, at: number) {
  for (const [url, body] of Object.entries(answers)) put(url, { state: 'ok', body, at });
}

/** Stores the answers of the document for when nothing can be reached, once it is known for whom. */
export function storeSeeds(answers: Readonly<Record<string, unknown>>, at: number) {
  for (const [url, body] of Object.entries(answers)) void storeAnswer(ownerOf(url), url, { body, at });
}

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
  const now = Date.now();
  const isPassed = (url: string) =>
    answerPlaces(url).some(({ opening }) => opening?.until && Date.parse(opening.until) <= now);
  invalidate((url) => state.data[url]?.state === 'ok' && isPassed(url));
}

/** The places in an answer. */
const answerPlaces = (url: string) => adopt(state.data[url]?.body, false).places;

/**
 * Asks for an address again, whatever is known of it.
 * @param url below /api
 */
export async function load(url: string) {
  giveUp(url);
  const controller = new AbortController();
  const { signal } = controller;
  loading.set(url, controller);
  const user = ownerOf(url);
  try {
    if (!state.data[url]) {
      put(url, { state: 'loading' });
      const stored = await readAnswer(user, url);
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
    void storeAnswer(user, url, { body, etag, at });
    put(url, entry);
  } catch (error) {
    if (signal.aborted) return forgetLoading(url);
    await fail(url, error);
  } finally {
    if (loading.get(url) === controller) loading.delete(url);
  }
}

async function fail(url: string, error: unknown) {
  const fault = faultOf(error);
  const isUnreachable = fault.status === 0 || fault.status >= 500;
  const id = /^\/restaurants\/(\d+)\?/.exec(url)?.[1];
  const known = state.data[url]?.body === undefined && id ? await readPlace(Number(id)) : undefined;
  const before = known ?? state.data[url];
  if (isUnreachable && before?.body !== undefined) put(url, { ...before, state: 'offline', fault }, false);
  else put(url, { state: 'failed', fault });
}

/** At once, not when the request has come to its end: the next screen may ask for the same again. */
function giveUp(url: string) {
  loading.get(url)?.abort();
  loading.delete(url);
}

const forgetEntry = (url: string) => Reflect.deleteProperty(state.data, url);

function forgetLoading(url: string) {
  // Given up while under way: another visit of the screen asks again.
  if (state.data[url]?.state === 'loading' && !loading.has(url)) forgetEntry(url);
}

/** @param isFresh false for a copy of earlier, which changes nothing that is known already */
function put(url: string, entry: Entry, isFresh = true) {
  const { body, places } = adopt(entry.body, isFresh);
  const [place] = places;
  update((state) => {
    state.data[url] = { ...entry, body };
    if (place === body && place) putParts(place, entry);
  });
  if (isFresh && places.length > 0) void storePlaces(places, entry.at ?? 0);
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
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await askOnce(url, signal, state.data[url]);
    } catch (error) {
      const { status, retryAfter } = faultOf(error);
      if (signal.aborted) throw error;
      if (status === 429) {
        await waitInLine(url, (retryAfter ?? 0) * 1000);
        attempt = -1;
        continue;
      }
      const pause = PAUSES[attempt];
      if (status === 0) setOnline(false);
      if (pause === undefined || (status !== 0 && status < 500) || !navigator.onLine) throw error;
      await sleep(pause);
    }
  }
}

/** Says that the service is busy, and waits for a turn to ask it again. */
async function waitInLine(url: string, pause: number) {
  update(({ data }) => {
    const entry = data[url];
    if (entry?.body !== undefined) entry.state = 'busy';
  });
  const mine = turn.then(() => sleep(Math.max(BUSY_PAUSE, pause)));
  turn = mine;
  await mine;
}

async function askOnce(url: string, signal: AbortSignal, before: Entry | undefined): Promise<Entry> {
  const etag = before?.etag;
  const headers = etag ? { 'If-None-Match': etag } : {};
  const answer = await call('GET', url, { signal, headers, withoutRetry: true });
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
 * @param isMeant by address below /api; all without it
 */
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

/** Has asked for again what writes of this page to these paths altered. */
export const invalidateAfter = (paths: readonly string[]) => invalidate(affectedByWrites(paths));

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
