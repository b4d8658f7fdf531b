import { setQuery } from './router.js';
import { setUi } from './store.js';

/** @import { State, Suggestion } from './types.js' */
/** @typedef {Pick<Suggestion, 'id' | 'name'>} Item */

/** The lists of suggestions; converted ones have none. */
export const STATUSES = /** @type {const} */ (['pending', 'approved', 'tested', 'rejected']);
const LANDED = 400;

/** The list on the screen. @param {State} state */
export const statusOf = ({ route }) =>
  STATUSES.find((status) => status === route.query['status']) ?? 'pending';

/** The address of a list below /api. @param {string} status */
export const listUrl = (status) => `/suggestions?status=${status}`;

/**
 * The suggestions of the list, without those that a verdict was just passed on.
 * @param {State} state
 * @returns {Suggestion[] | undefined} undefined while it is being loaded
 */
export function items(state) {
  const body = /** @type {Suggestion[] | undefined} */ (state.data[listUrl(statusOf(state))]?.body);
  return body?.filter(({ id }) => state.ui.moved?.[id] === undefined);
}

/**
 * The suggestion that is shown and that keys act on: that of the address, else the first.
 * @param {State} state
 */
export function current(state) {
  const { sel } = state.route.query;
  const listed = items(state);
  if (sel === undefined) return listed?.[0];
  return (
    listed?.find(({ id }) => String(id) === sel) ??
    /** @type {Suggestion | undefined} */ (state.data[`/suggestions/${sel}`]?.body)
  );
}

/** @type {ReturnType<typeof setTimeout>} */
let timer;
let landing = 0;

/**
 * Notes which suggestion is shown; who stays there sees what it looks like.
 * @param {number} id
 */
export function land(id) {
  if (id === landing) return;
  landing = id;
  clearTimeout(timer);
  timer = setTimeout(() => setUi({ landed: id }), LANDED);
}

/**
 * Selects the next suggestion or the one before.
 * @param {State} state
 * @param {1 | -1} step
 */
export function walk(state, step) {
  const listed = items(state) ?? [];
  const at = listed.findIndex(({ id }) => id === current(state)?.id);
  go(listed[Math.max(0, Math.min(listed.length - 1, at + step))]);
}

/**
 * Selects a suggestion.
 * @param {Item | undefined} item
 */
export function go(item) {
  setQuery({ sel: item && String(item.id) }, { replace: true });
  focusCurrent();
}

/** Moves the focus along with the selection, unless it is on something else. */
export function focusCurrent() {
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      const { activeElement } = document;
      if (activeElement && activeElement !== document.body && !activeElement.closest('.inbox')) return;
      const link = document.querySelector('.wish [aria-current="true"]');
      if (link instanceof HTMLElement) link.focus();
    }),
  );
}

/** @type {number | undefined} where a range of selected suggestions begins */
let anchor;

/**
 * Selects a suggestion for a verdict on several, or all from the last one to this.
 * @param {State} state
 * @param {number | undefined} id
 * @param {boolean} [isRange]
 */
export function pick(state, id, isRange = false) {
  if (id === undefined) return;
  const picked = new Set(/** @type {number[]} */ (state.ui.picked ?? []));
  const ids = (items(state) ?? []).map((item) => item.id);
  const [from, to] = [ids.indexOf(anchor ?? id), ids.indexOf(id)].sort((a, b) => a - b);
  if (isRange && from !== undefined && from >= 0)
    for (const one of ids.slice(from, (to ?? 0) + 1)) picked.add(one);
  else if (!picked.delete(id)) picked.add(id);
  anchor = id;
  setUi({ picked: [...picked] });
}

/** Selects none. */
export const clearPicked = () => setUi({ picked: [] });
