import { fill, texts } from '../base/texts.js';
import { checkInvitation, hasPasswords, resetPassword, startWith } from '../state/account.js';
import { faultText, toast } from '../state/actions.js';
import { navigate } from '../state/router.js';
import { setUi } from '../state/store.js';
import { newAccountFields, passwordField, providerButtons } from '../parts/account-parts.js';
import { sendForm } from '../parts/form.js';
import { skeleton } from '../parts/parts.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import type { State } from '../base/types.js';

const words = texts.account;

const isReset = ({ route }: State) => route.pattern === '/reset';

export const title = (state: State) =>
  isReset(state) ? words.resetTitle : fill(words.joinTitle, { name: state.config?.name ?? '' });

export function view(state: State) {
  takeSecret(state);
  return html`<div class="narrow">
    <h1 class="rule">${title(state)}</h1>
    ${body(state)}
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

function body(state: State) {
  const { config, session, ui } = state;
  const goOn = (text: string) =>
    html`<p>${text}</p>
      <p class="acts"><a class="button" href="/">${words.goOn}</a></p>`;
  if (config?.auth_mode === 'none') return goOn(words.noAccounts);
  if (isReset(state)) return ui.secret?.startsWith('rst_') ? reset(ui.secret) : html`<p>${words.noLink}</p>`;
  if (session.user) return goOn(fill(words.alreadyIn, { name: session.user.username }));
  return ui.invitation ? join(state, ui.invitation) : html`<p>${words.noLink}</p>`;
}

function join(state: State, { secret, found, fault }: NonNullable<State['ui']['invitation']>) {
  if (fault)
    return html`<p role="alert">${fault.status === 404 ? words.usedInvitation : faultText(fault)}</p>`;
  if (!found) return skeleton(3);
  return html`${found.invited_by ? html`<p>${fill(words.invites, { name: found.invited_by })}</p>` : nothing}
  ${
    hasPasswords()
      ? sendForm({
          name: 'join',
          fields: newAccountFields(found.email),
          submit: words.join,
          run: async (values) => {
            const sent = await startWith('/auth/register', { ...values, invitation: secret });
            if (sent.ok) navigate('/', { replace: true });
            return sent;
          },
        })
      : nothing
  }
  ${providerButtons(state, '/', secret)}`;
}

const reset = (token: string) =>
  sendForm({
    name: 'reset',
    account: '',
    fields: [passwordField('new_password', 'new-password', words.newPassword)],
    submit: words.change,
    run: async ({ new_password: password = '' }) => {
      const { ok, fault } = await resetPassword(token, password);
      if (fault?.message.startsWith('Reset link'))
        return { ok, fault: { ...fault, message: words.usedReset } };
      if (fault) return { ok, fault };
      setUi({ secret: undefined });
      navigate('/sign-in', { replace: true });
      toast({ text: words.changed });
      return { ok };
    },
  });
