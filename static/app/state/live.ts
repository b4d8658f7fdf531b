import { invalidate, invalidateBy } from './data.js';
import { call, faultOf, ownWrites, sleep } from '../base/api.js';
import { onChange, setUi, state } from './store.js';
import { type Change, trust } from '../base/types.js';

const TOGETHER = 250;
// An import writes thousands of changes: the screen then follows it in steps.
const MANY = 50;
const TOGETHER_OF_MANY = 5000;
const SHORTEST_PAUSE = 1000;
const LONGEST_PAUSE = 30_000;
const KEPT_NEWS = 200;

/** Where the stream goes on; undefined for now. */
let cursor: string | undefined;
let following: { user: number; controller: AbortController } | undefined;
let heard: Change[] = [];
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
  if (user === following?.user) return;
  following?.controller.abort();
  if (session.user === null) [cursor, heard, state.ui.news] = [undefined, [], []];
  following = user === undefined ? undefined : { user, controller: new AbortController() };
  if (following) void stay(following.controller.signal);
}

/** Reads the stream, and opens it again whenever it ends. */
async function stay(signal: AbortSignal) {
  let pause = SHORTEST_PAUSE;
  for (let isLate = false; !signal.aborted; isLate = true) {
    let event: Record<string, string> = {};
    // Server-sent events (HTML) with the access token, which an EventSource cannot send.
    const onLine = (line: string) => {
      const [, name, value = ''] = /^(\w+): (.*)/.exec(line) ?? [];
      if (name) event[name] = value;
      if (line !== '' || event.id === undefined) return;
      pause = SHORTEST_PAUSE;
      // Anything may have changed before the stream began.
      if (isLate && cursor === undefined) invalidate();
      cursor = event.id;
      if (event.event === 'change') hear(trust(JSON.parse(event.data ?? '')));
      event = {};
    };
    try {
      const headers = cursor === undefined ? {} : { 'Last-Event-ID': cursor };
      await call('GET', '/changes/stream', { signal, headers, onLine, withoutRetry: true });
    } catch (error) {
      const { status, retryAfter } = faultOf(error);
      pause = Math.max(pause, (retryAfter ?? 0) * 1000);
      // What came behind the cursor is not known any more.
      if (status === 410) cursor = undefined;
    }
    await sleep(pause);
    pause = Math.min(LONGEST_PAUSE, pause * 2);
  }
}

function hear(change: Change) {
  heard.push(change);
  if (heard.length === MANY) clearTimeout(timer);
  if (heard.length === 1 || heard.length === MANY)
    timer = setTimeout(settle, heard.length === 1 ? TOGETHER : TOGETHER_OF_MANY);
}

function settle() {
  const others = heard.filter(({ write_id: id }) => !ownWrites.has(id));
  invalidateBy(...new Set(others.map(({ kind }) => kind)));
  setUi({ news: [...(state.ui.news ?? []), ...heard].slice(-KEPT_NEWS) });
  heard = [];
}
