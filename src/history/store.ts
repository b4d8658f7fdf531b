import type { Action, Kind } from '../storage/change-log.ts';
import { type Bindings, type QueryFile, assemble } from '../storage/statements.ts';
import { createContentReader } from './belongings.ts';
import { type Place, placeOf } from './cursor.ts';
import { type BatchRow, type ChangeRow, type Columns, type Viewer, changePieces, rowOf } from './record.ts';

/** Which changes are wanted: those that match every filter. */
export interface ChangeFilters {
  readonly kinds: readonly Kind[] | undefined;
  readonly entityIds: readonly number[] | undefined;
  readonly actions: readonly Action[] | undefined;
  /** Ids of users. */
  readonly actors: readonly number[] | undefined;
  readonly batchIds: readonly number[] | undefined;
}

/** All changes. */
export const NO_FILTERS: ChangeFilters = {
  kinds: undefined,
  entityIds: undefined,
  actions: undefined,
  actors: undefined,
  batchIds: undefined,
};

/**
 * A part of the log as one reader sees it: the private changes of others leave no trace in it, not even in `next`. It may
 * hold fewer changes than there are, even none: a part is searched in bounded time.
 */
export interface Part {
  readonly rows: readonly ChangeRow[];
  /** The start of the next part. */
  readonly next: Place;
  readonly hasMore: boolean;
}

/** Reads the change log. */
export interface ChangeStore {
  /** Private ones of all users, too. No row has what went with a deleted restaurant or list. */
  readonly get: (id: number) => ChangeRow | undefined;
  /** The JSON text of a change for a viewer who may read it, with what went with a deleted restaurant or list. */
  readonly textFor: (row: ChangeRow, viewer: Viewer) => string;
  /** The same in pieces, which are read one after the other: together they may have some megabytes. */
  readonly piecesFor: (row: ChangeRow, viewer: Viewer) => Iterable<string>;
  /** The changes of a write, the oldest first. */
  readonly ofWrite: (writeId: number) => ChangeRow[];
  /** The changes of a batch before one, the newest first. */
  readonly ofBatch: (batchId: number, before: number, limit: number) => ChangeRow[];
  /** The changes that follow a place, or precede it, but for private ones of users other than the reader. */
  readonly after: (
    place: Place,
    limit: number,
    filters: ChangeFilters,
    readerId: number | null,
    longest?: number,
  ) => Part;
  readonly before: (
    place: Place | undefined,
    limit: number,
    filters: ChangeFilters,
    readerId: number | null,
  ) => Part;
  /** Of a restaurant, its ratings and photos. Undefined where neither the catalogue nor the log knows it. */
  readonly history: (restaurantId: number, place: Place | undefined, limit: number) => Part | undefined;
  /** Every change after this id, private ones of all users too, up to the one that makes them longer than `longest` bytes. */
  readonly allAfter: (id: number, limit: number, longest: number) => readonly ChangeRow[];
  /** Before the oldest stored change that the reader may see. */
  readonly start: (readerId: number | null) => Place;
  /** Behind the newest change that the reader may see. */
  readonly end: (readerId: number | null) => Place;
  /** The id of the newest change, readable or not; 0 while there is none. */
  readonly lastId: () => number;
  /** Whether all changes behind the place that the reader may see are stored, and the one before it is the one that was there. */
  readonly isStored: (place: Place, readerId: number | null) => boolean;
  /** About how many bytes of changes a reader may still see after this id; counts no further than 1 MB. */
  readonly lengthAfter: (id: number, readerId: number | null) => number;
  /** The change that deleted an entity last. */
  readonly deletionOf: (kind: Kind, id: number) => number | undefined;
  /** Whether ratings or photos of other users go with a deleted restaurant, or were deleted before it. */
  readonly belongsToOthers: (restaurantId: number, userId: number) => boolean;
  readonly batch: (id: number) => BatchRow | undefined;
  /** The newest first; nothing may be written until the last one was taken. */
  readonly batches: (before: number, limit: number) => Iterable<BatchRow>;
  readonly countBatches: () => number;
  /** The first change of a batch. */
  readonly firstOfBatch: (batchId: number) => number | undefined;
}

