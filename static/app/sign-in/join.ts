import { fill, texts } from '../base/texts.js';
import { checkInvitation, hasPasswords, resetPassword, startWith } from '../state/account.js';
import { faultText, toast } from '../state/actions.js';
import { navigate } from '../state/router.js';
import { setUi } from '../state/store.js';
import { newAccountFields, passwordField, providerButtons } from '../parts/account-parts.js';
import { skeleton } from '../parts/parts.js';
import { forgetForms, sendForm } from '../parts/send-form.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import type { Fault, State } from '../base/types.js';

const words = texts.account;

const isReset = ({ route }: State) => route.pattern === '/reset';

export const title = (state: State) =>
  isReset(state) ? words.resetTitle : fill(words.joinTitle, { name: state.config?.name ?? '' });

export const leave = forgetForms;

export function view(state: State) {
  takeSecret(state);
  return html`<div class="narrow">
    <h1 class="rule">${title(state)}</h1>
    ${isReset(state) ? reset(state) : invitation(state)}
  </div>`;
}

/** Takes the secret out of the address, which others may see; a link that is followed from here brings another one. */
function takeSecret({ route, ui }: State) {
  const secret = route.hash.slice(1);
  if (!/^(?:inv|rst)_/.test(secret) || ui.secret === secret) return;
  ui.secret = secret;
  history.replaceState(history.state, '', location.pathname + location.search);
  if (secret.startsWith('inv_')) queueMicrotask(() => void checkInvitation(secret));
}

const goOn = () => html`<p class="acts"><a class="button" href="/">${words.goOn}</a></p>`;

function invitation(state: State) {
  const { config, session, ui } = state;
  if (config?.auth_mode === 'none')
    return html`<p>${words.noAccounts}</p>
      ${goOn()}`;
  if (session.user)
    return html`<p>${fill(words.alreadyIn, { name: session.user.username })}</p>
      ${goOn()}`;
  const found = ui.invitation as
    { secret: string; email?: string | null; isGood?: boolean; fault?: Fault } | undefined;
  if (!found) return html`<p>${words.noLink}</p>`;
  const { secret, email, fault } = found;
  if (fault)
    return html`<p role="alert">${fault.status === 404 ? words.usedInvitation : faultText(fault)}</p>`;
  if (!found.isGood) return skeleton(3);
  return html`${
    hasPasswords()
      ? sendForm({
          name: 'join',
          fields: newAccountFields(email),
          submit: words.join,
          run: async (values) => {
            const refused = await startWith('/auth/register', { ...values, invitation: secret });
            if (!refused) navigate('/', { replace: true });
            return refused;
          },
        })
      : nothing
  }
  ${providerButtons(state, '/', secret)}`;
}

function reset({ config, ui }: State) {
  if (config?.auth_mode === 'none')
    return html`<p>${words.noAccounts}</p>
      ${goOn()}`;
  const token = ui.secret;
  if (!token?.startsWith('rst_')) return html`<p>${words.noLink}</p>`;
  return sendForm({
    name: 'reset',
    account: '',
    fields: [passwordField('new_password', 'new-password', words.newPassword)],
    submit: words.change,
    run: async ({ new_password: password = '' }) => {
      const fault = await resetPassword(token, password);
      if (fault) return fault;
      setUi({ secret: undefined });
      navigate('/sign-in', { replace: true });
      toast({ text: words.changed });
      return undefined;
    },
    say: ({ message }) => (message.startsWith('Reset link') ? words.usedReset : undefined),
  });
}
