import { texts } from '../base/texts.js';
import { ApiFault, call, setTokenSource } from '../base/api.js';
import { forgetOwnAnswers, forgetUnsent } from '../base/cache.js';
import { forgetAll } from './data.js';
import { USER, forgetDrafts, lastUser, readStored, setUi, state, update, writeStored } from './store.js';
import { inTurn } from '../base/tabs.js';
import type { User } from '../base/types.js';

const words = texts.common;

// Only a hint that a refresh is worth its request; it opens nothing.
const HINT = 'signed';
// When the last session ended without a sign-out: what that account has not sent stays for some days.
const ENDED = 'ended';
const UNSENT_DAYS = 7;
const RENEW_EARLY = 60_000;
// Other tabs answer within a moment, where there are any.
const ASKING = 100;

/** Names its user: one request a page, as proxies allow few. */
export interface TokenAnswer {
  readonly access_token: string;
  readonly expires_in: number;
  readonly user: User;
  readonly pending_suggestions?: number;
}

interface Token {
  text: string;
  until: number;
}

let token: Token | undefined;
let renewal: Promise<void> | undefined;
let heard: (() => void) | undefined;
// Where nothing can be stored, a page knows at least of itself.
let isOut = false;
/** The account that this page has shown. */
let shown: number | undefined;
let isLeaving = false;

// Tabs hand each other the access token, so that one refresh serves them all.
const tabs = new BroadcastChannel('session');
tabs.addEventListener('message', hear);
// While the settings are being loaded, so that nothing waits for it.
let asking = mayBeSigned() ? askTabs() : undefined;

/** Signs in with an answer to a sign-in, registration or refresh, here and in the other tabs. */
export async function enter({
  access_token: text,
  expires_in: seconds,
  user,
  pending_suggestions: pending,
}: TokenAnswer) {
  if (isLeaving) return;
  setUi({ pending });
  token = { text, until: Date.now() + seconds * 1000 };
  remember(HINT, '1');
  tabs.postMessage({ token, user });
  await takeUser(user);
}

/** @param value undefined forgets it */
function remember(name: string, value: string | undefined) {
  // Without storage each page asks once.
  if (!writeStored(name, value) && name === HINT) isOut = value === undefined;
}

function mayBeSigned() {
  const hint = readStored(HINT);
  return hint === undefined ? !isOut : hint !== null;
}

const isOpen = () => state.config?.auth_mode === 'none';

