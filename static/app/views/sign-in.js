import { endProviderSignIn, hasPasswords, providerFault, safePath, startWith } from '../account.js';
import { forgetIntent } from '../actions.js';
import { navigate, queryHref } from '../router.js';
import { words } from '../texts/account.js';
import { formFault } from '../ui/form.js';
import { emailField, newAccountFields, passwordField, providerButtons } from '../ui/account-parts.js';
import { forgetForms, sendForm } from '../ui/send-form.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';

/** @import { State } from '../types.js' */

const CALLBACK = '/auth/callback';

/** @param {State} state */
const isNew = ({ route, config }) => config?.registration === 'open' && route.query['new'] !== undefined;

/** @param {State} state */
export const title = (state) => (isNew(state) ? words.create : words.signIn);

/** @param {State} state */
export function enter({ route }) {
  if (route.pattern === CALLBACK) void endProviderSignIn(route);
}

/** @param {State} state */
export function leave({ session, route }) {
  forgetForms();
  if (!session.user && route.pattern !== CALLBACK) forgetIntent();
}

/** @param {State} state */
export function view(state) {
  const { route, session } = state;
  const to = safePath(route.query['to']);
  // However it came about: by the form, by a provider, or in another tab.
  if (session.user && !session.isGuess && route.pattern !== CALLBACK)
    queueMicrotask(() => navigate(to, { replace: true }));
  if (session.user !== null || route.pattern === CALLBACK) return html`<h1>${words.entering}</h1>`;
  const fault = route.query['error'];
  return html`<div class="narrow">
    <h1 class="rule">${title(state)}</h1>
    ${fault === undefined || state.ui['forms'] ? nothing : formFault({ '': providerFault(fault) })}
    ${hasPasswords() ? passwordForm(state) : nothing} ${providerButtons(state, to)}
    ${hasPasswords() ? otherWay(state) : nothing}
  </div>`;
}

/** @param {State} state */
function passwordForm(state) {
  if (isNew(state)) {
    return sendForm({
      name: 'register',
      fields: newAccountFields(),
      submit: words.create,
      run: (values) => startWith('/auth/register', values),
    });
  }
  return sendForm({
    name: 'sign-in',
    fields: [emailField(), passwordField('password', 'current-password')],
    submit: words.signIn,
    run: (values) => startWith('/auth/login', values),
    say: ({ status, message }) => (status === 401 ? words.wrong : status === 429 ? message : undefined),
  });
}

/** @param {State} state */
function otherWay(state) {
  const { registration } = state.config ?? {};
  if (registration === 'invite') return html`<p class="small soft">${words.byInvitation}</p>`;
  if (registration !== 'open') return nothing;
  const [text, action, value] = isNew(state)
    ? [words.hasAccount, words.signIn, undefined]
    : [words.noAccount, words.create, '1'];
  return html`<p class="small">${text} <a href=${queryHref({ new: value })}>${action}</a></p>`;
}
