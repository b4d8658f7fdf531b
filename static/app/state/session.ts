import { texts } from '../base/texts.js';
import { call, faultOf, sleep, tokens } from '../base/api.js';
import { forgetOwnAnswers, forgetUnsent } from '../base/cache.js';
import { forgetAll } from './data.js';
import {
  forgetDrafts,
  inTurn,
  lastUser,
  readStored,
  setUi,
  state,
  tabStorage,
  update,
  writeStored,
} from './store.js';
import type { User } from '../base/types.js';

const words = texts.common;

// Only a hint that a refresh is worth its request; it opens nothing.
const HINT = 'signed';
// When the last session ended without a sign-out: what that account has not sent stays for some days.
const ENDED = 'ended';
const UNSENT_DAYS = 7;
// Who used the app last.
const USER = 'user';
const RENEW_EARLY = 60_000;
// Other tabs answer within a moment, where there are any.
const ASKING = 100;

let token: { text: string; until: number } | undefined;
let renewal: Promise<void> | undefined;
/** The account that this page has shown. */
let shown: number | undefined;
let isLeaving = false;

// Tabs hand each other the access token, so that one refresh serves them all.
const tabs = new BroadcastChannel('session');
tabs.addEventListener('message', hear);

/** Names the user: one request a page, as proxies allow few. */
type Entered = { user: User; access_token: string; expires_in: number } & { pending_suggestions?: number };

/** Signs in by a sign-in, registration or refresh, here and in the other tabs. */
export async function enter(path: string, body?: Readonly<Record<string, string>>) {
  const answer = await call<Entered>('POST', path, { body: { ...body, session: 'cookie' } });
  if (isLeaving) return;
  const { access_token: text, expires_in: seconds, user, pending_suggestions: pending } = answer.body;
  setUi({ pending });
  token = { text, until: Date.now() + seconds * 1000 };
  writeStored(HINT, '1');
  tabs.postMessage({ token, user });
  await takeUser(user);
}

const mayBeSigned = () => readStored(HINT) !== undefined;
const isOpen = () => state.config?.auth_mode === 'none';

/** Finds out who uses the app: resolves once `state.session.user` is set. */
export async function startSession() {
  tokens.source = accessToken;
  if (!isOpen() && !mayBeSigned()) return setUser(null);
  const last = lastUser();
  // What is stored for this user is shown while the session is looked at.
  if (last && !state.session.user) {
    shown = last.id;
    update((state) => (state.session = { user: last, isGuess: true }));
  }
  try {
    if (isOpen()) await takeUser((await call<User>('GET', '/auth/me')).body);
    else await accessToken();
    // Another tab may have ended the session before this one had asked.
    if (state.session.user === undefined) setUser(null);
  } catch {
    // Only a refusal signs out: a server that cannot be reached says nothing of the session.
    setUser(lastUser());
  }
}

type Message = { token?: typeof token; user?: User } & Partial<Record<'wanted' | 'ended' | 'left', boolean>>;

function hear({ data }: MessageEvent<Message>) {
  const { user } = state.session;
  if (isLeaving) return;
  if (data.token) token = data.token;
  if (data.user) void takeUser(data.user);
  if (data.wanted && isFresh() && user) tabs.postMessage({ token, user });
  if (data.ended && user) void end();
  if (data.left) void leave();
}

/** Whether the token is valid for a while longer, and is not the one that was refused. */
const isFresh = (refused?: string, time = RENEW_EARLY) =>
  token !== undefined && token.text !== refused && token.until - time > Date.now();

async function takeUser(user: User) {
  const { user: before } = state.session;
  writeStored(ENDED, undefined);
  void forgetAccounts(user.id);
  const isOther = shown !== undefined && shown !== user.id;
  if (isOther) update((state) => (state.session = { user: undefined }));
  if (before !== undefined && before?.id !== user.id) await forgetAll();
  if (isOther) {
    writeStored(USER, JSON.stringify(user));
    await startAnew(location.pathname === '/join' ? '/' : undefined);
  }
  setUser(user);
}

