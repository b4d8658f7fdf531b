import { fill, texts } from '../base/texts.js';
import { deleteAccount, downloadData, signOutHere } from '../state/account.js';
import { act, closeDialog, openDialog, toast } from '../state/actions.js';
import { readOwn, sendAll } from '../state/outbox.js';
import { setQuery } from '../state/router.js';
import { setUser } from '../state/session.js';
import { setUi, state } from '../state/store.js';
import * as format from '../base/format.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { nameField, passwordField } from '../parts/account-parts.js';
import { openForm, send, sendForm } from '../parts/form.js';
import { askFirst, loaded } from '../parts/mine.js';
import { button } from '../parts/parts.js';
import { askToDelete, contributionsField, daysField, lines, secretBox, section } from './parts.js';
import type { Account, ApiToken, Invitation, Page, Session, State, User } from '../base/types.js';

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
  const forget = button(words.delete, () => askForOwnDeletion(user), 'button danger');
  return html`
    <p class="acts account-head">
      <span>${fill(words.signedInAs, { email: user.email })}</span> ${button(common.signOut, askToSignOut)}
    </p>
    ${names(user)} ${hasPassword(user) ? section(words.password, password(user)) : nothing}
    ${section(words.rights, text(words.rightsOf[access], undo, words.ownOnly))}
    ${section(words.data, text(words.dataText), button(words.download, downloadData))}
    ${section(words.deletion, text(words.deletionText), forget)}
  `;
}

/** Signs out; asks first while something was never sent. */
async function askToSignOut(): Promise<void> {
  const waiting = await readOwn();
  const unsent = waiting.length + (state.ui.uploads?.length ?? 0);
  if (unsent === 0) return signOutHere();
  // It would cover the question on a phone.
  setUi({ toast: undefined });
  const canSend = state.online && waiting.some(({ state }) => state === 'waiting');
  const send = () => (closeDialog(), sendAll().then(askToSignOut));
  const title = fill(words.neverSent, { count: unsent });
  const also = canSend ? button(words.sendFirst, send) : undefined;
  askFirst(title, words.neverSentText, words.signOutAnyway, signOutHere, also);
}

const hasPassword = ({ provider }: User) => provider === 'local';

