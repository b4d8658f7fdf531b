import { fill, texts } from '../base/texts.js';
import { act, isSignedIn } from '../state/actions.js';
import * as format from '../base/format.js';
import { money } from '../base/money.js';
import { queryHref } from '../state/router.js';
import { deleteOrAsk } from '../parts/ask.js';
import { ofPerson } from '../parts/mine.js';
import { empty, icon, leader } from '../parts/parts.js';
import { openVisit, visitForm } from './form.js';
import { yearOfDots } from './year-dots.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { repeat } from '../vendor/lit-html/directives/repeat.js';
import { currentYear, monthsOf, shiftYears } from './year.js';
import type { Dish, Page, State, Visit } from '../base/types.js';

const common = texts.common;
const words = texts.visits;

const MOST_PAGES = 4;

export const title = () => common.tabs.visits;

const span = ({ route }: State) => {
  const { from, to } = currentYear(new Date());
  return { from: route.query.from ?? from, to: route.query.to ?? to };
};

export function needs(state: State) {
  if (!isSignedIn(state)) return [];
  const { from, to } = span(state);
  const urls = [`/visits?limit=100&from=${from}&to=${to}`];
  while (urls.length < MOST_PAGES) {
    const page = state.data[urls.at(-1) ?? '']?.body as Page<Visit> | undefined;
    if (!page?.next_cursor) break;
    urls.push(`${urls[0]}&cursor=${page.next_cursor}`);
  }
  return urls;
}

export function view(state: State) {
  const urls = needs(state);
  return ofPerson(
    state,
    { url: urls[0] ?? '', title: common.tabs.visits, about: words.about, actions: years(state) },
    () => {
      const pages = urls.flatMap((url) => state.data[url]?.body ?? []) as Page<Visit>[];
      const visits = pages.flatMap(({ data }) => data);
      return html`${yearOfDots(visits, span(state))} ${diary(state, visits, pages.at(-1)?.has_more === true)}`;
    },
  );
}

function years(state: State) {
  const { from, to } = span(state);
  const now = currentYear(new Date());
  const shift = (by: number) => ({ from: shiftYears(from, by), to: shiftYears(to, by) });
  const later = shift(1);
  const isLast = later.to >= now.to;
  return html`
    <a class="button" href=${queryHref(shift(-1))}>${icon('back', 16)}${words.earlier}</a>
    ${to < now.to ? html`<a class="button" href=${queryHref(isLast ? { from: undefined, to: undefined } : later)}>${words.later}${icon('next', 16)}</a>` : nothing}
  `;
}

function diary(state: State, visits: Visit[], isCut: boolean) {
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
  ${isCut ? html`<p class="small soft how">${fill(words.first, { shown: visits.length })}</p>` : nothing}`;
}

function visitRow(state: State, visit: Visit, visits: Visit[]) {
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

function written(state: State, visit: Visit, visits: Visit[]) {
  const { id, restaurant, visited_on: on, note, companions, dishes, total_minor: total } = visit;
  const isPlain = !note && dishes.length === 0 && companions.length === 0 && total === null;
  const usual = visits.find((one) => one.currency !== null)?.currency ?? '';
  const link = (text: string, run: () => void, focus = '') =>
    html`<button
      type="button"
      class="link small"
      aria-label=${fill(words.of, { deed: text, name: restaurant.name, day: format.day(on) })}
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
    ${companions.length > 0 ? html`<p class="small soft">${fill(words.with, { names: companions.join(', ') })}</p>` : nothing}
    <div class="acts links">
      ${link(isPlain ? words.write : common.edit, () => openVisit(visit, usual), `write-${id}`)}
      ${link(words.delete, () => remove(state, visit))}
    </div>
  `;
}

const nameOf = ({ id, restaurant: { id: place, name } }: Visit) =>
  place === null
    ? html`<span class="name">${name}</span> <span class="small soft">${words.gone}</span>`
    : html`<a class="name" href=${`/restaurants/${place}`} data-focus=${`visit-${id}`}>${name}</a>`;

const dishLine = ({ name, stars, again }: Dish) =>
  html`<li>
    ${[name, stars === null ? '' : fill(common.stars, { count: stars }), again === null ? '' : again ? words.again : words.notAgain].filter(Boolean).join(' · ')}
  </li>`;

function remove(state: State, { id, restaurant: { name } }: Visit) {
  const run = () =>
    void act({
      method: 'DELETE',
      path: `/visits/${id}`,
      said: fill(words.deleted, { name }),
      change: (edit) =>
        edit.answers('/visits?', (page: Page<Visit>) => ({
          ...page,
          data: page.data.filter((one) => one.id !== id),
        })),
    });
  deleteOrAsk(state, fill(words.deleteAsk, { name }), run);
}

export function leave(state: State) {
  state.ui.writing = undefined;
}
