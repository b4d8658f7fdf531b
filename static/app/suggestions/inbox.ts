import { fill, texts } from '../base/texts.js';
import { act, alters, faultText, needsUser, revert, setUndo, toast, without } from '../state/actions.js';
import { invalidate } from '../state/data.js';
import { setQuery } from '../state/router.js';
import { answer, readDraft, setDraft, setUi, state } from '../state/store.js';
import { focusOn } from '../parts/mine.js';
import type { Named, State, Suggestion, Ui } from '../base/types.js';

const words = texts.suggestions;

/** The lists of suggestions; converted ones have none. */
export const STATUSES = ['pending', 'approved', 'tested', 'rejected'] as const;
/** The verdicts by their keys, the usual one first. */
export const VERDICTS = { c: 'converted', a: 'approved', t: 'tested', r: 'rejected' } as const;
type Verdict = (typeof VERDICTS)[keyof typeof VERDICTS];
const LANDED = 400;

const setInbox = (changes: Ui['inbox']) => setUi({ inbox: { ...state.ui.inbox, ...changes } });

/** The list on the screen. */
export const statusOf = ({ route }: State) =>
  STATUSES.find((status) => status === route.query.status) ?? 'pending';

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
export const land = (id: number) =>
  setTimeout(() => {
    if (current(state)?.id === id && state.ui.inbox?.landed !== id) setInbox({ landed: id });
  }, LANDED);

/** Selects the next suggestion or the one before. */
export function walk(state: State, step: 1 | -1) {
  const listed = items(state) ?? [];
  const at = listed.findIndex(({ id }) => id === current(state)?.id) + step;
  select(listed[Math.max(0, Math.min(listed.length - 1, at))]);
}

/** Goes on from suggestions that leave the list. On a phone without a selection the list is shown, and stays. */
function moveOn(group: readonly Named[]) {
  const listed = items(state) ?? [];
  const at = listed.findIndex(({ id }) => id === current(state)?.id);
  const stays = ({ id }: Named) => group.every((item) => item.id !== id);
  if (state.route.query.sel === undefined) focusRow(listed.find(stays));
  else select(listed.slice(at + 1).find(stays) ?? listed.findLast(stays));
}

function select(item: Named | undefined) {
  setQuery({ sel: item && String(item.id) }, { replace: true });
  focusRow(item);
}

/** Moves the focus along with the selection, unless it is on something else. */
function focusRow(item: Named | undefined) {
  const { activeElement, body } = document;
  if (item && (!activeElement || activeElement === body || activeElement.closest('.inbox')))
    focusOn(`row-${item.id}`);
}

/** Selects a suggestion for a verdict on several, or all from the last one to this. */
export function pick(state: State, id: number | undefined, isRange = false) {
  if (id === undefined) return;
  const picked = state.ui.inbox?.picked ?? [];
  const ids = (items(state) ?? []).map((item) => item.id);
  const [from = 0, to = 0] = [ids.indexOf(picked.at(-1) ?? id), ids.indexOf(id)].sort((a, b) => a - b);
  const others = picked.filter((one) => one !== id);
  const more = isRange ? [...ids.slice(from, to + 1), id] : picked.includes(id) ? [] : [id];
  setInbox({ picked: [...new Set([...others, ...more])] });
}

export const clearPicked = () => setInbox({ picked: [] });

export function doneToday() {
  const done = readDraft<{ day: string; count: number }>('moderated');
  return done?.day === new Date().toDateString() ? done.count : 0;
}

const countDone = (more: number) =>
  setDraft('moderated', { day: new Date().toDateString(), count: Math.max(0, doneToday() + more) });

export const mayGet = ({ status }: Suggestion, verdict: Verdict) =>
  status !== verdict && status !== 'converted' && !(status === 'rejected' && verdict === 'converted');

/** Passes a verdict on what is selected, or on what is shown, and moves on. */
export function decide(state: State, verdict: Verdict) {
  const shown = current(state);
  const picked = items(state)?.filter(({ id }) => state.ui.inbox?.picked?.includes(id)) ?? [];
  const group = (picked.length > 0 ? picked : shown ? [shown] : [])
    .filter((item) => mayGet(item, verdict))
    .map(({ id, name }) => ({ id, name }));
  if (group.length > 0) pass(verdict, statusOf(state), group);
}

/** Hides suggestions in the list that they leave, also where an answer of before still has them there. */
const setDecided = (group: readonly Named[], from: string) =>
  setInbox({
    decided: { ...state.ui.inbox?.decided, ...Object.fromEntries(group.map(({ id }) => [id, from])) },
  });

/** Requests go one after the other, so that the limit of requests holds and `u` takes back the last. */
let queue = Promise.resolve();

/** Passes a verdict on suggestions of the list `from`. */
const pass = needsUser('moderate', (verdict: Verdict, from: string, group: readonly Named[]) => {
  const url = listUrl(from);
  const changes: string[] = [];
  const undo = () => void (queue = queue.then(() => takeBack(from, group, changes.splice(0))));
  const sendAll = async () => {
    let refused: string | undefined;
    for (const [at, { id, name }] of group.entries()) {
      const progress = { verb: words.verbs[verdict], done: at + 1, total: group.length };
      if (group.length > 1) toast({ text: fill(words.progress, progress) });
      const outcome = await act({
        ...(verdict === 'converted'
          ? { method: 'POST', path: `/suggestions/${id}/convert`, body: {} }
          : { method: 'PATCH', path: `/suggestions/${id}/status`, body: { status: verdict } }),
        quiet: true,
        noUndo: true,
        change: alters(url, (list: readonly Named[]) => without(list, id)),
        reload: false,
      });
      if (outcome.ok) changes.push(...(outcome.change === null ? [] : [outcome.change]));
      else {
        countDone(-1);
        setDecided([{ id, name }], '');
        refused ??= fill(words.notDone, { name, reason: faultText(outcome.fault) });
      }
    }
    // The list on the screen was changed in place.
    invalidate((one) => /^\/(?:restaurants|suggestions)/.test(one) && one !== url);
    const name = group.length === 1 ? (group[0]?.name ?? '') : fill(words.many, { count: group.length });
    if (refused === undefined) toast({ text: fill(words.said[verdict], { name }), undo });
    else toast({ text: refused, kind: 'fault', undo: changes.length > 0 ? undo : undefined });
  };
  moveOn(group);
  clearPicked();
  setDecided(group, from);
  countDone(group.length);
  queue = queue.then(sendAll);
  setUndo(undo);
});

async function takeBack(from: string, group: readonly Named[], changes: readonly string[]) {
  for (const change of changes) await revert(change, { said: '', noUndo: true, reload: false });
  const [first] = group;
  if (!first || changes.length === 0) return;
  setDecided(group, '');
  invalidate();
  countDone(-changes.length);
  toast({ text: fill(words.returned, { name: first.name, count: changes.length }) });
  if (state.route.pattern === '/suggestions')
    setQuery({ status: from, sel: String(first.id) }, { replace: true });
}

export const removeSuggestion = needsUser('remove suggestion', ({ id, name }: Named) => {
  moveOn([{ id, name }]);
  void act({
    method: 'DELETE',
    path: `/suggestions/${id}`,
    said: fill(words.removed, { name }),
    change: alters('/suggestions?', (list: readonly Named[]) => without(list, id)),
  });
});
