import { fill, texts } from '../base/texts.js';
import { act, closeDialog, openDialog, setUndo, toast } from '../state/actions.js';
import { load } from '../state/data.js';
import * as format from '../base/format.js';
import { setQuery } from '../state/router.js';
import { answer, setUi } from '../state/store.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { missing } from '../parts/parts.js';
import { sendForm } from '../parts/form.js';
import { askToDelete, button, contributionsField, daysField, line, secretBox } from './parts.js';
import type { Account, Invitation, Page, State } from '../base/types.js';

const common = texts.common;
const words = texts.settings;

export const INVITATIONS = '/invitations';
const LONGEST_DAYS = 30;

const usersUrl = ({ route }: State) =>
  `/users?limit=100${route.query.who ? `&q=${encodeURIComponent(route.query.who)}` : ''}`;

export const peopleNeeds = (state: State) => [usersUrl(state)];

export function peoplePart(state: State) {
  const { data, route, session } = state;
  const url = usersUrl(state);
  const page = answer<Page<Account>>(url);
  const find = ({ target }: { target: HTMLInputElement }) =>
    setQuery({ who: target.value.trim() }, { replace: true });
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
        : missing(data[url], () => load(url))
    }
    <p class="small soft">${words.grant}</p>`;
}

function userLine(user: Account, isSelf: boolean) {
  const { username, email, full_name: full } = user;
  const label = fill(words.manage, { name: username });
  const manage = button(words.manageShort, () => openUser(user), 'button', label);
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
  const wide = (text: string, run: () => unknown, kind = '') => button(text, run, `button wide ${kind}`);
  openDialog({
    label: fill(words.manage, { name: username }),
    body: ({ ui: { link } }) =>
      html`<h2>${username}</h2>
        <p class="soft lead">${user.email}</p>
        ${
          link
            ? html`${secretBox(words.reset, link.text)}
                <p class="small soft">${fill(words.resetText, { day: link.until })}</p>`
            : nothing
        }
        <div class="stack">
          ${user.has_password && isActive ? wide(words.reset, () => makeResetLink(user)) : nothing}
          ${wide(isActive ? words.forbid : words.allow, () => setActive(user, !isActive))}
          ${wide(words.endingAll.yes, () => askToDelete(words.endingAll, `/users/${user.id}/sessions`, username))}
          ${wide(words.delete, () => askForDeletion(user), 'danger')}
        </div>`,
  });
}

async function makeResetLink({ id }: Account) {
  const write = { method: 'POST', path: `/users/${id}/password-reset` };
  const outcome = await act<{ url: string; expires_at: string }>(write);
  if (!outcome.ok) return;
  const { url, expires_at: end } = outcome.body;
  setUi({ link: { text: location.origin + url, until: `${format.day(end)}, ${format.time(end)}` } });
}

async function setActive(user: Account, isActive: boolean) {
  closeDialog();
  const write = { method: 'PATCH', path: `/users/${user.id}`, body: { is_active: isActive } };
  const outcome = await act(write);
  if (!outcome.ok) return;
  const undo = () => void setActive(user, !isActive);
  toast({ text: fill(isActive ? words.allowed : words.forbidden, { name: user.username }), undo });
  setUndo(undo);
}

function askForDeletion({ id, username }: Account) {
  const label = fill(words.deleteUser, { name: username });
  openDialog({
    label,
    body: () =>
      html`<h2>${label}</h2>
        ${sendForm({
          name: 'user-deletion',
          fields: [contributionsField],
          submit: words.delete,
          isDanger: true,
          run: async (body) => {
            const said = fill(words.userDeleted, { name: username });
            const write = { method: 'DELETE', path: `/users/${id}`, body, said, quiet: true };
            const outcome = await act(write);
            if (outcome.ok) closeDialog();
            return outcome;
          },
        })}`,
  });
}

export function invitationsPart({ config, data, ui }: State) {
  if (config?.registration === 'closed') return html`<p class="soft">${words.closed}</p>`;
  const all = answer<Invitation[]>(INVITATIONS);
  if (!all) return missing(data[INVITATIONS], () => load(INVITATIONS));
  return html`<p class="soft lead">${words.invitationsText}</p>
    ${ui.invited ? secretBox(ui.invited.name, ui.invited.text) : nothing}
    ${sendForm({
      name: 'invitation',
      fields: [
        { name: 'note', label: words.note, max: 255 },
        { name: 'email', type: 'email', label: words.invitee, hint: words.inviteeHint },
        daysField('7', LONGEST_DAYS),
      ],
      submit: words.invite,
      run: async ({ email, note, expires_in_days: days }) => {
        const body = { email: email ?? null, note: note ?? null, expires_in_days: Number(days) };
        const write = { method: 'POST', path: INVITATIONS, body, quiet: true };
        const outcome = await act<{ url: string }>(write);
        if (outcome.ok) {
          const name = fill(words.linkFor, { who: note ?? email ?? words.anyone });
          setUi({ invited: { name, text: location.origin + outcome.body.url } });
        }
        return outcome;
      },
    })}
    <ul class="lines">
      ${all.map(invitationLine)}
    </ul>`;
}

function invitationLine({ id, email, note, expires_at: end, used_at: used, used_by: guest }: Invitation) {
  const path = `${INVITATIONS}/${id}`;
  const { said } = words.invitationDeletion;
  const isOpen = used === null && new Date(end).getTime() > Date.now();
  const remove = () => act({ method: 'DELETE', path, said });
  const ask = () => askToDelete(words.invitationDeletion, path);
  const until = isOpen ? fill(words.expires, { day: format.day(end) }) : words.over;
  return line(
    fill(words.invitationFor, { who: note ?? email ?? words.anyone }),
    button(common.remove, isOpen ? ask : remove),
    [note && email, used ? fill(words.usedBy, { name: guest?.username ?? '…' }) : until],
  );
}
