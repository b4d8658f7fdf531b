import { fill, texts } from '../base/texts.js';
import { faultText } from '../state/actions.js';
import type { Change, Fault, State, User } from '../base/types.js';

const words = texts.activity;

const FILTERS = ['kind', 'actor', 'action'];
const MOST_PAGES = 4;
const PERSONAL = ['rating', 'photo', 'suggestion'];
const PRIVATE = ['list', 'visit'];

/** The addresses of the pages of the log that are shown, the newest changes first. */
export function pageUrls({ route, ui, data }: State) {
  const query = new URLSearchParams({ order: 'newest', limit: '50' });
  for (const name of FILTERS) {
    const value = route.query[name];
    if (value) query.set(name, value);
  }
  const first = `/changes?${query}`;
  const urls = [first];
  while (urls.length < Math.min(MOST_PAGES, ui.pages?.[first] ?? 1)) {
    const { next } = (data[urls.at(-1) ?? '']?.body as any) ?? {};
    if (!next) break;
    urls.push(`${first}&since=${next}`);
  }
  return urls;
}

/** Puts neighbouring changes of one import, or of the revert of one, together; every other change is alone. */
export function runsOf(changes: readonly Change[]) {
  const runs: Change[][] = [];
  for (const change of changes) {
    const last = runs.at(-1);
    if (last && change.batch_id !== null && last[0]?.batch_id === change.batch_id) last.push(change);
    else runs.push([change]);
  }
  return runs;
}

/** A change as a sentence: what stands before the name, and behind it. */
export function sentenceParts(state: State, change: Change) {
  const [before = '', after = ''] = sentenceOf(change).split('{name}');
  const values = { who: whoOf(state, change), fields: fieldsText(change.fields) };
  return [fill(before, values), fill(after, values)];
}

/** Who made a change, as a sentence begins with it. */
export function whoOf({ session, config }: State, { kind, actor }: Change) {
  const isOwn = actor !== null && actor.id === session.user?.id;
  const isNobody = actor === null && config?.auth_mode === 'none';
  return isOwn || isNobody || PRIVATE.includes(kind) ? words.you : (actor?.username ?? words.someone);
}

function sentenceOf({ kind, action, fields, before, after }: Change): string {
  if (action === 'update' && fields.includes('items')) {
    const has = (values: Change['after']) => values?.items?.length > 0;
    return words.items[!has(before) ? 'added' : has(after) ? 'changed' : 'removed'];
  }
  const status = kind === 'suggestion' && fields.includes('status') ? after?.status : undefined;
  const statuses: Readonly<Record<string, string>> = words.statuses;
  return statuses[status] ?? words.sentences[kind][action];
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
  const show = (value: unknown) => (value === null || value === '' ? words.nothing : String(value));
  return fields
    .filter((name) => !/_id$|_minor$|^status$/.test(name))
    .filter((name) =>
      [before[name], after[name]].every((value) => value === null || typeof value !== 'object'),
    )
    .map((name) => fill(words.value, { before: show(before[name]), after: show(after[name]) }));
}

/** Where what a change is about can be seen; undefined where it cannot. */
export function placeOf({ kind, entity_id: id, action, before, after }: Change) {
  if (kind === 'visit') return '/visits';
  if (kind === 'suggestion') return `/suggestions?sel=${id}`;
  if (kind === 'category' || kind === 'food_type' || (action === 'delete' && kind !== 'rating'))
    return undefined;
  if (kind === 'list') return `/lists/${id}`;
  const place = kind === 'restaurant' ? id : (after ?? before)?.restaurant_id;
  return place ? `/restaurants/${place}` : undefined;
}

/** Whether the service would let the user revert a change; it has the last word. */
export function mayRevert({ session: { user }, config }: State, change: Change) {
  if (!user || !config || config.read_only) return false;
  if (config.auth_mode === 'none' || PRIVATE.includes(change.kind)) return true;
  return mayUndo(user, change, config.write_access === 'users');
}

function mayUndo(user: User, { kind, action, actor }: Change, mayAllWrite: boolean) {
  const isOwn = actor !== null && actor.id === user.id;
  const isPersonal = PERSONAL.includes(kind);
  if (kind === 'rating' && action === 'update') return isOwn;
  if (isPersonal && action === 'delete') return isOwn || user.is_admin;
  if (user.is_admin || mayAllWrite) return true;
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
  if (!mayRevert(state, change)) return false;
  if (user.is_admin || PRIVATE.includes(change.kind)) return true;
  // Content that others wrote is hidden, authors may be.
  const parts = change.before && [...(change.before.ratings ?? []), ...(change.before.photos ?? [])];
  return parts?.every(({ author_id: author }) => [null, user.id].includes(author)) ?? false;
}

/** Why a change was not reverted, in words: with its name, where the API has a number. */
export function whyNot({ kind, entity_id: id, name }: Change, fault: Fault) {
  if (fault.status !== 409) return fill(words.refused, { reason: faultText(fault) });
  const reason = fault.message.replace(/^Change \d+ cannot be reverted: /, '');
  return fill(words.refused, { reason: reason.replaceAll(`${kind.replace('_', ' ')} ${id}`, name) });
}
