import { fill, texts } from '../base/texts.js';
import { act, faultText, toast } from './actions.js';
import { faultOf } from '../base/api.js';
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

type Sent = Promise<{ ok: boolean; fault?: Fault }>;
type Values = Readonly<Record<string, string>>;

/** Starts a session with an email and a password, or a new account. */
export const startWith = (path: '/auth/login' | '/auth/register', values: Values): Sent =>
  enter(path, values).then(
    () => ({ ok: true }),
    (error: unknown) => ({ ok: false, fault: faultOf(error) }),
  );

export const resetPassword = (token: string, password: string): Sent =>
  act({ method: 'POST', path: '/auth/password-reset', body: { token, new_password: password }, quiet: true });

/** Looks at an invitation; the result stands in `state.ui.invitation`. */
export async function checkInvitation(secret: string) {
  setUi({ invitation: { secret } });
  const write = { method: 'POST', path: '/auth/invitation', body: { invitation: secret }, quiet: true };
  const outcome = await act<InvitationCheck>(write);
  setUi({ invitation: { secret, ...(outcome.ok ? { found: outcome.body } : { fault: outcome.fault }) } });
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
export const signOutHere = () =>
  signOut().catch((error: unknown) =>
    toast({ text: fill(settings.notSignedOut, { reason: faultText(faultOf(error)) }), kind: 'fault' }),
  );

/** Deletes the own account and ends what it left in this browser. */
export async function deleteAccount(proof: Values) {
  const outcome = await act({ method: 'DELETE', path: '/auth/me', body: proof, quiet: true });
  // It ends a session that is gone already, but takes the cookie out of the browser.
  if (outcome.ok) await signOut(settings.deleted).catch(() => leaveAll(settings.deleted));
  return outcome;
}

/** Downloads all that the service holds of the user: a link could not send the token along. */
export async function downloadData() {
  const lines: string[] = [];
  const onLine = (line: string) => lines.push(`${line}\n`);
  const outcome = await act({ method: 'GET', path: '/me/export', onLine, quiet: true, noUndo: true });
  if (!outcome.ok) return toast({ text: faultText(outcome.fault), kind: 'fault' });
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob(lines, { type: 'application/x-ndjson' }));
  link.download = 'my-data.ndjson';
  link.click();
  URL.revokeObjectURL(link.href);
}
