import { fill, texts } from '../base/texts.js';
import { call, faultOf } from '../base/api.js';
import { isRecord, trust } from '../base/trust.js';
import { invalidateAfter } from './data.js';
import { NO_MARKS, allMarks } from './places.js';
import { navigate } from './router.js';
import { setUi, state, update } from './store.js';
import { isBehind, localId, queue, takeBack } from './outbox.js';
import { pageOwner } from './session.js';
import type { Dialog, Fault, Marks, Restaurant, Stars, State, Toast } from '../base/types.js';

const words = texts.common;

/** A write. `change` shows its result before it is sent. */
export interface Write {
  method: string;
  path: string;
  body?: unknown;
  /** by which the service knows one that it got already; a new one without it */
  key?: string;
  /** what the toast says when it is done; none without */
  said?: string;
  /** what the toast leads to, by the answer */
  next?: (body: { readonly id: number }) => Toast['action'];
  change?: (edit: Edit) => void;
  /** false where the caller has things asked for again itself, such as after many writes */
  reload?: boolean;
  /** of a rating: the one that it replaces, null where it is the first */
  before?: Stars | null;
  /** the caller shows faults itself, such as at the fields of a form */
  quiet?: boolean;
  /** what it is in the outbox; without one it is never queued */
  label?: string;
  /** what it belongs to: requests of one place are sent in order */
  place?: string;
  noUndo?: boolean;
  /** it undoes something, so that its own undo is a redo */
  isUndo?: boolean;
  /** is told how much of a form was sent, 0 to 1 */
  onSent?: (share: number) => void;
  /** gets each line of an answer in NDJSON */
  onLine?: (line: string) => void;
}
/** Shows at once what a write will alter. */
interface Edit {
  /** Alters the answers of all addresses that begin so. */
  answers: <Body>(prefix: string, alter: (body: Body) => Body) => void;
  place: (id: number, changes: Partial<Restaurant>) => void;
  marks: (id: number, alter: (marks: Marks) => Marks) => void;
}
type Outcome<Body> =
  { ok: true; body: Body; change: string | null; queued?: boolean } | { ok: false; fault: Fault };

/** What `u` takes back: the last write, from any screen. */
let lastUndo: (() => unknown) | undefined;

/** A key for `Idempotency-Key`; pages over plain HTTP have no `randomUUID`. */
export const newKey = () =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/**
 * Writes: shows it at once, sends it, and takes it back from the screen with the reason where it is refused. Without a
 * connection it waits in the outbox if it has a label. Never throws.
 */
export async function act<Body = unknown>(write: Write): Promise<Outcome<Body>> {
  const { method, path, body, key = newKey(), isUndo = false, noUndo = false, onSent, onLine } = write;
  const shown = showAtOnce(write.change);
  const user = state.session.user?.id;
  const wait = () => keep<Body>({ ...write, key }, user, shown);
  const early = write.label !== undefined && isBehind(write) && (await wait());
  if (early) return early;
  try {
    const headers = onLine && { Accept: 'application/x-ndjson' };
    const answer = await call<Body>(method, path, { body, key, headers, onSent, onLine });
    const change = answer.headers.get('change');
    if (write.reload !== false) invalidateAfter(path);
    const again = isUndo ? { said: words.redone, isUndo: false } : {};
    const undo = change === null || noUndo ? undefined : () => void revert(change, again);
    // What several requests make together is taken back by one undo of the caller's.
    if (!noUndo) lastUndo = undo;
    const action = write.next?.(trust(answer.body));
    if (write.said) toast({ text: write.said, isUndo, undo, action });
    return { ok: true, body: answer.body, change };
  } catch (error) {
    const fault = faultOf(error);
    // A busy service will have time for it later.
    const isUnsent = [0, 429].includes(fault.status) || (fault.status === 401 && !isSignedIn(state));
    const late = isUnsent && (await wait());
    if (late) return late;
    shown.undoAll();
    if (!write.quiet) toast({ text: fill(words.notSaved, { reason: faultText(fault) }), kind: 'fault' });
    return { ok: false, fault };
  }
}

/** Puts a write of a user into the outbox, where it can wait. What it creates has an id of its own until it is sent. */
async function keep<Body>(
  { method, path, body, label, place, before, key, noUndo }: Write & { key: string },
  user: number | undefined,
  shown: ReturnType<typeof showAtOnce>,
): Promise<Outcome<Body> | undefined> {
  if (label === undefined || user === undefined) return undefined;
  if (!(await queue({ key, user, method, path, body, label, place, before }))) return undefined;
  shown.undoSteps();
  const waitsForUser = !isSignedIn(state);
  const undo = async () => {
    const change = await takeBack(key);
    if (change) return void revert(change);
    if (change === undefined) shown.undoAll();
    invalidateAfter(path);
  };
  lastUndo = undefined;
  const text = waitsForUser ? words.willBeSentSignedIn : words.willBeSent;
  toast({ text, undo: noUndo || waitsForUser ? undefined : undo });
  const created = method === 'POST' ? { ...(isRecord(body) && body), id: localId(key) } : undefined;
  return { ok: true, body: trust(created), change: null, queued: true };
}

