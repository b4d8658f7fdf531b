import { fill, texts } from '../base/texts.js';
import { closeDialog, isSignedIn } from '../state/actions.js';
import { shownRows } from './query.js';
import { price } from '../base/format.js';
import { setQuery } from '../state/router.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { field } from '../parts/form.js';
import { chip } from '../parts/parts.js';
import type { List, Named, State } from '../base/types.js';

const common = texts.common;
const words = texts.explore;

const LEAST = ['3', '3.5', '4', '4.5'];

export const filtersNeeds = (state: State) => (isSignedIn(state) ? ['/lists'] : []);

/** All filters of Explore, each applied at once. */
export function filtersBody(state: State) {
  const { query } = state.route;
  const named = (url: string) => (state.data[url]?.body ?? []) as readonly Named[];
  const pick = (name: string) => (value: string) => setQuery({ [name]: value });
  const foods = (query.food_type_ids ?? '').split(',').filter(Boolean);
  return html`<h2>${words.filters}</h2>
    <fieldset class="group">
      <legend>${words.price}</legend>
      <div class="chips">
        ${['1', '2', '3', '4'].map((level) => several('price_level', query, level, price(Number(level))))}
      </div>
    </fieldset>
    ${field({ name: 'category_id', label: words.category, required: true, value: query.category_id ?? '', onInput: pick('category_id'), choices: [['', words.anyCategory], ...choices(named('/categories'))] })}
    <fieldset class="group">
      <legend>${common.kinds.food}</legend>
      <div class="chips foods">
        ${named('/food-types').map(({ id, name }) =>
          chip(name, foods.includes(String(id)), () => toggle('food_type_ids', query, String(id))),
        )}
      </div>
    </fieldset>
    <fieldset class="group">
      <legend>${words.diet}</legend>
      <div class="chips">
        ${(Object.keys(words.diets) as (keyof typeof words.diets)[]).map((diet) => several('diet', query, diet, words.diets[diet]))}
      </div>
    </fieldset>
    ${field({ name: 'min_rating', label: words.rating, required: true, value: query.min_rating ?? '', onInput: pick('min_rating'), choices: [['', words.anyRating], ...(LEAST.map((least) => [least, fill(words.ratingAtLeast, { least })]) as [string, string][])] })}
    ${
      isSignedIn(state)
        ? html`${field({ name: 'list', label: words.list_, required: true, value: query.list ?? '', onInput: pick('list'), choices: [['', words.anyList], ...lists((state.data['/lists']?.body ?? []) as readonly List[])] })}
          ${field({ name: 'visited', label: words.visited, required: true, value: query.visited ?? '', onInput: pick('visited'), choices: Object.keys(words.visitedChoices).map((value) => [value, words.visitedChoices[value as '' | 'yes' | 'no']]) as [string, string][] })}`
        : nothing
    }
    <div class="acts end">
      <a class="button" href="/" @click=${closeDialog}>${words.clear}</a>
      <button type="button" class="button primary" @click=${closeDialog}>
        ${fill(words.all, { count: shownRows(state)?.total ?? 0 })}
      </button>
    </div>`;
}

const choices = (entries: readonly Named[]): [string, string][] =>
  entries.map(({ id, name }) => [String(id), name]);

const lists = (lists: readonly List[]): [string, string][] =>
  lists.map(({ id, kind, name }) => [kind === 'own' ? String(id) : kind, name]);

const several = (name: string, query: Readonly<Record<string, string>>, value: string, text: string) =>
  chip(text, (query[name] ?? '').split(',').includes(value), () => toggle(name, query, value));

/** Puts a value into a parameter of several, or takes it out. */
function toggle(name: string, query: Readonly<Record<string, string>>, value: string) {
  const values = (query[name] ?? '').split(',').filter(Boolean);
  const next = values.includes(value) ? values.filter((one) => one !== value) : [...values, value];
  setQuery({ [name]: next.join(',') });
}
