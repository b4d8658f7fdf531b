import { texts } from '../base/texts.js';
import { isSignedIn, openDialog } from '../state/actions.js';
import { FILTERS, orderOf, shownRows } from './query.js';
import { endNear, hasPosition, showNear } from './near.js';
import { setQuery } from '../state/router.js';
import { answer } from '../state/store.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { samplesChip } from './first-start.js';
import { chip } from '../parts/parts.js';
import type { Named, State } from '../base/types.js';

const common = texts.common;
const words = texts.explore;
const mapWords = texts.map;

const CHIPPED_CATEGORIES = 3;
/** Words and areas are no filters to the reader. */
const WHERE = ['q', 'bbox', 'lat', 'lng', 'radius'];

/** How many filters are on. */
export const filtersOn = ({ route }: State) =>
  FILTERS.filter((name) => !WHERE.includes(name) && route.query[name]).length + (route.query.radius ? 1 : 0);

/** Opens all filters. */
export async function openFilters() {
  const { filtersBody, filtersNeeds } = await import('./filters.js');
  openDialog({ label: words.filters, body: filtersBody, needs: filtersNeeds });
}

/** The filters that are used most. */
export function chips(state: State) {
  const { query } = state.route;
  const toggle = (name: string, value: string) => () =>
    setQuery({ [name]: query[name] === value ? undefined : value });
  return html`
    ${shownRows(state)?.total ? samplesChip(state) : nothing}
    ${hasPosition ? chip(words.near, query.lat !== undefined, query.lat === undefined ? showNear : endNear, 'near') : nothing}
    ${chip(words.open, query.open_at !== undefined, toggle('open_at', 'now'), 'open')}
    ${chip(words.price, query.price_level !== undefined, () => void openFilters(), 'price')}
    ${isSignedIn(state) ? chip(common.want, query.list === 'want', toggle('list', 'want'), 'want') : nothing}
    ${frequent(state).map(({ id, name }) =>
      chip(name, query.category_id === String(id), toggle('category_id', String(id)), name),
    )}
    ${chip(words.more, false, () => void openFilters(), 'more')}
  `;
}

/** The categories that most of the rows have, and the one that is chosen. */
function frequent(state: State): Named[] {
  const chosen = state.route.query.category_id;
  const counts = new Map<number, { category: Named; count: number }>();
  for (const { category } of shownRows(state)?.rows ?? state.ui.listed?.rows ?? []) {
    if (!category) continue;
    const { count } = counts.get(category.id) ?? { count: 0 };
    counts.set(category.id, { category, count: count + 1 });
  }
  const most = [...counts.values()].sort((one, other) => other.count - one.count);
  const all = answer<readonly Named[]>('/categories') ?? [];
  const first = chosen ? all.filter(({ id }) => String(id) === chosen) : most.map(({ category }) => category);
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
  const current = orderOf(state) ?? 'best';
  return html`<select
    class="sort"
    aria-label=${words.sort}
    @change=${({ currentTarget }: Event) => {
      if (!(currentTarget instanceof HTMLSelectElement)) return;
      setQuery({ sort: currentTarget.value === 'best' ? undefined : currentTarget.value });
    }}
  >
    ${names.map((name) => html`<option value=${name} ?selected=${name === current}>${words.sorts[name]}</option>`)}
  </select>`;
}

/** Says that there is no map, where it could not be loaded. */
export const mapFault = ({ ui }: State) =>
  ui.mapFailed ? html`<p class="box failed" role="alert">${mapWords.failed}</p>` : nothing;
