import type { EntityKind } from '../storage/change-log.ts';
import type { Prepared, QueryFile } from '../storage/statements.ts';
import { createContentReader } from './contents.ts';
import { type LogOrder, type LogPosition, logPositionOf } from './cursor.ts';
import {
  type BatchHead,
  type BatchRow,
  type ChangeRow,
  type ReadContent,
  type Viewer,
  changeRowOf,
  changePieces,
  isPrivate,
} from './record.ts';

/** The columns by which changes are filtered. */
const FILTERED = ['kind', 'entity_id', 'action', 'actor_id', 'batch_id'] as const;

/** The values that each column may have; any where it has no filter. */
export type ChangeFilters = Readonly<
  Partial<Record<(typeof FILTERED)[number], readonly (string | number)[] | undefined>> & {
    /** Whether only the newest of the changes of a batch matches, which only `order=newest` knows. */
    collapsed?: true | undefined;
  }
>;

/** Whether a change passes all filters: the same as `andFilters` of changes.sql. */
export function matches(row: ChangeRow, filters: ChangeFilters): boolean {
  return FILTERED.every((name) => {
    const [values, value] = [filters[name], row[name]];
    return values === undefined || (value !== null && values.includes(value));
  });
}

/**
 * A part of the log as one reader sees it: the private changes of others leave no trace in it, not even in `next`. It may
 * have fewer changes than match, even none, because each search takes bounded time.
 */
export interface LogPart {
  readonly rows: readonly ChangeRow[];
  /** The start of the next part. */
  readonly next: LogPosition;
  readonly hasMore: boolean;
}

// A filter that matches few changes is applied to this many at a time, which takes a few milliseconds.
const SEARCHED = 10_000;
// A part ends with the change that takes it over this many bytes.
const LONGEST = 1_000_000;
const ANY_ID = Number.MAX_SAFE_INTEGER;

/** A row of `selectChange` as an array. */
type Values = readonly unknown[];

/** Reads the change log. A reader of null sees only public changes. */
export class ChangeStore {
  readonly #readContent: ReadContent;
  readonly #sql;

