import {
  ACTIONS,
  PUBLIC_KINDS,
  type EntityKind,
  PLACEHOLDER_ID,
  PRIVATE_KINDS,
} from '../storage/change-log.ts';
import {
  type Stored,
  isNumber,
  isNumberOrNull,
  isOneOf,
  isText,
  isTextOrNull,
  requireColumns,
} from '../storage/stored.ts';

// The columns of `selectChange`, in its order.
const COLUMNS = {
  id: isNumber,
  at: isText,
  kind: isOneOf([...PUBLIC_KINDS, ...PRIVATE_KINDS]),
  entity_id: isNumber,
  restaurant_id: isNumberOrNull,
  action: isOneOf(ACTIONS),
  name: isText,
  /** JSON; null unless it is an update. */
  fields: isTextOrNull,
  before: isTextOrNull,
  after: isTextOrNull,
  owner_id: isNumberOrNull,
  actor_id: isNumberOrNull,
  username: isTextOrNull,
  token_id: isNumberOrNull,
  token_name: isTextOrNull,
  via: isOneOf(['api', 'cli']),
  request_id: isTextOrNull,
  write_id: isNumber,
  batch_id: isNumberOrNull,
  reverts: isNumberOrNull,
  reverted_by: isNumberOrNull,
  kept_until: isTextOrNull,
  /** When and by whom the deleted entity was purged. */
  purged_at: isTextOrNull,
  purged_by: isNumberOrNull,
  purger: isTextOrNull,
};
const NAMES = Object.keys(COLUMNS);

/** A change as the database returns it, with the name of its author. */
export type ChangeRow = Stored<typeof COLUMNS>;

/** The change of a row of `selectChange` that was read as an array: SQLite rows as objects take twice the time. */
export function changeRowOf(values: readonly unknown[]): ChangeRow {
  const row: Record<string, unknown> = {};
  for (const [index, name] of NAMES.entries()) row[name] = values[index];
  requireColumns(row, COLUMNS);
  return row;
}

/** A batch as the database returns it. */
export interface BatchRow {
  readonly id: number;
  readonly at: string;
  readonly file: string | null;
  readonly actor_id: number | null;
  readonly username: string | null;
  readonly reverts: number | null;
  readonly reverted_by: number | null;
  readonly changes: number;
}

/** A batch with the number of its changes of restaurants. */
export interface BatchHead extends BatchRow {
  readonly places: number;
}

/** A reader of changes. */
export interface Viewer {
  readonly userId: number | null;
  readonly isAdmin: boolean;
  /** Whether people other than administrators see who made a change. */
  readonly showsAuthors: boolean;
}

/** Reads the JSON text of `before` or `after` of a change for a viewer, in pieces. */
export type ReadContent = (row: ChangeRow, content: string, viewer: Viewer) => Iterable<string>;

// All users may read changes of shared entities and those with an author, but only the author and administrators see the
// author's text. Changes of entities with an owner are visible to the owner only.
const BELONGS_TO: Readonly<Record<EntityKind, 'everyone' | 'author' | 'owner'>> = {
  restaurant: 'everyone',
  category: 'everyone',
  food_type: 'everyone',
  suggestion: 'author',
  rating: 'author',
  photo: 'author',
  list: 'owner',
  visit: 'owner',
};

/** Whether entities of this kind have an author. */
export function isPersonal(kind: EntityKind): boolean {
  return BELONGS_TO[kind] === 'author';
}

/** Whether only the owner of an entity of this kind sees its changes. */
export function isPrivate(kind: EntityKind): boolean {
  return BELONGS_TO[kind] === 'owner';
}

/**
 * Whether a viewer who may read the change also sees `before` and `after`. Ratings, photos and suggestions are shown to their
 * author alone, other deleted content to the user who deleted it.
 */
function seesContent({ kind, action, owner_id, actor_id }: ChangeRow, { userId, isAdmin }: Viewer): boolean {
  if (isAdmin || isPrivate(kind)) return true;
  if (userId === null) return false;
  if (isPersonal(kind)) return owner_id === userId;
  return action !== 'delete' || actor_id === userId;
}

/**
 * Whether a caller may undo a readable change: it takes the right to do the opposite write. With `adminsOnly`, users who are not
 * administrators may undo only their own changes. Only its author undoes a change of a rating, and a deleted
 * rating, photo or suggestion is restored by the user who deleted it, or by an administrator.
 */
