import { act, isSignedIn } from '../actions.js';
import * as format from '../format.js';
import { money } from '../money.js';
import { queryHref } from '../router.js';
import { words as common } from '../texts.js';
import { words } from '../texts/visits.js';
import { deleteOrAsk } from '../ui/ask.js';
import { ofPerson } from '../ui/mine.js';
import { empty, icon, leader } from '../ui/parts.js';
import { openVisit, visitForm } from '../ui/visit-form.js';
import { yearOfDots } from '../ui/year.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { repeat } from '../vendor/lit-html/directives/repeat.js';
import { currentYear, monthsOf, shiftYears } from '../year.js';

/** @import { Dish, Page, State, Visit } from '../types.js' */

const MOST_PAGES = 4;

export const title = () => words.title;

/** @param {State} state */
const span = ({ route }) => {
  const { from, to } = currentYear(new Date());
  return { from: route.query['from'] ?? from, to: route.query['to'] ?? to };
};

/** @param {State} state */
export function needs(state) {
  if (!isSignedIn(state)) return [];
  const { from, to } = span(state);
  const urls = [`/visits?limit=100&from=${from}&to=${to}`];
  while (urls.length < MOST_PAGES) {
    const page = /** @type {Page<Visit> | undefined} */ (state.data[urls.at(-1) ?? '']?.body);
    if (!page?.next_cursor) break;
    urls.push(`${urls[0]}&cursor=${page.next_cursor}`);
  }
  return urls;
}

/** @param {State} state */
export function view(state) {
  const urls = needs(state);
  return ofPerson(
    state,
    { url: urls[0] ?? '', title: words.title, about: words.about, actions: years(state) },
    () => {
      const pages = /** @type {Page<Visit>[]} */ (urls.flatMap((url) => state.data[url]?.body ?? []));
      const visits = pages.flatMap(({ data }) => data);
      return html`${yearOfDots(visits, span(state))} ${diary(state, visits, pages.at(-1)?.has_more === true)}`;
    },
  );
}

/** @param {State} state */
function years(state) {
  const { from, to } = span(state);
  const now = currentYear(new Date());
  const shift = (/** @type {number} */ by) => ({ from: shiftYears(from, by), to: shiftYears(to, by) });
  const later = shift(1);
  const isLast = later.to >= now.to;
  return html`
    <a class="button" href=${queryHref(shift(-1))}>${icon('back', 16)}${words.earlier}</a>
    ${to < now.to ? html`<a class="button" href=${queryHref(isLast ? { from: undefined, to: undefined } : later)}>${words.later}${icon('next', 16)}</a>` : nothing}
  `;
}

/**
 * @param {State} state
 * @param {Visit[]} visits
 * @param {boolean} isCut
 */
function diary(state, visits, isCut) {
  if (visits.length === 0)
    return html`${empty(words.empty, html`<a class="button primary" href="/">${words.explore}</a>`)}
      <p class="small soft how">${words.how}</p>`;
  return html`${monthsOf(visits).map(
    ([month, days]) => html`
      <h2 class="month">${format.month(month)}</h2>
      <ul class="rows">
        ${repeat(
          days,
          ({ id }) => id,
          (visit) => visitRow(state, visit, visits),
        )}
      </ul>
    `,
  )}
  ${isCut ? html`<p class="small soft how">${words.first(visits.length)}</p>` : nothing}`;
}

/**
 * @param {State} state
 * @param {Visit} visit
 * @param {Visit[]} visits
 */
function visitRow(state, visit, visits) {
  const { id, visited_on: on, total_minor: total, currency } = visit;
  const { writing } = state.ui;
  const cost = total === null || currency === null ? '' : money(total, currency);
  return html`<li class="visit">
    <p class="date"><b>${format.dayOfMonth(on)}</b><span class="tiny soft">${format.weekday(on)}</span></p>
    <div class="in">
      ${cost ? leader(nameOf(visit), html`<b class="score">${cost}</b>`) : nameOf(visit)}
      ${writing?.visit.id === id ? visitForm(writing) : written(state, visit, visits)}
    </div>
  </li>`;
}

/**
 * @param {State} state
 * @param {Visit} visit
 * @param {Visit[]} visits
 */
function written(state, visit, visits) {
  const { id, restaurant, visited_on: on, note, companions, dishes, total_minor: total } = visit;
  const isPlain = !note && dishes.length === 0 && companions.length === 0 && total === null;
  const usual = visits.find((one) => one.currency !== null)?.currency ?? '';
  const link = (/** @type {string} */ text, /** @type {() => void} */ run, focus = '') =>
    html`<button
      type="button"
      class="link small"
      aria-label=${words.of(text, restaurant.name, format.day(on))}
      data-focus=${focus || nothing}
      @click=${run}
    >
      ${text}
    </button>`;
  return html`
    ${note ? html`<p class="note">${note}</p>` : nothing}
    ${
      dishes.length > 0
        ? html`<ul class="small">
            ${dishes.map(dishLine)}
          </ul>`
        : nothing
    }
    ${companions.length > 0 ? html`<p class="small soft">${words.with(companions.join(', '))}</p>` : nothing}
    <div class="acts links">
      ${link(isPlain ? words.write : words.change, () => openVisit(visit, usual), `write-${id}`)}
      ${link(words.delete, () => remove(state, visit))}
    </div>
  `;
}

/** @param {Visit} visit */
const nameOf = ({ id, restaurant: { id: place, name } }) =>
  place === null
    ? html`<span class="name">${name}</span> <span class="small soft">${words.gone}</span>`
    : html`<a class="name" href=${`/restaurants/${place}`} data-focus=${`visit-${id}`}>${name}</a>`;

/** @param {Dish} dish */
const dishLine = ({ name, stars, again }) =>
  html`<li>
    ${[name, stars === null ? '' : common.stars(stars), again === null ? '' : again ? words.again : words.notAgain].filter(Boolean).join(' · ')}
  </li>`;

/**
 * @param {State} state
 * @param {Visit} visit
 */
function remove(state, { id, restaurant: { name } }) {
  const run = () =>
    void act({
      method: 'DELETE',
      path: `/visits/${id}`,
      said: words.deleted(name),
      touches: ['/visits', '/restaurants'],
      change: (edit) =>
        edit('/visits?', (/** @type {Page<Visit>} */ page) => ({
          ...page,
          data: page.data.filter((one) => one.id !== id),
        })),
    });
  deleteOrAsk(state, words.deleteAsk(name), run);
}

/** @param {State} state */
export function leave(state) {
  state.ui['writing'] = undefined;
}
