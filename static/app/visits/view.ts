import { cityOf, whereIn } from '../base/address.js';
import * as format from '../base/format.js';
import { amountText, minorOf, money } from '../base/money.js';
import { fill, texts } from '../base/texts.js';
import { act, alters, closeDialog, isSignedIn, openDialog, without } from '../state/actions.js';
import { placeUrl } from '../state/place-actions.js';
import { meansOf } from '../state/places.js';
import { queryHref, setQuery } from '../state/router.js';
import { answer, setUi } from '../state/store.js';
import { field, formFault, sends } from '../parts/form.js';
import { choice, deleteOrAsk, focusOn, grouped, ofPerson } from '../parts/mine.js';
import { button, empty, icon, leader, scoreMark } from '../parts/parts.js';
import { html, nothing, svg } from '../vendor/lit-html/lit-html.js';
import { ref } from '../vendor/lit-html/directives/ref.js';
import { currentYear, shiftYears, spanOf, textOf, weeksOf } from './year.js';
import type { Dish, Page, Restaurant, State, Visit } from '../base/types.js';
import type { Values } from '../parts/form.js';

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
  return place && !state.places.get(place) ? [...pageUrls(state), placeUrl(place)] : pageUrls(state);
}

export function view(state: State) {
  const [url = '', ...others] = pageUrls(state);
  const { from, to } = span(state);
  const now = currentYear(new Date());
  const shift = (by: number) => ({ from: shiftYears(from, by), to: shiftYears(to, by) });
  const later = shift(1).to < now.to ? shift(1) : { from: undefined, to: undefined };
  const actions = html`
    <a class="button" href=${queryHref(shift(-1))}>${icon('back', 16)}${words.earlier}</a>
    ${to < now.to ? html`<a class="button" href=${queryHref(later)}>${words.later}${icon('next', 16)}</a>` : nothing}
    ${button(html`${icon('add', 16)}${words.add}`, choosePlace, 'button primary', { focus: 'write-' })}
  `;
  return ofPerson(state, { url, title: title(), about: words.about, actions }, (first: Page<Visit>) => {
    const pages = [first, ...others.flatMap((url) => answer<Page<Visit>>(url) ?? [])];
    const visits = pages.flatMap(({ data }) => data);
    const restaurant = state.places.get(Number(state.route.query.place));
    return html`${
      restaurant &&
      html`<section class="new-visit">
        <h2>${fill(words.to, { name: restaurant.name })}</h2>
        ${visitForm({ restaurant }, visits)}
      </section>`
    }
    ${yearOfDots(visits, { from, to })} ${diary(state, visits, pages.at(-1)?.has_more === true)}`;
  });
}

let timer: ReturnType<typeof setTimeout> | undefined;

/** Opens the search for the place of a new visit. */
function choosePlace() {
  const urls = ({ ui: { visited: q } }: State) =>
    q ? [`/search?limit=8&include_suggestions=false&q=${encodeURIComponent(q)}`] : [];
  const type = ({ target }: { target: HTMLInputElement }) => {
    clearTimeout(timer);
    timer = setTimeout(() => setUi({ visited: target.value.trim() }), TYPING);
  };
  setUi({ visited: '' });
  openDialog({
    label: words.add,
    needs: urls,
    body(state) {
      const places = answer<readonly Restaurant[]>(urls(state)[0]);
      const where = whereIn(places ?? []);
      const link = (place: Restaurant) =>
        html`<li>
          <a class="button plain" href=${`/visits?place=${place.id}`} @click=${closeDialog}
            ><bdi>${place.name}</bdi> <span class="small soft">${where(place)}</span></a
          >
        </li>`;
      return html`<input
          type="search"
          class="find"
          aria-label=${words.where}
          placeholder=${words.where}
          autofocus
          maxlength="200"
          @input=${type}
        />
        <ul class="choices" aria-live="polite">
          ${places?.map(link)}
        </ul>
        ${places?.length === 0 ? html`<p class="soft">${words.noPlace}</p>` : nothing}`;
    },
  });
}

const STEP = 10;
const NAMES = 14;

