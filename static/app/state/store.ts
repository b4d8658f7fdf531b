import { trust } from '../base/trust.js';
import type { State, Ui, User } from '../base/types.js';

export const state: State = {
  route: { path: '', pattern: '', params: {}, query: {}, hash: '' },
  session: { user: undefined },
  config: undefined,
  data: {},
  places: new Map(),
  start: {},
  drafts: {},
  outbox: [],
  online: navigator.onLine,
  ui: {},
};

const listeners = new Set<(state: State) => void>();
let isScheduled = false;

/** Changes the state and lets the screen be drawn in the next frame, however many changes there are until then. */
export function update(change: (state: State) => void) {
  change(state);
  if (isScheduled) return;
  isScheduled = true;
  // A hidden tab gets no frames, but must go on to load and to send.
  const later = document.hidden ? queueMicrotask : requestAnimationFrame;
  later(() => {
    isScheduled = false;
    for (const listener of listeners) listener(state);
  });
}

/** Remembers something for the screens under a name. */
export function setUi(changes: Ui) {
  update((state) => Object.assign(state.ui, changes));
}

/** Calls the listener once a frame in which the state was changed. */
export function onChange(listener: (state: State) => void) {
  listeners.add(listener);
}

/**
 * The body of an answer as a screen reads it; undefined while there is none. The description of the API says its type.
 * @param url below /api
 */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- as `trust`
export const answer = <Body>(url: string | undefined): Body | undefined =>
  url === undefined ? undefined : trust(state.data[url]?.body);

/** Where the user is stored who used the app last. */
export const USER = 'user';

/** Who used the app last, as far as this browser knows. */
export function lastUser(): User | null {
  try {
    return trust(JSON.parse(readStored(USER) ?? 'null'));
  } catch {
    return null;
  }
}

/**
 * Drafts are stored per account; those of a signed-out person have no number. Until it is known who uses the app, they
 * are those of the last user.
 */
function draftKey(name: string) {
  const { user = lastUser() } = state.session;
  return `draft ${user ? `${user.id} ` : ''}${name}`;
}

/**
 * Stores a draft that survives a reload; undefined forgets it.
 * @param value JSON
 */
export function setDraft(name: string, value: unknown) {
  update((state) => {
    if (value === undefined) Reflect.deleteProperty(state.drafts, name);
    else state.drafts[name] = value;
  });
  // Whose it is is not known yet, or must not be stored any more.
  if (state.session.user === undefined) return;
  // Where that is not possible the draft lasts as long as the page.
  writeStored(draftKey(name), value === undefined ? undefined : JSON.stringify(value));
}

/** A draft of this page or of an earlier one. */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- as `trust`
export function readDraft<Draft>(name: string): Draft | undefined {
  if (name in state.drafts) return trust(state.drafts[name]);
  try {
    return trust(JSON.parse(readStored(draftKey(name)) ?? 'null') ?? undefined);
  } catch {
    return undefined;
  }
}

/**
 * Removes the stored drafts of all accounts but one, which takes over what was typed before its sign-in.
 * @param user `all` for those of everyone, also of people who are not signed in
 */
export function forgetDrafts(user?: number | 'all') {
  try {
    for (const key of Object.keys(localStorage)) {
      const [, owner, name] = /^draft (?:(\d+) )?(.+)$/.exec(key) ?? [];
      if (name === undefined || owner === user?.toString()) continue;
      if (owner === undefined && user !== 'all')
        localStorage.setItem(`draft ${user} ${name}`, localStorage.getItem(key) ?? '');
      localStorage.removeItem(key);
    }
  } catch {
    // Without storage there are none.
  }
}

// Private windows and locked-down browsers throw where they have no storage.

/** A text that this browser keeps under a name; null where it keeps none, undefined where it has no storage. */
export function readStored(name: string) {
  try {
    return localStorage.getItem(name);
  } catch {
    return undefined;
  }
}

/**
 * Keeps a text under a name.
 * @param text undefined forgets it
 * @returns whether that was possible: storage may be full or switched off
 */
export function writeStored(name: string, text: string | undefined): boolean {
  try {
    if (text === undefined) localStorage.removeItem(name);
    else localStorage.setItem(name, text);
    return true;
  } catch {
    return false;
  }
}
