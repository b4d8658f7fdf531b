import { fill, texts } from '../base/texts.js';
import * as account from '../state/account.js';
import { faultText, forgetIntent, toast } from '../state/actions.js';
import { navigate, queryHref } from '../state/router.js';
import { setUi } from '../state/store.js';
import { emailField, formFault, nameField, passwordField, sendForm } from '../parts/form.js';
import { skeleton } from '../parts/parts.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import type { State } from '../base/types.js';

const common = texts.common;
const words = texts.account;

const CALLBACK = '/auth/callback';

const isNew = ({ route, config }: State) => config?.registration === 'open' && route.query.new !== undefined;

export function title(state: State) {
  const { route, config } = state;
  if (route.pattern === '/join') return fill(words.joinTitle, { name: config?.name ?? '' });
  return route.pattern === '/reset' ? words.resetTitle : isNew(state) ? words.create : common.signIn;
}

export function enter({ route }: State) {
  if (route.pattern === CALLBACK) void account.endProviderSignIn(route);
}

export function leave({ session, route }: State) {
  if (!session.user && route.pattern === '/sign-in') forgetIntent();
}

export function view(state: State) {
  const { route, session } = state;
  const isLink = route.pattern === '/join' || route.pattern === '/reset';
  const isCallback = route.pattern === CALLBACK;
  const to = account.safePath(route.query.to);
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
  const note = (...content: unknown[]) => html`<p class="small soft">${content}</p>`;
  const [form, text, action, value] = isNew(state)
    ? [newAccountForm('register', words.create), words.hasAccount, common.signIn]
    : [passwordForm(), words.noAccount, words.create, '1'];
  const notes = html`${isNew(state) ? nothing : note(words.forgotten)}
  ${registration === 'invite' ? note(words.byInvitation) : nothing}
  ${registration === 'open' ? html`<p class="small">${text} <a href=${queryHref({ new: value })}>${action}</a></p>` : nothing}`;
  return html`<p class="soft">${words.why}</p>
    ${error && formFault(account.providerFault(error))} ${waysIn(state, to, form)}
    ${account.hasPasswords() ? notes : nothing}`;
}

/** The form, where accounts have passwords, and a link for each provider that signs in here and leads on to `to`. */
function waysIn({ config }: State, to: string, form: unknown, invitation?: string) {
  const providers = Object.entries(words.providers).filter(([name]) => config?.providers.includes(name));
  const or = html`<p class="or small soft">${words.or}</p>`;
  return html`${account.hasPasswords() ? [form, providers.length > 0 ? or : nothing] : nothing}
  ${providers.map(
    ([name, text]) =>
      html`<a class="button wide" href=${account.providerHref(name, to, invitation)}>${text}</a>`,
  )}`;
}

const passwordForm = () =>
  sendForm({
    name: 'sign-in',
    fields: [emailField(), passwordField('password', 'current-password')],
    submit: common.signIn,
    run: async (values) => {
      const sent = await account.startWith('/auth/login', values);
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
    run: async (values) => {
      const sent = await account.startWith('/auth/register', {
        ...values,
        ...(invitation && { invitation }),
      });
      if (sent.ok && invitation) navigate('/', { replace: true });
      return sent;
    },
  });

function ofLink(state: State) {
  const { config, session, ui, route } = state;
  const followed = route.hash.slice(1);
  // Out of the address, which others may see; a link that is followed from here brings another one.
  if (/^(?:inv|rst)_/.test(followed) && ui.secret !== followed) {
    ui.secret = followed;
    history.replaceState(history.state, '', location.pathname + location.search);
    if (followed.startsWith('inv_')) queueMicrotask(() => void account.checkInvitation(followed));
  }
  const goOn = (text: string) =>
    html`<p>${text}</p>
      <p class="acts"><a class="button" href="/">${words.goOn}</a></p>`;
  if (config?.auth_mode === 'none') return goOn(words.noAccounts);
  if (route.pattern === '/reset' && ui.secret?.startsWith('rst_')) return reset(ui.secret);
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
    run: async ({ new_password: password = '' }) => {
      const sent = await account.resetPassword(token, password);
      if (sent.fault?.message.startsWith('Reset link')) return { ...sent, faults: { '': words.usedReset } };
      if (!sent.ok) return sent;
      setUi({ secret: undefined });
      navigate('/sign-in', { replace: true });
      toast({ text: words.changed });
      return sent;
    },
  });