/** A dot for each day: small without a visit, full with one, large with more. The diary below says the same. */
function yearOfDots(visits: readonly Visit[], { from, to }: { from: string; to: string }) {
  const byDay = Map.groupBy(visits, ({ visited_on: on }) => on);
  const places = new Set(visits.map(({ restaurant: { id, name } }) => id ?? name)).size;
  const sum = fill(words.sum, {
    visits: fill(words.visits, { count: visits.length }),
    places: fill(words.places, { count: places }),
    from: format.dateOfYear(from),
    to: format.dateOfYear(to),
  });
  const dot = (day: string, x: number, y: number) => {
    const here = byDay.get(day) ?? [];
    const names = here.map(({ restaurant }) => restaurant.name);
    return svg`<circle
      class=${names.length > 0 ? '' : 'none'}
      cx=${(x + 0.5) * STEP} cy=${NAMES + (y + 0.5) * STEP} r=${[1.25, 3.25][names.length] ?? 4.75}
    ><title>${format.dotted([format.day(day), ...names])}</title></circle>`;
  };
  const weeks = weeksOf({ from, to }).map((week, x) => {
    const first = week.find((day) => day?.endsWith('-01'));
    return svg`${first && svg`<text x=${x * STEP} y="9">${format.shortMonth(first)}</text>`}
      ${week.map((day, y) => day && dot(day, x, y))}`;
  });
  return html`<figure class="year">
    <svg viewBox=${`0 0 ${weeks.length * STEP} ${NAMES + 7 * STEP}`} aria-hidden="true">${weeks}</svg>
    ${visits.length === 0 ? nothing : html`<figcaption class="small soft">${sum}</figcaption>`}
  </figure>`;
}

function diary(state: State, visits: readonly Visit[], isCut: boolean) {
  const how = (text: string) => html`<p class="small soft how">${text}</p>`;
  if (visits.length === 0) return html`${empty(words.empty)} ${how(words.how)}`;
  const months = Map.groupBy(visits, ({ visited_on: on }) => format.month(on));
  return html`${grouped(months, (visit) => visitRow(state, visit, visits))}
  ${isCut ? how(fill(words.first, { shown: visits.length })) : nothing}`;
}

function visitRow(state: State, visit: Visit, visits: readonly Visit[]) {
  const { id, visited_on: on, restaurant: place } = visit;
  const [cover, means] = place.id === null ? [] : [place.cover, meansOf(place)];
  const name =
    place.id === null
      ? html`<span class="name" dir="auto">${place.name}</span> <span class="small soft">${words.gone}</span>`
      : html`<a class="name" href=${`/restaurants/${place.id}`} data-focus=${`visit-${id}`} dir="auto"
          >${place.name}</a
        >`;
  return html`<li class="visit">
    <p class="date"><b>${Number(on.slice(8))}</b><span class="tiny soft">${format.weekday(on)}</span></p>
    ${cover && html`<img class="thumb" src=${cover.thumbnail_url} width="48" height="48" alt="" loading="lazy" />`}
    <div class="in">
      ${means?.count ? leader(name, scoreMark(means)) : name}
      ${state.route.query.write === String(id) ? visitForm(visit, visits) : written(state, visit)}
    </div>
  </li>`;
}

function written(state: State, visit: Visit) {
  const { id, restaurant: place, visited_on: on, note, companions, dishes, currency } = visit;
  const { total_minor: total } = visit;
  const about = [
    place.id === null ? '' : cityOf(place.address ?? ''),
    companions.length > 0 && fill(words.with, { names: format.allOf(companions) }),
    total !== null && currency !== null && money(total, currency),
  ];
  const isPlain = !note && dishes.length === 0 && companions.length === 0 && total === null;
  const link = (text: string, run: () => void, focus?: string) => {
    const label = fill(words.of, { deed: text, name: place.name, day: format.day(on) });
    return button(text, run, 'link small', { label, focus });
  };
  const dish = ({ name, stars, again }: Dish) => {
    const rated = stars !== null && fill(common.stars, { count: stars });
    const parts = [name, rated, again !== null && (again ? words.again : words.notAgain)];
    return html`<li>${format.dotted(parts)}</li>`;
  };
  return html`
    <p class="small soft">${format.dotted(about)}</p>
    <ul class="small">
      ${dishes.map(dish)}
    </ul>
    ${note && html`<p class="note" dir="auto">${note}</p>`}
    <div class="acts soft">
      ${link(isPlain ? words.write : common.edit, () => setQuery({ write: String(id) }), `write-${id}`)}
      ${link(words.delete, () => remove(state, visit))}
    </div>
  `;
}

const remove = (state: State, { id, restaurant: { name } }: Visit) =>
  deleteOrAsk(state, fill(words.deleteAsk, { name }), () =>
    act({
      method: 'DELETE',
      path: `/visits/${id}`,
      said: fill(words.deleted, { name }),
      change: alters('/visits?', (page: Page<Visit>) => ({ ...page, data: without(page.data, id) })),
    }),
  );

/** A visit that is being written; a new one has no id. */
type Draft = Pick<Visit, 'restaurant'> & Partial<Visit>;

const NO_DISH: Dish = { name: '', stars: null, price_minor: null, note: null, again: null };
const MOST_DISHES = 50;
const MORE_DISHES = 8;
const starChoices = () =>
  [0, 1, 2, 3, 4, 5].map(
    (count) => [String(count), count === 0 ? words.noStars : fill(common.stars, { count })] as const,
  );

