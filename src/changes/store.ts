import type { Action, Kind } from '../storage/change-log.ts';
import { type Bindings, type QueryFile, assemble } from '../storage/statements.ts';
import { type Place, placeOf } from './cursor.ts';
import { type BatchRow, type ChangeRow, type Columns, rowOf } from './record.ts';

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

/** A part of the log. It may hold fewer changes than there are, even none: a part is searched in bounded time. */
export interface Part {
  readonly rows: readonly ChangeRow[];
  /** The start of the next part. */
  readonly next: Place;
  readonly hasMore: boolean;
}

/** Reads the change log. */
export interface ChangeStore {
  /** Private ones of all users, too. */
  readonly get: (id: number) => ChangeRow | undefined;
  /** The changes of a write, the oldest first. */
  readonly ofWrite: (writeId: number) => ChangeRow[];
  /** The changes of a batch before one, the newest first. */
  readonly ofBatch: (batchId: number, before: number, limit: number) => ChangeRow[];
  /** The changes that follow a place, or precede it, but for private ones of users other than the reader. */
  readonly after: (place: Place, limit: number, filters: ChangeFilters, readerId: number | null) => Part;
  readonly before: (
    place: Place | undefined,
    limit: number,
    filters: ChangeFilters,
    readerId: number | null,
  ) => Part;
  /** Of a restaurant, its ratings and photos. Undefined where neither the catalogue nor the log knows it. */
  readonly history: (restaurantId: number, place: Place | undefined, limit: number) => Part | undefined;
  /** Before the oldest stored change. */
  readonly start: () => Place;
  /** Behind the newest change. */
  readonly end: () => Place;
  /** Whether all changes behind the place are stored, and the one before it is the one that was there. */
  readonly isStored: (place: Place) => boolean;
  /** About how many characters of changes there are behind a place, of the first 10,000. */
  readonly lengthAfter: (place: Place) => number;
  /** The change that deleted an entity last. */
  readonly deletionOf: (kind: Kind, id: number) => number | undefined;
  readonly batch: (id: number) => BatchRow | undefined;
  /** The newest first. */
  readonly batches: (before: number, limit: number) => BatchRow[];
  readonly countBatches: () => number;
  /** The first change of a batch. */
  readonly firstOfBatch: (batchId: number) => number | undefined;
}

// A filter that leaves hardly anything is applied to so many changes at a time: a few milliseconds.
const SEARCHED = 10_000;
// A page ends with the change that makes it longer than this, in characters.
const LONGEST = 1_000_000;

/** Opens the store on changes.sql. */
export function createChangeStore(sql: QueryFile): ChangeStore {
  const places = createPlaces(sql);
  const ofWrite = assemble<ChangeRow>(sql, 'selectChange', 'whereWrite', 'orderOldest');
  const ofBatch = assemble<ChangeRow>(sql, 'selectChange', 'whereBatch', 'orderNewest');
  const deletion = idOf(sql, 'findDeletion');
  const getBatch = assemble<BatchRow>(sql, 'selectBatch', 'whereBatchId');
  const batches = assemble<BatchRow>(sql, 'selectBatch', 'whereBatchBefore');
  const countBatches = sql.prepare<number>('countBatches').pluck();
  const firstOfBatch = idOf(sql, 'firstOfBatch');
  return {
    ...places,
    ...createPartReader(sql, places),
    history: createHistoryReader(sql, places),
    deletionOf: (kind, entityId) => deletion({ kind, entityId }),
    ofWrite: (writeId) => ofWrite.all({ writeId, limit: -1 }),
    ofBatch: (batchId, before, limit) => ofBatch.all({ batchId, before, limit }),
    batch: (id) => getBatch.get({ id }),
    batches: (before, limit) => batches.all({ before, limit }),
    countBatches: () => countBatches.get() ?? 0,
    firstOfBatch: (batchId) => firstOfBatch({ batchId }),
  };
}

/** A statement that returns an id, or null where there is none. */
function idOf(sql: QueryFile, name: string): (values?: Bindings) => number | undefined {
  const statement = sql.prepare<number | null>(name).pluck();
  return (values = {}) => statement.get(values) ?? undefined;
}

