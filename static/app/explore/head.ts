import { texts } from '../base/texts.js';
import { isSignedIn, openDialog } from '../state/actions.js';
import { FILTERS, shownRows } from './query.js';
import { endNear, hasPosition, showNear } from './near.js';
import { setQuery } from '../state/router.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { samplesChip } from './first-start.js';
import { chip } from '../parts/parts.js';
import type { Named, State } from '../base/types.js';

const words = texts.explore;
const mapWords = texts.map;

const CHIPPED_CATEGORIES = 3;

/** How many filters are on. */
export const filtersOn = ({ route }: State) =>
  FILTERS.filter((name) => name !== 'q' && route.query[name]).length;

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
  const categories = (state.data['/categories']?.body as readonly Named[] | undefined) ?? [];
  return html`
    ${shownRows(state)?.total ? samplesChip(state) : nothing}
    ${hasPosition ? chip(words.near, query.lat !== undefined, query.lat === undefined ? showNear : endNear, 'near') : nothing}
    ${chip(words.open, query.open_at !== undefined, toggle('open_at', 'now'), 'open')}
    ${chip(words.price, query.price_level !== undefined, openFilters, 'price')}
    ${isSignedIn(state) ? chip(words.want, query.list === 'want', toggle('list', 'want'), 'want') : nothing}
    ${categories
      .slice(0, CHIPPED_CATEGORIES)
      .map(({ id, name }) =>
        chip(name, query.category_id === String(id), toggle('category_id', String(id)), name),
      )}
    ${chip(words.more, false, openFilters, 'more')}
  `;
}

/** The order of the rows. */
export function sortField({ route }: State) {
  const { query } = route;
  const names = [
    'rating',
    'newest',
    'name',
    ...(query.lat ? ['distance'] : []),
  ] as (keyof typeof words.sorts)[];
  const current = query.sort ?? (query.lat ? 'distance' : 'rating');
  return html`<select
    class="sort"
    aria-label=${words.sort}
    @change=${(event: any) => setQuery({ sort: event.target.value })}
  >
    ${names.map((name) => html`<option value=${name} ?selected=${name === current}>${words.sorts[name]}</option>`)}
  </select>`;
}

/** Says that there is no map, where it could not be loaded. */
export const mapFault = ({ ui }: State) =>
  ui.mapFailed ? html`<p class="box failed" role="alert">${mapWords.failed}</p>` : nothing;
