import { type State, type Ui, type User, trust } from '../base/types.js';

export const state: State = {
  route: { path: '', pattern: '', params: {}, query: {}, hash: '' },
  session: { user: undefined },
  config: undefined,
  data: {},
  places: new Map(),
  start: {},
  drafts: {},
  outbox: [],
  sending: [],
  online: navigator.onLine,
  ui: {},
};

const storage = storageOf(() => localStorage);
/** Lasts no longer than a tab: what a person wanted to do who has to sign in first. */
export const tabStorage: { intent?: string } = storageOf(() => sessionStorage);
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

export const setUi = (changes: Ui) => update((state) => Object.assign(state.ui, changes));

/** Calls the listener once a frame in which the state was changed. */
export const onChange = (listener: (state: State) => void) => listeners.add(listener);

/** Runs something in one tab at a time; without locks, as over plain HTTP, in this one at once. */
export const inTurn = <Result>(name: string, run: () => Promise<Result>): Promise<Result> =>
  'locks' in navigator ? navigator.locks.request(name, run) : run();

/** The body of an answer, whose type the description of the API says; undefined while there is none. */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- as `trust`
export const answer = <Body>(url: string | undefined): Body | undefined =>
  url === undefined ? undefined : trust(state.data[url]?.body);

/** Who used the app last, as far as this browser knows. */
export const lastUser = () => readJson<User>('user') ?? null;

/** Drafts are stored per account, until that is known of the last user; those of a signed-out person have no number. */
function draftKey(name: string) {
  const { user = lastUser() } = state.session;
  return `draft ${user ? `${user.id} ` : ''}${name}`;
}

/** Stores a draft that survives a reload; undefined forgets it. */
export function setDraft(name: string, value: unknown) {
  update((state) => (state.drafts[name] = value));
  // Unless it is not known whose it is, or must not be stored any more.
  if (state.session.user !== undefined)
    writeStored(draftKey(name), value === undefined ? undefined : JSON.stringify(value));
}

/** A draft of this page or of an earlier one. */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- as `trust`
export const readDraft = <Draft>(name: string): Draft | undefined =>
  name in state.drafts ? trust(state.drafts[name]) : readJson<Draft>(draftKey(name));

/** Removes the drafts of all accounts but one, which takes over those typed before its sign-in; `all` spares none. */
export function forgetDrafts(user?: number | 'all') {
  for (const key of Object.keys(storage)) {
    const [, owner, name] = /^draft (?:(\d+) )?(.+)$/.exec(key) ?? [];
    if (name === undefined || owner === user?.toString()) continue;
    if (owner === undefined && user !== 'all') writeStored(`draft ${user} ${name}`, readStored(key) ?? '');
    writeStored(key, undefined);
  }
}

// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- as `trust`
const readJson = <Value>(name: string): Value | undefined =>
  trust(JSON.parse(storage[name] ?? 'null') ?? undefined);

export const readStored = (name: string) => storage[name];

/** Stores a text under a name, where there is room for it; undefined forgets it. */
export function writeStored(name: string, text: string | undefined) {
  try {
    if (text === undefined) Reflect.deleteProperty(storage, name);
    else storage[name] = text;
  } catch {
    // The storage is full: a draft then lasts as long as the page.
  }
}

/** Locked-down browsers throw where they have none: it then lasts as long as the page. */
function storageOf(open: () => Record<string, string>) {
  try {
    return open();
  } catch {
    return {};
  }
}
