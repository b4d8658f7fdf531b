import { fill, texts } from '../base/texts.js';
import { mayWrite } from '../state/actions.js';
import { load } from '../state/data.js';
import * as format from '../base/format.js';
import { STATUSES, clearPicked, current, items, land, listUrl, pick, statusOf, walk } from './inbox.js';
import { navigate, queryHref } from '../state/router.js';
import { age, empty, icon, missing, track } from '../parts/parts.js';
import { bar, card, moreButton, nearUrl, twinOf } from './card.js';
import { VERDICTS, decide, doneToday } from './verdicts.js';
import { setUi } from '../state/store.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { repeat } from '../vendor/lit-html/directives/repeat.js';
import type { State, Suggestion } from '../base/types.js';

const common = texts.common;
const words = texts.suggestions;

export function needs(state: State) {
  const { sel } = state.route.query;
  const item = current(state);
  if (item) land(item.id);
  const near = item?.id === state.ui.inbox?.landed ? nearUrl(item) : undefined;
  const isElsewhere = sel !== undefined && items(state)?.every(({ id }) => String(id) !== sel);
  return [listUrl(statusOf(state)), ...(isElsewhere ? [`/suggestions/${sel}`] : []), ...(near ? [near] : [])];
}

export const title = () => common.tabs.suggestions;

export const keys: Readonly<Record<string, (state: State) => void>> = {
  j: (state) => walk(state, 1),
  k: (state) => walk(state, -1),
  x: (state) => pick(state, current(state)?.id),
  X: (state) => pick(state, current(state)?.id, true),
  e: (state) => {
    const item = current(state);
    if (item && mayWrite(state)) navigate(`/suggestions/${item.id}/edit`);
  },
  Escape: clearPicked,
  ...Object.fromEntries(
    Object.entries(VERDICTS).map(([key, verdict]) => [
      key,
      (state: State) => mayWrite(state) && decide(state, verdict),
    ]),
  ),
};

export const leave = () => setUi({ inbox: undefined });

export function view(state: State) {
  const { sel } = state.route.query;
  const listed = items(state);
  const shown = current(state);
  const picked = state.ui.inbox?.picked?.length ?? 0;
  const gone = () => missing(state.data[`/suggestions/${sel}`], () => void load(`/suggestions/${sel}`));
  return html`<div
    class=${['moderate', sel !== undefined && 'page-of-one', picked > 0 && 'picking'].filter(Boolean).join(' ')}
  >
    <section class="inbox" data-scroll>
      ${head(state, listed?.length, picked)} ${list(state, listed, shown)}
    </section>
    <div class="one">
      ${sel === undefined ? nothing : phoneBar(state, listed, shown)}
      ${shown ? html`${card(state, shown)} ${bar(state, shown)}` : sel !== undefined && listed ? gone() : nothing}
    </div>
  </div>`;
}

function head(state: State, count: number | undefined, picked: number) {
  const status = statusOf(state);
  const done = doneToday();
  return html`<header>
    <div class="line">
      <h1>${common.tabs.suggestions}</h1>
      ${done > 0 ? html`<p class="tiny soft done">${track(done / (done + (count ?? 0)))} ${fill(words.doneToday, { count: done })}</p>` : nothing}
    </div>
    <nav class="chips" aria-label=${common.tabs.suggestions}>
      ${STATUSES.map(
        (one) =>
          html`<a
            class="chip"
            aria-current=${one === status ? 'true' : nothing}
            href=${queryHref({ status: one, sel: undefined })}
            >${one === status ? icon('check', 14) : nothing}${words.statuses[one]}
            ${one === status && count !== undefined ? format.count(count) : nothing}</a
          >`,
      )}
    </nav>
    ${
      picked > 0
        ? html`<p class="small picked" role="status">
            ${fill(words.selected, { count: picked })}
            <button type="button" class="link" @click=${clearPicked}>${words.clear}</button>
          </p>`
        : nothing
    }
    ${age(state.data[listUrl(status)])}
  </header>`;
}

function list(state: State, listed: readonly Suggestion[] | undefined, shown: Suggestion | undefined) {
  const url = listUrl(statusOf(state));
  if (!listed) return missing(state.data[url], () => void load(url));
  if (listed.length === 0)
    return empty(words.none[statusOf(state)], html`<a class="button" href="/add">${words.suggest}</a>`);
  return html`<ul class="todo">
    ${repeat(
      listed,
      ({ id }) => id,
      (item) => row(state, item, item.id === shown?.id),
    )}
  </ul>`;
}

function row(state: State, item: Suggestion, isShown: boolean) {
  const { id, name, author, created_at: at, category, address } = item;
  const twin = twinOf(item);
  const tag = twin ? fill(words.looksLike, { name: twin.place.name }) : address ? '' : words.noAddress;
  const line = [category?.name, address?.split(',')[0]].filter(Boolean).join(' · ');
  const box = html`<input
    type="checkbox"
    aria-label=${fill(words.select, { name })}
    .checked=${state.ui.inbox?.picked?.includes(id) ?? false}
    @click=${({ shiftKey }: MouseEvent) => pick(state, id, shiftKey)}
  />`;
  return html`<li class=${isShown ? 'wish selected' : 'wish'} data-row=${id}>
    ${mayWrite(state) ? box : html`<span></span>`}
    <a
      class="name"
      href=${queryHref({ sel: String(id) })}
      aria-current=${isShown ? 'true' : nothing}
      data-focus=${`row-${id}`}
      >${name}</a
    >
    <span class="tiny soft">${[author?.username, format.ago(at)].filter(Boolean).join(' · ')}</span>
    <p class="small soft">
      ${tag ? html`<span class="tag warn">${icon('warning', 14)} ${tag}</span>${line && ' · '}` : nothing}${line}
    </p>
  </li>`;
}

function phoneBar(state: State, listed: readonly Suggestion[] | undefined, shown: Suggestion | undefined) {
  const at = listed?.findIndex(({ id }) => id === shown?.id) ?? -1;
  const status = words.statuses[statusOf(state)].toLowerCase();
  return html`<div class="phone top-of-one">
    <a class="button plain only" href=${queryHref({ sel: undefined })} aria-label=${words.backToList}
      >${icon('back', 20)}</a
    >
    <b class="small"
      >${at < 0 ? nothing : fill(words.place, { at: at + 1, total: listed?.length ?? 0, status })}</b
    >
    ${shown ? moreButton(state, shown) : html`<span></span>`}
  </div>`;
}
