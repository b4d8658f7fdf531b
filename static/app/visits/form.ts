import { fill, texts } from '../base/texts.js';
import { act } from '../state/actions.js';
import { amountText, minorOf } from '../base/money.js';
import { setUi } from '../state/store.js';
import { html } from '../vendor/lit-html/lit-html.js';
import { faultsOf, field, focusFault, formFault } from '../parts/form.js';
import { focusOn } from '../parts/mine.js';
import type { Dish, Visit } from '../base/types.js';

const common = texts.common;
const words = texts.visits;

/** What is being written of a visit. */
export interface Writing {
  visit: Visit;
  values: Record<'visited_on' | 'note' | 'companions' | 'total_minor' | 'currency', string>;
  /** the last one is still without a name */
  dishes: Dish[];
  faults: Record<string, string>;
}

const NO_DISH = { name: '', stars: null, price_minor: null, note: null, again: null };
const MOST_DISHES = 50;

/**
 * Opens the fields of a visit in its place.
 * @param currency of the visit before, since it is mostly the same
 */
export function openVisit(visit: Visit, currency: string) {
  const { visited_on, note, companions, total_minor: total, dishes } = visit;
  const own = visit.currency ?? currency;
  setUi({
    writing: {
      visit,
      values: {
        visited_on,
        note: note ?? '',
        companions: companions.join(', '),
        currency: own,
        total_minor: total === null ? '' : amountText(total, own),
      },
      dishes: [...dishes, NO_DISH],
      faults: {},
    },
  });
  focusOn('writing');
}

function close({ id }: Visit) {
  setUi({ writing: undefined });
  focusOn(`write-${id}`);
}

export function visitForm(writing: Writing) {
  const { values, faults } = writing;
  const part = (name: keyof Writing['values'], label: string, options: object = {}) =>
    field({ name, label, value: values[name], onInput: (text) => (values[name] = text), ...options }, faults);
  return html`<form
    class="writing"
    novalidate
    data-focus="writing"
    tabindex="-1"
    @submit=${(event: Event) => {
      event.preventDefault();
      void save(writing);
    }}
  >
    ${formFault(faults)} ${part('note', words.note, { type: 'area', max: 5000 })}
    <fieldset class="group">
      <legend>${words.dishes}</legend>
      ${writing.dishes.map((dish, at) => dishFields(writing, dish, at))}
    </fieldset>
    ${part('companions', words.companions, { hint: words.companionsHint })}
    <div class="three">
      ${part('total_minor', words.total, { inputmode: 'decimal' })}
      ${part('currency', words.currency, { hint: words.currencyHint, max: 3 })}
      ${part('visited_on', words.day, { type: 'date', required: true })}
    </div>
    <div class="acts">
      <button class="button primary">${common.save}</button>
      <button type="button" class="button" @click=${() => close(writing.visit)}>${common.cancel}</button>
    </div>
  </form>`;
}

function dishFields(writing: Writing, dish: Dish, at: number) {
  const set = (change: Partial<Dish>) => {
    const { dishes } = writing;
    // Not from the dish that was drawn: two fields may be changed before it is drawn again.
    dishes[at] = { ...NO_DISH, ...dishes[at], ...change };
    // There is always one more to write down.
    if (dishes.at(-1)?.name && dishes.length < MOST_DISHES) dishes.push(NO_DISH);
    setUi({ writing });
  };
  const again = dish.again === null ? '' : dish.again ? 'yes' : 'no';
  return html`<div class="dish">
    <input
      aria-label=${fill(words.dish, { number: at + 1 })}
      maxlength="200"
      autocomplete="off"
      .value=${dish.name}
      @input=${(event: any) => set({ name: event.target.value })}
    />
    <select
      aria-label=${fill(words.dishStars, { number: at + 1 })}
      @change=${(event: any) => set({ stars: Number(event.target.value) || null })}
    >
      ${[0, 1, 2, 3, 4, 5].map(
        (stars) =>
          html`<option value=${stars} ?selected=${stars === (dish.stars ?? 0)}>
            ${stars === 0 ? words.noStars : fill(common.stars, { count: stars })}
          </option>`,
      )}
    </select>
    <select
      aria-label=${fill(words.dishAgain, { number: at + 1 })}
      @change=${({ target: { value } }: any) => set({ again: value === '' ? null : value === 'yes' })}
    >
      ${(['', 'yes', 'no'] as const).map(
        (value) => html`<option value=${value} ?selected=${value === again}>${words.agains[value]}</option>`,
      )}
    </select>
  </div>`;
}

async function save(writing: Writing) {
  const { visit, values } = writing;
  const currency = values.currency.trim().toUpperCase();
  const text = values.total_minor.trim();
  const total = text === '' ? null : minorOf(text, currency);
  const refuse = (faults: Record<string, string>) => {
    setUi({ writing: { ...writing, faults } });
    focusFault();
  };
  if (total === undefined) return refuse({ total_minor: words.notAmount });
  const dishes = writing.dishes.flatMap((dish) =>
    dish.name.trim() ? [{ ...dish, name: dish.name.trim() }] : [],
  );
  const hasAmount = total !== null || dishes.some(({ price_minor: price }) => price !== null);
  const body = {
    visited_on: values.visited_on,
    note: values.note.trim() || null,
    companions: values.companions
      .split(',')
      .map((name) => name.trim())
      .filter(Boolean),
    total_minor: total,
    currency: hasAmount ? currency || null : null,
    dishes,
  };
  const said = fill(words.saved, { name: visit.restaurant.name });
  const outcome = await act({
    method: 'PUT',
    path: `/visits/${visit.id}`,
    body,
    said,
    label: said,
    quiet: true,
  });
  if (outcome.ok) return close(visit);
  refuse(faultsOf(outcome.fault, Object.keys(values)));
}
