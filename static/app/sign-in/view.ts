import { texts } from '../base/texts.js';
import { endProviderSignIn, hasPasswords, providerFault, safePath, startWith } from '../state/account.js';
import { forgetIntent } from '../state/actions.js';
import { navigate, queryHref } from '../state/router.js';
import { formFault, sendForm } from '../parts/form.js';
import { emailField, newAccountFields, passwordField, providerButtons } from '../parts/account-parts.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import type { State } from '../base/types.js';

const common = texts.common;
const words = texts.account;

const CALLBACK = '/auth/callback';

const isNew = ({ route, config }: State) => config?.registration === 'open' && route.query.new !== undefined;

export const title = (state: State) => (isNew(state) ? words.create : common.signIn);

export function enter({ route }: State) {
  if (route.pattern === CALLBACK) void endProviderSignIn(route);
}

export function leave({ session, route }: State) {
  if (!session.user && route.pattern !== CALLBACK) forgetIntent();
}

export function view(state: State) {
  const { route, session } = state;
  const to = safePath(route.query.to);
  // However it came about: by the form, by a provider, or in another tab.
  if (session.user && !session.isGuess && route.pattern !== CALLBACK)
    queueMicrotask(() => navigate(to, { replace: true }));
  if (session.user !== null || route.pattern === CALLBACK) return html`<h1>${words.entering}</h1>`;
  const fault = route.query.error;
  return html`<div class="narrow">
    <h1 class="rule">${title(state)}</h1>
    <p class="soft">${words.why}</p>
    ${fault === undefined ? nothing : formFault({ '': providerFault(fault) })}
    ${hasPasswords() ? passwordForm(state) : nothing} ${providerButtons(state, to)}
    ${hasPasswords() ? otherWay(state) : nothing}
  </div>`;
}

function passwordForm(state: State) {
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
    submit: common.signIn,
    run: async (values) => {
      const { ok, fault } = await startWith('/auth/login', values);
      return {
        ok,
        ...(fault && { fault: fault.status === 401 ? { ...fault, message: words.wrong } : fault }),
      };
    },
  });
}

function otherWay(state: State) {
  const { registration } = state.config ?? {};
  const [text, action, value] = isNew(state)
    ? [words.hasAccount, common.signIn, undefined]
    : [words.noAccount, words.create, '1'];
  return html`${isNew(state) ? nothing : html`<p class="small soft">${words.forgotten}</p>`}
  ${registration === 'invite' ? html`<p class="small soft">${words.byInvitation}</p>` : nothing}
  ${registration === 'open' ? html`<p class="small">${text} <a href=${queryHref({ new: value })}>${action}</a></p>` : nothing}`;
}