type Places = Pick<ChangeStore, 'get' | 'start' | 'end' | 'isStored' | 'lengthAfter'> & {
  /** The newest change's id, 0 where there is none. */
  readonly lastId: () => number;
  /** Behind a change that is there. */
  readonly placeAt: (id: number) => Place;
};

function createPlaces(sql: QueryFile): Places {
  const getOne = assemble<ChangeRow>(sql, 'selectChange', 'whereId');
  const last = idOf(sql, 'lastId');
  const floor = sql.prepare<Place>('getFloor');
  const length = sql.prepare<number>('lengthAfter').pluck();
  const get = (id: number): ChangeRow | undefined => getOne.get({ id });
  const start = (): Place => floor.get() ?? { id: 0, mark: '' };
  const lastId = (): number => last() ?? 0;
  const placeAt = (id: number): Place => {
    const row = get(id);
    return row ? placeOf(row) : start();
  };
  return {
    ...{ get, start, lastId, placeAt },
    end: () => placeAt(lastId()),
    isStored: ({ id, mark }) => {
      const oldest = start();
      if (id === oldest.id) return mark === oldest.mark;
      const row = id > oldest.id ? get(id) : undefined;
      return row !== undefined && placeOf(row).mark === mark;
    },
    lengthAfter: (place) => length.get({ after: place.id }) ?? 0,
  };
}

function createPartReader(
  sql: QueryFile,
  { lastId, placeAt }: Places,
): Pick<ChangeStore, 'after' | 'before'> {
  const conditions = ['andReadable', 'andFilters'];
  const listAfter = assemble<Columns>(sql, 'selectChange', 'whereAfter', ...conditions, 'orderOldest').raw();
  const listBefore = assemble<Columns>(
    sql,
    'selectChange',
    'whereBefore',
    ...conditions,
    'orderNewest',
  ).raw();
  const [lastOf, firstOf, firstId] = [idOf(sql, 'lastOf'), idOf(sql, 'firstOf'), idOf(sql, 'firstId')];
  return {
    after: (place, limit, filters, readerId) => {
      const range = { after: place.id, upTo: place.id + SEARCHED };
      const rows = listAfter.iterate({ ...range, ...bound(filters), readerId, limit: limit + 1 });
      const { found, isWhole } = readPart(rows, limit);
      const last = isWhole ? lastOf(range) : found.at(-1)?.id;
      const next = last === undefined ? place : placeAt(last);
      return { rows: found, next, hasMore: next.id < lastId() };
    },
    before: (place, limit, filters, readerId) => {
      const from = place?.id ?? lastId() + 1;
      const range = { before: from, downTo: from - SEARCHED };
      const rows = listBefore.iterate({ ...range, ...bound(filters), readerId, limit: limit + 1 });
      const { found, isWhole } = readPart(rows, limit);
      const last = (isWhole ? firstOf(range) : found.at(-1)?.id) ?? from;
      return { rows: found, next: placeAt(last), hasMore: last > (firstId() ?? last) };
    },
  };
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
    return { rows: found, next: last ? placeOf(last) : start(), hasMore: !isWhole };
  };
}

/** Reads rows as long as they are not too many or too long; `isWhole`: these were all. */
function readPart(
  rows: Iterable<Columns>,
  limit: number,
): { readonly found: readonly ChangeRow[]; readonly isWhole: boolean } {
  const found: ChangeRow[] = [];
  let length = 0;
  for (const columns of rows) {
    if (found.length === limit || length > LONGEST) return { found, isWhole: false };
    const row = rowOf(columns);
    found.push(row);
    length += (row.before?.length ?? 0) + (row.after?.length ?? 0);
  }
  return { found, isWhole: true };
}

function bound(filters: ChangeFilters): Record<string, string | null> {
  const lists: readonly [string, readonly unknown[] | undefined][] = Object.entries(filters);
  return Object.fromEntries(lists.map(([name, values]) => [name, values ? JSON.stringify(values) : null]));
}
