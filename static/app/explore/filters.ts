import { fill, texts } from '../base/texts.js';
import { closeDialog, isSignedIn } from '../state/actions.js';
import { answer } from '../state/store.js';
import { shownRows } from './query.js';
import { price } from '../base/format.js';
import { listName } from '../parts/mine.js';
import { setQuery } from '../state/router.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { field } from '../parts/form.js';
import { button, chip } from '../parts/parts.js';
import type { List, Named, State } from '../base/types.js';

const common = texts.common;
const words = texts.explore;

const LEVELS = ['1', '2', '3', '4'];
const LEAST = [3, 3.5, 4, 4.5];

type Choice = readonly [value: string, text: string];

export const filtersNeeds = (state: State) => (isSignedIn(state) ? ['/lists'] : []);

/** All filters of Explore, each applied at once. */
export function filtersBody(state: State) {
  const { query } = state.route;
  const named = (url: string) => answer<readonly Named[]>(url) ?? [];
  const lists = (answer<readonly List[]>('/lists') ?? []).map((list): Choice => [
    list.kind === 'own' ? String(list.id) : list.kind,
    listName(list),
  ]);
  /** One of several values of a parameter. */
  const several = (name: string, value: string, text: string) => {
    const values = (query[name] ?? '').split(',').filter(Boolean);
    const isOn = values.includes(value);
    const next = isOn ? values.filter((one) => one !== value) : [...values, value];
    return chip(text, isOn, () => setQuery({ [name]: next.join(',') }));
  };
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
  const foods = named('/food-types').map(({ id, name }) => several('food_type_ids', String(id), name));
  const diets = Object.entries(words.diets).map(([diet, text]) => several('diet', diet, text));
  const ratings = LEAST.map((least): Choice => [String(least), fill(words.ratingAtLeast, { least })]);
  return html`${group(
      words.price,
      LEVELS.map((level) => several('price_level', level, price(Number(level)))),
    )}
    ${select('category_id', words.category, [['', words.anyCategory], ...categories])}
    ${group(common.kinds.food, foods, 'foods')} ${group(words.diet, diets)}
    ${select('min_rating', words.rating, [['', words.anyRating], ...ratings])}
    ${
      isSignedIn(state)
        ? html`${select('list', words.list_, [['', words.anyList], ...lists])}
          ${select('visited', words.visited, Object.entries(words.visitedChoices))}`
        : nothing
    }
    <div class="acts end">
      <a class="button" href="/" @click=${closeDialog}>${words.clear}</a>
      ${button(fill(words.all, { count: shownRows(state)?.total ?? 0 }), closeDialog, 'button primary')}
    </div>`;
}
