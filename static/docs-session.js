// The signed-in user. Access tokens are only in memory, and the token that renews them in a cookie.
import { JSON_TYPE, byId, h } from './docs-dom.js';
import {
  endAppSession,
  forgetSignIn,
  mayBeSignedIn,
  noteSignIn,
  noteStart,
  onSignInElsewhere,
  takeStart,
} from './docs-storage.js';

const { authMode, registration, providers } = document.documentElement.dataset;
const ALMOST_OVER_MS = 10_000;
const IN_COOKIE = { session: 'cookie' };

/** Undefined while no one is signed in. */
let session;
let renewal;
let changed = () => undefined;

/** Whether the service needs no sign-in for anything. */
export const isOpenToAll = authMode === 'none';

/** The token to send, if there is one. */
export function accessToken() {
  return session?.access;
}

/** The token that renews the session, where it is not in a cookie. */
export function refreshToken() {
  return session?.refresh;
}

/** Uses the tokens of an answer that contains some, such as that of a login. A refresh token that is null is in a cookie. */
export function adopt({ access_token, refresh_token, expires_in = 900, user }) {
  if (isOpenToAll) return;
  session = {
    access: access_token,
    refresh: refresh_token ?? undefined,
    inCookie: refresh_token === null,
    until: Date.now() + expires_in * 1000,
    user: user ?? session?.user,
  };
  show();
}

/** Gets a new access token when the current one is about to expire. */
export async function keepFresh() {
  if (canRenew() && session.until - Date.now() < ALMOST_OVER_MS) await renew();
}

function canRenew() {
  return session?.inCookie || session?.refresh !== undefined;
}

/** Whether there is a new access token now. Calls at the same time share one request. */
export function renew() {
  if (!canRenew()) return Promise.resolve(false);
  renewal ??= renewOnce().finally(() => (renewal = undefined));
  return renewal;
}

async function renewOnce() {
  const { inCookie, refresh } = session;
  const answer = inCookie ? await refreshCookie() : await post('refresh', { refresh_token: refresh });
  // The user may have signed out, here or in another tab.
  if (!session) return false;
  if (answer.ok) adopt(answer.body);
  else if (answer.status === 401) {
    if (inCookie) forgetSignIn();
    forget('Your session has ended. Sign in again.');
  }
  return answer.ok;
}

/** One tab after the other, where the browser has locks: none then sends a token that was just replaced. */
function refreshCookie() {
  const send = () => post('refresh', IN_COOKIE);
  return navigator.locks ? navigator.locks.request('refresh', send) : send();
}

/** Goes on with the session of the browser, if any. After many reloads a limit may require a wait. */
async function resume() {
  const answer = await refreshCookie();
  if (answer.ok) adopt(answer.body);
  else if (answer.status === 401) {
    forgetSignIn();
    if (session?.inCookie) forget();
  } else if (answer.status === 429) setTimeout(() => session ?? resume(), answer.waitMs);
}

/** Another tab has signed in or out. */
function followOtherTabs(isSignedIn) {
  if (isSignedIn) void resume();
  else if (session?.inCookie) forget();
}

/** Sends a request for the sign-in; the fault is in `body.error`, also when there was no answer. */
async function ask(path, init) {
  try {
    const response = await fetch(`/api/auth/${path}`, init);
    const waitMs = 1000 * Number(response.headers.get('retry-after') ?? 1);
    return { ok: response.ok, status: response.status, body: await response.json(), waitMs };
  } catch {
    return { ok: false, status: 0, body: { error: 'The service does not answer.' } };
  }
}

function post(path, body) {
  return ask(path, {
    method: 'POST',
    headers: { 'Content-Type': JSON_TYPE },
    body: JSON.stringify(body),
  });
}

function forget(fault = '') {
  session = undefined;
  show(fault);
}

function show(fault = '') {
  const { user } = session ?? {};
  byId('account').textContent = session ? (user?.username ?? 'Signed in') : 'Sign in';
  byId('signed-in').hidden = !session;
  byId('signed-out').hidden = Boolean(session);
  byId('sign-in-title').textContent = session ? 'Your session' : 'Sign in';
  byId('sign-in-fault').textContent = fault;
  byId('who').replaceChildren(
    ...(user
      ? [
          'You are ',
          h('strong', {}, user.username),
          ` (${user.email})${user.is_admin ? ', an administrator' : ''}. `,
        ]
      : []),
    canRenew()
      ? 'Access tokens last 15 minutes; this page gets a new one by itself when it needs one.'
      : 'The token is sent with every request that accepts one.',
  );
  changed();
}

