import { type Action, type Kind, PRIVATE_KINDS } from '../storage/change-log.ts';

/** A change as the database returns it, with the name of its author. */
export interface ChangeRow {
  readonly id: number;
  readonly at: string;
  readonly kind: Kind;
  readonly entity_id: number;
  readonly restaurant_id: number | null;
  readonly action: Action;
  readonly name: string;
  /** JSON; null unless it is an update. */
  readonly fields: string | null;
  readonly before: string | null;
  readonly after: string | null;
  readonly owner_id: number | null;
  readonly actor_id: number | null;
  readonly username: string | null;
  readonly token_id: number | null;
  readonly token_name: string | null;
  readonly via: 'api' | 'cli';
  readonly request_id: string | null;
  readonly write_id: number;
  readonly batch_id: number | null;
  readonly reverts: number | null;
  readonly reverted_by: number | null;
  readonly kept_until: string | null;
  /** When and by whom the deleted entity was purged. */
  readonly purged_at: string | null;
  readonly purged_by: number | null;
  readonly purger: string | null;
}

/** The columns of `selectChange`: the rows of a page are read as arrays, since objects take twice the time. */
export type Columns = readonly [
  ...[id: number, at: string, kind: Kind, entityId: number, restaurantId: number | null, action: Action],
  ...[name: string, fields: string | null, before: string | null, after: string | null],
  ...[ownerId: number | null, actorId: number | null, username: string | null],
  ...[tokenId: number | null, tokenName: string | null, via: 'api' | 'cli', requestId: string | null],
  ...[writeId: number, batchId: number | null, reverts: number | null, revertedBy: number | null],
  ...[keptUntil: string | null, purgedAt: string | null, purgedBy: number | null, purger: string | null],
];

