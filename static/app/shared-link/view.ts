import { whereIn } from '../base/address.js';
import { fill, texts } from '../base/texts.js';
import { act, isSignedIn, needsUser, toast } from '../state/actions.js';
import { navigate } from '../state/router.js';
import { answer, state } from '../state/store.js';
import { loaded } from '../parts/mine.js';
import { age, button, empty, gone } from '../parts/parts.js';
import { withMap } from '../parts/place-map.js';
import { row } from '../parts/place-parts.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import type { List, SharedList, State } from '../base/types.js';

const words = texts.sharedLink;

const linkPath = ({ route: { params } }: State) => `/shared/${params.token}`;
const linkUrl = (state: State) => `${linkPath(state)}?include=cover`;

export const needs = (state: State) => [linkUrl(state)];

const isOver = (state: State) => state.data[linkUrl(state)]?.fault?.status === 404;

export const title = (state: State) =>
  isOver(state) ? words.ended : (answer<SharedList>(linkUrl(state))?.list.name ?? words.title);

export function view(state: State) {
  const url = linkUrl(state);
  if (isOver(state)) return html`${gone(words.endedText, words.ended)}`;
  return html`${age(state.data[url])} ${loaded(url, (body: SharedList) => content(state, body))}`;
}

function content(
  state: State,
  { access, list: { name, description, item_count: count }, items }: SharedList,
) {
  const where = whereIn(items.map(({ restaurant }) => restaurant));
  const rows = items.map(({ restaurant, note }) =>
    row(
      restaurant,
      where(restaurant),
      undefined,
      note && html`<p class="small note" dir="auto"><i>${note}</i></p>`,
    ),
  );
  return html`<div class="mine">
    <div class="head rule">
      <h1 dir="auto">${name}</h1>
      <p class="soft">${fill(texts.lists.count, { count })}</p>
    </div>
    ${description && html`<p class="soft lead" dir="auto">${description}</p>`}
    ${access === 'join' && state.config?.auth_mode !== 'none' ? joinPart(state) : nothing}
    ${
      items.length === 0
        ? empty(texts.lists.empty)
        : withMap(
            items.map(({ restaurant }) => restaurant),
            html`<ol class="rows items">
              ${rows}
            </ol>`,
            true,
          )
    }
  </div>`;
}

const joinPart = (state: State) =>
  html`<div class="box">
    <p class="lead">${words.joinText}</p>
    ${button(isSignedIn(state) ? words.join : words.signIn, () => join(), 'button primary')}
  </div>`;

/** Joins the list of the address, which is not remembered anywhere else. */
const join = needsUser('join', async () => {
  const outcome = await act<List>({
    method: 'POST',
    path: `${linkPath(state)}/join`,
    noUndo: true,
  });
  if (!outcome.ok) return;
  const { id, name } = outcome.body;
  navigate(`/lists/${id}`, { replace: true });
  toast({ text: fill(words.joined, { name }) });
});
