import { fill, texts } from '../base/texts.js';
import { deleteAccount, downloadData } from '../state/account.js';
import { act, openDialog, toast } from '../state/actions.js';
import { setUser } from '../state/session.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { passwordField } from '../parts/account-parts.js';
import { sendForm } from '../parts/send-form.js';
import { askToSignOut } from './access.js';
import type { State, User } from '../base/types.js';

const common = texts.common;
const words = texts.settings;

export function accountPart({ session, config }: State) {
  const { user } = session;
  if (!user || !config) return nothing;
  return html`
    <p class="acts account-head">
      <span>${fill(words.signedInAs, { email: user.email })}</span>
      <button type="button" class="button" @click=${askToSignOut}>${common.signOut}</button>
    </p>
    ${names(user)} ${hasPassword(user) ? password(user) : nothing}
    <section>
      <h2>${words.rights}</h2>
      <p class="small soft">
        ${words.rightsOf[config.write_access]}
        ${config.trash_days === 0 ? words.noUndo : fill(words.undo, { count: config.trash_days })}
        ${words.ownOnly}
      </p>
    </section>
    <section>
      <h2>${words.data}</h2>
      <p class="small soft">${words.dataText}</p>
      <p class="acts">
        <button type="button" class="button" @click=${downloadData}>${words.download}</button>
      </p>
    </section>
    <section>
      <h2>${words.deletion}</h2>
      <p class="small soft">${words.deletionText}</p>
      <p class="acts">
        <button type="button" class="button danger" @click=${() => askForDeletion(user)}>
          ${words.delete}
        </button>
      </p>
    </section>
  `;
}

const hasPassword = ({ provider }: User) => provider === 'local';

const names = ({ username, full_name: fullName }: User) =>
  sendForm({
    name: 'names',
    fields: [
      {
        name: 'username',
        label: words.username,
        hint: words.usernameHint,
        value: username,
        autocomplete: 'nickname',
        required: true,
      },
      { name: 'full_name', label: words.fullName, value: fullName ?? '', autocomplete: 'name' },
    ],
    submit: common.save,
    run: async ({ username, full_name: full }) => {
      const body = { username, full_name: full || null };
      const outcome = await act({ method: 'PATCH', path: '/auth/me', body, quiet: true, said: common.saved });
      if (!outcome.ok) return outcome.fault;
      setUser(outcome.body);
      return undefined;
    },
  });

const password = ({ email }: User) =>
  html`<section>
    <h2>${words.password}</h2>
    ${sendForm({
      name: 'password',
      fields: [
        passwordField('current_password', 'current-password', words.current),
        passwordField('new_password', 'new-password', words.new),
      ],
      account: email,
      submit: words.change,
      run: async (body) => {
        const outcome = await act({ method: 'POST', path: '/auth/password', body, quiet: true });
        if (!outcome.ok) return outcome.fault;
        const count = outcome.body.ended_sessions;
        toast({ text: count === 0 ? words.changed : fill(words.changedEnded, { count }) });
        return undefined;
      },
      say: ({ status, message }) => (status === 403 ? message : undefined),
    })}
  </section>`;

function askForDeletion(user: User) {
  const proof = hasPassword(user)
    ? passwordField('password', 'current-password', words.current)
    : { name: 'confirm', label: fill(words.confirm, { name: user.username }), required: true };
  openDialog({
    label: words.deletion,
    body: () =>
      html`<h2>${words.deletion}</h2>
        <p class="lead">${words.deletionText}</p>
        ${sendForm({
          name: 'deletion',
          account: user.email,
          fields: [contributionsField(), proof],
          submit: words.delete,
          isDanger: true,
          run: deleteAccount,
          say: ({ status, message }) => (status === 403 || status === 409 ? message : undefined),
        })}`,
  });
}

/** What happens to what an account wrote. */
export const contributionsField = () => ({
  name: 'contributions',
  label: words.contributions,
  required: true,
  choices: Object.entries(words.contributionChoices),
});