/** Also of one that was just changed. */
export function setUser(user: User | null) {
  writeStored(USER, user ? JSON.stringify(user) : undefined);
  shown = user?.id ?? shown;
  update((state) => (state.session = { user }));
  if (user) return;
  void forgetOwnAnswers();
  if (Date.now() - Number(readStored(ENDED) ?? 0) > UNSENT_DAYS * 86_400_000) void forgetAccounts();
}

/** The account of this page, also after its session has ended; undefined once no writes may be stored any more. */
export const pageOwner = () => (state.session.user === undefined ? undefined : shown);

/** Forgets what accounts have not sent, but for one; with `all` also what people wrote who were not signed in. */
const forgetAccounts = (user?: number | 'all') => {
  forgetDrafts(user);
  return forgetUnsent(user);
};

/** The session is over, though the user did not end it. What was not sent waits for the same account, unseen by others. */
async function end() {
  if (isLeaving) return;
  const { user } = state.session;
  token = undefined;
  writeStored(HINT, undefined);
  if (!readStored(ENDED)) writeStored(ENDED, String(Date.now()));
  tabs.postMessage({ ended: true });
  update((state) => (state.drafts = {}));
  setUser(null);
  const text = words[state.outbox.length > 0 ? 'sessionEndedUnsent' : 'sessionEnded'];
  if (user) setUi({ toast: { text, kind: 'fault' } });
  await forgetAll();
}

/** Removes all that is personal, then loads the page anew: nothing of the person stays in its memory either. */
async function leave(path?: string, said?: string) {
  isLeaving = true;
  token = undefined;
  for (const name of [HINT, USER, ENDED, 'area']) writeStored(name, undefined);
  // From here on nothing more is stored, so that the removals below are the last word.
  update((state) => (state.session = { user: undefined }));
  await Promise.all([forgetAccounts('all'), forgetAll()]);
  await startAnew(path, said);
}

/** Loads the page anew, at another address of the app if there is one; never resolves, so that nothing goes on here. */
function startAnew(path: string = location.href, said?: string) {
  delete tabStorage.intent;
  // Outlives the reload, also where there is no storage.
  history.replaceState({ said }, '', path);
  location.reload();
  return new Promise<never>(() => undefined);
}

/** The current access token, renewed where it ends soon or was refused. */
async function accessToken(refused?: string) {
  if (isOpen()) return undefined;
  if (isFresh(refused)) return token?.text;
  if (!mayBeSigned()) {
    // Another tab found that the session is over.
    if (state.session.user) await end();
    return undefined;
  }
  await renewOnce(() =>
    inTurn('refresh', async () => {
      // Another tab may have renewed it while this one waited for the lock, or have one.
      if (isFresh(refused)) return;
      tabs.postMessage({ wanted: true });
      await sleep(ASKING);
      if (!isFresh(refused)) await renew(refused);
    }),
  );
  return token?.text;
}

const renewOnce = (run: () => Promise<void>) => (renewal ??= run().finally(() => (renewal = undefined)));

async function renew(refused?: string) {
  try {
    await enter('/auth/refresh');
  } catch (error) {
    if (faultOf(error).status === 401) return end();
    if (!isFresh(refused, 0)) throw error;
  }
}

/** Takes over the session that a provider's sign-in left in the cookie; without one, signs out. */
export async function enterByCookie() {
  tokens.source = accessToken;
  writeStored(HINT, '1');
  // Without asking other tabs, whose session may be another one.
  await renewOnce(renew).catch(() => setUser(null));
}

/** Ends the session in all tabs, and forgets all that was read and written with it; throws where it could not end. */
export async function signOut(said?: string) {
  await call('POST', '/auth/logout', { body: { session: 'cookie' } });
  await leaveAll(said);
}

/** Forgets the account in all tabs, as when it was deleted. Does not return. */
export function leaveAll(said?: string) {
  tabs.postMessage({ left: true });
  return leave('/', said);
}
