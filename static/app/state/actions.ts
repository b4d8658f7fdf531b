import { fill, texts } from '../base/texts.js';
import { type CallOptions, type Reasons, call, faultOf, faultText } from '../base/api.js';
import { invalidateBy, settle } from './data.js';
import { navigate } from './router.js';
import { setUi, state, tabStorage, update } from './store.js';
import { isBehind, localId, queue, takeBack } from './outbox.js';
import { pageOwner } from './session.js';
import { isRecord, trust } from '../base/types.js';
import type { Dialog, Fault, Named, Sending, State, Toast } from '../base/types.js';

const words = texts.common;

/**
 * A write. `key`: by which the service knows one that it got already; `said`: what the toast says when it is done, `next`
 * what it leads to by the answer, `faults` why it may be refused, by status; `change` shows its result before it is sent,
 * such as `alters`; `label`: what it is in the outbox, without which it never waits there; `quiet`: the caller shows faults
 * itself; `isUndo`: it undoes something, so that its own undo is a redo; `reload` is false where the caller has things asked
 * for again itself; `onSent` hears how much of a form was sent, 0 to 1, `onLine` each line of an answer in NDJSON.
 */
export interface Write
  extends
    Pick<Sending, 'method' | 'path' | 'body' | 'place' | 'before'>,
    Pick<CallOptions, 'key' | 'onSent' | 'onLine'>,
    Partial<Record<'said' | 'label', string>>,
    Partial<Record<'quiet' | 'noUndo' | 'isUndo' | 'reload', boolean>> {
  faults?: Reasons;
  next?: (body: { readonly id: number }) => Toast['action'];
  change?: () => () => void;
}
type Outcome<Body> =
  { ok: true; body: Body; change: string | null; queued?: boolean } | { ok: false; fault: Fault };

let last: Promise<unknown> = Promise.resolve();

/** Does work after all that was asked for before: the limit of requests holds, and `u` takes back the last. */
export const inOrder = (work: () => Promise<unknown>) => void (last = last.then(work));

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
  const { method, path, body, place, before, label, key = newKey() } = write;
  const { isUndo = false, noUndo = false, onSent, onLine } = write;
  const sending = { key, method, path, body, place, before };
  const user = state.session.user?.id;
  const putBack = write.change?.();
  update((state) => (state.sending = [...state.sending, sending]));
  const end = () => update((state) => (state.sending = state.sending.filter((one) => one !== sending)));
  /** Puts it into the outbox, where it can wait. What it creates has a local id until it is sent. */
  const wait = async (): Promise<Outcome<Body> | undefined> => {
    if (label === undefined || user === undefined) return undefined;
    if (!(await queue({ ...sending, user, label }))) return undefined;
    end();
    const waitsForUser = !isSignedIn(state);
    const undo = async () => {
      const change = await takeBack(key);
      if (change) return void revert(change);
      if (change === undefined) putBack?.();
      invalidateBy(path);
    };
    lastUndo = undefined;
    const text = waitsForUser ? words.willBeSentSignedIn : words.willBeSent;
    toast({ text, undo: noUndo || waitsForUser ? undefined : undo });
    const created = method === 'POST' ? { ...(isRecord(body) && body), id: localId(key) } : undefined;
    return { ok: true, body: trust(created), change: null, queued: true };
  };
  const early = isBehind(write) && (await wait());
  if (early) return early;
  try {
    const headers = onLine && { Accept: 'application/x-ndjson' };
    const answer = await call<Body>(method, path, { body, key, headers, onSent, onLine });
    end();
    settle(sending, trust(answer.body));
    const change = answer.headers.get('change');
    if (write.reload !== false) invalidateBy(path);
    const again = isUndo ? { said: words.redone, isUndo: false } : {};
    const undo = change === null || noUndo ? undefined : () => void revert(change, again);
    // What several requests make together is taken back by one undo of the caller's.
    if (!noUndo) lastUndo = undo;
    if (write.said) toast({ text: write.said, isUndo, undo, action: write.next?.(trust(answer.body)) });
    return { ok: true, body: answer.body, change };
  } catch (error) {
    const fault = faultOf(error);
    // A busy service will have time for it later.
    const isUnsent = [0, 429].includes(fault.status) || (fault.status === 401 && !isSignedIn(state));
    const late = isUnsent && (await wait());
    if (late) return late;
    end();
    putBack?.();
    // Others took away what is shown.
    if (fault.status === 404) invalidateBy(path);
    if (!write.quiet)
      toast({ text: fill(words.notSaved, { reason: faultText(fault, write.faults) }), kind: 'fault' });
    return { ok: false, fault };
  }
}

/** Alters at once the answers of all addresses that begin so; what it returns puts them back. */
export const alters =
  <Body>(prefix: string, alter: (body: Body) => Body) =>
  () => {
    const entries = Object.entries(state.data)
      .filter(([url, { body }]) => url.startsWith(prefix) && body !== undefined)
      .map(([url, { body }]) => [url, body] as const);
    const put = (of: (body: unknown) => unknown) =>
      update(({ data }) => {
        for (const [url, body] of entries) if (data[url]) data[url].body = of(body);
      });
    put((body) => alter(trust(body)));
    return () => put((body) => body);
  };

