import * as format from '../base/format.js';
import { fill, texts } from '../base/texts.js';
import { revert, toast, undoFault } from '../state/actions.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { button } from './parts.js';
import type { Text } from '../base/texts.js';
import type { Change, State } from '../base/types.js';

const common = texts.common;
const words = texts.activity;

const PERSONAL = ['rating', 'photo', 'suggestion'];
const PRIVATE = ['list', 'visit'];

/** A change as a sentence: what stands before the name, and behind it. */
export function sentenceParts(state: State, change: Change) {
  const { kind, action, fields, before, after, reverts } = change;
  const statuses: Readonly<Record<string, string>> = words.statuses;
  const known: Readonly<Record<string, string>> = words.fields;
  const names = [...new Set(fields.map((name) => known[name] ?? words.details))];
  const listed = names.length === 0 ? words.details : format.allOf(names);
  const deed = !before?.items?.length ? 'added' : !after?.items?.length ? 'removed' : 'changed';
  const status = kind === 'suggestion' && fields.includes('status') ? after?.status : undefined;
  const sentence =
    action === 'update' && fields.includes('items')
      ? words.items[deed]
      : before?.merged_into
        ? words.merged
        : (statuses[status ?? ''] ?? words.sentences[kind][action]);
  const [start = '', end = ''] = sentenceOf(state, change, sentence).split('{name}');
  const values = { who: whoOf(state, change), fields: listed };
  return [fill(start, values), fill(end, values) + (reverts === null ? '' : words.byUndo)] as const;
}

/** Whether the reader made a change, as far as that is known. */
function isOwn({ session, config }: State, { kind, actor }: Change) {
  if (PRIVATE.includes(kind)) return true;
  return actor === null ? config?.auth_mode === 'none' : actor.id === session.user?.id;
}

/** Who made a change, as a sentence begins with it. */
export const whoOf = (state: State, change: Change) =>
  isOwn(state, change) ? words.you : (change.actor?.username ?? words.someone);

/** A sentence about a change: languages may have another one for the reader. */
export const sentenceOf = (state: State, change: Change, text: Text) =>
  typeof text === 'string' ? text : ((isOwn(state, change) ? text.you : undefined) ?? text.other);

/** What an update changed from and to, as far as it is text or a number that says something. */
export function valuesOf({ action, fields, before, after }: Change) {
  if (action !== 'update' || !before || !after) return [];
  const isShown = (value: unknown) => value === null || typeof value !== 'object';
  const show = (value: unknown) =>
    (typeof value === 'string' ? value : JSON.stringify(value ?? undefined)) || words.nothing;
  return fields
    .filter((name) => !/_id$|_minor$|^status$/.test(name) && isShown(before[name]) && isShown(after[name]))
    .map((name) => fill(words.value, { before: show(before[name]), after: show(after[name]) }));
}

/** Where what a change is about can be seen; undefined where it cannot. */
export function placeOf({ kind, entity_id: id, action, before, after }: Change) {
  const place = kind === 'restaurant' ? id : (after ?? before)?.restaurant_id;
  if (before?.merged_into) return `/restaurants/${before.merged_into}`;
  if (kind === 'visit') return '/visits';
  if (kind === 'suggestion') return `/suggestions?sel=${id}`;
  if (action === 'delete' && kind !== 'rating') return undefined;
  return kind === 'list' ? `/lists/${id}` : place && `/restaurants/${place}`;
}

/** Whether the service would let the user undo a change; it has the last word. */
function mayUndo({ session: { user }, config }: State, { kind, action, actor }: Change) {
  if (!user || !config || config.read_only) return false;
  if (config.auth_mode === 'none' || PRIVATE.includes(kind)) return true;
  const isOwn = actor?.id === user.id;
  const isPersonal = PERSONAL.includes(kind);
  if (kind === 'rating' && action === 'update') return isOwn;
  if (isPersonal && action === 'delete') return isOwn || user.is_admin;
  if (user.is_admin || config.write_access === 'users') return true;
  return isOwn && isPersonal && (kind !== 'suggestion' || action !== 'update');
}

/**
 * Whether the user may delete something in the trash for good, as far as the app can know: only administrators may where
 * it belongs to others.
 */
export function mayPurge(state: State, deletion: Change) {
  const { user } = state.session;
  const { kind, before } = deletion;
  if (!user || state.config?.read_only) return false;
  // Only its author and administrators see what was deleted.
  if (PERSONAL.includes(kind)) return before !== null;
  if (!mayUndo(state, deletion)) return false;
  if (user.is_admin || PRIVATE.includes(kind)) return true;
  // Content that others wrote is hidden, authors may be.
  const { ratings = [], photos = [] } = before ?? {};
  return before !== null && [...ratings, ...photos].every((one) => [null, user.id].includes(one.author_id));
}

/** The Undo of a change, or that it was undone; nothing where it is not for the user to undo. */
export function undoPart(state: State, change: Change, sentence: string) {
  const { id, kind, entity_id: entity, name } = change;
  if (change.reverted_by !== null) return html`<span class="tiny soft">${words.undone}</span>`;
  if (!mayUndo(state, change)) return nothing;
  const undo = async () => {
    const outcome = await revert(id, { quiet: true });
    if (outcome.ok) return;
    const place = kind === 'restaurant' ? { id: entity, name } : undefined;
    toast({ text: undoFault(outcome.fault, place), kind: 'fault' });
  };
  return button(common.undo, undo, 'link small', { label: fill(words.undoOf, { sentence }) });
}
