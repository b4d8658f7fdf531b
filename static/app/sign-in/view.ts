import { fill, texts } from '../base/texts.js';
import { act, forgetIntent, toast } from '../state/actions.js';
import { faultOf, faultText } from '../base/api.js';
import { matchRoute, navigate, queryHref } from '../state/router.js';
import { enter as enterBy, enterByCookie } from '../state/session.js';
import { setUi, state } from '../state/store.js';
import { emailField, formFault, nameField, passwordField, send, sendForm } from '../parts/form.js';
import { skeleton } from '../parts/parts.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import type { Values, Sent } from '../parts/form.js';
import type { InvitationCheck, Route, State, StillValid } from '../base/types.js';

const common = texts.common;
const words = texts.account;

const CALLBACK = '/auth/callback';

/** Where to go after a sign-in: a path of this app, never another host. */
function safePath(to: string | undefined = '/') {
  // The parser of addresses drops tabs and line ends, so that only its result says where a path leads.
  const isPath = /^\/(?![/\\])/.test(to) && new URL(to, location.origin).origin === location.origin;
  return isPath ? to : '/';
}

const isNew = ({ route, config }: State) => config?.registration === 'open' && route.query.new !== undefined;

export function title(state: State) {
  const { route, config } = state;
  if (route.pattern === '/join') return fill(words.joinTitle, { name: config?.name ?? '' });
  return route.pattern === '/reset' ? words.resetTitle : isNew(state) ? words.create : common.signIn;
}

export function enter({ route }: State) {
  if (route.pattern === CALLBACK) void endProviderSignIn(route);
}

export function leave({ session, route }: State) {
  if (!session.user && route.pattern === '/sign-in') forgetIntent();
}

export function view(state: State) {
  const { route, session } = state;
  const isLink = route.pattern === '/join' || route.pattern === '/reset';
  const isCallback = route.pattern === CALLBACK;
  const to = safePath(route.query.to);
  // However it came about: by the form, by a provider, or in another tab.
  if (session.user && !session.isGuess && !isLink && !isCallback)
    queueMicrotask(() => navigate(to, { replace: true }));
  if (!isLink && (session.user !== null || isCallback)) return html`<h1>${words.entering}</h1>`;
  return html`<div class="narrow">
    <h1 class="rule">${title(state)}</h1>
    ${isLink ? ofLink(state) : signIn(state, to)}
  </div>`;
}

function signIn(state: State, to: string) {
  const { error } = state.route.query;
  const { registration } = state.config ?? {};
  // Its code is anybody's words.
  const faults = new Map(Object.entries(words.providerFaults));
  const note = (...content: unknown[]) => html`<p class="small soft">${content}</p>`;
  const [form, text, action, value] = isNew(state)
    ? [newAccountForm('register', words.create), words.hasAccount, common.signIn]
    : [passwordForm(), words.noAccount, words.create, '1'];
  const notes = html`${isNew(state) ? nothing : note(words.forgotten)}
  ${registration === 'invite' ? note(words.byInvitation) : nothing}
  ${registration === 'open' ? html`<p class="small">${text} <a href=${queryHref({ new: value })}>${action}</a></p>` : nothing}`;
  return html`<p class="soft">${words.why}</p>
    ${error && formFault(faults.get(error) ?? words.providerFaults.other)} ${waysIn(state, to, form)}
    ${hasPasswords(state) ? notes : nothing}`;
}

const hasPasswords = ({ config }: State) => ['local', 'both'].includes(config?.auth_mode ?? '');

// The sign-in of a provider takes no longer way back.
const LONGEST_RETURN = 500;

/** The form, where accounts have passwords, and a link for each provider that signs in here and leads on to `to`. */
function waysIn(state: State, to: string, form: unknown, invitation?: string) {
  const providers = Object.entries(words.providers).filter(([name]) =>
    state.config?.providers.includes(name),
  );
  const back = `${CALLBACK}?to=${encodeURIComponent(to)}`;
  const query = new URLSearchParams({
    session: 'cookie',
    return: back.length > LONGEST_RETURN ? CALLBACK : back,
    ...(invitation && { invitation }),
  });
  const or = html`<p class="or small soft">${words.or}</p>`;
  return html`${hasPasswords(state) ? [form, providers.length > 0 ? or : nothing] : nothing}
  ${providers.map(
    ([name, text]) => html`<a class="button wide" href=${`/api/auth/${name}?${query}`}>${text}</a>`,
  )}`;
}

