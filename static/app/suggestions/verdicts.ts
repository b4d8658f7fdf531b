import { fill, texts } from '../base/texts.js';
import { act, faultText, needsUser, revert, setUndo, toast } from '../state/actions.js';
import { clearPicked, current, focusCurrent, go, items, listUrl, statusOf } from './moderation.js';
import { setQuery } from '../state/router.js';
import { readDraft, setDraft, setUi, state } from '../state/store.js';
import type { Item } from './moderation.js';
import type { State, Suggestion } from '../base/types.js';

const words = texts.suggestions;

export type Verdict = 'approved' | 'tested' | 'rejected' | 'converted';

/** How many verdicts were passed today. */
export function doneToday() {
  const { day, count } = readDraft('moderated') ?? {};
  return day === new Date().toDateString() ? Number(count) : 0;
}

function countDone(more: number) {
  setDraft('moderated', { day: new Date().toDateString(), count: Math.max(0, doneToday() + more) });
}

function setMoved(group: readonly Item[], verdict: Verdict | undefined) {
  const moved = { ...state.ui.moved };
  for (const { id } of group) {
    if (verdict) moved[id] = verdict;
    else delete moved[id];
  }
  setUi({ moved });
}

/** Passes a verdict on what is selected, or on what is shown, and moves on. */
export function decide(state: State, verdict: Verdict) {
  const listed = items(state) ?? [];
  const shown = current(state);
  const picked = listed.filter(({ id }) => state.ui.picked?.includes(id));
  const group = (picked.length > 0 ? picked : shown ? [shown] : []).filter((item) => mayGet(item, verdict));
  if (group.length > 0)
    pass(
      verdict,
      statusOf(state),
      group.map(({ id, name }) => ({ id, name })),
    );
}

/** Whether a verdict can be passed on a suggestion. */
export const mayGet = ({ status }: Suggestion, verdict: Verdict) =>
  status !== verdict && status !== 'converted' && !(status === 'rejected' && verdict === 'converted');

/** The suggestion to go on with once these are gone from the list. */
function nextAfter(group: readonly Item[]) {
  const listed = items(state) ?? [];
  const at = listed.findIndex(({ id }) => id === current(state)?.id);
  const stays = ({ id }: Item) => group.every((item) => item.id !== id);
  return listed.slice(at + 1).find(stays) ?? listed.findLast(stays);
}

/** Requests go one after the other, so that the limit of requests holds and `u` takes back the last. */
let queue: Promise<unknown> = Promise.resolve();
let undoLatest: (() => Promise<void>) | undefined;

const pass = needsUser('moderate', (verdict: Verdict, from: string, group: Item[]) => {
  const next = nextAfter(group);
  setMoved(group, verdict);
  clearPicked();
  countDone(group.length);
  // On a phone without a selection the list is on the screen, and stays.
  if (state.route.query.sel !== undefined) go(next);
  else focusCurrent();
  const changes: string[] = [];
  const sent = queue.then(() => sendAll(verdict, from, group, changes));
  queue = sent;
  const undo = async () => {
    if (undoLatest === undo) undoLatest = undefined;
    await sent;
    await takeBack(from, group, changes.splice(0));
  };
  undoLatest = undo;
  setUndo(undo);
  void sent.then((refused) => {
    const [first] = refused;
    if (first) toast({ text: first, kind: 'fault', ...(changes.length > 0 && { undo }) });
    else if (undoLatest === undo) toast({ text: fill(words.said[verdict], { name: nameOf(group) }), undo });
  });
});

const nameOf = ([first, ...rest]: readonly Item[]) =>
  first && rest.length === 0 ? first.name : fill(words.many, { count: rest.length + 1 });

/**
 * @param changes gets the changes that it makes
 * @returns what was refused, with the reasons
 */
async function sendAll(
  verdict: Verdict,
  from: string,
  group: readonly Item[],
  changes: string[],
): Promise<string[]> {
  const refused = [];
  for (const [at, item] of group.entries()) {
    if (group.length > 1)
      toast({
        text: `${words.verbs[verdict]}: ${fill(words.progress, { done: at + 1, total: group.length })}`,
      });
    const outcome = await act({
      ...(verdict === 'converted'
        ? { method: 'POST', path: `/suggestions/${item.id}/convert`, body: {} }
        : { method: 'PATCH', path: `/suggestions/${item.id}/status`, body: { status: verdict } }),
      quiet: true,
      noUndo: true,
      change: (edit) => edit.answers(listUrl(from), (list) => list.filter(({ id }: Item) => id !== item.id)),
      reload: false,
    });
    setMoved([item], undefined);
    if (undoLatest) setUndo(undoLatest);
    if (outcome.ok && outcome.change !== null) changes.push(outcome.change);
    if (outcome.ok) continue;
    countDone(-1);
    refused.push(fill(words.notDone, { name: item.name, reason: faultText(outcome.fault) }));
  }
  return refused;
}

async function takeBack(from: string, group: readonly Item[], changes: readonly string[]) {
  for (const [at, change] of changes.entries()) {
    // The lists are asked for once, after the last one.
    await revert(change, { said: '', ...(at < changes.length - 1 && { reload: false }) });
    // A part of what is being taken back is nothing to take back.
    setUndo(() => {});
  }
  countDone(-changes.length);
  const [first] = group;
  if (!first || changes.length === 0) return;
  toast({
    text:
      group.length === 1
        ? fill(words.returned, { name: first.name })
        : fill(words.returnedAll, { count: changes.length }),
  });
  if (state.route.pattern === '/suggestions')
    setQuery({ status: from, sel: String(first.id) }, { replace: true });
}

/** Deletes a suggestion, and moves on. */
export const removeSuggestion = needsUser('remove suggestion', (id: number, said: string) => {
  if (state.route.query.sel !== undefined) go(nextAfter([{ id, name: '' }]));
  void act({
    method: 'DELETE',
    path: `/suggestions/${id}`,
    said,
    change: (edit) => edit.answers('/suggestions?', (list) => list.filter((item: Item) => item.id !== id)),
  });
});
