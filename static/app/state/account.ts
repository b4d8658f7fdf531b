import { fill, texts } from '../base/texts.js';
import { faultText, toast } from './actions.js';
import { call, faultOf } from '../base/api.js';
import { matchRoute, navigate } from './router.js';
import { enter, enterByCookie, leaveAll, signOut } from './session.js';
import { setUi, state } from './store.js';
import type { Fault, InvitationCheck, Route } from '../base/types.js';

const words = texts.account;
const settings = texts.settings;

/** Where to go after a sign-in: a path of this app, never another host. */
export function safePath(to: string | undefined = '/') {
  // The parser of addresses drops tabs and line ends, so that only its result says where a path leads.
  const isPath = /^\/(?![/\\])/.test(to) && new URL(to, location.origin).origin === location.origin;
  return isPath ? to : '/';
}

/** Starts a session with an email and a password, or a new account. */
export const startWith = (path: '/auth/login' | '/auth/register', values: Readonly<Record<string, string>>) =>
  attempt(() => enter(path, values));

/** Sets a new password with the secret of a link. */
export const resetPassword = (token: string, password: string) =>
  attempt(() => call('POST', '/auth/password-reset', { body: { token, new_password: password } }));

/** Looks at an invitation; the result stands in `state.ui.invitation`. */
export async function checkInvitation(secret: string) {
  setUi({ invitation: { secret } });
  const { fault } = await attempt(async () => {
    const body = { invitation: secret };
    const { body: found } = await call<InvitationCheck>('POST', '/auth/invitation', { body });
    setUi({ invitation: { secret, found } });
  });
  if (fault) setUi({ invitation: { secret, fault } });
}

async function attempt(run: () => Promise<unknown>): Promise<{ ok: boolean; fault?: Fault }> {
  try {
    await run();
    return { ok: true };
  } catch (error) {
    return { ok: false, fault: faultOf(error) };
  }
}

// The sign-in of a provider takes no longer way back.
const LONGEST_RETURN = 500;

/** The address at which the sign-in of a provider begins that goes on at `to`. */
export function providerHref(provider: string, to: string, invitation?: string) {
  const back = `/auth/callback?to=${encodeURIComponent(to)}`;
  const query = new URLSearchParams({
    session: 'cookie',
    return: back.length > LONGEST_RETURN ? '/auth/callback' : back,
    ...(invitation !== undefined && { invitation }),
  });
  return `/api/auth/${provider}?${query}`;
}

/** Whether accounts of this service itself can sign in. */
export const hasPasswords = () => ['local', 'both'].includes(state.config?.auth_mode ?? '');

/** Why a sign-in with a provider failed, by the code in the fragment; its description is anybody's words. */
export const providerFault = (code: string) =>
  Object.entries(words.providerFaults).find(([name]) => name === code)?.[1] ?? words.providerFaults.other;

/** Ends the sign-in of a provider: with the session that it left in the cookie, or at the sign-in with the reason. */
export async function endProviderSignIn({ hash, query }: Route) {
  const to = safePath(query.to);
  // Another page of the service, such as the documentation, takes its own answer.
  if (!matchRoute(new URL(to, location.href).pathname)) return location.replace(to + hash);
  history.replaceState(history.state, '', location.pathname + location.search);
  const fault = new URLSearchParams(hash.slice(1)).get('error');
  if (fault === null) await enterByCookie();
  if (fault === null && state.session.user) return navigate(to, { replace: true });
  navigate(`/sign-in?${new URLSearchParams({ to, error: fault ?? 'other' })}`, { replace: true });
}

/** Signs out, or says why that did not work. */
export async function signOutHere() {
  const { fault } = await attempt(signOut);
  if (fault) toast({ text: fill(settings.notSignedOut, { reason: faultText(fault) }), kind: 'fault' });
}

/** Deletes the own account and ends what it left in this browser. */
export const deleteAccount = (proof: Readonly<Record<string, string>>) =>
  attempt(async () => {
    await call('DELETE', '/auth/me', { body: proof });
    // It ends a session that is gone already, but takes the cookie out of the browser.
    await signOut(settings.deleted).catch(() => leaveAll(settings.deleted));
  });

/** Downloads all that the service holds of the user: a link could not send the token along. */
export async function downloadData() {
  const lines: string[] = [];
  const onLine = (line: string) => lines.push(`${line}\n`);
  const { fault } = await attempt(() => call('GET', '/me/export', { onLine }));
  if (fault) return toast({ text: faultText(fault), kind: 'fault' });
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob(lines, { type: 'application/x-ndjson' }));
  link.download = 'my-data.ndjson';
  link.click();
  URL.revokeObjectURL(link.href);
}