export const without = <Item extends { readonly id: number }>(items: readonly Item[], id: number) =>
  items.filter((item) => item.id !== id);

/** Undoes a change. Shows why that failed, unless the caller asks for `quiet`. */
export async function revert(id: string | number, options: Partial<Write> = {}) {
  const write = { method: 'POST', path: `/changes/${id}/revert`, said: words.undone, isUndo: true };
  const outcome = await act({ ...write, ...options, quiet: true });
  if (!outcome.ok && !options.quiet) toast({ text: undoFault(outcome.fault), kind: 'fault' });
  return outcome;
}

/** Says that and why something cannot be undone, such as a change of `place`. */
export const undoFault = (fault: Fault, place?: Named) =>
  fill(texts.activity.refused, { reason: obstacleTo(fault, place) });

function obstacleTo(fault: Fault, place?: Named) {
  const { refusals, obstacle, deletedSince, tooLarge, undoneAlready } = texts.activity;
  const { message } = fault;
  const command = /too large; run: (.*)/.exec(message)?.[1];
  if (command !== undefined) return fill(tooLarge, { command });
  if (message.includes(' was reverted by ')) return undoneAlready;
  const [, named, what = ''] = /restaurant (\d+) (is deleted|was changed|has )/.exec(message) ?? [];
  const id = Number(named);
  const name = id === place?.id ? place.name : state.places.get(id)?.name;
  if (name === undefined) return faultText(fault, refusals);
  return fill(what === 'is deleted' ? deletedSince : obstacle, { name });
}

/** Takes back the last write, once. */
export function undoLast() {
  const undo = lastUndo;
  lastUndo = undefined;
  setUi({ toast: undefined });
  undo?.();
}

/** Sets what `u` takes back, for writes of several requests. Their toast comes by `setUi`: others may have followed by then. */
export const setUndo = (undo: () => unknown) => (lastUndo = undo);

export function toast(toast: Toast | undefined) {
  lastUndo = toast?.undo ?? lastUndo;
  setUi({ toast });
}

/** Opens a dialog in place of the one that is open. */
export function openDialog(dialog: Dialog) {
  shut();
  setUi({ dialog });
}

/** A dialog returns the focus to what opened it when it is closed, not when it is just removed. */
const shut = () => document.querySelector('dialog')?.close();

export function closeDialog() {
  const { dialog } = state.ui;
  shut();
  setUi({ dialog: undefined });
  dialog?.close?.();
}

export const signInHref = () => `/sign-in?to=${encodeURIComponent(location.pathname + location.search)}`;

const intents = new Map<string, (values: unknown) => unknown>();

/** Names something that needs a user, so that it can go on after a sign-in, which may leave the page. */
export function needsUser<Values extends readonly unknown[]>(
  name: string,
  run: (...values: Values) => unknown,
): (...values: Values) => void {
  intents.set(name, (values) => run(...trust<Values>(values)));
  return (...values) => {
    if (state.session.user) return void run(...values);
    tabStorage.intent = JSON.stringify({ name, values, path: location.pathname, by: pageOwner() });
    navigate(signInHref());
  };
}

type Intent = Record<'name' | 'path', string> & { by?: number; values: unknown };

/** Does what was asked for before the sign-in, if anything. */
export function goOn() {
  const { user } = state.session;
  if (tabStorage.intent === undefined || !user) return;
  const { name, path, by = user.id, values } = trust<Intent>(JSON.parse(tabStorage.intent));
  const run = intents.get(name);
  // The screen that it belongs to is not there yet.
  if (!run || path !== location.pathname) return;
  forgetIntent();
  // Unless it is of another account, whose session had ended.
  if (by === user.id) run(values);
}

/** Forgets it when the sign-in is left without signing in. */
export const forgetIntent = () => delete tabStorage.intent;

/** Browsers tell positions to pages of a secure origin alone. */
export const hasPosition = isSecureContext && 'geolocation' in navigator;

/** Finds out where the reader is. */
export const locate = (then: (me: NonNullable<State['ui']['me']>) => void) =>
  navigator.geolocation.getCurrentPosition(
    ({ coords: { latitude: lat, longitude: lng, accuracy } }) => then({ lat, lng, accuracy }),
    () => toast({ text: texts.map.noPosition, kind: 'fault' }),
    { timeout: 10_000, maximumAge: 60_000 },
  );

export const isSignedIn = ({ session }: State) => Boolean(session.user);

export const isAdmin = ({ session }: State) => session.user?.is_admin === true;

/** Whether the user may change the catalogue; who is signed out may sign in to do so. */
export const mayWrite = (state: State) =>
  state.config?.read_only !== true && (state.config?.write_access !== 'admins' || isAdmin(state));
