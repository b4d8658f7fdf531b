import { fill, texts } from '../base/texts.js';
import { mayWrite } from '../state/actions.js';
import { load } from '../state/data.js';
import * as format from '../base/format.js';
import { STATUSES, clearPicked, current, items, land, listUrl, pick, statusOf, walk } from './moderation.js';
import { navigate, queryHref } from '../state/router.js';
import { age, empty, icon, missing, track } from '../parts/parts.js';
import { card, nearUrl, twinOf } from './card.js';
import { VERDICTS, bar, moreButton } from './verdict-bar.js';
import { decide, doneToday } from './verdicts.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { repeat } from '../vendor/lit-html/directives/repeat.js';
import type { State, Suggestion } from '../base/types.js';

const common = texts.common;
const words = texts.suggestions;

export function needs(state: State) {
  const { sel } = state.route.query;
  const list = listUrl(statusOf(state));
  const item = current(state);
  if (item) land(item.id);
  const near = item && state.ui.landed === item.id ? nearUrl(item) : undefined;
  const isElsewhere = sel !== undefined && items(state)?.every(({ id }) => String(id) !== sel);
  return [list, ...(isElsewhere ? [`/suggestions/${sel}`] : []), ...(near ? [near] : [])];
}

export const title = () => common.tabs.suggestions;

export const keys: Readonly<Record<string, (state: State) => void>> = {
  j: (state) => walk(state, 1),
  k: (state) => walk(state, -1),
  x: (state) => pick(state, current(state)?.id),
  X: (state) => pick(state, current(state)?.id, true),
  e: (state) => current(state) && mayWrite(state) && navigate(`/suggestions/${current(state)?.id}/edit`),
  Escape: clearPicked,
  ...Object.fromEntries(
    Object.entries(VERDICTS).map(([key, verdict]) => [
      key,
      (state: State) => mayWrite(state) && decide(state, verdict),
    ]),
  ),
};

export function leave() {
  clearPicked();
}

export function view(state: State) {
  const listed = items(state);
  const shown = current(state);
  const isPage = state.route.query.sel !== undefined;
  const mode = [isPage && 'page-of-one', state.ui.picked?.length > 0 && 'picking'].filter(Boolean);
  return html`<div class=${['moderate', ...mode].join(' ')}>
    <section class="inbox" data-scroll>${head(state, listed?.length)} ${list(state, listed, shown)}</section>
    <div class="one">
      ${isPage ? phoneBar(state, listed, shown) : nothing}
      ${shown ? card(state, shown) : isPage && listed ? gone(state) : nothing}
      ${shown ? bar(state, shown) : nothing}
    </div>
  </div>`;
}

function gone(state: State) {
  const url = `/suggestions/${state.route.query.sel}`;
  return missing(state.data[url], () => void load(url));
}

function head(state: State, count: number | undefined) {
  const status = statusOf(state);
  const done = doneToday();
  const picked = state.ui.picked?.length ?? 0;
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

function list(state: State, listed: Suggestion[] | undefined, shown: Suggestion | undefined) {
  const status = statusOf(state);
  const entry = state.data[listUrl(status)];
  if (!listed) return missing(entry, () => void load(listUrl(status)));
  if (listed.length === 0) {
    return empty(
      status === 'pending' ? words.allDone : words.none,
      html`<a class="button" href="/add">${words.suggest}</a>`,
    );
  }
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
  const twin = twinOf(state, item);
  const tag = twin ? fill(words.looksLike, { name: twin.place.name }) : address ? '' : words.noAddress;
  const line = [category?.name ?? words.noCategory, address?.split(',')[0]].filter(Boolean).join(' · ');
  return html`<li class=${isShown ? 'wish selected' : 'wish'} data-row=${id}>
    ${
      mayWrite(state)
        ? html`<input
            type="checkbox"
            aria-label=${fill(words.select, { name })}
            .checked=${state.ui.picked?.includes(id) ?? false}
            @click=${(event: MouseEvent) => pick(state, id, event.shiftKey)}
          />`
        : html`<span></span>`
    }
    <a
      class="name"
      href=${queryHref({ sel: String(id) })}
      aria-current=${isShown ? 'true' : nothing}
      data-focus=${`row-${id}`}
      >${name}</a
    >
    <span class="tiny soft">${[author?.username, format.ago(at)].filter(Boolean).join(' · ')}</span>
    <p class="small soft">
      ${tag ? html`<span class="tag warn">${icon('warning', 14)} ${tag}</span> · ` : nothing}${line}
    </p>
  </li>`;
}

function phoneBar(state: State, listed: Suggestion[] | undefined, shown: Suggestion | undefined) {
  const at = listed?.findIndex(({ id }) => id === shown?.id) ?? -1;
  const status = words.statuses[statusOf(state)];
  return html`<div class="phone top-of-one">
    <a class="button plain only" href=${queryHref({ sel: undefined })} aria-label=${words.backToList}
      >${icon('back', 20)}</a
    >
    <b class="small"
      >${at >= 0 && listed ? fill(words.place, { at: at + 1, total: listed.length, status: status.toLowerCase() }) : nothing}</b
    >
    ${shown ? moreButton(state, shown) : html`<span></span>`}
  </div>`;
}