/**
 * Alters what is shown. What waits in the outbox is added to places and marks whenever they are drawn, so that they go
 * back when a write is put there.
 * @returns puts places and marks back as they were, or all
 */
function showAtOnce(change: Write['change']) {
  const steps: (() => unknown)[] = [];
  const answers: (() => unknown)[] = [];
  const edit: Edit = {
    answers(prefix, alter) {
      for (const [url, entry] of Object.entries(state.data)) {
        const { body } = entry;
        if (!url.startsWith(prefix) || body === undefined) continue;
        entry.body = alter(trust(body));
        answers.push(() => state.data[url] && (state.data[url].body = body));
      }
    },
    place(id, changes) {
      const place = state.places.get(id);
      if (!place) return;
      const before = { ...place };
      Object.assign(place, changes);
      steps.push(() => Object.assign(place, before));
    },
    marks(id, alter) {
      const marks = allMarks();
      if (!marks) return;
      const before = marks[id] ?? NO_MARKS;
      marks[id] = alter(before);
      steps.push(() => (marks[id] = before));
    },
  };
  if (change) update(() => change(edit));
  const undo = (some: (() => unknown)[]) =>
    update(() =>
      some
        .splice(0)
        .reverse()
        .forEach((step) => step()),
    );
  return { undoSteps: () => undo(steps), undoAll: () => undo([...answers, ...steps]) };
}

/** Items without the one that is deleted. */
export const without = <Item extends { readonly id: number }>(items: readonly Item[], id: number) =>
  items.filter((item) => item.id !== id);

/** Reverts a change of the log. */
export const revert = (id: string | number, options: Partial<Write> = {}) =>
  act({ method: 'POST', path: `/changes/${id}/revert`, said: words.undone, isUndo: true, ...options });

/** Takes back the last write, once. */
export function undoLast() {
  const undo = lastUndo;
  lastUndo = undefined;
  setUi({ toast: undefined });
  undo?.();
}

/** Sets what `u` takes back, for writes of several requests. */
export const setUndo = (undo: () => unknown) => (lastUndo = undo);

export function toast(toast: Toast | undefined) {
  lastUndo = toast?.undo ?? lastUndo;
  setUi({ toast });
}

/** A fault in words for people. */
export function faultText({ status, message }: Fault) {
  if (status === 0) return words.failed.unreachable;
  if (status === 429) return words.failed.tooMany;
  return status >= 500 ? words.failed.server : message;
}

export const openDialog = (dialog: Dialog) => setUi({ dialog });

export function closeDialog() {
  const { dialog } = state.ui;
  setUi({ dialog: undefined });
  dialog?.close?.();
}

/** The address of the sign-in that comes back here. */
export const signInHref = () => `/sign-in?to=${encodeURIComponent(location.pathname + location.search)}`;

const intents = new Map<string, (values: unknown) => unknown>();
const INTENT = 'intent';

/** Names something that needs a user, so that it can go on after a sign-in, which may leave the page. */
export function needsUser<Values extends readonly unknown[]>(
  name: string,
  run: (...values: Values) => unknown,
): (...values: Values) => void {
  intents.set(name, (values) => run(...trust<Values>(values)));
  return (...values) => {
    if (state.session.user) return void run(...values);
    const by = pageOwner();
    sessionStorage.setItem(INTENT, JSON.stringify({ name, values, path: location.pathname, by }));
    navigate(signInHref());
  };
}

/** Does what was asked for before the sign-in, if anything. */
export function goOn() {
  const text = sessionStorage.getItem(INTENT);
  if (text === null || !state.session.user) return;
  const { name, values, path, by } = trust<{ name: string; values: unknown; path: string; by?: number }>(
    JSON.parse(text),
  );
  // Another account's, whose session had ended.
  if (by !== undefined && by !== state.session.user.id) return forgetIntent();
  const run = intents.get(name);
  // The screen that it belongs to is not there yet.
  if (!run || path !== location.pathname) return;
  forgetIntent();
  run(values);
}

/** Forgets it, where somebody leaves the sign-in without signing in. */
export const forgetIntent = () => sessionStorage.removeItem(INTENT);

export const isSignedIn = ({ session }: State) => Boolean(session.user);

export const isAdmin = ({ session }: State) => session.user?.is_admin === true;

/** Whether the user may change the catalogue; who is signed out may sign in to do so. */
export const mayWrite = (state: State) =>
  state.config?.read_only !== true && (state.config?.write_access !== 'admins' || isAdmin(state));
