import { fill, texts } from '../base/texts.js';
import { act, closeDialog, isSignedIn, openDialog } from '../state/actions.js';
import { cityOf, whereIn } from '../base/address.js';
import * as format from '../base/format.js';
import { money } from '../base/money.js';
import { knownPlace, placeUrl } from '../state/place-actions.js';
import { meansOf } from '../state/places.js';
import { queryHref, setQuery } from '../state/router.js';
import { answer, setUi } from '../state/store.js';
import { deleteOrAsk } from '../parts/ask.js';
import { ofPerson } from '../parts/mine.js';
import { empty, icon, leader, scoreMark } from '../parts/parts.js';
import { visitForm } from './form.js';
import { yearOfDots } from './year-dots.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { repeat } from '../vendor/lit-html/directives/repeat.js';
import { currentYear, monthsOf, shiftYears } from './year.js';
import type { Dish, Page, Restaurant, State, Visit } from '../base/types.js';

const common = texts.common;
const words = texts.visits;

const MOST_PAGES = 4;
const TYPING = 250;

export const title = () => common.tabs.visits;

const span = ({ route }: State) => ({ ...currentYear(new Date()), ...route.query }) as const;

/** The addresses of the pages of visits that are shown. */
function pageUrls(state: State) {
  const { from, to } = span(state);
  const urls = [`/visits?limit=100&include=restaurant&from=${from}&to=${to}`];
  while (urls.length < MOST_PAGES) {
    const next = answer<Page<Visit>>(urls.at(-1))?.next_cursor;
    if (!next) break;
    urls.push(`${urls[0] ?? ''}&cursor=${next}`);
  }
  return urls;
}

export function needs(state: State) {
  if (!isSignedIn(state)) return [];
  const place = Number(state.route.query.place);
  return place && !knownPlace(state, place) ? [...pageUrls(state), placeUrl(place)] : pageUrls(state);
}

export function view(state: State) {
  const urls = pageUrls(state);
  const actions = html`${years(state)}
    <button type="button" class="button primary" @click=${choosePlace} data-focus="write-">
      ${icon('add', 16)}${words.add}
    </button>`;
  return ofPerson(
    state,
    { url: urls[0] ?? '', title: common.tabs.visits, about: words.about, actions },
    () => {
      const pages = urls.flatMap((url) => answer<Page<Visit>>(url) ?? []);
      const visits = pages.flatMap(({ data }) => data);
      const restaurant = knownPlace(state, Number(state.route.query.place));
      return html`${
        restaurant
          ? html`<section class="new-visit">
              <h2>${fill(words.to, { name: restaurant.name })}</h2>
              ${visitForm(state, { restaurant }, visits)}
            </section>`
          : nothing
      }
      ${yearOfDots(visits, span(state))} ${diary(state, visits, pages.at(-1)?.has_more === true)}`;
    },
  );
}

let timer: ReturnType<typeof setTimeout> | undefined;

/** Opens a search for the place of a new visit. */
function choosePlace() {
  const url = ({ ui }: State) => `/search?limit=8&q=${encodeURIComponent(ui.visited ?? '')}`;
  const type = ({ currentTarget: input }: Event) => {
    clearTimeout(timer);
    if (input instanceof HTMLInputElement)
      timer = setTimeout(() => setUi({ visited: input.value.trim() }), TYPING);
  };
  setUi({ visited: '' });
  openDialog({
    label: words.add,
    needs: (state) => (state.ui.visited ? [url(state)] : []),
    body(state) {
      const found = state.ui.visited ? answer<readonly Restaurant[]>(url(state)) : [];
      const places = found?.filter(({ is_suggestion: isPending }) => !isPending) ?? [];
      const where = whereIn(places);
      return html`<h2>${words.add}</h2>
        <input
          type="search"
          class="choose"
          aria-label=${words.where}
          placeholder=${words.where}
          autofocus
          maxlength="200"
          @input=${type}
        />
        <ul class="choices" aria-live="polite">
          ${places.map(
            (place) =>
              html`<li>
                <a class="button plain" href=${`/visits?place=${place.id}`} @click=${closeDialog}
                  >${place.name} <span class="small soft">${where(place)}</span></a
                >
              </li>`,
          )}
        </ul>
        ${found && state.ui.visited && places.length === 0 ? html`<p class="soft">${words.noPlace}</p>` : nothing}`;
    },
  });
}

