import { fill, texts } from '../base/texts.js';
import { closeDialog, isSignedIn } from '../state/actions.js';
import { answer } from '../state/store.js';
import { shownRows } from './query.js';
import { price } from '../base/format.js';
import { setQuery } from '../state/router.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { field } from '../parts/form.js';
import { chip } from '../parts/parts.js';
import type { List, Named, State } from '../base/types.js';

const common = texts.common;
const words = texts.explore;

const LEVELS = ['1', '2', '3', '4'];
const LEAST = ['3', '3.5', '4', '4.5'];

export const filtersNeeds = (state: State) => (isSignedIn(state) ? ['/lists'] : []);

/** All filters of Explore, each applied at once. */
export function filtersBody(state: State) {
  const { query } = state.route;
  const named = (url: string) => answer<readonly Named[]>(url) ?? [];
  const lists = answer<readonly List[]>('/lists') ?? [];
  const select = (name: string, label: string, choices: readonly Choice[]) =>
    field({
      name,
      label,
      required: true,
      value: query[name] ?? '',
      onInput: (value) => setQuery({ [name]: value }),
      choices,
    });
  const group = (label: string, chips: unknown, kind = '') =>
    html`<fieldset class="group">
      <legend>${label}</legend>
      <div class=${`chips ${kind}`}>${chips}</div>
    </fieldset>`;
  const categories = named('/categories').map(({ id, name }): Choice => [String(id), name]);
  const foods = named('/food-types').map(({ id, name }) => several('food_type_ids', query, String(id), name));
  const diets = Object.entries(words.diets).map(([diet, text]) => several('diet', query, diet, text));
  const ratings = LEAST.map((least): Choice => [least, fill(words.ratingAtLeast, { least })]);
  return html`<h2>${words.filters}</h2>
    ${group(
      words.price,
      LEVELS.map((level) => several('price_level', query, level, price(Number(level)))),
    )}
    ${select('category_id', words.category, [['', words.anyCategory], ...categories])}
    ${group(common.kinds.food, foods, 'foods')} ${group(words.diet, diets)}
    ${select('min_rating', words.rating, [['', words.anyRating], ...ratings])}
    ${
      isSignedIn(state)
        ? html`${select('list', words.list_, [['', words.anyList], ...lists.map(asChoice)])}
          ${select('visited', words.visited, Object.entries(words.visitedChoices))}`
        : nothing
    }
    <div class="acts end">
      <a class="button" href="/" @click=${closeDialog}>${words.clear}</a>
      <button type="button" class="button primary" @click=${closeDialog}>
        ${fill(words.all, { count: shownRows(state)?.total ?? 0 })}
      </button>
    </div>`;
}

type Choice = readonly [value: string, text: string];

const asChoice = ({ id, kind, name }: List): Choice => [kind === 'own' ? String(id) : kind, name];

const several = (name: string, query: Readonly<Record<string, string>>, value: string, text: string) =>
  chip(text, (query[name] ?? '').split(',').includes(value), () => toggle(name, query, value));

/** Puts a value into a parameter of several, or takes it out. */
function toggle(name: string, query: Readonly<Record<string, string>>, value: string) {
  const values = (query[name] ?? '').split(',').filter(Boolean);
  const next = values.includes(value) ? values.filter((one) => one !== value) : [...values, value];
  setQuery({ [name]: next.join(',') });
}
