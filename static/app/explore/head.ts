import { texts } from '../base/texts.js';
import { hasPosition, isAdmin, isSignedIn, mayWrite, openDialog } from '../state/actions.js';
import { addSamples, revertBatch, sampleBatch } from '../state/import-actions.js';
import { setQuery } from '../state/router.js';
import { answer } from '../state/store.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { FILTERS, WHERE, endNear, orderOf, showNear, shownRows, togetherHref } from './query.js';
import { choice, queryChip } from '../parts/mine.js';
import { button, chip, empty, icon } from '../parts/parts.js';
import type { Named, State } from '../base/types.js';

const common = texts.common;
const words = texts.explore;
const first = texts.import;

const CHIPPED_CATEGORIES = 3;

/** How many filters are on. */
export const filtersOn = ({ route: { query } }: State) =>
  FILTERS.filter((name) => query[name] && (name === 'radius' || !WHERE.includes(name))).length;

/** Opens all filters. */
export async function openFilters() {
  const { filtersBody, filtersNeeds } = await import('./filters.js');
  openDialog({ label: words.filters, body: filtersBody, needs: filtersNeeds });
}

/** The filters that are used most. */
export function chips(state: State) {
  const { query } = state.route;
  // The sample places go again by one press, while they are there.
  const batch = isAdmin(state) && shownRows(state)?.total ? sampleBatch() : undefined;
  const remove = () => batch && void revertBatch(batch.id);
  return html`
    ${
      batch
        ? html`<button type="button" class="chip" title=${first.samplesAdded} @click=${remove}>
            ${icon('close', 14)}${first.removeSamples}
          </button>`
        : nothing
    }
    <a class="chip" href=${togetherHref(state)}>${icon('calendar', 14)}${common.together}</a>
    ${hasPosition ? chip(words.near, query.lat !== undefined, query.lat === undefined ? showNear : endNear, 'near') : nothing}
    ${chip(words.open, query.open_at !== undefined, () => setQuery({ open_at: query.open_at ? undefined : 'now' }), 'open')}
    ${chip(words.price, query.price_level !== undefined, () => void openFilters(), 'price')}
    ${isSignedIn(state) ? queryChip(state, 'list', 'want', common.want) : nothing}
    ${frequent(state).map(({ id, name }) => queryChip(state, 'category_id', String(id), name))}
    ${chip(words.more, false, () => void openFilters(), 'more')}
  `;
}

/** The categories that most of the rows have, and the one that is chosen. */
function frequent(state: State): Named[] {
  const chosen = state.route.query.category_id;
  const rows = shownRows(state)?.rows ?? state.ui.listed?.rows ?? [];
  const categories = rows.flatMap(({ category }) => category ?? []);
  const groups = Map.groupBy(categories, ({ id }) => id);
  const most = [...groups.values()].sort((one, other) => other.length - one.length);
  const all = answer<readonly Named[]>('/categories') ?? [];
  const first = chosen
    ? all.filter(({ id }) => String(id) === chosen)
    : most.flatMap(([category]) => category ?? []);
  // The row of chips keeps its others while one of them is on.
  const others = all.filter((one) => state.ui.chipped?.includes(one.id) && !first.includes(one));
  const shown = [...first, ...others].slice(0, CHIPPED_CATEGORIES);
  if (!chosen) state.ui.chipped = shown.map(({ id }) => id);
  return shown;
}

/** The order of the rows. */
export function sortField(state: State) {
  const { q, lat } = state.route.query;
  const names = [
    ...(q ? (['best'] as const) : []),
    ...(['rating', 'newest', 'name'] as const),
    ...(lat ? (['distance'] as const) : []),
  ];
  return choice(
    words.sort,
    names.map((name) => [name, words.sorts[name]] as const),
    orderOf(state) ?? 'best',
    {
      kind: 'sort',
      choose: (sort) => setQuery({ sort: sort === 'best' ? undefined : sort }),
    },
  );
}

/** Says that there is no map, where it could not be loaded. */
export const mapFault = ({ ui }: State) =>
  ui.mapFailed ? html`<p class="box failed" role="alert">${texts.map.failed}</p>` : nothing;

/** A catalogue without any place, and how to begin it. */
export function firstStart(state: State) {
  const { config, session } = state;
  const isReadOnly = config?.read_only === true;
  if (isReadOnly || !(session.user || mayWrite(state)))
    return empty(first.empty, html`<p class="soft">${first.nobodyYet}</p>`);
  const add = (text: string, kind: string) => html`<a class=${`button ${kind}`} href="/add">${text}</a>`;
  if (!isAdmin(state))
    return empty(first.empty, add(mayWrite(state) ? first.addFirst : first.suggestFirst, 'primary'));
  return empty(
    first.empty,
    html`<a class="button primary" href="/settings/import">${first.import}</a> ${add(first.addFirst, '')}
      ${button(first.samples, addSamples)}`,
  );
}
