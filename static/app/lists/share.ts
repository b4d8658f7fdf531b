import { fill, texts } from '../base/texts.js';
import * as format from '../base/format.js';
import { act, alters, openDialog, without } from '../state/actions.js';
import { navigate } from '../state/router.js';
import { answer, setUi, state } from '../state/store.js';
import { askFirst, focusOn, listName } from '../parts/mine.js';
import { button, lines } from '../parts/parts.js';
import { COPY, makeSecret, passOn, secretBox } from '../parts/secret.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import type { Link, List, Member } from '../base/types.js';

const words = texts.share;

/** Takes a list off the person's by a write. */
export function dropList(id: number, write: { path: string; said: string; noUndo?: true }) {
  // Before it is gone: this screen would ask for what it no longer holds.
  navigate('/lists');
  // Not the list itself, whose address begins so, too.
  const change = alters('/lists', (all: unknown) => (Array.isArray(all) ? without<List>(all, id) : all));
  void act({ method: 'DELETE', change, ...write });
}

/** Asks, and takes the person off a list that another person owns. */
export function leaveList({ id, name }: List) {
  const path = `/lists/${id}/members/${state.session.user?.id}`;
  const said = fill(words.leaving.said, { name });
  const leave = () => dropList(id, { path, said, noUndo: true });
  askFirst(fill(words.leaving.title, { name }), words.leaving.text, words.leaving.yes, leave);
}

/** Asks, and takes another person off a list of the user. */
function removeMember({ id, name }: List, { user }: Member) {
  const about = { person: user.username, name };
  const path = `/lists/${id}/members/${user.id}`;
  const remove = () => act({ method: 'DELETE', path, said: fill(words.removal.said, about), noUndo: true });
  askFirst(fill(words.removal.title, about), words.removal.text, texts.common.remove, remove);
}

/** Opens what a list at an address is shared by: new links, its people, and the links that there are. Members see its people. */
export function openShare(url: string, opened: List) {
  const path = `/lists/${opened.id}`;
  const [links, members] = [`${path}/links`, `${path}/members`];
  const isOwner = opened.role === 'owner';
  const current = () => answer<List>(url) ?? opened;
  let notes = false;
  /** Makes a link and hands it on, with what one says to friends. */
  const share = async (access: Link['access']) => {
    const list = current();
    const about = { name: listName(list), count: list.item_count };
    const message = fill(access === 'join' ? words.invite : words.message, about);
    const made = { path: links, name: fill(words.linkTo, about), message };
    const outcome = await makeSecret(made, { access, ...(access === 'read' && { notes }) });
    if (!outcome.ok || !state.ui.made) return;
    focusOn(COPY);
    await passOn(state.ui.made);
  };
  const way = (access: Link['access'], text: string, label: string, more: unknown = nothing) =>
    html`<div class="box">
      <p class="small soft lead">${text}</p>
      ${more} ${button(label, () => share(access), `button wide ${access === 'read' ? 'primary' : ''}`)}
    </div>`;
  const memberLine = (list: List, member: Member) => {
    const { user, role } = member;
    const isMe = user.id === state.session.user?.id;
    const label = fill(words.removal.of, { person: user.username });
    const remove = button(texts.common.remove, () => removeMember(list, member), 'button', { label });
    const end = isMe ? button(words.leaving.yes, () => leaveList(list)) : isOwner ? remove : nothing;
    return [
      user.username,
      role === 'owner' ? nothing : end,
      isMe && words.you,
      role === 'owner' && words.owner,
    ] as const;
  };
  const stop = (id: number) => {
    setUi({ made: undefined });
    const change = alters(links, (all: Link[]) => without(all, id));
    return act({ method: 'DELETE', path: `${links}/${id}`, said: words.stopped, change });
  };
  const linkLine = ({ id, access, notes: hasNotes, created_at: at }: Link) =>
    [
      words.kinds[access],
      button(words.stop, () => stop(id)),
      hasNotes && words.withNotes,
      fill(words.since, { when: format.day(at) }),
    ] as const;
  setUi({ made: undefined });
  openDialog({
    label: isOwner ? fill(words.title, { name: listName(opened) }) : words.people,
    needs: () => [...(isOwner ? [links] : []), ...(current().member_count > 1 ? [members] : [])],
    body: ({ ui: { made }, config }) => {
      const list = current();
      const isShared = list.member_count > 1;
      const noteSwitch = html`<label class="check"
        ><input
          type="checkbox"
          @change=${({ target }: { target: HTMLInputElement }) => (notes = target.checked)}
        />${words.notes[isShared ? 'ours' : 'mine']}</label
      >`;
      const people = isShared
        ? lines((answer<Member[]>(members) ?? []).map((one) => memberLine(list, one)))
        : nothing;
      if (!isOwner) return html`${people}`;
      const inUse = answer<Link[]>(links) ?? [];
      return html`${secretBox(made, links)} ${way('read', words.showText, words.show, noteSwitch)}
      ${list.kind === 'own' && config?.auth_mode !== 'none' ? way('join', words.togetherText, words.together) : nothing}
      ${isShared ? html`<h3>${words.people}</h3>` : nothing} ${people}
      ${inUse.length > 0 ? html`<h3>${words.links}</h3>` : nothing} ${lines(inUse.map(linkLine))}`;
    },
  });
}
