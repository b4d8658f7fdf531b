import { fill, texts } from '../base/texts.js';
import { act, closeDialog, openDialog, setUndo, toast } from '../state/actions.js';
import { load } from '../state/data.js';
import * as format from '../base/format.js';
import { setQuery } from '../state/router.js';
import { setUi } from '../state/store.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { missing } from '../parts/parts.js';
import { sendForm } from '../parts/send-form.js';
import { daysField } from './access.js';
import { contributionsField } from './account.js';
import { askFirst } from '../parts/ask.js';
import { line, secretBox } from './parts.js';
import type { Account, Invitation, Page, State } from '../base/types.js';

const common = texts.common;
const words = texts.settings;

const INVITATIONS = '/invitations';
const LONGEST_DAYS = 30;

const usersUrl = ({ route }: State) =>
  `/users?limit=100${route.query.who ? `&q=${encodeURIComponent(route.query.who)}` : ''}`;

export const peopleNeeds = (state: State) => [usersUrl(state), INVITATIONS];

export function peoplePart(state: State) {
  const { data, route, session } = state;
  const page = data[usersUrl(state)]?.body as Page<Account> | undefined;
  const find = (event: any) => setQuery({ who: event.target.value.trim() }, { replace: true });
  return html`<input
      type="search"
      class="find"
      aria-label=${words.find}
      placeholder=${words.find}
      .value=${route.query.who ?? ''}
      @change=${find}
    />
    ${
      page
        ? html`<ul class="lines">
              ${page.data.map((user) => userLine(user, user.id === session.user?.id))}
            </ul>
            ${page.data.length === 0 ? html`<p>${words.nobody}</p>` : nothing}
            ${page.has_more ? html`<p class="soft">${fill(words.first, { shown: page.data.length, total: page.total })}</p>` : nothing}`
        : missing(data[usersUrl(state)], () => load(usersUrl(state)))
    }
    <p class="small soft">${words.grant}</p>
    <section>
      <h2>${words.invitations}</h2>
      ${invitations(state)}
    </section>`;
}

function userLine(user: Account, isSelf: boolean) {
  const { username, email, full_name: full } = user;
  const manage = html`<button
    type="button"
    class="button"
    aria-label=${fill(words.manage, { name: username })}
    @click=${() => openUser(user)}
  >
    ${words.manageShort}
  </button>`;
  return line(full ? `${username} (${full})` : username, isSelf ? words.you : manage, [
    email,
    user.is_admin && words.admin,
    !user.is_active && words.inactive,
    user.sessions === 0 ? words.noPlaces : fill(words.places, { count: user.sessions }),
  ]);
}

function openUser(user: Account) {
  setUi({ link: undefined });
  const { username, is_active: isActive } = user;
  const button = (text: string, run: () => void, kind = 'button wide') =>
    html`<button type="button" class=${kind} @click=${run}>${text}</button>`;
  openDialog({
    label: fill(words.manage, { name: username }),
    body: ({ ui }) =>
      html`<h2>${username}</h2>
        <p class="soft lead">${user.email}</p>
        ${ui.link ? secretBox(words.reset, ui.link.text) : nothing}
        ${ui.link ? html`<p class="small soft">${fill(words.resetText, { day: ui.link.until })}</p>` : nothing}
        <div class="stack">
          ${user.has_password && isActive ? button(words.reset, () => void makeResetLink(user)) : nothing}
          ${button(isActive ? words.forbid : words.allow, () => setActive(user, !isActive))}
          ${button(words.endAll, () => askToEndAll(user))}
          ${button(words.delete, () => askForDeletion(user), 'button wide danger')}
        </div>`,
  });
}

async function makeResetLink({ id }: Account) {
  const outcome = await act({ method: 'POST', path: `/users/${id}/password-reset` });
  if (!outcome.ok) return;
  const { url, expires_at: end } = outcome.body;
  setUi({ link: { text: location.origin + url, until: `${format.day(end)}, ${format.time(end)}` } });
}

async function setActive(user: Account, isActive: boolean) {
  closeDialog();
  const outcome = await act({
    method: 'PATCH',
    path: `/users/${user.id}`,
    body: { is_active: isActive },
  });
  if (!outcome.ok) return;
  const undo = () => void setActive(user, !isActive);
  toast({ text: fill(isActive ? words.allowed : words.forbidden, { name: user.username }), undo });
  setUndo(undo);
}

const askToEndAll = ({ id, username }: Account) =>
  askFirst({
    title: fill(words.endAllOf, { name: username }),
    text: words.endAllText,
    yes: words.endAll,
    run: () =>
      void act({
        method: 'DELETE',
        path: `/users/${id}/sessions`,
        said: fill(words.endedAll, { name: username }),
      }),
  });

const askForDeletion = ({ id, username }: Account) =>
  openDialog({
    label: fill(words.deleteUser, { name: username }),
    body: () =>
      html`<h2>${fill(words.deleteUser, { name: username })}</h2>
        ${sendForm({
          name: 'user-deletion',
          fields: [contributionsField()],
          submit: words.delete,
          isDanger: true,
          run: async (body) => {
            const said = fill(words.userDeleted, { name: username });
            const path = `/users/${id}`;
            const outcome = await act({ method: 'DELETE', path, body, said, quiet: true });
            if (!outcome.ok) return outcome.fault;
            closeDialog();
            return undefined;
          },
        })}`,
  });

function invitations({ config, data, ui }: State) {
  if (config?.registration === 'closed') return html`<p class="soft">${words.closed}</p>`;
  const all = data[INVITATIONS]?.body as Invitation[] | undefined;
  if (!all) return missing(data[INVITATIONS], () => load(INVITATIONS));
  return html`${secretBox(words.invitations, ui.invited)}
    <ul class="lines">
      ${all.map(invitationLine)}
    </ul>
    ${sendForm({
      name: 'invitation',
      fields: [
        { name: 'email', type: 'email', label: words.invitee, hint: words.inviteeHint },
        { name: 'note', label: words.note, max: 255 },
        daysField('7', LONGEST_DAYS),
      ],
      submit: words.invite,
      run: async ({ email, note, expires_in_days: days }) => {
        const body = { email: email || null, note: note || null, expires_in_days: Number(days) };
        const path = INVITATIONS;
        const outcome = await act({ method: 'POST', path, body, quiet: true });
        if (!outcome.ok) return outcome.fault;
        setUi({ invited: location.origin + outcome.body.url });
        return undefined;
      },
    })}`;
}

function invitationLine({ id, email, note, expires_at: end, used_at: used, used_by: guest }: Invitation) {
  const who = note ?? email;
  const remove = () => act({ method: 'DELETE', path: `${INVITATIONS}/${id}`, said: words.takenBack });
  const ask = () =>
    askFirst({
      title: words.takeBackTitle,
      text: words.takeBackText,
      yes: words.takeBack,
      run: () => void remove(),
    });
  const isOpen = used === null && new Date(end).getTime() > Date.now();
  const button = html`<button type="button" class="button" @click=${isOpen ? ask : () => void remove()}>
    ${isOpen ? words.takeBack : common.remove}
  </button>`;
  return line(who === null ? words.forAnyone : fill(words.invitationFor, { who }), button, [
    note && email,
    used === null
      ? isOpen
        ? fill(words.expires, { day: format.day(end) })
        : words.over
      : fill(words.usedBy, { name: guest?.username ?? '…' }),
  ]);
}