// A filter that leaves hardly anything is applied to so many changes at a time: a few milliseconds.
const SEARCHED = 10_000;
// A part ends with the change that makes it longer than this, in bytes.
const LONGEST = 1_000_000;
const ANY_ID = Number.MAX_SAFE_INTEGER;

/** Opens the store on changes.sql. */
export function createChangeStore(sql: QueryFile): ChangeStore {
  const readContent = createContentReader(sql);
  const places = createPlaces(sql);
  const ofWrite = assemble<ChangeRow>(sql, 'selectChange', 'whereWrite', 'orderOldest');
  const ofBatch = assemble<ChangeRow>(sql, 'selectChange', 'whereBatch', 'orderNewest');
  const deletion = idOf(sql, 'findDeletion');
  const belongsToOthers = sql.prepare('belongsToOthers');
  const getBatch = assemble<BatchRow>(sql, 'selectBatch', 'whereBatchId');
  const batches = assemble<BatchRow>(sql, 'selectBatch', 'whereBatchBefore');
  const countBatches = sql.prepare<number>('countBatches').pluck();
  const firstOfBatch = idOf(sql, 'firstOfBatch');
  return {
    ...places,
    ...createPartReader(sql, places),
    history: createHistoryReader(sql, places),
    textFor: (row, viewer) => [...changePieces(row, viewer, readContent)].join(''),
    piecesFor: (row, viewer) => changePieces(row, viewer, readContent),
    deletionOf: (kind, entityId) => deletion({ kind, entityId }),
    belongsToOthers: (restaurantId, userId) => belongsToOthers.get({ restaurantId, userId }) !== undefined,
    ofWrite: (writeId) => ofWrite.all({ writeId, limit: -1 }),
    ofBatch: (batchId, before, limit) => ofBatch.all({ batchId, before, limit }),
    batch: (id) => getBatch.get({ id }),
    batches: (before, limit) => batches.iterate({ before, limit }),
    countBatches: () => countBatches.get() ?? 0,
    firstOfBatch: (batchId) => firstOfBatch({ batchId }),
  };
}

/** A statement that returns an id, or null where there is none. */
function idOf(sql: QueryFile, name: string): (values?: Bindings) => number | undefined {
  const statement = sql.prepare<number | null>(name).pluck();
  return (values = {}) => statement.get(values) ?? undefined;
}

type Places = Pick<
  ChangeStore,
  'get' | 'allAfter' | 'start' | 'end' | 'lastId' | 'isStored' | 'lengthAfter'
> & {
  /** Behind a change that is there; the start of what the reader may see for one that is not. */
  readonly placeAt: (id: number, readerId: number | null) => Place;
};

function createPlaces(sql: QueryFile): Places {
  const getOne = assemble<ChangeRow>(sql, 'selectChange', 'whereId');
  const listAll = assemble<Columns>(sql, 'selectChange', 'whereAfter', 'orderOldest').raw();
  const last = idOf(sql, 'lastId');
  const lastReadable = idOf(sql, 'lastReadable');
  const floor = sql.prepare<Place>('getFloor');
  const length = sql.prepare<number>('lengthAfter').pluck();
  const get = (id: number): ChangeRow | undefined => getOne.get({ id });
  const start = (readerId: number | null): Place => floor.get({ readerId }) ?? { id: 0, mark: '' };
  const placeAt = (id: number, readerId: number | null): Place => {
    const row = get(id);
    return row ? placeOf(row) : start(readerId);
  };
  return {
    ...{ get, start, placeAt },
    allAfter: (after, limit, longest) => readPart(listAll.iterate({ after, limit }), limit, longest).found,
    lastId: () => last() ?? 0,
    end: (readerId) => placeAt(lastReadable({ readerId }) ?? 0, readerId),
    isStored: ({ id, mark }, readerId) => {
      const oldest = start(readerId);
      if (id === oldest.id) return mark === oldest.mark;
      const row = id > oldest.id ? get(id) : undefined;
      return row !== undefined && placeOf(row).mark === mark;
    },
    lengthAfter: (after, readerId) => length.get({ after, readerId }) ?? 0,
  };
}

/**
 * Reads what a reader may see: by index, so that the private changes of others cost nothing, however many there are
 * between two that the reader sees.
 */
