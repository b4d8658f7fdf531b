import { closeDialog, isSignedIn } from '../actions.js';
import { shownRows } from '../explore-query.js';
import { price } from '../format.js';
import { setQuery } from '../router.js';
import { words } from '../texts/explore.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { field } from './form.js';
import { chip } from './parts.js';

/** @import { List, Named, State } from '../types.js' */

const LEAST = ['3', '3.5', '4', '4.5'];

/** @param {State} state */
export const filtersNeeds = (state) => (isSignedIn(state) ? ['/lists'] : []);

/**
 * All filters of Explore, each applied at once.
 * @param {State} state
 */
export function filtersBody(state) {
  const { query } = state.route;
  const named = (/** @type {string} */ url) => /** @type {readonly Named[]} */ (state.data[url]?.body ?? []);
  const pick = (/** @type {string} */ name) => (/** @type {string} */ value) => setQuery({ [name]: value });
  const foods = (query['food_type_ids'] ?? '').split(',').filter(Boolean);
  return html`<h2>${words.filters}</h2>
    <fieldset class="group">
      <legend>${words.price}</legend>
      <div class="chips">
        ${['1', '2', '3', '4'].map((level) => several('price_level', query, level, price(Number(level))))}
      </div>
    </fieldset>
    ${field({ name: 'category_id', label: words.category, required: true, value: query['category_id'] ?? '', onInput: pick('category_id'), choices: [['', words.anyCategory], ...choices(named('/categories'))] })}
    <fieldset class="group">
      <legend>${words.foods}</legend>
      <div class="chips foods">
        ${named('/food-types').map(({ id, name }) =>
          chip(name, foods.includes(String(id)), () => toggle('food_type_ids', query, String(id))),
        )}
      </div>
    </fieldset>
    <fieldset class="group">
      <legend>${words.diet}</legend>
      <div class="chips">
        ${/** @type {(keyof typeof words.diets)[]} */ (Object.keys(words.diets)).map((diet) => several('diet', query, diet, words.diets[diet]))}
      </div>
    </fieldset>
    ${field({ name: 'min_rating', label: words.rating, required: true, value: query['min_rating'] ?? '', onInput: pick('min_rating'), choices: [['', words.anyRating], .../** @type {[string, string][]} */ (LEAST.map((least) => [least, words.ratingAtLeast(least)]))] })}
    ${
      isSignedIn(state)
        ? html`${field({ name: 'list', label: words.list_, required: true, value: query['list'] ?? '', onInput: pick('list'), choices: [['', words.anyList], ...lists(/** @type {readonly List[]} */ (state.data['/lists']?.body ?? []))] })}
          ${field({ name: 'visited', label: words.visited, required: true, value: query['visited'] ?? '', onInput: pick('visited'), choices: /** @type {[string, string][]} */ (Object.keys(words.visitedChoices).map((value) => [value, words.visitedChoices[/** @type {'' | 'yes' | 'no'} */ (value)]])) })}`
        : nothing
    }
    <div class="acts end">
      <a class="button" href="/" @click=${closeDialog}>${words.clear}</a>
      <button type="button" class="button primary" @click=${closeDialog}>
        ${words.all(shownRows(state)?.total ?? 0)}
      </button>
    </div>`;
}

/**
 * @param {readonly Named[]} entries
 * @returns {[string, string][]}
 */
const choices = (entries) => entries.map(({ id, name }) => [String(id), name]);

/**
 * @param {readonly List[]} lists
 * @returns {[string, string][]}
 */
const lists = (lists) => lists.map(({ id, kind, name }) => [kind === 'own' ? String(id) : kind, name]);

/**
 * @param {string} name
 * @param {Readonly<Record<string, string>>} query
 * @param {string} value
 * @param {string} text
 */
const several = (name, query, value, text) =>
  chip(text, (query[name] ?? '').split(',').includes(value), () => toggle(name, query, value));

/**
 * Puts a value into a parameter of several, or takes it out.
 * @param {string} name
 * @param {Readonly<Record<string, string>>} query
 * @param {string} value
 */
function toggle(name, query, value) {
  const values = (query[name] ?? '').split(',').filter(Boolean);
  const next = values.includes(value) ? values.filter((one) => one !== value) : [...values, value];
  setQuery({ [name]: next.join(',') });
}
