// The signed-in user. Tokens are only in the memory of this module.
import { JSON_TYPE, byId, h } from './docs-dom.js';

const { authMode, registration, providers } = document.documentElement.dataset;
const ALMOST_OVER_MS = 10_000;
// The key in the storage of this tab that marks a sign-in with a provider as started here. Tokens are never stored.
const STARTED = 'sign-in started';

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

/** The token that renews the session, if there is one. */
export function refreshToken() {
  return session?.refresh;
}

/** Uses the tokens of an answer that contains some, such as that of a login. */
export function adopt({ access_token, refresh_token, expires_in = 900, user }) {
  if (isOpenToAll) return;
  session = {
    access: access_token,
    refresh: refresh_token ?? session?.refresh,
    until: Date.now() + expires_in * 1000,
    user: user ?? session?.user,
  };
  show();
}

/** Gets a new access token when the current one is about to expire. */
export async function keepFresh() {
  if (session?.refresh && session.until - Date.now() < ALMOST_OVER_MS) await renew();
}

/** Whether there is a new access token now. Calls at the same time share one request. */
export function renew() {
  if (!session?.refresh) return Promise.resolve(false);
  renewal ??= renewOnce().finally(() => (renewal = undefined));
  return renewal;
}

async function renewOnce() {
  const answer = await post('refresh', { refresh_token: session.refresh });
  if (answer.ok) adopt(answer.body);
  else if (answer.status === 401) forget('Your session has ended. Sign in again.');
  return answer.ok;
}

/** Sends a request for the sign-in; the fault is in `body.error`, also when there was no answer. */
async function ask(path, init) {
  try {
    const response = await fetch(`/api/auth/${path}`, init);
    return { ok: response.ok, status: response.status, body: await response.json() };
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
    session?.refresh
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
  byId('registration').hidden = !byPassword || registration !== 'open';
  byId('paste').open = !byPassword && !providers;
  byId('providers').replaceChildren(...providers.split(' ').filter(Boolean).map(providerLink));
  onSubmit('login', (fields) => post('login', fields));
  onSubmit('register', (fields) => post('register', fields));
  onSubmit('token', ({ token }) => useToken({ access_token: token.trim() }));
  byId('sign-out').addEventListener('click', signOut);
  changed = onChange;
  show();
}

const NAMES = { idp: 'the identity provider', oidc: 'OpenID Connect' };

function providerLink(name) {
  const begin = () => sessionStorage.setItem(STARTED, name);
  const attributes = { class: 'provider', href: `/api/auth/${name}`, onclick: begin };
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
  const { refresh } = session ?? {};
  forget();
  byId('sign-in').close();
  if (refresh) await post('logout', { refresh_token: refresh });
}

/**
 * Reads the result of a sign-in with an identity provider from the address, and removes it there. Only one that was
 * started here is accepted: with a link that contains their own tokens, attackers could make others use their account.
 */
export async function takeFragment() {
  const fragment = new URLSearchParams(location.hash.slice(1));
  if (!fragment.has('access_token') && !fragment.has('error')) return;
  history.replaceState(null, '', location.pathname);
  const isExpected = sessionStorage.getItem(STARTED) !== null;
  sessionStorage.removeItem(STARTED);
  if (!isExpected) return;
  const fault = fragment.get('error_description');
  const answer = fault ? { body: { error: fault } } : await useToken(Object.fromEntries(fragment));
  if (answer.ok) {
    adopt(answer.body);
    return;
  }
  byId('sign-in-fault').textContent = answer.body.error;
  openSignIn();
}
