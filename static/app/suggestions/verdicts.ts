import { fill, texts } from '../base/texts.js';
import { act, faultText, needsUser, revert, setUndo, toast } from '../state/actions.js';
import { current, items, listUrl, moveOn, setInbox, statusOf } from './inbox.js';
import { invalidate, invalidateAfter } from '../state/data.js';
import { setQuery } from '../state/router.js';
import { readDraft, setDraft, state } from '../state/store.js';
import type { Item } from './inbox.js';
import type { State, Suggestion } from '../base/types.js';

const words = texts.suggestions;

/** The verdicts by their keys, the usual one first. */
export const VERDICTS = { c: 'converted', a: 'approved', t: 'tested', r: 'rejected' } as const;
export type Verdict = (typeof VERDICTS)[keyof typeof VERDICTS];

/** How many verdicts were passed today. */
export function doneToday() {
  const done = readDraft<{ day: string; count: number }>('moderated');
  return done?.day === new Date().toDateString() ? done.count : 0;
}

const countDone = (more: number) =>
  setDraft('moderated', { day: new Date().toDateString(), count: Math.max(0, doneToday() + more) });

/** Whether a verdict can be passed on a suggestion. */
export const mayGet = ({ status }: Suggestion, verdict: Verdict) =>
  status !== verdict && status !== 'converted' && !(status === 'rejected' && verdict === 'converted');

/** Passes a verdict on what is selected, or on what is shown, and moves on. */
export function decide(state: State, verdict: Verdict) {
  const shown = current(state);
  const picked = items(state)?.filter(({ id }) => state.ui.inbox?.picked?.includes(id)) ?? [];
  const group = (picked.length > 0 ? picked : shown ? [shown] : [])
    .filter((item) => mayGet(item, verdict))
    .map(({ id, name }) => ({ id, name }));
  if (group.length > 0) pass({ verdict, from: statusOf(state), group, changes: [] });
}

/** A verdict on one suggestion or several. `from`: the list they were in; `changes`: what Undo reverts. */
interface Batch {
  readonly verdict: Verdict;
  readonly from: string;
  readonly group: readonly Item[];
  readonly changes: string[];
}

/** Hides suggestions in the list that they leave, also where an answer of before still has them there. */
const setDecided = (group: readonly Item[], from: string) =>
  setInbox({
    decided: { ...state.ui.inbox?.decided, ...Object.fromEntries(group.map(({ id }) => [id, from])) },
  });

/** Requests go one after the other, so that the limit of requests holds and `u` takes back the last. */
let queue = Promise.resolve();

const pass = needsUser('moderate', (batch: Batch) => {
  const { from, group } = batch;
  moveOn(group);
  setInbox({ picked: [] });
  setDecided(group, from);
  countDone(group.length);
  const undo = () => void (queue = queue.then(() => takeBack(batch)));
  queue = queue.then(() => sendAll(batch, undo));
  setUndo(undo);
});

async function sendAll({ verdict, from, group, changes }: Batch, undo: () => void) {
  const verb = words.verbs[verdict];
  let refused: string | undefined;
  for (const [at, { id, name }] of group.entries()) {
    if (group.length > 1) toast({ text: fill(words.progress, { verb, done: at + 1, total: group.length }) });
    const outcome = await act({
      ...(verdict === 'converted'
        ? { method: 'POST', path: `/suggestions/${id}/convert`, body: {} }
        : { method: 'PATCH', path: `/suggestions/${id}/status`, body: { status: verdict } }),
      quiet: true,
      noUndo: true,
      change: (edit) =>
        edit.answers(listUrl(from), (list: readonly Item[]) => list.filter((item) => item.id !== id)),
      reload: false,
    });
    if (outcome.ok && outcome.change !== null) changes.push(outcome.change);
    if (outcome.ok) continue;
    countDone(-1);
    setDecided([{ id, name }], '');
    refused ??= fill(words.notDone, { name, reason: faultText(outcome.fault) });
  }
  // The list on the screen was changed in place.
  invalidate((url) => /^\/(?:restaurants|suggestions)/.test(url) && url !== listUrl(from));
  if (refused === undefined) toast({ text: fill(words.said[verdict], { name: nameOf(group) }), undo });
  else toast({ text: refused, kind: 'fault', ...(changes.length > 0 && { undo }) });
}

const nameOf = ([first, ...rest]: readonly Item[]) =>
  first && rest.length === 0 ? first.name : fill(words.many, { count: rest.length + 1 });

async function takeBack({ from, group, changes }: Batch) {
  const reverted = changes.splice(0);
  for (const change of reverted) await revert(change, { said: '', noUndo: true, reload: false });
  const [first] = group;
  if (!first || reverted.length === 0) return;
  setDecided(group, '');
  invalidateAfter(['/changes']);
  countDone(-reverted.length);
  toast({ text: fill(words.returned, { name: first.name, count: reverted.length }) });
  if (state.route.pattern === '/suggestions')
    setQuery({ status: from, sel: String(first.id) }, { replace: true });
}

/** Deletes a suggestion, and moves on. */
export const removeSuggestion = needsUser('remove suggestion', ({ id, name }: Item) => {
  moveOn([{ id, name }]);
  void act({
    method: 'DELETE',
    path: `/suggestions/${id}`,
    said: fill(words.removed, { name }),
    change: (edit) =>
      edit.answers('/suggestions?', (list: readonly Item[]) => list.filter((item) => item.id !== id)),
  });
});
