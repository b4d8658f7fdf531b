import { fill, texts } from '../base/texts.js';
import * as account from '../state/account.js';
import { hasPasswords, startWith } from '../state/account.js';
import { faultText, forgetIntent, toast } from '../state/actions.js';
import { navigate, queryHref } from '../state/router.js';
import { setUi } from '../state/store.js';
import { formFault, sendForm } from '../parts/form.js';
import { emailField, newAccountFields, passwordField, providerButtons } from '../parts/account-parts.js';
import { skeleton } from '../parts/parts.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import type { State } from '../base/types.js';

const common = texts.common;
const words = texts.account;

const CALLBACK = '/auth/callback';

const isNew = ({ route, config }: State) => config?.registration === 'open' && route.query.new !== undefined;

/** By the patterns of their addresses; all others sign in. */
const TITLES: Readonly<Record<string, (state: State) => string>> = {
  '/join': ({ config }) => fill(words.joinTitle, { name: config?.name ?? '' }),
  '/reset': () => words.resetTitle,
};

export const title = (state: State) =>
  TITLES[state.route.pattern]?.(state) ?? (isNew(state) ? words.create : common.signIn);

export function enter({ route }: State) {
  if (route.pattern === CALLBACK) void account.endProviderSignIn(route);
}

export function leave({ session, route }: State) {
  if (!session.user && route.pattern === '/sign-in') forgetIntent();
}

export function view(state: State) {
  const { route, session } = state;
  const isLink = route.pattern in TITLES;
  const isCallback = route.pattern === CALLBACK;
  const to = account.safePath(route.query.to);
  if (isLink) takeSecret(state);
  // However it came about: by the form, by a provider, or in another tab.
  else if (session.user && !session.isGuess && !isCallback)
    queueMicrotask(() => navigate(to, { replace: true }));
  if (!isLink && (session.user !== null || isCallback)) return html`<h1>${words.entering}</h1>`;
  return html`<div class="narrow">
    <h1 class="rule">${title(state)}</h1>
    ${isLink ? ofLink(state) : signIn(state, to)}
  </div>`;
}

function signIn(state: State, to: string) {
  const { error } = state.route.query;
  return html`<p class="soft">${words.why}</p>
    ${error === undefined ? nothing : formFault(account.providerFault(error))}
    ${hasPasswords() ? passwordForm(state) : nothing} ${providerButtons(state, to)}
    ${hasPasswords() ? otherWay(state) : nothing}`;
}

const passwordForm = (state: State) =>
  isNew(state)
    ? sendForm({
        name: 'register',
        fields: newAccountFields(),
        submit: words.create,
        run: (values) => startWith('/auth/register', values),
      })
    : sendForm({
        name: 'sign-in',
        fields: [emailField(), passwordField('password', 'current-password')],
        submit: common.signIn,
        run: async (values) => {
          const sent = await startWith('/auth/login', values);
          return { ...sent, ...(sent.fault?.status === 401 && { faults: { '': words.wrong } }) };
        },
      });

function otherWay(state: State) {
  const { registration } = state.config ?? {};
  const [text, action, value] = isNew(state)
    ? [words.hasAccount, common.signIn, undefined]
    : [words.noAccount, words.create, '1'];
  const other = html`<p class="small">${text} <a href=${queryHref({ new: value })}>${action}</a></p>`;
  return html`${isNew(state) ? nothing : html`<p class="small soft">${words.forgotten}</p>`}
  ${registration === 'invite' ? html`<p class="small soft">${words.byInvitation}</p>` : nothing}
  ${registration === 'open' ? other : nothing}`;
}

/** Takes the secret out of the address, which others may see; a link that is followed from here brings another one. */
function takeSecret({ route, ui }: State) {
  const secret = route.hash.slice(1);
  if (!/^(?:inv|rst)_/.test(secret) || ui.secret === secret) return;
  ui.secret = secret;
  history.replaceState(history.state, '', location.pathname + location.search);
  if (secret.startsWith('inv_')) queueMicrotask(() => void account.checkInvitation(secret));
}

function ofLink(state: State) {
  const { config, session, ui, route } = state;
  const goOn = (text: string) =>
    html`<p>${text}</p>
      <p class="acts"><a class="button" href="/">${words.goOn}</a></p>`;
  if (config?.auth_mode === 'none') return goOn(words.noAccounts);
  if (route.pattern === '/reset')
    return ui.secret?.startsWith('rst_') ? reset(ui.secret) : html`<p>${words.noLink}</p>`;
  if (session.user) return goOn(fill(words.alreadyIn, { name: session.user.username }));
  return ui.invitation ? join(state, ui.invitation) : html`<p>${words.noLink}</p>`;
}

function join(state: State, { secret, found, fault }: NonNullable<State['ui']['invitation']>) {
  if (fault)
    return html`<p role="alert">${fault.status === 404 ? words.usedInvitation : faultText(fault)}</p>`;
  if (!found) return skeleton(3);
  const form = sendForm({
    name: 'join',
    fields: newAccountFields(found.email),
    submit: words.join,
    run: async (values) => {
      const sent = await startWith('/auth/register', { ...values, invitation: secret });
      if (sent.ok) navigate('/', { replace: true });
      return sent;
    },
  });
  return html`${found.invited_by && html`<p>${fill(words.invites, { name: found.invited_by })}</p>`}
  ${hasPasswords() ? form : nothing} ${providerButtons(state, '/', secret)}`;
}

const reset = (token: string) =>
  sendForm({
    name: 'reset',
    account: '',
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