/** Shows the dialog in which people sign in and out. */
export function openSignIn() {
  byId('sign-in').showModal();
}

/** Makes the dialog and its button work; `onChange` is called after each sign-in and sign-out. */
export function startSession(onChange) {
  const button = byId('account');
  if (isOpenToAll) {
    button.replaceWith(h('span', { class: 'open-to-all' }, 'No sign-in needed'));
    return;
  }
  button.addEventListener('click', openSignIn);
  const byPassword = authMode !== 'oauth';
  byId('login').hidden = !byPassword;
  byId('registration').hidden = !byPassword || registration === 'closed';
  const byInvitation = registration === 'invite';
  byId('registration').querySelector('summary').textContent = byInvitation
    ? 'Invited? Create your account'
    : 'No account yet? Create one';
  byId('invitation').hidden = !byInvitation;
  byId('invitation').querySelector('input').disabled = !byInvitation;
  byId('paste').open = !byPassword && !providers;
  byId('providers').replaceChildren(...providers.split(' ').filter(Boolean).map(providerLink));
  onSubmit('login', (fields) => signInWith('login', fields));
  onSubmit('register', (fields) => signInWith('register', withInvitation(fields)));
  onSubmit('token', ({ token }) => useToken({ access_token: token.trim() }));
  byId('sign-out').addEventListener('click', signOut);
  onSignInElsewhere(followOtherTabs);
  changed = onChange;
  show();
}

async function signInWith(path, fields) {
  const answer = await post(path, { ...fields, ...IN_COOKIE });
  if (answer.ok) noteSignIn();
  return answer;
}

/** An invitation may be typed as the link that it came as. */
function withInvitation({ invitation, ...fields }) {
  if (invitation === undefined) return fields;
  return { ...fields, invitation: invitation.slice(invitation.lastIndexOf('#') + 1).trim() };
}

const NAMES = { idp: 'the identity provider', oidc: 'OpenID Connect' };

function providerLink(name) {
  // A sign-in returns to no path below /api; the web app leads on from there.
  const back = encodeURIComponent('/auth/callback?to=/api/docs');
  const href = `/api/auth/${name}?session=cookie&return=${back}`;
  const attributes = { class: 'provider', href, onclick: noteStart };
  return h('a', attributes, `Sign in with ${NAMES[name]}`);
}

function onSubmit(id, send) {
  const form = byId(id);
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const button = form.querySelector('button');
    button.disabled = true;
    const { ok, body } = await send(Object.fromEntries(new FormData(form)));
    button.disabled = false;
    if (!ok) {
      byId('sign-in-fault').textContent = body.error;
      return;
    }
    form.reset();
    byId('sign-in').close();
    adopt(body);
  });
}

/** The token with its user, in the form of an answer for `adopt`. */
async function useToken(tokens) {
  const answer = await ask('me', { headers: { Authorization: `Bearer ${tokens.access_token}` } });
  return answer.ok ? { ok: true, body: { ...tokens, user: answer.body } } : answer;
}

async function signOut() {
  const { inCookie, refresh } = session ?? {};
  forget();
  byId('sign-in').close();
  if (inCookie) {
    forgetSignIn();
    const { ok } = await post('logout', IN_COOKIE);
    if (ok) endAppSession();
  } else if (refresh) await post('logout', { refresh_token: refresh });
}

/**
 * Goes on with the session of the browser, after a reload or a sign-in with a provider. Says why such a sign-in failed,
 * if it was started here. Tokens in the address are never used: they may be an attacker's.
 */
export async function takeSession() {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const isAnswer = fragment.has('access_token') || fragment.has('error');
  if (isAnswer) history.replaceState(null, '', location.pathname);
  if (isOpenToAll) return;
  const isStarted = takeStart();
  const fault = isStarted && isAnswer ? fragment.get('error_description') : null;
  if (mayBeSignedIn() || (isStarted && !isAnswer)) await resume();
  if (isStarted && session) noteSignIn();
  if (!fault) return;
  byId('sign-in-fault').textContent = fault;
  openSignIn();
}