function createPartReader(sql: QueryFile, { placeAt, start }: Places): Pick<ChangeStore, 'after' | 'before'> {
  const listOf = (range: 'andAfter' | 'andBefore', order: 'orderOldest' | 'orderNewest') =>
    assemble<Columns>(
      sql,
      ...['selectChange', 'wherePublic', range, 'andFilters'],
      'andAlso',
      ...['selectChange', 'whereOwn', range, 'andFilters'],
      order,
    ).raw();
  const listAfter = listOf('andAfter', 'orderOldest');
  const listBefore = listOf('andBefore', 'orderNewest');
  const [lastSearched, firstSearched] = [idOf(sql, 'lastSearched'), idOf(sql, 'firstSearched')];
  const [lastReadable, firstReadable] = [idOf(sql, 'lastReadable'), idOf(sql, 'firstReadable')];
  return {
    after: (place, limit, filters, readerId, longest) => {
      const after = place.id;
      const searched = hasFilter(filters) ? lastSearched({ after, readerId, limit: SEARCHED }) : undefined;
      const range = { after, upTo: searched ?? ANY_ID };
      const rows = listAfter.iterate({ ...range, ...bound(filters), readerId, limit: limit + 1 });
      const { found, isWhole } = readPart(rows, limit, longest);
      const last = (isWhole ? searched : undefined) ?? found.at(-1)?.id;
      const next = last === undefined ? place : placeAt(last, readerId);
      return { rows: found, next, hasMore: next.id < (lastReadable({ readerId }) ?? 0) };
    },
    before: (place, limit, filters, readerId) => {
      const before = place?.id ?? ANY_ID;
      const searched = hasFilter(filters) ? firstSearched({ before, readerId, limit: SEARCHED }) : undefined;
      const range = { before, downTo: searched ?? 0 };
      const rows = listBefore.iterate({ ...range, ...bound(filters), readerId, limit: limit + 1 });
      const { found, isWhole } = readPart(rows, limit);
      const last = (isWhole ? searched : undefined) ?? found.at(-1)?.id;
      const next = last === undefined ? (place ?? start(readerId)) : placeAt(last, readerId);
      return {
        rows: found,
        next,
        hasMore: last !== undefined && last > (firstReadable({ readerId }) ?? last),
      };
    },
  };
}

function hasFilter(filters: ChangeFilters): boolean {
  return Object.values(filters).some((filter) => filter !== undefined);
}

function createHistoryReader(sql: QueryFile, { start }: Places): ChangeStore['history'] {
  const inBlock = assemble<Columns>(sql, 'selectChange', 'whereOfRestaurant', 'orderNewest').raw();
  const isKnown = sql.prepare('restaurantIsKnown');
  const blocksOf = sql.prepare<number>('blocksOfRestaurant').pluck();

  function* read(restaurantId: number, before: number, limit: number): Generator<Columns> {
    for (const block of blocksOf.all({ restaurantId, before, limit }))
      yield* inBlock.iterate({ block, restaurantId, before, limit });
  }

  return (restaurantId, place, limit) => {
    if (!isKnown.get({ id: restaurantId })) return undefined;
    const before = place?.id ?? Number.MAX_SAFE_INTEGER;
    const { found, isWhole } = readPart(read(restaurantId, before, limit + 1), limit);
    const last = found.at(-1);
    return { rows: found, next: last ? placeOf(last) : start(null), hasMore: !isWhole };
  };
}

/** Reads rows as long as they are not too many or too long; `isWhole`: these were all. */
function readPart(
  rows: Iterable<Columns>,
  limit: number,
  longest = LONGEST,
): { readonly found: readonly ChangeRow[]; readonly isWhole: boolean } {
  const found: ChangeRow[] = [];
  let bytes = 0;
  for (const columns of rows) {
    if (found.length === limit || bytes > longest) return { found, isWhole: false };
    const row = rowOf(columns);
    found.push(row);
    bytes += Buffer.byteLength(row.before ?? '') + Buffer.byteLength(row.after ?? '');
  }
  return { found, isWhole: true };
}

function bound(filters: ChangeFilters): Record<string, string | null> {
  const lists: readonly [string, readonly unknown[] | undefined][] = Object.entries(filters);
  return Object.fromEntries(lists.map(([name, values]) => [name, values ? JSON.stringify(values) : null]));
}
