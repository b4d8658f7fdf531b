import { fill, texts } from '../base/texts.js';
import { deleteAccount, downloadData, signOutHere } from '../state/account.js';
import { act, openDialog } from '../state/actions.js';
import { load } from '../state/data.js';
import { readOwn, sendAll } from '../state/outbox.js';
import { setUser } from '../state/session.js';
import { answer, setUi, state } from '../state/store.js';
import * as format from '../base/format.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { nameField, passwordField } from '../parts/account-parts.js';
import { askFirst } from '../parts/ask.js';
import { sendForm } from '../parts/form.js';
import { missing } from '../parts/parts.js';
import { askToDelete, button, contributionsField, daysField, line, secretBox, section } from './parts.js';
import type { ApiToken, Session, State, User } from '../base/types.js';

const common = texts.common;
const words = texts.settings;

export const SESSIONS = '/auth/sessions';
export const TOKENS = '/auth/tokens';

export function accountPart({ session, config }: State) {
  const { user } = session;
  if (!user || !config) return nothing;
  const { write_access: access, trash_days: days } = config;
  const undo = days === 0 ? words.noUndo : fill(words.undo, { count: days });
  const text = (...texts: string[]) => html`<p class="small soft">${texts.join(' ')}</p>`;
  return html`
    <p class="acts account-head">
      <span>${fill(words.signedInAs, { email: user.email })}</span> ${button(common.signOut, askToSignOut)}
    </p>
    ${names(user)} ${hasPassword(user) ? section(words.password, password(user)) : nothing}
    ${section(words.rights, text(words.rightsOf[access], undo, words.ownOnly))}
    ${section(words.data, text(words.dataText), button(words.download, downloadData))}
    ${section(
      words.deletion,
      text(words.deletionText),
      button(words.delete, () => askForDeletion(user), 'button danger'),
    )}
  `;
}

/** Signs out; asks first while something was never sent. */
export async function askToSignOut(): Promise<void> {
  const waiting = await readOwn();
  const unsent = waiting.length + (state.ui.uploads?.length ?? 0);
  if (unsent === 0) return signOutHere();
  // It would cover the question on a phone.
  setUi({ toast: undefined });
  const canSend = state.online && waiting.some(({ state }) => state === 'waiting');
  askFirst({
    title: fill(words.neverSent, { count: unsent }),
    text: words.neverSentText,
    yes: words.signOutAnyway,
    run: signOutHere,
    ...(canSend && { other: { text: words.sendFirst, run: () => sendAll().then(askToSignOut) } }),
  });
}

const hasPassword = ({ provider }: User) => provider === 'local';

const names = ({ username, full_name: fullName }: User) =>
  sendForm({
    name: 'names',
    fields: [
      nameField(username),
      { name: 'full_name', label: words.fullName, value: fullName ?? '', autocomplete: 'name' },
    ],
    submit: common.save,
    run: async ({ username, full_name: full }) => {
      const body = { username, full_name: full ?? null };
      const write = { method: 'PATCH', path: '/auth/me', body, quiet: true, said: common.saved };
      const outcome = await act<User>(write);
      if (outcome.ok) setUser(outcome.body);
      return outcome;
    },
  });

const password = ({ email }: User) =>
  sendForm({
    name: 'password',
    fields: [
      passwordField('current_password', 'current-password', words.current),
      passwordField('new_password', 'new-password', words.new),
    ],
    account: email,
    submit: words.change,
    run: (body) => act({ method: 'POST', path: '/auth/password', body, quiet: true, said: words.changed }),
  });

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
          fields: [contributionsField, proof],
          submit: words.delete,
          isDanger: true,
          run: deleteAccount,
        })}`,
  });
}

/** @param agent as a program names itself */
function deviceName(agent: string) {
  const named = (names: Record<string, string>) =>
    Object.entries(names).find(([mark]) => agent.includes(mark))?.[1];
  const [browser, system] = [named(words.browsers), named(words.systems)];
  if (browser && system) return fill(words.browserOn, { browser, system });
  return /^[^\s(]+/.exec(agent)?.[0] ?? words.program;
}

export function sessionsPart({ data }: State) {
  const sessions = answer<Session[]>(SESSIONS);
  if (!sessions) return missing(data[SESSIONS], () => load(SESSIONS));
  const end = (id: number) => button(words.ending.yes, () => askToDelete(words.ending, `${SESSIONS}/${id}`));
  return html`<ul class="lines">
    ${sessions.map(({ id, current, ...session }) =>
      line(deviceName(session.user_agent), current ? button(common.signOut, askToSignOut) : end(id), [
        current && words.thisBrowser,
        session.ip_address,
        fill(words.used, { when: format.ago(session.last_used_at) }),
        fill(words.since, { day: format.day(session.created_at) }),
      ]),
    )}
  </ul>`;
}

export function tokensPart({ data, ui }: State) {
  const tokens = answer<ApiToken[]>(TOKENS);
  if (!tokens) return missing(data[TOKENS], () => load(TOKENS));
  return html`<p class="soft lead">${words.tokensText}</p>
    ${ui.token ? secretBox(ui.token.name, ui.token.text) : nothing}
    ${tokens.length === 0 ? html`<p class="lead">${words.noTokens}</p>` : nothing}
    <ul class="lines">
      ${tokens.map(tokenLine)}
    </ul>
    ${sendForm({
      name: 'token',
      fields: [{ name: 'name', label: words.tokenName, required: true, max: 100 }, daysField('90')],
      submit: words.makeToken,
      run: async ({ name = '', expires_in_days: days }) => {
        const body = { name, expires_in_days: days ? Number(days) : null };
        const write = { method: 'POST', path: TOKENS, body, quiet: true };
        const outcome = await act<{ token: string }>(write);
        if (outcome.ok) setUi({ token: { name, text: outcome.body.token } });
        return outcome;
      },
    })}`;
}

const tokenLine = ({ id, name, last_used_at: used, expires_at: end }: ApiToken) =>
  line(
    name,
    button(common.remove, () => askToDelete(words.tokenDeletion, `${TOKENS}/${id}`, name)),
    [
      used === null ? words.neverUsed : fill(words.used, { when: format.ago(used) }),
      end === null ? words.forever : fill(words.expires, { day: format.day(end) }),
    ],
  );