/** The change of a row of `selectChange`. */
export function rowOf(columns: Columns): ChangeRow {
  const [id, at, kind, entity_id, restaurant_id, action, name, fields, before, after, ...people] = columns;
  const [owner_id, actor_id, username, token_id, token_name, via, request_id, ...writes] = people;
  const [write_id, batch_id, reverts, reverted_by, kept_until, purged_at, purged_by, purger] = writes;
  return {
    id,
    at,
    kind,
    entity_id,
    restaurant_id,
    action,
    name,
    fields,
    before,
    after,
    owner_id,
    actor_id,
    username,
    token_id,
    token_name,
    via,
    request_id,
    write_id,
    batch_id,
    reverts,
    reverted_by,
    kept_until,
    purged_at,
    purged_by,
    purger,
  };
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

/** A reader of changes. */
export interface Viewer {
  readonly userId: number | null;
  readonly isAdmin: boolean;
  /** Whether people other than administrators see who made a change. */
  readonly showsAuthors: boolean;
}

/** Reads the JSON text of `before` or `after` of a change for a viewer, in pieces. */
export type ReadContent = (row: ChangeRow, content: string, viewer: Viewer) => Iterable<string>;

// Ratings, photos and suggestions are their author's.
const PERSONAL: readonly Kind[] = ['rating', 'photo', 'suggestion'];

/** Whether entities of this kind belong to a user. */
export function isPersonal(kind: Kind): boolean {
  return PERSONAL.includes(kind);
}

const PRIVATE: readonly Kind[] = PRIVATE_KINDS;

/** Whether changes of this kind are for the owner of the entity alone. */
export function isPrivate(kind: Kind): boolean {
  return PRIVATE.includes(kind);
}

/** Whether a user may read a change at all: of private kinds the owner may, and no one else. */
export function isReadable({ kind, owner_id }: ChangeRow, userId: number | null): boolean {
  return !isPrivate(kind) || (owner_id !== null && owner_id === userId);
}

/**
 * The Change of swagger.yaml as JSON text in pieces, as far as the viewer, who may read the change, may see it. `read`
 * returns the text of its `before` or `after`.
 */
export function* changePieces(row: ChangeRow, viewer: Viewer, read: ReadContent): Generator<string> {
  const isSeen = seesContent(row, viewer);
  function* shown(content: string | null): Generator<string> {
    if (content === null || !isSeen) yield 'null';
    else if (!hidesAuthors(viewer)) yield* read(row, content, viewer);
    else for (const piece of read(row, content, viewer)) yield withoutAuthors(piece);
  }
  const { id, write_id, batch_id, reverts, reverted_by, kept_until } = row;
  const actor = JSON.stringify(actorOf(row, viewer));
  const token = JSON.stringify(tokenOf(row, viewer));
  const requestId = viewer.isAdmin ? quoted(row.request_id) : 'null';
  const purged = JSON.stringify(purgeOf(row, viewer));
  // Put together by hand: a page of a thousand takes a third of the time.
  yield (
    `{"id":${id},"at":"${row.at}","kind":"${row.kind}","entity_id":${row.entity_id},"action":"${row.action}"` +
    `,"name":${JSON.stringify(row.name)},"fields":${row.fields ?? '[]'},"before":`
  );
  yield* shown(row.before);
  yield ',"after":';
  yield* shown(row.after);
  yield (
    `,"actor":${actor},"token":${token}` +
    `,"via":"${row.via}","request_id":${requestId},"write_id":${write_id},"batch_id":${batch_id ?? 'null'}` +
    `,"reverts":${reverts ?? 'null'},"reverted_by":${reverted_by ?? 'null'},"kept_until":${quoted(kept_until)}` +
    `,"purged":${purged}}`
  );
}

/**
 * What the text of a change depends on, for a viewer who may read it: viewers with the same audience get the same text. What
 * belonged to a restaurant holds words of several authors, each of whom sees other parts of it.
 */
export function audienceOf(row: ChangeRow, viewer: Viewer): string {
  const { kind, action, owner_id, actor_id } = row;
  const { userId, isAdmin } = viewer;
  const role = isAdmin ? 'admin' : 'user';
  const isOwn = userId !== null && (owner_id === userId || actor_id === userId);
  const isOfMany = kind === 'restaurant' && (action === 'delete' || action === 'restore');
  return isOwn || (isOfMany && !isAdmin && seesContent(row, viewer)) ? `${role} ${userId}` : role;
}

function quoted(text: string | null): string {
  return text === null ? 'null' : JSON.stringify(text);
}

/**
 * Whether a viewer who may read the change sees `before` and `after`: what may hold words of others is shown to its owner,
 * what was deleted to the user who deleted it.
 */
export function seesContent(
  { kind, action, owner_id, actor_id }: ChangeRow,
  { userId, isAdmin }: Viewer,
): boolean {
  if (isAdmin || isPrivate(kind)) return true;
  if (userId === null) return false;
  if (isPersonal(kind)) return owner_id === userId;
  return action !== 'delete' || actor_id === userId;
}

/** Whether the viewer may not see who made a change. */
export function hidesAuthors({ isAdmin, showsAuthors }: Viewer): boolean {
  return !isAdmin && !showsAuthors;
}

function withoutAuthors(content: string): string {
  // Within a string of JSON text quotes are escaped, so that this is nothing but a name of a field.
  return content.replace(/"author_id":\d+/g, '"author_id":null');
}

function actorOf({ actor_id: id, username }: ChangeRow | BatchRow, viewer: Viewer): object | null {
  return id === null || hidesAuthors(viewer) ? null : { id, username };
}

function purgeOf(
  { purged_at: at, purged_by: id, purger: username }: ChangeRow,
  viewer: Viewer,
): object | null {
  if (at === null) return null;
  return { at, by: id === null || hidesAuthors(viewer) ? null : { id, username } };
}

function tokenOf({ token_id: id, token_name: name, actor_id }: ChangeRow, { userId }: Viewer): object | null {
  return id === null || actor_id === null || actor_id !== userId ? null : { id, name };
}

/** The Batch of swagger.yaml. */
export function batchJson(row: BatchRow, viewer: Viewer): object {
  const { id, at, file, changes, reverts, reverted_by } = row;
  return { id, at, file, actor: actorOf(row, viewer), changes, reverts, reverted_by };
}
