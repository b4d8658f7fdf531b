// Choices by name, next to the fields that take ids of categories and food types.
import { h } from './docs-dom.js';

// By the name of a field: what its ids belong to, and in words.
const KINDS = new Map([
  ['category_id', ['categories', 'a category']],
  ['suggested_category_id', ['categories', 'a category']],
  ['food_type_ids', ['food-types', 'food types']],
]);

const lists = new Map();

/** Requests a collection when it is first needed. After a failure there are no choices, and the next form asks again. */
async function listOf(collection) {
  if (!lists.has(collection)) lists.set(collection, load(collection));
  const list = await lists.get(collection);
  if (list.length === 0) lists.delete(collection);
  return list;
}

async function load(collection) {
  try {
    const response = await fetch(`/api/${collection}`);
    return response.ok ? await response.json() : [];
  } catch {
    return [];
  }
}

/** Forgets a collection after a write to it. */
export function forgetChoices({ method, url }) {
  const [, collection] = /\/api\/([\w-]+)/.exec(url) ?? [];
  if (method !== 'GET') lists.delete(collection);
}

/**
 * Choices for a field, undefined where it takes no such ids. `read` returns the ids that the field holds, as texts, and
 * `write` is called with those that were chosen. `load` requests the choices, and `sync` shows what the field holds.
 */
export function choicesOf(name, read, write) {
  const [collection, words] = KINDS.get(name) ?? [];
  if (collection === undefined) return undefined;
  const { element, fill, sync } = name.endsWith('s') ? boxes(words, read, write) : select(words, read, write);
  const load = async () => {
    const list = await listOf(collection);
    if (list.length === 0) element.hidden = true;
    else fill(list);
    sync();
  };
  return { element, load, sync };
}

function select(words, read, write) {
  const label = `Choose ${words}`;
  const element = h('select', {
    class: 'choice',
    'aria-label': label,
    oninput() {
      write([element.value].filter(Boolean));
      sync();
    },
  });
  const none = () => h('option', { value: '' }, 'By name');
  element.append(none());
  function sync() {
    element.value = read()[0] ?? '';
    if (element.selectedIndex < 0) element.value = '';
  }
  const option = ({ id, name }) => h('option', { value: id }, name);
  return { element, fill: (list) => element.replaceChildren(none(), ...list.map(option)), sync };
}

function boxes(words, read, write) {
  const inputs = () => [...element.querySelectorAll('input')];
  const group = h('div', { role: 'group', 'aria-label': words });
  const summary = h('summary', {}, `Choose ${words}`);
  const element = h('details', { class: 'choice', oninput: choose }, summary, group);
  function choose() {
    const shown = new Set(inputs().map(({ value }) => value));
    const others = read().filter((id) => !shown.has(id));
    const chosen = inputs().filter(({ checked }) => checked);
    write([...chosen.map(({ value }) => value), ...others]);
    sync();
  }
  function sync() {
    const ids = new Set(read());
    for (const input of inputs()) input.checked = ids.has(input.value);
    const names = inputs()
      .filter(({ checked }) => checked)
      .map(({ parentElement }) => parentElement.textContent);
    summary.textContent = names.length > 0 ? names.join(', ') : `Choose ${words}`;
  }
  const box = ({ id, name }) => h('label', {}, h('input', { type: 'checkbox', value: id }), name);
  return { element, fill: (list) => group.replaceChildren(...list.map(box)), sync };
}