/** Behind what the router and a dialog that closes do with the focus; who is in the form already stays there. */
const focusFirst = (form?: Element) =>
  setTimeout(() => {
    if (!form?.contains(document.activeElement)) form?.querySelector('input')?.focus();
  }, 50);

function close(id: number | undefined, query: Readonly<Record<string, string>> = {}) {
  setQuery({ write: undefined, place: undefined, ...query }, { replace: true });
  focusOn(`write-${id ?? ''}`);
}

/** @param visits where the currency of the last cost is found */
function visitForm(visit: Draft, visits: readonly Visit[]) {
  const { id, visited_on: day = textOf(new Date()), note, companions = [], total_minor: total } = visit;
  const { dishes = [] } = visit;
  // The style hides those behind one that is empty.
  const room = Math.min(MOST_DISHES, dishes.length + MORE_DISHES);
  const rows = Array.from({ length: room }, (_, at) => dishes[at] ?? NO_DISH);
  const currency = visit.currency ?? visits.find((one) => one.currency !== null)?.currency ?? '';
  const amount = typeof total === 'number' ? amountText(total, currency) : '';
  return html`<form class="writing" novalidate ${ref(focusFirst)} @submit=${save(visit)}>
    ${formFault()}
    ${field({ name: 'visited_on', label: words.day, value: day, type: 'date', required: true })}
    <fieldset class="group">
      <legend>${words.dishes}</legend>
      ${rows.map(dishFields)}
    </fieldset>
    ${field({ name: 'note', label: words.note, value: note ?? '', type: 'area', max: 5000 })}
    ${field({ name: 'companions', label: words.companions, value: companions.join(common.separator), hint: words.companionsHint })}
    <div class="two-fields">
      ${field({ name: 'total_minor', label: words.total, value: amount, inputmode: 'decimal' })}
      ${field({ name: 'currency', label: words.currency, value: currency, hint: words.currencyHint, max: 3 })}
    </div>
    <div class="acts">
      <button class="button primary">${common.save}</button>
      ${button(common.cancel, () => close(id))}
    </div>
  </form>`;
}

function dishFields({ name, stars, again }: Dish, at: number) {
  const number = at + 1;
  const chosen = again === null ? '' : again ? 'yes' : 'no';
  const label = fill(words.dish, { number });
  return html`<div class="dish">
    <input
      name=${`dish-${at}`}
      aria-label=${label}
      placeholder=" "
      maxlength="200"
      autocomplete="off"
      .value=${name}
    />
    ${choice(fill(words.dishStars, { number }), starChoices(), String(stars ?? 0), { name: `stars-${at}` })}
    ${choice(fill(words.dishAgain, { number }), Object.entries(words.agains), chosen, { name: `again-${at}` })}
  </div>`;
}

/** The dishes that have a name, with what the form does not show of them. */
const dishesOf = (typed: Values, before: readonly Dish[] = []) =>
  Array.from({ length: MOST_DISHES }, (_, at): Dish => {
    const { [`dish-${at}`]: name = '', [`stars-${at}`]: stars, [`again-${at}`]: again } = typed;
    return {
      ...NO_DISH,
      ...before[at],
      name,
      stars: Number(stars) || null,
      again: again ? again === 'yes' : null,
    };
  }).filter(({ name }) => name !== '');

const save = ({ id, restaurant, dishes: before }: Draft) =>
  sends(async ({ visited_on: day = '', note, companions = '', ...typed }: Values) => {
    const dishes = dishesOf(typed, before);
    const currency = typed.currency?.toUpperCase() ?? '';
    const total = typed.total_minor === undefined ? null : minorOf(typed.total_minor, currency);
    if (total === undefined) return { ok: false, faults: { total_minor: words.notAmount } };
    const hasAmount = total !== null || dishes.some(({ price_minor: price }) => price !== null);
    const said = fill(words.saved, { name: restaurant.name });
    const outcome = await act({
      ...(id === undefined ? { method: 'POST', path: '/visits' } : { method: 'PUT', path: `/visits/${id}` }),
      body: {
        ...(id === undefined && { restaurant_id: restaurant.id }),
        visited_on: day,
        note: note ?? null,
        companions: companions.split(/[,،、，]/).flatMap((name) => name.trim() || []),
        total_minor: total,
        currency: (hasAmount && currency) || null,
        dishes,
      },
      said,
      label: said,
      quiet: true,
    });
    if (!outcome.ok) return outcome;
    const { from, to } = spanOf(day, new Date());
    close(id, from === currentYear(new Date()).from ? {} : { from, to });
    return outcome;
  });
