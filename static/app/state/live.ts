import { affectedBy } from './affected.js';
import { accessToken, ownWrites } from '../base/api.js';
import { invalidate } from './data.js';
import { readParts } from '../base/wire.js';
import { onChange, state, update } from './store.js';
import { trust } from '../base/trust.js';
import type { News } from '../base/types.js';

const TOGETHER = 250;
// An import writes thousands of changes: the screen then follows it in steps.
const MANY = 50;
const TOGETHER_OF_MANY = 5000;
const SHORTEST_PAUSE = 1000;
const LONGEST_PAUSE = 30_000;
const KEPT_NEWS = 200;

/** Where the stream goes on; undefined for now. */
let cursor: string | undefined;
let following: { user: number; signal: AbortSignal; stop: () => void } | undefined;
let heard: News[] = [];
let timer: ReturnType<typeof setTimeout> | undefined;

/** Follows what is changed by others, and by this person elsewhere, for as long as the page is looked at. */
export function startLive() {
  document.addEventListener('visibilitychange', follow);
  onChange(follow);
  follow();
}

function follow() {
  const { session, config } = state;
  const user = document.hidden || config?.read_only ? undefined : session.user?.id;
  if (heard.length > 0 && timer === undefined) settle();
  if (user === following?.user) return;
  following?.stop();
  if (session.user === null) [cursor, heard, state.ui.news] = [undefined, [], []];
  following = undefined;
  if (user === undefined) return;
  const controller = new AbortController();
  following = { user, signal: controller.signal, stop: () => controller.abort() };
  void stay(following.signal);
}

/** Reads the stream, and opens it again whenever it ends. */
async function stay(signal: AbortSignal) {
  let pause = SHORTEST_PAUSE;
  let isLate = false;
  while (!signal.aborted) {
    let wait = 0;
    try {
      const headers = cursor === undefined ? {} : { 'Last-Event-ID': cursor };
      const answer = await openStream('/changes/stream', { signal, headers }, (id, change) => {
        pause = SHORTEST_PAUSE;
        hear({ id, change, isGap: isLate && cursor === undefined });
      });
      wait = Number(answer.headers.get('retry-after') ?? 0) * 1000;
      // What came behind the cursor is not known any more.
      if (answer.status === 410) cursor = undefined;
    } catch {
      // The service cannot be reached just now, or the page is being left.
    }
    isLate = true;
    await sleep(Math.max(pause, wait), signal);
    pause = Math.min(LONGEST_PAUSE, pause * 2);
  }
}

/** @param signal ends it at once */
const sleep = (time: number, signal: AbortSignal) =>
  new Promise((resolve) => {
    setTimeout(resolve, time);
    signal.addEventListener('abort', resolve, { once: true });
  });

/**
 * Reads a stream of changes (HTML, "Server-sent events") with the access token, which an EventSource cannot send.
 * @param path below /api
 * @param onEvent gets its id, the cursor to go on from
 * @returns the answer, once it is over
 */
async function openStream(
  path: string,
  { signal, headers }: { signal: AbortSignal; headers: Record<string, string> },
  onEvent: (id: string, change: News | undefined) => void,
): Promise<Response> {
  const ask = (token: string | undefined) => {
    const own = token === undefined ? {} : { Authorization: `Bearer ${token}` };
    return fetch(`/api${path}`, { headers: { ...headers, ...own }, signal, cache: 'no-store' });
  };
  const token = await accessToken();
  let response = await ask(token);
  if (response.status === 401) response = await ask(await accessToken(token));
  if (!response.ok) return response;
  await readParts(response, '\n\n', (block) => {
    if (block.startsWith(':')) return;
    const fields = new Map(
      block.split('\n').map((line) => [line.split(':', 1)[0], line.replace(/^\w+: /, '')]),
    );
    const change =
      fields.get('event') === 'change' ? newsOf(trust(JSON.parse(fields.get('data') ?? ''))) : undefined;
    onEvent(fields.get('id') ?? '', change);
  });
  return response;
}

const newsOf = ({ id, kind, action, actor, write_id }: News): News => ({
  id,
  kind,
  action,
  actor,
  write_id,
});

/** @param event a gap: anything may have changed before it */
function hear({ id, change, isGap }: { id: string; change?: News | undefined; isGap: boolean }) {
  cursor = id;
  if (isGap) invalidate();
  if (!change) return;
  heard = [...heard.slice(1 - KEPT_NEWS), change];
  // A hidden tab asks for nothing until it is looked at.
  if (document.hidden) return;
  if (heard.length === MANY) clearTimeout(timer);
  if (heard.length === 1 || heard.length === MANY)
    timer = setTimeout(settle, heard.length === 1 ? TOGETHER : TOGETHER_OF_MANY);
}

function settle() {
  timer = undefined;
  if (document.hidden) return;
  const changes = heard;
  heard = [];
  const others = changes.filter(({ write_id: id }) => !ownWrites.has(id));
  if (others.length > 0) invalidate(changes.length < KEPT_NEWS ? affectedBy(others) : undefined);
  update((state) => {
    state.ui.news = [...(state.ui.news ?? []), ...changes].slice(-KEPT_NEWS);
  });
}
