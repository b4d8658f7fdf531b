import { faultText } from '../base/api.js';
import { dotted } from '../base/format.js';
import { fill, texts } from '../base/texts.js';
import { act, closeDialog, openDialog, signInHref, toast } from '../state/actions.js';
import { load } from '../state/data.js';
import { setQuery } from '../state/router.js';
import { answer, state } from '../state/store.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { repeat } from '../vendor/lit-html/directives/repeat.js';
import { age, avatar, button, chip, empty, icon, missing } from './parts.js';
import type { List, State } from '../base/types.js';

const words = texts.common;

/** Draws an answer, or what is missing in place of it. */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- as of answers, whose types it passes on
export function loaded<Body>(url: string, draw: (body: Body) => unknown) {
  const body = answer<Body>(url);
  return body === undefined ? missing(state.data[url], () => void load(url)) : draw(body);
}

/**
 * A screen of what belongs to the person, made of one answer: its title with actions and its content, or what is
 * missing. Who is signed out finds what it is for, and the way in.
 * @param screen `url` below /api
 */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- as of answers, whose types it passes on
export function ofPerson<Body>(
  { session: { user }, data }: State,
  { url, title, about, actions = nothing }: { url: string; title: string; about: string; actions?: unknown },
  content: (body: Body) => unknown,
) {
  const draw = (body: Body) => html`${age(data[url])} ${content(body)}`;
  if (user && data[url]?.state === 'failed') return html`${loaded(url, draw)}`;
  const signIn = html`<a class="button primary" href=${signInHref()}>${words.signIn}</a>`;
  return html`<div class="mine">
    <div class="head rule">
      <h1 dir="auto">${title}</h1>
      ${user ? html`<div class="acts">${actions}</div>` : nothing}
    </div>
    ${user === null ? empty(about, signIn) : loaded(url, draw)}
  </div>`;
}

export const listName = ({ kind, name }: List) => (kind === 'own' ? name : texts.lists.kinds[kind]);

/** Whose a list is that was joined, and how many people share it; '' where it is the person's alone. */
export function listPeople({ role, owner, member_count: count }: List) {
  const { of, people } = texts.lists;
  const isOfOther = role === 'member' && owner;
  return dotted([isOfOther && fill(of, { name: owner.username }), count > 1 && fill(people, { count })]);
}

/** A chip that puts a value into the address, which then begins at its first page, or takes it out again. */
export function queryChip({ route: { query } }: State, name: string, value: string, text: string) {
  const isOn = query[name] === value;
  return chip(text, isOn, () => setQuery({ [name]: isOn ? undefined : value, since: undefined }), value);
}

/** Rows in groups, each under its title. */
export const grouped = <Item extends { readonly id: number }>(
  groups: Iterable<readonly [title: string, items: readonly Item[]]>,
  row: (item: Item) => unknown,
) =>
  [...groups].map(
    ([title, items]) =>
      html`<h2 class="month">${title}</h2>
        <ul class="rows">
          ${repeat(items, ({ id }) => id, row)}
        </ul>`,
  );

/** A choice of one among several, which has its name without a label. */
export const choice = (
  label: string,
  choices: readonly (readonly [value: string, text: string])[],
  chosen: string,
  { name, kind = '', choose }: { name?: string; kind?: string; choose?: (value: string) => void },
) =>
  html`<select
    name=${name ?? nothing}
    class=${kind}
    aria-label=${label}
    @change=${({ currentTarget: select }: Event) => select instanceof HTMLSelectElement && choose?.(select.value)}
  >
    ${choices.map(([value, text]) => html`<option value=${value} ?selected=${value === chosen}>${text}</option>`)}
  </select>`;

/** Gives the focus to a control by its `data-focus` once the screen is drawn again, as after it was moved. */
export function focusOn(name: string) {
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      const element = document.querySelector(`[data-focus="${CSS.escape(name)}"]`);
      if (element instanceof HTMLElement) element.focus();
    }),
  );
}

/** Leads to the settings, or to the sign-in of who is signed out. */
export function accountLink({ session: { user }, config }: State) {
  const link = (shown: unknown, label: string, kind: string) =>
    html`<a class=${kind} href="/settings" aria-label=${label}>${shown}</a>`;
  if (config?.auth_mode === 'none') return link(icon('more'), words.tabs.settings, 'button plain only');
  if (user) return link(avatar(user.username), fill(words.settingsOf, { name: user.username }), 'account');
  return user === null ? html`<a class="button" href=${signInHref()}>${words.signIn}</a>` : nothing;
}

/** Asks before something that cannot be undone. `yes` and `no` label the buttons, and `also` is shown between them. */
export function askFirst(
  title: string,
  text: string,
  yes: string,
  run: () => unknown,
  { also, no = words.cancel }: { readonly also?: unknown; readonly no?: string } = {},
) {
  const done = () => (closeDialog(), run());
  openDialog({
    label: title,
    body: () =>
      html`<p>${text}</p>
        <p class="acts end">${button(no, closeDialog)} ${also} ${button(yes, done, 'button danger')}</p>`,
  });
}

/** Deletes; asks first, with a title, where a deletion cannot be undone. */
export function deleteOrAsk({ config }: State, title: string, run: () => unknown) {
  if (config?.trash_days !== 0) return void run();
  askFirst(title, words.forGood, words.delete, run);
}

/** Downloads an answer in lines that is the user's alone: a link could not send the token along. */
export async function download(path: string, name: string) {
  const lines: string[] = [];
  const onLine = (line: string) => lines.push(`${line}\n`);
  const outcome = await act({ method: 'GET', path, onLine, quiet: true, noUndo: true, reload: false });
  if (!outcome.ok) return toast({ text: faultText(outcome.fault), kind: 'fault' });
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob(lines));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

/** Opens the list of all keys. */
export function openKeys() {
  const { title, groups } = texts.keys;
  const row = ([key, text]: readonly string[]) =>
    html`<dt><kbd>${key}</kbd></dt>
      <dd>${text}</dd>`;
  openDialog({
    label: title,
    body: () =>
      html`${groups.map(
        ({ where, rows }) =>
          html`<h3>${where}</h3>
            <dl class="keys">${rows.map(row)}</dl>`,
      )}`,
  });
}