export function mayRevert(
  { kind, action, actor_id, owner_id }: ChangeRow,
  { userId, isAdmin }: Pick<Viewer, 'userId' | 'isAdmin'>,
  adminsOnly: boolean,
): boolean {
  // The placeholder of mode none stands for all users.
  if (userId === PLACEHOLDER_ID) return true;
  // Only the owner of a list that others joined deletes or restores it.
  if (isPrivate(kind)) return action === 'update' || owner_id === userId || actor_id === userId;
  if (kind === 'rating' && action === 'update') return owner_id === userId;
  const isOwn = actor_id === userId;
  if (isPersonal(kind) && action === 'delete') return isAdmin || isOwn;
  if (isAdmin || !adminsOnly) return true;
  const isModeration = kind === 'suggestion' && action === 'update';
  return isOwn && isPersonal(kind) && !isModeration && owner_id === userId;
}

/** Whether the viewer may not see who made a change. */
export function hidesAuthors({ isAdmin, showsAuthors }: Viewer): boolean {
  return !isAdmin && !showsAuthors;
}

/**
 * Viewers with the same audience of a change get the same text of it, if they may read it. A deleted or restored restaurant
 * comes with the words of several authors, each of whom sees other parts of it.
 */
export function audienceOf(row: ChangeRow, viewer: Viewer): string {
  const { kind, action, owner_id, actor_id } = row;
  const { userId, isAdmin } = viewer;
  const role = isAdmin ? 'admin' : 'user';
  const isOwn = userId !== null && (owner_id === userId || actor_id === userId);
  const isOfMany = kind === 'restaurant' && (action === 'delete' || action === 'restore');
  return isOwn || (isOfMany && !isAdmin && seesContent(row, viewer)) ? `${role} ${userId}` : role;
}

/**
 * The Change of swagger.yaml as JSON text in pieces, for a viewer who may read the change. `read` returns the text of its
 * `before` or `after`.
 */
export function* changePieces(row: ChangeRow, viewer: Viewer, read: ReadContent): Generator<string> {
  const isSeen = seesContent(row, viewer);
  function* shown(content: string | null): Generator<string> {
    if (content === null || !isSeen) yield 'null';
    else if (!hidesAuthors(viewer)) yield* read(row, content, viewer);
    // Quotes within a string of JSON are escaped, so this matches only the name of a field.
    else
      for (const piece of read(row, content, viewer))
        yield piece.replace(/"author_id":\d+/g, '"author_id":null');
  }
  const { id, actor_id, token_id, write_id, batch_id, reverts, reverted_by } = row;
  const isOwnToken = token_id !== null && actor_id !== null && actor_id === viewer.userId;
  const token = isOwnToken ? { id: token_id, name: row.token_name } : null;
  const by = userJson(row.purged_by, row.purger, viewer);
  const purged = row.purged_at === null ? null : { at: row.purged_at, by };
  // Concatenated by hand: a page of a thousand takes a third of the time.
  yield (
    `{"id":${id},"at":"${row.at}","kind":"${row.kind}","entity_id":${row.entity_id},"action":"${row.action}"` +
    `,"name":${JSON.stringify(row.name)},"fields":${row.fields ?? '[]'},"before":`
  );
  yield* shown(row.before);
  yield ',"after":';
  yield* shown(row.after);
  yield (
    `,"actor":${JSON.stringify(userJson(actor_id, row.username, viewer))},"token":${JSON.stringify(token)}` +
    `,"via":"${row.via}","request_id":${JSON.stringify(viewer.isAdmin ? row.request_id : null)}` +
    `,"write_id":${write_id},"batch_id":${batch_id ?? 'null'},"reverts":${reverts ?? 'null'}` +
    `,"reverted_by":${reverted_by ?? 'null'},"kept_until":${JSON.stringify(row.kept_until)}` +
    `,"purged":${JSON.stringify(purged)}}`
  );
}

function userJson(id: number | null, username: string | null, viewer: Viewer): object | null {
  return id === null || hidesAuthors(viewer) ? null : { id, username };
}

/** The Batch of swagger.yaml. */
export function batchJson(row: BatchRow, viewer: Viewer): object {
  const { id, at, file, changes, reverts, reverted_by } = row;
  const actor = userJson(row.actor_id, row.username, viewer);
  return { id, at, file, actor, changes, reverts, reverted_by };
}

/** The BatchHead of swagger.yaml: names of files are for administrators and the user who imported them. */
export function batchHeadJson(row: BatchHead, viewer: Viewer): object {
  const isOwn = row.actor_id !== null && row.actor_id === viewer.userId;
  const file = viewer.isAdmin || isOwn ? row.file : null;
  return { ...batchJson(row, viewer), file, places: row.places };
}