const names = ({ username, full_name: full }: User) =>
  sendForm({
    name: 'names',
    fields: [
      nameField(username),
      { name: 'full_name', label: words.fullName, value: full ?? '', autocomplete: 'name' },
    ],
    submit: common.save,
    run: (values) => {
      const body = { full_name: null, ...values };
      return send({ method: 'PATCH', path: '/auth/me', body, said: common.saved }, setUser);
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
    run: (body) => send({ method: 'POST', path: '/auth/password', body, said: words.changed }),
  });

function askForOwnDeletion(user: User) {
  const proof = hasPassword(user)
    ? passwordField('password', 'current-password', words.current)
    : { name: 'confirm', label: fill(words.confirm, { name: user.username }), required: true };
  const form = {
    name: 'deletion',
    account: user.email,
    fields: [contributionsField, proof],
    submit: words.delete,
    isDanger: true,
    run: deleteAccount,
  };
  openForm(words.deletion, form, html`<p class="lead">${words.deletionText}</p>`);
}

/** @param agent as a program names itself */
function deviceName(agent: string) {
  const named = (names: Record<string, string>) =>
    Object.entries(names).find(([mark]) => agent.includes(mark))?.[1];
  const [browser, system] = [named(words.browsers), named(words.systems)];
  if (browser && system) return fill(words.browserOn, { browser, system });
  return /^[^\s(]+/.exec(agent)?.[0] ?? words.program;
}

export const sessionsPart = () =>
  loaded(SESSIONS, (sessions: Session[]) => {
    const end = (id: number) =>
      button(words.ending.yes, () => askToDelete(words.ending, `${SESSIONS}/${id}`));
    return lines(
      sessions.map(({ id, current, ...session }) => [
        deviceName(session.user_agent),
        current ? button(common.signOut, askToSignOut) : end(id),
        current && words.thisBrowser,
        session.ip_address,
        fill(words.used, { when: format.ago(session.last_used_at) }),
        fill(words.since, { day: format.day(session.created_at) }),
      ]),
    );
  });

export const tokensPart = ({ ui }: State) =>
  loaded(
    TOKENS,
    (tokens: ApiToken[]) =>
      html`<p class="soft lead">${words.tokensText}</p>
        ${secretBox(ui.token)} ${tokens.length === 0 ? html`<p class="lead">${words.noTokens}</p>` : nothing}
        ${lines(
          tokens.map(({ id, name, last_used_at: used, expires_at: end }) => [
            name,
            button(common.remove, () => askToDelete(words.tokenDeletion, `${TOKENS}/${id}`, name)),
            used === null ? words.neverUsed : fill(words.used, { when: format.ago(used) }),
            end === null ? words.forever : fill(words.expires, { day: format.day(end) }),
          ]),
        )}
        ${sendForm({
          name: 'token',
          fields: [{ name: 'name', label: words.tokenName, required: true, max: 100 }, daysField('90')],
          submit: words.makeToken,
          run: ({ name = '', expires_in_days: days }) =>
            send<{ token: string }>(
              { method: 'POST', path: TOKENS, body: { name, expires_in_days: days ? Number(days) : null } },
              ({ token }) => setUi({ token: { name, text: token } }),
            ),
        })}`,
  );

export const INVITATIONS = '/invitations';
const LONGEST_DAYS = 30;

export const usersUrl = ({ route }: State) =>
  `/users?limit=100${route.query.who ? `&q=${encodeURIComponent(route.query.who)}` : ''}`;

export function peoplePart(state: State) {
  const find = ({ target }: { target: HTMLInputElement }) =>
    setQuery({ who: target.value.trim() }, { replace: true });
  return html`<input
      type="search"
      class="find"
      aria-label=${words.find}
      placeholder=${words.find}
      .value=${state.route.query.who ?? ''}
      @change=${find}
    />
    ${loaded(
      usersUrl(state),
      ({ data, has_more: isCut, total }: Page<Account>) =>
        html`${lines(data.map((user) => userLine(user, user.id === state.session.user?.id)))}
        ${data.length === 0 ? html`<p>${words.nobody}</p>` : nothing}
        ${isCut ? html`<p class="soft">${fill(words.first, { shown: data.length, total })}</p>` : nothing}`,
    )}
    <p class="small soft">${words.grant}</p>`;
}

function userLine(user: Account, isSelf: boolean) {
  const { username, email, full_name: full } = user;
  const label = fill(words.manage, { name: username });
  return [
    full ? `${username} (${full})` : username,
    isSelf ? words.you : button(words.manageShort, () => openUser(user), 'button', { label }),
    email,
    user.is_admin && words.admin,
    !user.is_active && words.inactive,
    user.sessions === 0 ? words.noPlaces : fill(words.places, { count: user.sessions }),
  ] as const;
}

function openUser(user: Account) {
  setUi({ link: undefined });
  const { id, username, is_active: isActive } = user;
  const wide = (text: string, run: () => unknown, kind = '') => button(text, run, `button wide ${kind}`);
  openDialog({
    label: username,
    body: ({ ui: { link } }) =>
      html`<p class="soft lead">${user.email}</p>
        ${secretBox(link)}
        ${link && html`<p class="small soft">${fill(words.resetText, { day: link.until })}</p>`}
        <div class="stack">
          ${user.has_password && isActive ? wide(words.reset, () => makeResetLink(user)) : nothing}
          ${wide(isActive ? words.forbid : words.allow, () => setActive(user, !isActive))}
          ${wide(words.endingAll.yes, () => askToDelete(words.endingAll, `/users/${id}/sessions`, username))}
          ${wide(words.delete, () => askForDeletion(user), 'danger')}
        </div>`,
  });
}

async function makeResetLink({ id }: Account) {
  const write = { method: 'POST', path: `/users/${id}/password-reset` };
  const outcome = await act<{ url: string; expires_at: string }>(write);
  if (!outcome.ok) return;
  const { url, expires_at: end } = outcome.body;
  const until = `${format.day(end)}, ${format.time(end)}`;
  setUi({ link: { name: words.reset, text: location.origin + url, until } });
}

async function setActive(user: Account, isActive: boolean) {
  closeDialog();
  const write = { method: 'PATCH', path: `/users/${user.id}`, body: { is_active: isActive } };
  if (!(await act(write)).ok) return;
  const undo = () => void setActive(user, !isActive);
  toast({ text: fill(isActive ? words.allowed : words.forbidden, { name: user.username }), undo });
}

const askForDeletion = ({ id, username: name }: Account) =>
  openForm(fill(words.deleteUser, { name }), {
    name: 'user-deletion',
    fields: [contributionsField],
    submit: words.delete,
    isDanger: true,
    run: (body) =>
      send({ method: 'DELETE', path: `/users/${id}`, body, said: fill(words.userDeleted, { name }) }),
  });

const whose = ({ note, email }: { note?: string | null; email?: string | null }) =>
  note ?? email ?? words.anyone;

export function invitationsPart({ config, ui }: State) {
  if (config?.registration === 'closed') return html`<p class="soft">${words.closed}</p>`;
  const form = sendForm({
    name: 'invitation',
    fields: [
      { name: 'note', label: words.note, max: 255 },
      { name: 'email', type: 'email', label: words.invitee, hint: words.inviteeHint },
      daysField('7', LONGEST_DAYS),
    ],
    submit: words.invite,
    run: (values) => {
      const body = { ...values, expires_in_days: Number(values.expires_in_days) };
      const name = fill(words.linkFor, { who: whose(values) });
      return send<{ url: string }>({ method: 'POST', path: INVITATIONS, body }, ({ url }) =>
        setUi({ invited: { name, text: location.origin + url } }),
      );
    },
  });
  return loaded(
    INVITATIONS,
    (all: Invitation[]) =>
      html`<p class="soft lead">${words.invitationsText}</p>
        ${secretBox(ui.invited)} ${form} ${lines(all.map(invitationLine))}`,
  );
}

function invitationLine(invitation: Invitation) {
  const { id, email, note, expires_at: end, used_at: used, used_by: guest } = invitation;
  const path = `${INVITATIONS}/${id}`;
  const { said } = words.invitationDeletion;
  const isOpen = used === null && new Date(end).getTime() > Date.now();
  const remove = () => act({ method: 'DELETE', path, said });
  const ask = () => askToDelete(words.invitationDeletion, path);
  const until = isOpen ? fill(words.expires, { day: format.day(end) }) : words.over;
  return [
    fill(words.invitationFor, { who: whose(invitation) }),
    button(common.remove, isOpen ? ask : remove),
    note && email,
    used ? fill(words.usedBy, { name: guest?.username ?? '…' }) : until,
  ] as const;
}