/** Ends the sign-in of a provider: with the session that it left in the cookie, or at the sign-in with the reason. */
async function endProviderSignIn({ hash, query }: Route) {
  const to = safePath(query.to);
  // Another page of the service, such as the documentation, takes its own answer.
  if (!matchRoute(new URL(to, location.href).pathname)) return location.replace(to + hash);
  history.replaceState(history.state, '', location.pathname + location.search);
  const fault = new URLSearchParams(hash.slice(1)).get('error');
  if (fault === null) await enterByCookie();
  if (fault === null && state.session.user) return navigate(to, { replace: true });
  navigate(`/sign-in?${new URLSearchParams({ to, error: fault ?? 'other' })}`, { replace: true });
}

/** Starts a session with an email and a password, or a new account. */
const startWith = (path: '/auth/login' | '/auth/register', values: Values): Promise<Sent> =>
  enterBy(path, values).then(
    () => ({ ok: true }),
    (error: unknown) => ({ ok: false, fault: faultOf(error) }),
  );

const passwordForm = () =>
  sendForm({
    name: 'sign-in',
    fields: [emailField(), passwordField('password', 'current-password')],
    submit: common.signIn,
    run: async (values) => {
      const sent = await startWith('/auth/login', values);
      return { ...sent, ...(sent.fault?.status === 401 && { faults: { '': words.wrong } }) };
    },
  });

/** @param email for which the account has to be */
const newAccountForm = (name: string, submit: string, invitation?: string, email?: string | null) =>
  sendForm({
    name,
    submit,
    fields: [
      nameField(email?.replace(/@.*/, '')),
      emailField(email),
      passwordField('password', 'new-password'),
    ],
    faults: { 403: invitation ? words.usedInvitation : words.providerFaults.registration_closed },
    run: async (values) => {
      const sent = await startWith('/auth/register', {
        ...values,
        ...(invitation && { invitation }),
      });
      if (sent.ok && invitation) navigate('/', { replace: true });
      return sent;
    },
  });

async function checkInvitation(secret: string) {
  setUi({ invitation: { secret } });
  const write = { method: 'POST', path: '/auth/invitation', body: { invitation: secret }, quiet: true };
  const outcome = await act<InvitationCheck>(write);
  setUi({ invitation: { secret, ...(outcome.ok ? { found: outcome.body } : { fault: outcome.fault }) } });
}

function ofLink(state: State) {
  const { config, session, ui, route } = state;
  const followed = route.hash.slice(1);
  // Out of the address, which others may see; a link that is followed from here brings another one.
  if (/^(?:inv|rst)_/.test(followed) && ui.secret !== followed) {
    ui.secret = followed;
    history.replaceState(history.state, '', location.pathname + location.search);
    if (followed.startsWith('inv_')) queueMicrotask(() => void checkInvitation(followed));
  }
  const goOn = (text: string) =>
    html`<p>${text}</p>
      <p class="acts"><a class="button" href="/">${words.goOn}</a></p>`;
  if (config?.auth_mode === 'none') return goOn(words.noAccounts);
  if (route.pattern === '/reset' && ui.secret?.startsWith('rst_')) return reset(ui.secret);
  const links = ui.stillValid?.links ?? 0;
  if (route.pattern === '/reset' && links > 0)
    return html`<p role="status">${fill(words.changedLeft, { links })}</p>
      <p class="acts">
        <a class="button primary" href="/sign-in?to=/settings/account">${common.signIn}</a>
      </p>`;
  if (route.pattern === '/join' && session.user)
    return goOn(fill(words.alreadyIn, { name: session.user.username }));
  if (route.pattern === '/reset' || !ui.invitation) return html`<p>${words.noLink}</p>`;
  const { secret, found, fault } = ui.invitation;
  if (fault)
    return html`<p role="alert">${fault.status === 404 ? words.usedInvitation : faultText(fault)}</p>`;
  if (!found) return skeleton(3);
  const { email, invited_by: host } = found;
  return html`${host && html`<p>${fill(words.invites, { name: host })}</p>`}
  ${waysIn(state, '/', newAccountForm('join', words.join, secret, email), secret)}`;
}

const reset = (token: string) =>
  sendForm({
    name: 'reset',
    owner: '',
    fields: [passwordField('new_password', 'new-password', words.newPassword)],
    submit: words.change,
    run: async (values) => {
      const write = { method: 'POST', path: '/auth/password-reset', body: { token, ...values } };
      const sent = await send<{ still_valid: StillValid }>(write, ({ still_valid: stillValid }) => {
        const isLeft = stillValid.links > 0;
        // This page says what is left, without the link in its address.
        navigate(isLeft ? '/reset' : '/sign-in', { replace: true });
        setUi({ secret: undefined, stillValid });
        if (!isLeft) toast({ text: words.changed });
      });
      const isUsed = !sent.ok && sent.fault.message.startsWith('Reset link');
      return isUsed ? { ...sent, faults: { '': words.usedReset } } : sent;
    },
  });