/** Finds out who uses the app: resolves once `state.session.user` is set. */
export async function startSession() {
  setTokenSource(accessToken);
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

function hear({
  data,
}: MessageEvent<{ token?: Token; user?: User; wanted?: boolean; ended?: boolean; left?: boolean }>) {
  if (isLeaving) return;
  if (data.token) token = data.token;
  if (data.user) void takeUser(data.user).then(heard);
  if (data.wanted && isFresh() && state.session.user) tabs.postMessage({ token, user: state.session.user });
  if (data.ended && state.session.user) void end();
  if (data.left) void leave();
}

/** @param refused the text of a token that was refused */
const isFresh = (refused?: string) =>
  token !== undefined && token.text !== refused && token.until - RENEW_EARLY > Date.now();

/** Asks the other tabs for their token; resolves when one has answered, or it is clear that none will. */
async function askTabs() {
  const answer = new Promise((resolve) => (heard = () => resolve(undefined)));
  tabs.postMessage({ wanted: true });
  await Promise.race([answer, new Promise((resolve) => setTimeout(resolve, ASKING))]);
}

async function takeUser(user: User) {
  const { user: before } = state.session;
  remember(ENDED, undefined);
  void forgetAccounts(user.id);
  const isOther = shown !== undefined && shown !== user.id;
  if (isOther) update((state) => (state.session = { user: undefined }));
  if (before !== undefined && before?.id !== user.id) await forgetAll();
  if (isOther) {
    remember(USER, JSON.stringify(user));
    await startAnew(location.pathname === '/join' ? '/' : undefined);
  }
  setUser(user);
}

/** @param user also one that was just changed */
export function setUser(user: User | null) {
  remember(USER, user ? JSON.stringify(user) : undefined);
  shown = user?.id ?? shown;
  update((state) => (state.session = { user }));
  if (user) return;
  void forgetOwnAnswers();
  if (Date.now() - Number(readStored(ENDED)) > UNSENT_DAYS * 86_400_000) void forgetAccounts();
}

/** The account of this page, also after its session has ended; undefined once no writes may be stored any more. */
export const pageOwner = () => (state.session.user === undefined ? undefined : shown);

/**
 * Forgets what accounts have written and not sent.
 * @param user the one to leave alone; with `all` also what people wrote who were not signed in goes
 */
function forgetAccounts(user?: number | 'all') {
  forgetDrafts(user);
  return forgetUnsent(user);
}

/**
 * The session is over, though the user did not end it. What was not sent waits for the same account; no one else
 * sees it, and the next other account removes it.
 */
async function end() {
  if (isLeaving) return;
  const { user } = state.session;
  token = undefined;
  remember(HINT, undefined);
  if (!readStored(ENDED)) remember(ENDED, String(Date.now()));
  tabs.postMessage({ ended: true });
  update((state) => (state.drafts = {}));
  setUser(null);
  const text = state.outbox.length > 0 ? words.sessionEndedUnsent : words.sessionEnded;
  if (user) setUi({ toast: { text, kind: 'fault' } });
  await forgetAll();
}

/**
 * Removes all that is personal, then loads the page anew: nothing of the person stays in its memory either.
 * @param said what the new page says
 */
async function leave(path?: string, said?: string) {
  isLeaving = true;
  token = undefined;
  for (const name of [HINT, USER, ENDED, 'area']) remember(name, undefined);
  // From here on nothing more is stored, so that the removals below are the last word.
  update((state) => (state.session = { user: undefined }));
  await Promise.all([forgetAccounts('all'), forgetAll()]);
  await startAnew(path, said);
}

/** Loads the page anew, at another address of the app if there is one; never resolves, so that nothing goes on here. */
function startAnew(path: string = location.href, said?: string) {
  try {
    sessionStorage.clear();
  } catch {
    // Without storage there is nothing in it.
  }
  // Outlives the reload, also where there is no storage.
  history.replaceState({ said }, '', path);
  location.reload();
  return new Promise<never>(() => undefined);
}

/**
 * The current access token, renewed where it ends soon.
 * @param refused the last one, where that was refused
 */
async function accessToken(refused?: string) {
  if (isOpen()) return undefined;
  await asking;
  asking = undefined;
  if (isFresh(refused)) return token?.text;
  // Another tab found that the session is over.
  if (!mayBeSigned() && state.session.user) await end();
  if (!mayBeSigned()) return undefined;
  await renewOnce(() => renewUnderLock(refused));
  return token?.text;
}

const renewOnce = (run: () => Promise<void>) => (renewal ??= run().finally(() => (renewal = undefined)));

async function renewUnderLock(refused: string | undefined) {
  await inTurn('refresh', async () => {
    // Another tab may have renewed it while this one waited for the lock.
    if (!isFresh(refused)) await askTabs();
    if (!isFresh(refused)) await renew(refused);
  });
}

async function renew(refused: string | undefined) {
  try {
    const body = { session: 'cookie' };
    await enter((await call<TokenAnswer>('POST', '/auth/refresh', { body, withoutToken: true })).body);
  } catch (error) {
    if (error instanceof ApiFault && error.fault.status === 401) return end();
    const isStillGood = token !== undefined && token.text !== refused && token.until > Date.now();
    if (!isStillGood) throw error;
  }
}

/** Takes over the session that a provider's sign-in left in the cookie. Without one nobody is signed in afterwards. */
export async function enterByCookie() {
  setTokenSource(accessToken);
  remember(HINT, '1');
  // Without asking other tabs, whose session may be another one.
  await renewOnce(() => renew(undefined)).catch(() => setUser(null));
}

/**
 * Ends the session here and in all tabs, and forgets all that was read and written with it. Does not return.
 * @param said what the new page says
 * @throws {ApiFault} where the service could not end it: the cookie would still open it
 */
export async function signOut(said?: string) {
  await call('POST', '/auth/logout', { body: { session: 'cookie' }, withoutToken: true });
  await leaveAll(said);
}

/** Forgets the account in all tabs, as when it was deleted. Does not return. */
export function leaveAll(said?: string) {
  tabs.postMessage({ left: true });
  return leave('/', said);
}