function years(state: State) {
  const { from, to } = span(state);
  const now = currentYear(new Date());
  const shift = (by: number) => ({ from: shiftYears(from, by), to: shiftYears(to, by) });
  const later = shift(1).to < now.to ? shift(1) : { from: undefined, to: undefined };
  return html`
    <a class="button" href=${queryHref(shift(-1))}>${icon('back', 16)}${words.earlier}</a>
    ${to < now.to ? html`<a class="button" href=${queryHref(later)}>${words.later}${icon('next', 16)}</a>` : nothing}
  `;
}

function diary(state: State, visits: readonly Visit[], isCut: boolean) {
  if (visits.length === 0)
    return html`${empty(words.empty)}
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

function visitRow(state: State, visit: Visit, visits: readonly Visit[]) {
  const { id, visited_on: on, restaurant: place } = visit;
  const cover = place.id === null ? undefined : place.cover;
  const isRated = place.id !== null && meansOf(place).count > 0;
  return html`<li class="visit">
    <p class="date"><b>${format.dayOfMonth(on)}</b><span class="tiny soft">${format.weekday(on)}</span></p>
    ${cover ? html`<img class="thumb" src=${cover.thumbnail_url} width="48" height="48" alt="" loading="lazy" />` : nothing}
    <div class="in">
      ${isRated ? leader(nameOf(visit), scoreMark(meansOf(place))) : nameOf(visit)}
      ${state.route.query.write === String(id) ? visitForm(state, visit, visits) : written(state, visit)}
    </div>
  </li>`;
}

function written(state: State, visit: Visit) {
  const {
    id,
    restaurant: place,
    visited_on: on,
    note,
    companions,
    dishes,
    total_minor: total,
    currency,
  } = visit;
  const isPlain = !note && dishes.length === 0 && companions.length === 0 && total === null;
  const about = [
    place.id === null ? '' : cityOf(place.address ?? ''),
    companions.length > 0 && fill(words.with, { names: companions.join(', ') }),
    total !== null && currency !== null && money(total, currency),
  ];
  const link = (text: string, run: () => void, focus = '') =>
    html`<button
      type="button"
      class="link small"
      aria-label=${fill(words.of, { deed: text, name: place.name, day: format.day(on) })}
      data-focus=${focus || nothing}
      @click=${run}
    >
      ${text}
    </button>`;
  return html`
    <p class="small soft">${about.filter(Boolean).join(' · ')}</p>
    ${
      dishes.length > 0
        ? html`<ul class="small">
            ${dishes.map(dishLine)}
          </ul>`
        : nothing
    }
    ${note ? html`<p class="note">${note}</p>` : nothing}
    <div class="acts links">
      ${link(isPlain ? words.write : common.edit, () => setQuery({ write: String(id) }), `write-${id}`)}
      ${link(words.delete, () => remove(state, visit))}
    </div>
  `;
}

const nameOf = ({ id, restaurant: { id: place, name } }: Visit) =>
  place === null
    ? html`<span class="name">${name}</span> <span class="small soft">${words.gone}</span>`
    : html`<a class="name" href=${`/restaurants/${place}`} data-focus=${`visit-${id}`}>${name}</a>`;

function dishLine({ name, stars, again }: Dish) {
  const rated = stars !== null && fill(common.stars, { count: stars });
  const parts = [name, rated, again !== null && (again ? words.again : words.notAgain)];
  return html`<li>${parts.filter(Boolean).join(' · ')}</li>`;
}

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

export const leave = () => setUi({ writing: undefined });
