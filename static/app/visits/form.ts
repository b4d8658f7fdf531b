import { fill, texts } from '../base/texts.js';
import { act } from '../state/actions.js';
import { amountText, minorOf } from '../base/money.js';
import { setQuery } from '../state/router.js';
import { readStored, setUi, writeStored } from '../state/store.js';
import { html } from '../vendor/lit-html/lit-html.js';
import { ref } from '../vendor/lit-html/directives/ref.js';
import { faultsOf, field, focusFault, formFault, valuesOf } from '../parts/form.js';
import { choice, focusOn } from '../parts/mine.js';
import type { Dish, State, Visit } from '../base/types.js';
import { currentYear, spanOf, textOf } from './year.js';

const common = texts.common;
const words = texts.visits;

/** A visit that is being written; a new one has no id. */
export type Draft = Pick<Visit, 'restaurant'> & Partial<Visit>;

const NO_DISH: Dish = { name: '', stars: null, price_minor: null, note: null, again: null };
const MOST_DISHES = 50;
const FIELDS = ['visited_on', 'note', 'companions', 'total_minor', 'currency'];
const CURRENCY = 'currency';

/** Behind what the router and a dialog that closes do with the focus; who is in the form already stays there. */
const focusFirst = (form?: Element) =>
  setTimeout(() => {
    if (!form?.contains(document.activeElement)) form?.querySelector('input')?.focus();
  }, 50);

function close(id: number | undefined, query: Readonly<Record<string, string>> = {}) {
  setUi({ writing: undefined });
  setQuery({ write: undefined, place: undefined, ...query }, { replace: true });
  focusOn(`write-${id ?? ''}`);
}

/** @param visits where the currency of the last cost is found */
export function visitForm({ ui }: State, visit: Draft, visits: readonly Visit[]) {
  const {
    id,
    visited_on: day = textOf(new Date()),
    note,
    companions = [],
    total_minor: total = null,
  } = visit;
  const { dishes: room = 0, faults = {} } = ui.writing ?? {};
  const { dishes = [] } = visit;
  const rows = [...dishes, ...Array<Dish>(Math.max(1, room - dishes.length)).fill(NO_DISH)];
  const usual = visits.find((one) => one.currency !== null)?.currency ?? readStored(CURRENCY) ?? '';
  const currency = visit.currency ?? usual;
  const amount = total === null ? '' : amountText(total, currency);
  const part = (name: string, label: string, value: string, options: object = {}) =>
    field({ name, label, value, ...options }, faults);
  const makeRoom = (at: number) => {
    // There is always one more to write down.
    if (at === rows.length - 1 && at < MOST_DISHES - 1) setUi({ writing: { dishes: at + 2, faults } });
  };
  return html`<form
    class="writing"
    novalidate
    ${ref(focusFirst)}
    @submit=${(event: Event) => save(event, visit)}
  >
    ${formFault(faults)} ${part('visited_on', words.day, day, { type: 'date', required: true })}
    <fieldset class="group">
      <legend>${words.dishes}</legend>
      ${rows.map((dish, at) => dishFields(dish, at + 1, () => makeRoom(at)))}
    </fieldset>
    ${part('note', words.note, note ?? '', { type: 'area', max: 5000 })}
    ${part('companions', words.companions, companions.join(', '), { hint: words.companionsHint })}
    <div class="two-fields">
      ${part('total_minor', words.total, amount, { inputmode: 'decimal' })}
      ${part('currency', words.currency, currency, { hint: words.currencyHint, max: 3 })}
    </div>
    <div class="acts">
      <button class="button primary">${common.save}</button>
      <button type="button" class="button" @click=${() => close(id)}>${common.cancel}</button>
    </div>
  </form>`;
}

function dishFields({ name, stars, again }: Dish, number: number, onInput: () => void) {
  const STARS = [0, 1, 2, 3, 4, 5].map(
    (count) => [String(count), count === 0 ? words.noStars : fill(common.stars, { count })] as const,
  );
  const chosen = again === null ? '' : again ? 'yes' : 'no';
  return html`<div class="dish">
    <input
      name="dish"
      aria-label=${fill(words.dish, { number })}
      maxlength="200"
      autocomplete="off"
      .value=${name}
      @input=${onInput}
    />
    ${choice(fill(words.dishStars, { number }), STARS, String(stars ?? 0), { name: 'stars' })}
    ${choice(fill(words.dishAgain, { number }), Object.entries(words.agains), chosen, { name: 'again' })}
  </div>`;
}

/** The dishes that have a name, with what the form does not show of them. */
function dishesOf(form: FormData, before: readonly Dish[] = []) {
  const [names = [], stars = [], agains = []] = ['dish', 'stars', 'again'].map((name) => form.getAll(name));
  return names.flatMap((value, at): Dish[] => {
    const name = typeof value === 'string' ? value.trim() : '';
    const again = agains[at] === '' ? null : agains[at] === 'yes';
    return name === '' ? [] : [{ ...NO_DISH, ...before[at], name, stars: Number(stars[at]) || null, again }];
  });
}

async function save(event: Event, { id, restaurant, dishes: before }: Draft) {
  const {
    visited_on: day = '',
    note,
    companions = '',
    total_minor: text = '',
    currency: typed = '',
  } = valuesOf(event);
  if (!(event.target instanceof HTMLFormElement)) return;
  const dishes = dishesOf(new FormData(event.target), before);
  const refuse = (faults: Record<string, string>) => {
    setUi({ writing: { dishes: dishes.length + 1, faults } });
    focusFault();
  };
  const currency = typed.toUpperCase();
  const total = text === '' ? null : minorOf(text, currency);
  if (total === undefined) return refuse({ total_minor: words.notAmount });
  const hasAmount = total !== null || dishes.some(({ price_minor: price }) => price !== null);
  const said = fill(words.saved, { name: restaurant.name });
  const outcome = await act({
    method: id === undefined ? 'POST' : 'PUT',
    path: id === undefined ? '/visits' : `/visits/${id}`,
    body: {
      ...(id === undefined && { restaurant_id: restaurant.id }),
      visited_on: day,
      note: note === '' ? null : note,
      companions: companions.split(',').flatMap((name) => name.trim() || []),
      total_minor: total,
      currency: hasAmount ? currency || null : null,
      dishes,
    },
    said,
    label: said,
    quiet: true,
  });
  if (!outcome.ok) return refuse(faultsOf(outcome.fault, FIELDS));
  if (hasAmount) writeStored(CURRENCY, currency);
  const { from, to } = spanOf(day, new Date());
  close(id, from === currentYear(new Date()).from ? {} : { from, to });
}
