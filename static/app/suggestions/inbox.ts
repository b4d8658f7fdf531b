import { setQuery } from '../state/router.js';
import { answer, setUi, state } from '../state/store.js';
import type { InboxUi, State, Suggestion } from '../base/types.js';

export type Item = Pick<Suggestion, 'id' | 'name'>;

/** The lists of suggestions; converted ones have none. */
export const STATUSES = ['pending', 'approved', 'tested', 'rejected'] as const;
const LANDED = 400;

/** Remembers something for the inbox. */
export function setInbox(changes: InboxUi) {
  setUi({ inbox: { ...state.ui.inbox, ...changes } });
}

/** The list on the screen. */
export const statusOf = ({ route }: State) =>
  STATUSES.find((status) => status === route.query.status) ?? 'pending';

/** The address of a list below /api. */
export const listUrl = (status: string) => `/suggestions?status=${status}`;

/** The suggestions of the list without those that were just decided on; undefined while it is being loaded. */
export const items = (state: State) =>
  answer<readonly Suggestion[]>(listUrl(statusOf(state)))?.filter(
    ({ id, status }) => state.ui.inbox?.decided?.[id] !== status,
  );

/** The suggestion that is shown and that keys act on: that of the address, else the first. */
export function current(state: State) {
  const { sel } = state.route.query;
  const listed = items(state);
  if (sel === undefined) return listed?.[0];
  return listed?.find(({ id }) => String(id) === sel) ?? answer<Suggestion>(`/suggestions/${sel}`);
}

/** Notes the suggestion that the person stays at, so that what it looks like is asked for. */
export function land(id: number) {
  setTimeout(() => {
    if (current(state)?.id === id && state.ui.inbox?.landed !== id) setInbox({ landed: id });
  }, LANDED);
}

/** Selects the next suggestion or the one before. */
export function walk(state: State, step: 1 | -1) {
  const listed = items(state) ?? [];
  const at = listed.findIndex(({ id }) => id === current(state)?.id) + step;
  go(listed[Math.max(0, Math.min(listed.length - 1, at))]);
}

/** Goes on from suggestions that leave the list. On a phone without a selection the list is shown, and stays. */
export function moveOn(group: readonly Item[]) {
  const listed = items(state) ?? [];
  const at = listed.findIndex(({ id }) => id === current(state)?.id);
  const stays = ({ id }: Item) => group.every((item) => item.id !== id);
  if (state.route.query.sel === undefined) focusCurrent();
  else go(listed.slice(at + 1).find(stays) ?? listed.findLast(stays));
}

function go(item: Item | undefined) {
  setQuery({ sel: item && String(item.id) }, { replace: true });
  focusCurrent();
}

/** Moves the focus along with the selection, unless it is on something else. */
function focusCurrent() {
  const focus = () => {
    const { activeElement } = document;
    if (activeElement && activeElement !== document.body && !activeElement.closest('.inbox')) return;
    document.querySelector<HTMLElement>('.wish [aria-current="true"]')?.focus();
  };
  requestAnimationFrame(() => requestAnimationFrame(focus));
}

/** Selects a suggestion for a verdict on several, or all from the last one to this. */
export function pick(state: State, id: number | undefined, isRange = false) {
  if (id === undefined) return;
  const picked = state.ui.inbox?.picked ?? [];
  const ids = (items(state) ?? []).map((item) => item.id);
  const [from = 0, to = 0] = [ids.indexOf(picked.at(-1) ?? id), ids.indexOf(id)].sort((a, b) => a - b);
  const isOff = !isRange && picked.includes(id);
  const others = picked.filter((one) => one !== id);
  setInbox({
    picked: isOff ? others : [...new Set([...others, ...(isRange ? ids.slice(from, to + 1) : []), id])],
  });
}

/** Selects none. */
export const clearPicked = () => setInbox({ picked: [] });
