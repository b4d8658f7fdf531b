import { fill, texts } from '../base/texts.js';
import { act, closeDialog, openDialog, toast } from '../state/actions.js';
import { faultOf, faultText } from '../base/api.js';
import { readOwn, sendAll } from '../state/outbox.js';
import { setQuery } from '../state/router.js';
import { leaveAll, setUser, signOut } from '../state/session.js';
import { setUi, state } from '../state/store.js';
import * as format from '../base/format.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { nameField, openForm, passwordField, send, sendForm } from '../parts/form.js';
import { askFirst, download, loaded } from '../parts/mine.js';
import { button, icon, lines, section } from '../parts/parts.js';
import { makeSecret, secretBox } from '../parts/secret.js';
import type { Values } from '../parts/form.js';
import type {
  Account,
  ApiToken,
  Feed,
  Invitation,
  Page,
  Session,
  State,
  StillValid,
  User,
} from '../base/types.js';

const common = texts.common;
const words = texts.settings;

export const SESSIONS = '/auth/sessions';
export const TOKENS = '/auth/tokens';
export const FEEDS = '/feeds';
export const INVITATIONS = '/invitations';

/** Makes something with a secret, by what was typed into a form if there is one, which shows faults itself. */
function make(path: string, name: string, values?: Values) {
  const days = values?.expires_in_days;
  const body = values && { ...values, expires_in_days: days ? Number(days) : null };
  return makeSecret({ path, name }, body, values !== undefined);
}

/** Asks before it deletes what a path names. */
function askToDelete(
  { title, text, yes, said }: Record<'title' | 'text' | 'yes' | 'said', string>,
  path: string,
  name = '',
) {
  const write = { method: 'DELETE', path, said: fill(said, { name }) };
  askFirst(fill(title, { name }), text, yes, () => act(write));
}

const contributionsField = (label = words.contributions) => ({
  name: 'contributions',
  label,
  required: true,
  choices: Object.entries(words.contributionChoices),
});

/** @param most days; without a limit there may be no end, too */
const daysField = (value: string, most = Infinity) => ({
  name: 'expires_in_days',
  label: words.days,
  required: true,
  value,
  choices: Object.entries(words.dayChoices).filter(([days]) => (Number(days) || Infinity) <= most),
});

