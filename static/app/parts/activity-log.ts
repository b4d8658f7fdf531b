import { fill, texts } from '../base/texts.js';
import { faultText, revert, toast } from '../state/actions.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { button } from './parts.js';
import type { Change, Fault, State } from '../base/types.js';

const common = texts.common;
const words = texts.activity;

const PERSONAL = ['rating', 'photo', 'suggestion'];
const PRIVATE = ['list', 'visit'];

/** A change as a sentence: what stands before the name, and behind it. */
export function sentenceParts(state: State, change: Change) {
  const [before = '', after = ''] = sentenceOf(change).split('{name}');
  const values = { who: whoOf(state, change), fields: fieldsText(change.fields) };
  return [fill(before, values), fill(after, values) + (change.reverts === null ? '' : words.byUndo)] as const;
}

/** Who made a change, as a sentence begins with it. */
export function whoOf({ session, config }: State, { kind, actor }: Change) {
  const isOwn = actor !== null && actor.id === session.user?.id;
  const isNobody = actor === null && config?.auth_mode === 'none';
  return isOwn || isNobody || PRIVATE.includes(kind) ? words.you : (actor?.username ?? words.someone);
}

function sentenceOf({ kind, action, fields, before, after }: Change): string {
  if (action === 'update' && fields.includes('items')) {
    const isEmpty = [before, after].map((values) => !values?.items?.length);
    return words.items[isEmpty[0] ? 'added' : isEmpty[1] ? 'removed' : 'changed'];
  }
  const statuses: Readonly<Record<string, string>> = words.statuses;
  const status = kind === 'suggestion' && fields.includes('status') ? after?.status : undefined;
  return statuses[status ?? ''] ?? words.sentences[kind][action];
}

function fieldsText(fields: readonly string[]) {
  const known: Readonly<Record<string, string>> = words.fields;
  const names = [...new Set(fields.map((name) => known[name] ?? words.details))];
  const last = names.pop() ?? words.details;
  return names.length === 0 ? last : fill(words.and, { before: names.join(', '), last });
}

/** What an update changed from and to, as far as it is text or a number that says something. */
export function valuesOf({ action, fields, before, after }: Change) {
  if (action !== 'update' || !before || !after) return [];
  const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value ?? ''));
  const show = (value: unknown) => (value === '' || value === null ? words.nothing : textOf(value));
  return fields
    .filter((name) => !/_id$|_minor$|^status$/.test(name))
    .map((name) => [before[name], after[name]] as const)
    .filter((values) => values.every((value) => value === null || typeof value !== 'object'))
    .map(([from, to]) => fill(words.value, { before: show(from), after: show(to) }));
}

/** Where what a change is about can be seen; undefined where it cannot. */
export function placeOf({ kind, entity_id: id, action, before, after }: Change) {
  if (kind === 'visit') return '/visits';
  if (kind === 'suggestion') return `/suggestions?sel=${id}`;
  if (kind === 'category' || kind === 'food_type') return undefined;
  if (action === 'delete' && kind !== 'rating') return undefined;
  if (kind === 'list') return `/lists/${id}`;
  const place = kind === 'restaurant' ? id : (after ?? before)?.restaurant_id;
  return place && `/restaurants/${place}`;
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
 * @param change a deletion
 */
export function mayPurge(state: State, change: Change) {
  const { user } = state.session;
  if (!user || state.config?.read_only) return false;
  // Only its author and administrators see what was deleted.
  if (PERSONAL.includes(change.kind)) return change.before !== null;
  if (!mayUndo(state, change)) return false;
  if (user.is_admin || PRIVATE.includes(change.kind)) return true;
  // Content that others wrote is hidden, authors may be.
  const { ratings = [], photos = [] } = change.before ?? {};
  const isOwn = ({ author_id: author }: { author_id: number | null }) => [null, user.id].includes(author);
  return change.before !== null && [...ratings, ...photos].every(isOwn);
}

/** The Undo of a change, or that it was undone; nothing where it is not for the user to undo. */
export function undoPart(state: State, change: Change, sentence: string) {
  if (change.reverted_by !== null) return html`<span class="tiny soft">${words.undone}</span>`;
  if (!mayUndo(state, change)) return nothing;
  const label = fill(words.undoOf, { sentence });
  const undo = async () => {
    const outcome = await revert(change.id, { quiet: true });
    if (!outcome.ok) toast({ text: whyNot(change, outcome.fault), kind: 'fault' });
  };
  return button(common.undo, undo, 'link small', { label });
}

/** Why a change was not undone, in words: with its name, where the API has a number. */
function whyNot({ kind, entity_id: id, name }: Change, fault: Fault) {
  const text = fault.status === 409 ? fault.message.replace(/^Change \d+ cannot be reverted: /, '') : '';
  const reason = text.replaceAll(`${kind.replace('_', ' ')} ${id}`, name) || faultText(fault);
  return fill(words.refused, { reason });
}
