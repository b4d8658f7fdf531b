import { fill, texts } from '../base/texts.js';
import { call, faultOf } from '../base/api.js';
import { isRecord, trust } from '../base/trust.js';
import { invalidateAfter } from './data.js';
import { NO_MARKS, allMarks } from './places.js';
import { navigate } from './router.js';
import { setUi, state, update } from './store.js';
import { isBehind, localId, queue, takeBack } from './outbox.js';
import { pageOwner } from './session.js';
import type { Dialog, Fault, State, Toast, Marks, Restaurant } from '../base/types.js';
import type { Stars } from './places.js';

const words = texts.common;

/** A write. `change` shows its result before it is sent. */
export interface Write {
  method: string;
  /** below /api */
  path: string;
  body?: unknown;
  /** what the toast says when it is done; none without */
  said?: string;
  /** what the toast leads to, by the answer */
  next?: (body: { readonly id: number }) => Toast['action'];
  change?: (edit: Edit) => void;
  /** false where the caller has things asked for again itself, such as after many writes */
  reload?: false;
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
  headers?: Record<string, string>;
  /** is told how much of a form was sent, 0 to 1 */
  onSent?: (share: number) => void;
  /** gets each line of an answer in NDJSON */
  onLine?: (line: unknown) => void;
}
/** Shows at once what a write will alter. */
export interface Edit {
  /** Alters the answers of all addresses that begin so. */
  answers: <Body>(prefix: string, alter: (body: Body) => Body) => void;
  place: (id: number, changes: Partial<Restaurant>) => void;
  marks: (id: number, alter: (marks: Marks) => Marks) => void;
}
export type Outcome<Body = unknown> =
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
  const outcome = await perform(write);
  return outcome.ok ? { ...outcome, body: trust(outcome.body) } : outcome;
}

async function perform(write: Write): Promise<Outcome> {
  const { method, path, said, change, quiet = false, label, place, isUndo = false } = write;
  const shown = showAtOnce(change);
  const key = newKey();
  const user = state.session.user?.id;
  const toKeep = { ...write, key, user, shown };
  const kept = label !== undefined && isBehind({ place, path }) && (await keep(toKeep));
  if (kept) return kept;
  try {
    const answer = await call(method, path, optionsOf(write, key));
    const id = answer.headers.get('change');
    if (write.reload !== false) invalidateAfter([path]);
    const undo =
      id === null || write.noUndo
        ? undefined
        : () => void revert(id, isUndo ? { said: words.redone, isUndo: false } : {});
    // What several requests make together is taken back by one undo of the caller's.
    if (!write.noUndo) lastUndo = undo;
    const action = write.next?.(trust(answer.body));
    if (said) toast({ text: said, isUndo, ...(undo && { undo }), ...(action && { action }) });
    return { ok: true, body: answer.body, change: id };
  } catch (error) {
    const fault = faultOf(error);
    // A busy service will have time for it later.
    const isUnsent =
      fault.status === 0 || fault.status === 429 || (fault.status === 401 && !isSignedIn(state));
    const kept = isUnsent && (await keep(toKeep));
    if (kept) return kept;
    shown.undoAll();
    if (!quiet) toast({ text: fill(words.notSaved, { reason: faultText(fault) }), kind: 'fault' });
    return { ok: false, fault };
  }
}

const optionsOf = ({ method, body, headers, onSent, onLine }: Write, key: string) => ({
  body,
  headers: { ...(method === 'POST' && { 'Idempotency-Key': key }), ...headers },
  ...(body instanceof FormData && { limit: 0 }),
  ...(onSent && { onSent }),
  ...(onLine && { onLine }),
});

/**
 * Keeps a write until it can be sent. What it creates has an id of its own until then.
 * @param write of the user who was signed in
 * @returns undefined where it cannot wait
 */
async function keep({
  key,
  user,
  shown,
  ...write
}: Write & { key: string; user: number | undefined; shown: ReturnType<typeof showAtOnce> }): Promise<
  Outcome | undefined
> {
  const { method, path, body, label, place, headers, before, noUndo } = write;
  if (label === undefined || user === undefined) return undefined;
  if (!(await queue({ key, user, method, path, body, label, place, headers, before }))) return undefined;
  shown.undoSteps();
  const waitsForUser = !isSignedIn(state);
  lastUndo =
    noUndo || waitsForUser
      ? undefined
      : async () => {
          const change = await takeBack(key);
          if (change) return void revert(change);
          if (change === undefined) shown.undoAll();
          invalidateAfter([path]);
        };
  const text = waitsForUser ? words.willBeSentSignedIn : words.willBeSent;
  toast({ text, ...(lastUndo && { undo: lastUndo }) });
  const created = method === 'POST' ? { ...(isRecord(body) && body), id: localId(key) } : undefined;
  return { ok: true, body: created, change: null, queued: true };
}

/**
 * Alters what is shown. What waits in the outbox is added to places and marks whenever they are drawn, so that they go
 * back when a write is put there.
 * @returns puts places and marks back as they were, or all
 */
function showAtOnce(change: Write['change']) {
  const answers = new Map<string, unknown>();
  const steps: (() => void)[] = [];
  const edit: Edit = {
    answers(prefix, alter) {
      for (const [url, entry] of Object.entries(state.data)) {
        if (!url.startsWith(prefix) || entry.body === undefined) continue;
        if (!answers.has(url)) answers.set(url, entry.body);
        entry.body = alter(trust(entry.body));
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
      const before = marks[id];
      marks[id] = alter(before ?? NO_MARKS);
      steps.push(() => (marks[id] = before ?? NO_MARKS));
    },
  };
  if (change) update(() => change(edit));
  const undoSteps = () => update(() => steps.splice(0).forEach((step) => step()));
  const undoAll = () => {
    undoSteps();
    update(({ data }) => {
      for (const [url, body] of answers) if (data[url]) data[url].body = body;
    });
  };
  return { undoSteps, undoAll };
}

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
export function setUndo(undo: () => unknown) {
  lastUndo = undo;
}

export function toast(toast: Toast | undefined) {
  setUi({ toast: toast && { ...toast } });
}

/** A fault in words for people. */
export function faultText({ status, message }: Fault) {
  if (status === 0) return words.failed.unreachable;
  if (status === 429) return words.failed.tooMany;
  return status >= 500 ? words.failed.server : message;
}

export function openDialog(dialog: Dialog) {
  setUi({ dialog });
}

export function closeDialog() {
  const { dialog } = state.ui;
  setUi({ dialog: undefined });
  dialog?.close?.();
}

/** The address of the sign-in that comes back here. */
export const signInHref = () => `/sign-in?to=${encodeURIComponent(location.pathname + location.search)}`;

const intents = new Map<string, (values: unknown) => unknown>();
const INTENT = 'intent';

/**
 * Names something that needs a user, so that it can go on after a sign-in, which may leave the page.
 * @returns does it, or signs in first
 */
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
export const mayWrite = ({ session, config }: State) =>
  config?.read_only !== true && (config?.write_access !== 'admins' || session.user?.is_admin === true);