export function accountPart({ session: { user }, config, ui: { stillValid } }: State) {
  if (!user || !config) return nothing;
  const { username, email, full_name: full, provider } = user;
  const undo = config.trash_days === 0 ? words.noUndo : fill(words.undo, { count: config.trash_days });
  const text = (...texts: string[]) => html`<p class="small soft">${texts.join(' ')}</p>`;
  const names = sendForm({
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
  const password = sendForm({
    name: 'password',
    fields: [
      passwordField('current_password', 'current-password', words.current),
      passwordField('new_password', 'new-password', words.new),
    ],
    owner: email,
    submit: words.change,
    faults: { 403: texts.account.wrongPassword },
    run: (body) => {
      const write = { method: 'POST', path: '/auth/password', body };
      return send<{ still_valid: StillValid }>(write, ({ still_valid: stillValid }) => {
        setUi({ stillValid });
        const offer = { text: words.endAccess.yes, run: askToEndAccess };
        toast({ text: words.changed, action: countOf(stillValid) > 0 ? offer : undefined });
      });
    },
  });
  return html`
    <p class="acts account-head">
      <span>${fill(words.signedInAs, { email })}</span> ${button(common.signOut, askToSignOut)}
    </p>
    ${names} ${provider === 'local' ? section(words.password, password) : nothing}
    ${section(
      words.endAccess.yes,
      html`${stillValid && stillText(stillValid)} ${text(words.accessText)}`,
      button(words.endAccess.yes, askToEndAccess, 'button danger'),
    )}
    ${section(words.rights, text(words.rightsOf[config.write_access], undo, words.ownOnly))}
    ${section(
      words.data,
      text(words.dataText),
      button(words.download, () => download('/me/export', 'my-data.ndjson')),
    )}
    ${section(
      words.deletion,
      text(words.deletionText),
      button(words.delete, () => askForOwnDeletion(user), 'button danger'),
    )}
  `;
}

const countOf = ({ api_tokens, feeds, links }: StillValid) => api_tokens + feeds + links;

/** Says what works without the new password; nothing where all has ended. */
function stillText(left: StillValid) {
  if (countOf(left) === 0) return nothing;
  const { api_tokens: tokens, feeds, links } = left;
  const still = fill(words.still, { tokens, feeds, links });
  return html`<p class="small warn" role="alert">${icon('warning', 14)} ${still}</p>`;
}

function askToEndAccess() {
  const question = words.endAccess;
  // It may have led here, and would cover the question on a phone.
  setUi({ toast: undefined });
  const write = { method: 'DELETE', path: '/auth/access', said: question.said };
  askFirst(question.title, question.text, question.yes, async () => {
    if ((await act(write)).ok) setUi({ stillValid: undefined });
  });
}

/** Signs out, or says why that did not work. */
const signOutHere = () =>
  signOut().catch((error: unknown) =>
    toast({ text: fill(words.notSignedOut, { reason: faultText(faultOf(error)) }), kind: 'fault' }),
  );

/** Deletes the own account and ends what it left in this browser. */
async function deleteAccount(proof: Values) {
  const outcome = await act({ method: 'DELETE', path: '/auth/me', body: proof, quiet: true });
  // It ends a session that is gone already, but takes the cookie out of the browser.
  if (outcome.ok) await signOut(words.deleted).catch(() => leaveAll(words.deleted));
  return outcome;
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
  askFirst(title, words.neverSentText, words.signOutAnyway, signOutHere, { also });
}

function askForOwnDeletion({ username: name, email: owner, provider }: User) {
  const proof =
    provider === 'local'
      ? passwordField('password', 'current-password', words.current)
      : { name: 'confirm', label: fill(words.confirm, { name }), required: true };
  const fields = [contributionsField(), proof];
  const faults = { 403: texts.account.wrongPassword, 409: texts.account.lastAdmin };
  const submit = words.delete;
  const form = { name: 'deletion', owner, fields, submit, isDanger: true, faults, run: deleteAccount };
  openForm(words.deletion, form, words.deletionText);
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
  loaded(SESSIONS, (sessions: Session[]) =>
    lines(
      sessions.map(({ id, current, ...session }) => [
        deviceName(session.user_agent),
        current
          ? button(common.signOut, askToSignOut)
          : button(words.ending.yes, () => askToDelete(words.ending, `${SESSIONS}/${id}`)),
        current && words.thisBrowser,
        session.ip_address,
        fill(words.used, { when: format.ago(session.last_used_at) }),
        fill(words.since, { day: format.day(session.created_at) }),
      ]),
    ),
  );

export function tokensPart({ ui }: State) {
  const form = sendForm({
    name: 'token',
    fields: [{ name: 'name', label: words.tokenName, required: true, max: 100 }, daysField('90')],
    submit: words.makeToken,
    run: (values) => make(TOKENS, values.name ?? '', values),
  });
  const line = ({ id, name, last_used_at: used, expires_at: end }: ApiToken) =>
    [
      name,
      button(common.remove, () => askToDelete(words.tokenDeletion, `${TOKENS}/${id}`, name)),
      used === null ? words.neverUsed : fill(words.used, { when: format.ago(used) }),
      end === null ? words.forever : fill(words.expires, { day: format.day(end) }),
    ] as const;
  return loaded(
    TOKENS,
    (tokens: ApiToken[]) =>
      html`<p class="soft lead">${words.tokensText}</p>
        ${secretBox(ui.made, TOKENS)}
        ${tokens.length === 0 ? html`<p class="lead">${words.noTokens}</p>` : nothing}
        ${lines(tokens.map(line))} ${form}`,
  );
}

export function feedsPart({ ui }: State) {
  const choice = (kind: Feed['kind']) => {
    const { name, text } = words.feeds[kind];
    const create = () => makeSecret({ path: FEEDS, name }, { kind });
    const label = `${words.makeFeed}: ${name}`;
    return section(
      name,
      html`<p class="small soft">${text}</p>`,
      button(words.makeFeed, create, 'button', { label }),
    );
  };
  const line = ({ id, kind, created_at: at }: Feed) => {
    const { name } = words.feeds[kind];
    const remove = () => askToDelete(words.feedDeletion, `${FEEDS}/${id}`, name);
    return [name, button(common.remove, remove), fill(words.since, { day: format.day(at) })] as const;
  };
  return loaded(
    FEEDS,
    (feeds: Feed[]) =>
      html`<p class="soft lead">${words.feedsText}</p>
        ${secretBox(ui.made, FEEDS)} ${lines(feeds.map(line))} ${choice('visits')} ${choice('outings')}
        ${choice('changes')}`,
  );
}

export const usersUrl = ({ route }: State) =>
  `/users?limit=100${route.query.who ? `&q=${encodeURIComponent(route.query.who)}` : ''}`;

export function peoplePart(state: State) {
  const find = ({ target }: { target: HTMLInputElement }) =>
    setQuery({ who: target.value.trim() }, { replace: true });
  const line = (user: Account) => {
    const { username: name, full_name: full, sessions: count } = user;
    const label = fill(words.manage, { name });
    return [
      full ? `${name} (${full})` : name,
      user.id === state.session.user?.id
        ? words.you
        : button(words.manageShort, () => openUser(user), 'button', { label }),
      user.email,
      user.is_admin && words.admin,
      !user.is_active && words.inactive,
      count === 0 ? words.noPlaces : fill(words.places, { count }),
    ] as const;
  };
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
        html`${lines(data.map(line))} ${data.length === 0 ? html`<p>${words.noPeople}</p>` : nothing}
        ${isCut ? html`<p class="soft">${fill(words.first, { shown: data.length, total })}</p>` : nothing}`,
    )}
    <p class="small soft">${words.grant}</p>`;
}

function openUser(user: Account) {
  setUi({ made: undefined });
  const { id, username: name, is_active: isActive } = user;
  const path = `/users/${id}`;
  const reset = `${path}/password-reset`;
  const wide = (text: string, run: () => unknown, kind = '') => button(text, run, `button wide ${kind}`);
  const deletion = {
    name: 'user-deletion',
    fields: [contributionsField(fill(words.contributionsOf, { name }))],
    submit: words.delete,
    isDanger: true,
    faults: { 409: texts.account.lastAdmin },
    run: (body: unknown) => send({ method: 'DELETE', path, body, said: fill(words.userDeleted, { name }) }),
  };
  openDialog({
    label: name,
    body: ({ ui: { made } }) =>
      html`<p class="soft lead">${user.email}</p>
        ${secretBox(made, reset)}
        ${made && html`<p class="small soft">${fill(words.resetText, { day: format.dayAndTime(made.end) })}</p>`}
        <div class="stack">
          ${user.has_password && isActive ? wide(words.reset, () => make(reset, words.reset)) : nothing}
          ${wide(isActive ? words.forbid : words.allow, () => setActive(path, name, !isActive))}
          ${wide(words.endingAll.yes, () => askToDelete(words.endingAll, `${path}/sessions`, name))}
          ${wide(words.endAccessOf.yes, () => askToDelete(words.endAccessOf, `${path}/access`, name))}
          ${wide(words.delete, () => openForm(fill(words.deleteUser, { name }), deletion), 'danger')}
        </div>`,
  });
}

async function setActive(path: string, name: string, isActive: boolean) {
  closeDialog();
  const write = { method: 'PATCH', path, body: { is_active: isActive } };
  if (!(await act({ ...write, faults: { 409: texts.account.lastAdmin } })).ok) return;
  const undo = () => void setActive(path, name, !isActive);
  toast({ text: fill(isActive ? words.allowed : words.forbidden, { name }), undo });
}

const whose = ({ note, email }: { note?: string | null; email?: string | null }) =>
  note ?? email ?? words.anyone;

export function invitationsPart({ config, ui }: State) {
  if (config?.registration === 'closed') return html`<p class="soft">${words.closed}</p>`;
  const form = sendForm({
    name: 'invitation',
    fields: [
      { name: 'note', label: words.note, max: 255 },
      { name: 'email', type: 'email', label: words.invitee, hint: words.inviteeHint },
      daysField('7', 30),
    ],
    submit: words.invite,
    faults: { 409: words.closed },
    run: (values) => make(INVITATIONS, fill(words.linkFor, { who: whose(values) }), values),
  });
  const line = (invitation: Invitation) => {
    const { id, email, note, expires_at: end, used_at: used, used_by: guest } = invitation;
    const path = `${INVITATIONS}/${id}`;
    const isOpen = used === null && Date.parse(end) > Date.now();
    const remove = () =>
      isOpen
        ? askToDelete(words.invitationDeletion, path)
        : act({ method: 'DELETE', path, said: words.invitationDeletion.said });
    const until = isOpen ? fill(words.expires, { day: format.day(end) }) : words.over;
    return [
      fill(words.invitationFor, { who: whose(invitation) }),
      button(common.remove, remove),
      note && email,
      used ? fill(words.usedBy, { name: guest?.username ?? '…' }) : until,
    ] as const;
  };
  return loaded(
    INVITATIONS,
    (all: Invitation[]) =>
      html`<p class="soft lead">${words.invitationsText}</p>
        ${secretBox(ui.made, INVITATIONS)} ${form} ${lines(all.map(line))}`,
  );
}