  /** Opens the store on changes.sql. */
  constructor(sql: QueryFile) {
    // Index scans skip other users' private changes, however many there are.
    const readable = (range: string, order: string, ...filters: string[]): Prepared<Values> => {
      const [ofAll = [], ...others] = ['wherePublic', 'whereOwn', 'whereShared'].map((part) => {
        return ['selectChange', part, range, 'andFilters', ...filters];
      });
      const rest = others.flatMap((part) => ['andAlso', ...part]);
      return sql.prepare<Values>(...ofAll, ...rest, order).raw();
    };
    this.#readContent = createContentReader(sql);
    this.#sql = {
      get: sql.prepare<ChangeRow>('selectChange', 'whereId'),
      ofWrite: sql.prepare<ChangeRow>('selectChange', 'whereWrite', 'orderOldest'),
      ofBatch: sql.prepare<ChangeRow>('selectChange', 'whereBatch', 'orderNewest'),
      listAll: sql.prepare<Values>('selectChange', 'whereAfter', 'orderOldest').raw(),
      oldest: {
        list: readable('andAfter', 'orderOldest'),
        lastSearched: sql.prepare<number | null>('lastSearched').pluck(),
        last: sql.prepare<number | null>('lastReadable').pluck(),
      },
      newest: {
        list: readable('andBefore', 'orderNewest', 'andCollapsed'),
        lastSearched: sql.prepare<number | null>('firstSearched').pluck(),
        last: sql.prepare<number | null>('firstReadable').pluck(),
      },
      inBlock: sql.prepare<Values>('selectChange', 'whereOfRestaurant', 'orderNewest').raw(),
      blocksOf: sql.prepare<number>('blocksOfRestaurant').pluck(),
      isKnown: sql.prepare('restaurantIsKnown'),
      isShared: sql.prepare('isShared'),
      floor: sql.prepare<LogPosition>('getFloor'),
      lengthAfter: sql.prepare<number>('lengthAfter').pluck(),
      lastId: sql.prepare<number | null>('lastId').pluck(),
      findDeletion: sql.prepare<number | null>('findDeletion').pluck(),
      belongsToOthers: sql.prepare('belongsToOthers'),
      batch: sql.prepare<BatchRow>('selectBatch', 'whereBatchId'),
      batches: sql.prepare<BatchRow>('selectBatch', 'whereBatchBefore'),
      batchHead: sql.prepare<BatchHead>('batchHead'),
      countBatches: sql.prepare<number>('countBatches').pluck(),
    };
  }

  /** Any change, also a private one. Rows do not hold what was deleted with a restaurant or list. */
  get(id: number): ChangeRow | undefined {
    return this.#sql.get.get({ id });
  }

  /** Whether a user may read a change at all: private ones are for their owner, or for the people of the list. */
  isReadable({ kind, owner_id: ownerId }: ChangeRow, userId: number | null): boolean {
    if (!isPrivate(kind) || (ownerId !== null && ownerId === userId)) return true;
    return ownerId !== null && ownerId < 0 && this.#sql.isShared.get({ ownerId, userId }) !== undefined;
  }

  /** The JSON text of a change for a viewer who may read it, including what was deleted with a restaurant or list. */
  textFor(row: ChangeRow, viewer: Viewer): string {
    return [...this.piecesFor(row, viewer)].join('');
  }

  /** Like `textFor`, but in pieces read one by one: together they may have some megabytes. */
  piecesFor(row: ChangeRow, viewer: Viewer): Iterable<string> {
    return changePieces(row, viewer, this.#readContent);
  }

  /** The changes of a write, the oldest first. */
  ofWrite(writeId: number): ChangeRow[] {
    return this.#sql.ofWrite.all({ writeId, limit: -1 });
  }

  /** The changes of a batch before one, the newest first. */
  ofBatch(batchId: number, before: number, limit: number): ChangeRow[] {
    return this.#sql.ofBatch.all({ batchId, before, limit });
  }

  /**
   * The changes that a reader may see, from a place on: those after it, the oldest first, or those before it, the newest
   * first. Without a place, from the first of that order on.
   */
  read(
    order: LogOrder,
    place: LogPosition | undefined,
    limit: number,
    filters: ChangeFilters,
    readerId: number | null,
    longest = LONGEST,
  ): LogPart {
    const { list, lastSearched, last: lastOfAll } = this.#sql[order];
    const [first, end] = order === 'oldest' ? [0, ANY_ID] : [ANY_ID, 0];
    const from = place?.id ?? first;
    // Changes of several lists are sorted, so there must not be more of them than are needed.
    const most = hasFilter(filters) ? SEARCHED : limit + 1;
    const searched = lastSearched.get({ from, readerId, limit: most });
    const range = { from, to: searched ?? end, limit: limit + 1 };
    const rows = list.iterate({ ...range, ...bound(filters), readerId });
    const { found, isWhole } = readPart(rows, limit, longest);
    const last = (isWhole ? searched : undefined) ?? found.at(-1)?.id;
    const next = last === undefined ? (place ?? this.start(readerId)) : this.#placeAt(last, readerId);
    const final = lastOfAll.get({ readerId }) ?? next.id;
    const hasMore = order === 'oldest' ? next.id < final : last !== undefined && last > final;
    return { rows: found, next, hasMore };
  }

  /**
   * The changes of a restaurant, its ratings and its photos, the newest first. Undefined where neither the catalogue nor the
   * log knows it.
   */
  history(restaurantId: number, place: LogPosition | undefined, limit: number): LogPart | undefined {
    if (!this.#sql.isKnown.get({ id: restaurantId })) return undefined;
    const range = { restaurantId, before: place?.id ?? ANY_ID, limit: limit + 1 };
    const [blocks, inBlock] = [this.#sql.blocksOf.all(range), this.#sql.inBlock];
    function* rows(): Generator<Values> {
      for (const block of blocks) yield* inBlock.iterate({ block, ...range });
    }
    const { found, isWhole } = readPart(rows(), limit, LONGEST);
    const last = found.at(-1);
    return { rows: found, next: last ? logPositionOf(last) : this.start(null), hasMore: !isWhole };
  }

  /** Every change after this id, private ones too, up to the one that makes them longer than `longest` bytes. */
  allAfter(after: number, limit: number, longest: number): readonly ChangeRow[] {
    return readPart(this.#sql.listAll.iterate({ after, limit }), limit, longest).found;
  }

  /** The place before the oldest stored change that the reader may see. */
  start(readerId: number | null): LogPosition {
    return this.#sql.floor.get({ readerId }) ?? { id: 0, mark: '' };
  }

  /** The place after the newest change that the reader may see. */
  end(readerId: number | null): LogPosition {
    return this.#placeAt(this.#sql.oldest.last.get({ readerId }) ?? 0, readerId);
  }

  /** The place after a change; if that is no longer stored, the first place that the reader may see. */
  #placeAt(id: number, readerId: number | null): LogPosition {
    const row = this.get(id);
    return row ? logPositionOf(row) : this.start(readerId);
  }

  /** The id of the newest change, readable or not; 0 while there is none. */
  lastId(): number {
    return this.#sql.lastId.get() ?? 0;
  }

  /** Whether all changes after the place that the reader may see are stored, and the mark of the change before it matches. */
  isStored({ id, mark }: LogPosition, readerId: number | null): boolean {
    const oldest = this.start(readerId);
    if (id === oldest.id) return mark === oldest.mark;
    const row = id > oldest.id ? this.get(id) : undefined;
    return row !== undefined && logPositionOf(row).mark === mark;
  }

  /** About how many bytes of changes a reader may still see after this id; counts no further than 1 MB. */
  lengthAfter(after: number, readerId: number | null): number {
    return this.#sql.lengthAfter.get({ after, readerId }) ?? 0;
  }

  /** The change that deleted an entity last. */
  deletionOf(kind: EntityKind, entityId: number): number | undefined {
    return this.#sql.findDeletion.get({ kind, entityId }) ?? undefined;
  }

  /** Whether ratings, photos, visits or list items of other users go with deleted restaurants, or moved when these were merged. */
  belongsToOthers(restaurantIds: readonly number[], userId: number): boolean {
    return this.#sql.belongsToOthers.get({ ids: JSON.stringify(restaurantIds), userId }) !== undefined;
  }

  /** A batch of any user, as a reader sees it. */
  batch(id: number, readerId: number | null): BatchRow | undefined {
    return this.#sql.batch.get({ id, readerId });
  }

  /** The batches that a viewer made, or all for an administrator, newest first. Do not write to the database while iterating. */
  batches({ userId: readerId, isAdmin }: Viewer, before: number, limit: number): Iterable<BatchRow> {
    return this.#sql.batches.iterate({ readerId, isOfAll: Number(isAdmin), before, limit });
  }

  /** A batch as a reader sees it who sees one of its changes. */
  batchHead(id: number, readerId: number | null): BatchHead | undefined {
    return this.#sql.batchHead.get({ id, readerId });
  }

  countBatches({ userId: readerId, isAdmin }: Viewer): number {
    return this.#sql.countBatches.get({ readerId, isOfAll: Number(isAdmin) }) ?? 0;
  }
}

function hasFilter(filters: ChangeFilters): boolean {
  return Object.values(filters).some((filter) => filter !== undefined);
}

function bound(filters: ChangeFilters): Record<string, string | number | null> {
  const values = FILTERED.map(
    (name) => [name, filters[name] ? JSON.stringify(filters[name]) : null] as const,
  );
  return { ...Object.fromEntries(values), collapsed: filters.collapsed ? 1 : 0 };
}

/** Reads rows up to a number and a length in bytes; `isWhole` if none remained. */
function readPart(
  rows: Iterable<Values>,
  limit: number,
  longest: number,
): { readonly found: readonly ChangeRow[]; readonly isWhole: boolean } {
  const found: ChangeRow[] = [];
  let bytes = 0;
  for (const values of rows) {
    if (found.length === limit || bytes > longest) return { found, isWhole: false };
    const row = changeRowOf(values);
    found.push(row);
    bytes += Buffer.byteLength(row.before ?? '') + Buffer.byteLength(row.after ?? '');
  }
  return { found, isWhole: true };
}
