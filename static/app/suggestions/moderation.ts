import { setQuery } from '../state/router.js';
import { setUi } from '../state/store.js';
import type { State, Suggestion } from '../base/types.js';

export type Item = Pick<Suggestion, 'id' | 'name'>;

/** The lists of suggestions; converted ones have none. */
export const STATUSES = ['pending', 'approved', 'tested', 'rejected'] as const;
const LANDED = 400;

/** The list on the screen. */
export const statusOf = ({ route }: State) =>
  STATUSES.find((status) => status === route.query.status) ?? 'pending';

/** The address of a list below /api. */
export const listUrl = (status: string) => `/suggestions?status=${status}`;

/**
 * The suggestions of the list, without those that a verdict was just passed on.
 * @returns undefined while it is being loaded
 */
export function items(state: State): Suggestion[] | undefined {
  const body = state.data[listUrl(statusOf(state))]?.body as Suggestion[] | undefined;
  return body?.filter(({ id }) => state.ui.moved?.[id] === undefined);
}

/** The suggestion that is shown and that keys act on: that of the address, else the first. */
export function current(state: State) {
  const { sel } = state.route.query;
  const listed = items(state);
  if (sel === undefined) return listed?.[0];
  return (
    listed?.find(({ id }) => String(id) === sel) ??
    (state.data[`/suggestions/${sel}`]?.body as Suggestion | undefined)
  );
}

let timer: ReturnType<typeof setTimeout>;
let landing = 0;

/** Notes which suggestion is shown; who stays there sees what it looks like. */
export function land(id: number) {
  if (id === landing) return;
  landing = id;
  clearTimeout(timer);
  timer = setTimeout(() => setUi({ landed: id }), LANDED);
}

/** Selects the next suggestion or the one before. */
export function walk(state: State, step: 1 | -1) {
  const listed = items(state) ?? [];
  const at = listed.findIndex(({ id }) => id === current(state)?.id);
  go(listed[Math.max(0, Math.min(listed.length - 1, at + step))]);
}

/** Selects a suggestion. */
export function go(item: Item | undefined) {
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

/** where a range of selected suggestions begins */
let anchor: number | undefined;

/** Selects a suggestion for a verdict on several, or all from the last one to this. */
export function pick(state: State, id: number | undefined, isRange = false) {
  if (id === undefined) return;
  const picked = new Set((state.ui.picked ?? []) as number[]);
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
