import { call, faultOf } from '../base/api.js';
import { invalidate, setOnline, settle } from './data.js';
import { forgetWaiting, readOutbox, storeWaiting } from '../base/cache.js';
import { pageOwner } from './session.js';
import { inTurn, onChange, state, update } from './store.js';
import { type State, type User, type Waiting, trust } from '../base/types.js';

// The service keeps the keys of requests for 24 hours; after that one that it got already would be done again.
const OLDEST = 23 * 3_600_000;
const SHORTEST_PAUSE = 1000;
const LONGEST_PAUSE = 60_000;
const LOCAL = 'local:';
// The service cannot be reached, is busy, or knows no session: all others would fare the same.
const STOPS = [0, 401, 429, 502, 503, 504];

// Tabs show the same box, whichever of them sends.
const tabs = new BroadcastChannel('outbox');
/** Changes in the log of requests that waited, by key. */
const changes = new Map<string, string | null>();
/** Places of which nothing more is sent in this run, since an earlier request has to come first. */
const held = new Set<string>();
let followed = '';
let sending: Promise<void> | undefined;
let timer = 0;
let pause = SHORTEST_PAUSE;

/** What stands for the id of something that a waiting request creates, by the key of that. */
export const localId = (key: string) => LOCAL + key;

/** Whether a request has to wait for others that do: of the same place, or those that create what it is about. */
export const isBehind = ({ place, path }: { place?: string | undefined; path: string }) =>
  path.includes(LOCAL) ||
  state.outbox.some((one) => place !== undefined && one.place === place && one.state !== 'refused');

/** Puts a request into the outbox; resolves to whether it is safe there. */
export async function queue({ body, ...request }: Omit<Waiting, 'at' | 'form' | 'state' | 'reason'>) {
  // A form cannot be stored, but its parts can, pictures among them.
  const content = body instanceof FormData ? { form: [...body] } : { body };
  const isSafe = await put({ ...request, ...content, at: Date.now(), state: 'waiting' });
  if (isSafe && state.outbox.length === 1 && 'storage' in navigator) void navigator.storage.persist();
  if (isSafe) later();
  return isSafe;
}

/** Shows what waits, and sends it whenever there is a connection. */
export function startOutbox() {
  tabs.addEventListener('message', () => void readOwn());
  onChange(follow);
  document.addEventListener('visibilitychange', () => void sendAll());
  follow(state);
}

function follow({ session: { user }, online }: State) {
  const now = `${user?.id} ${online}`;
  if (now === followed) return;
  followed = now;
  pause = SHORTEST_PAUSE;
  void readOwn().then(sendAll);
}

// A connection that has just come back may need a moment, and one that is away may stay so for long.
function later() {
  clearTimeout(timer);
  timer = setTimeout(sendAll, pause);
  pause = Math.min(LONGEST_PAUSE, pause * 2);
}

/** Only the user's own: another one's are neither shown nor sent, only counted until that account comes back. */
export async function readOwn() {
  const all = await readOutbox();
  const own = all.filter((one) => one.user === state.session.user?.id);
  update((state) => {
    state.outbox = own;
    state.ui.unsentOfOther = state.session.user ? 0 : all.length;
  });
  return own;
}

function tell() {
  tabs.postMessage('changed');
  return readOwn();
}

/** Sends what waits, one after the other, until it is done or something is in the way; then tries again later. */
export const sendAll = () => (sending ??= run().finally(() => (sending = undefined)));

async function run() {
  // Without locks, as over plain HTTP, only the tab in sight sends.
  if (!('locks' in navigator) && document.hidden) return;
  held.clear();
  let isDone = false;
  const first = (await readOwn()).find((one) => one.state === 'waiting');
  // Until the service has said whose session it is, that is a guess.
  const user = first && (await call<User>('GET', '/auth/me').catch(() => undefined));
  if (first && first.user === user?.body.id) while (await inTurn('outbox', sendNext)) isDone = true;
  if (isDone) invalidate();
  if (state.outbox.some((one) => one.state === 'waiting')) later();
}

/** @returns whether it is worth going on */
async function sendNext(): Promise<boolean> {
  const all = await readOwn();
  for (const one of all) if (one.state === 'old') held.add(one.place ?? one.key);
  const isFree = (one: Waiting) =>
    !held.has(one.place ?? one.key) && !all.some(({ key }) => textOf(one).includes(localId(key)));
  const next = all.find((one) => one.state === 'waiting' && isFree(one));
  if (!next) return false;
  try {
    if (Date.now() - next.at > OLDEST) await put({ ...next, state: 'old' });
    else await finish(next, await send(next));
  } catch (error) {
    const { status, message } = faultOf(error);
    if (STOPS.includes(status)) return false;
    // It was deleted by the request whose answer was lost, or by someone else.
    if (status === 404 && next.method === 'DELETE') await finish(next);
    else if (status >= 500 || message.includes('under way')) held.add(next.place ?? next.key);
    else await put({ ...next, state: 'refused', status, reason: message });
  }
  return true;
}

function send({ key, method, path, body, form }: Waiting) {
  const parts = new FormData();
  for (const [name, value] of form ?? []) parts.append(name, value);
  return call<{ id?: number } | undefined>(method, path, { key, body: form ? parts : body });
}

async function finish(request: Waiting, answer?: Awaited<ReturnType<typeof send>>) {
  const { key } = request;
  changes.set(key, answer?.headers.get('change') ?? null);
  const id = answer?.body?.id;
  // First of all, so that a crash leaves no requests with unknown ids.
  for (const { path, body, ...one } of id === undefined ? [] : dependants(key)) {
    const text = JSON.stringify({ path, body });
    const known = text.replaceAll(`"${localId(key)}"`, String(id)).replaceAll(localId(key), String(id));
    await put({ ...one, ...trust<Pick<Waiting, 'path' | 'body'>>(JSON.parse(known)) });
  }
  settle(request, answer?.body);
  await forgetWaiting(key);
  pause = SHORTEST_PAUSE;
  setOnline(true);
  await tell();
}

const dependants = (key: string) => state.outbox.filter((one) => textOf(one).includes(localId(key)));

const textOf = ({ path, body }: Waiting) => path + JSON.stringify(body ?? null);

/** Stores a request, unless its account has left meanwhile; resolves to whether it is safe there. */
async function put(waiting: Waiting) {
  const isStored = waiting.user === pageOwner() && (await storeWaiting(waiting));
  if (isStored) await tell();
  return isStored;
}

/** Takes a request out, and those that need what it creates. A change in the log, or null, says that it was sent. */
export const takeBack = (key: string): Promise<string | null | undefined> =>
  inTurn('outbox', async () => {
    const all = await readOwn();
    if (!all.some((one) => one.key === key)) return changes.get(key) ?? null;
    for (const one of [...dependants(key), { key }]) await forgetWaiting(one.key);
    await tell();
    return undefined;
  });

/** Sends a request again that was refused or is old. */
export async function sendAgain(waiting: Waiting) {
  await put({ ...waiting, state: 'waiting', at: Date.now() });
  await sendAll();
}
