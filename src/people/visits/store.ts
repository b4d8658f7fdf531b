import { type Entity, PLACEHOLDER_ID, type Subject, type Write } from '../../storage/change-log.ts';
import { type QueryFile, assemble } from '../../storage/statements.ts';
import { storedFields } from '../../storage/stored.ts';
import type { VisitFilters } from './input.ts';
import {
  type VisitFields,
  type VisitRecord,
  type VisitRow,
  readVisitFields,
  storedVisit,
  visitFields,
  visitOf,
} from './record.ts';

/** A place that can be visited. */
export interface VisitedPlace {
  readonly name: string;
  /** Degrees. */
  readonly latitude: number | null;
  readonly longitude: number | null;
  /** The time zone that was set for it. */
  readonly time_zone: string | null;
}

/** Where a page begins: behind the visit of that day and id. */
export interface VisitPlace {
  readonly visitedOn: string;
  readonly id: number;
}

/** Visits in the database, of owners who are null for the placeholder of mode none. Writes must be run inside a transaction. */
export interface VisitStore {
  /** Undefined when there is no such restaurant. */
  readonly place: (restaurantId: number) => VisitedPlace | undefined;
  /** Undefined when there is no such restaurant. */
  readonly create: (
    ownerId: number | null,
    restaurantId: number,
    fields: VisitFields,
    write: Write,
  ) => VisitRecord | undefined;
  /** Sets what is in the change. Undefined when there is no such visit. */
  readonly update: (id: number, change: Partial<VisitFields>, write: Write) => VisitRecord | undefined;
  /** Undefined when the owner has no such visit. */
  readonly find: (ownerId: number | null, id: number) => VisitRecord | undefined;
  /** The visit as the change log holds it. */
  readonly stored: (id: number) => Entity | undefined;
  /** False when there is no such visit. */
  readonly remove: (id: number, write: Write) => boolean;
  /** Restores a deleted one of the log. */
  readonly restore: (stored: Entity, write: Write) => void;
  /** The newest first, those behind `after`; nothing may be written until the last one was taken. */
  readonly page: (
    ownerId: number | null,
    filters: VisitFilters,
    after: VisitPlace | undefined,
    limit: number,
  ) => Iterable<VisitRecord>;
  readonly count: (ownerId: number | null, filters: VisitFilters) => number;
}

/** All visits. */
export const ALL_VISITS: VisitFilters = { restaurantId: undefined, from: '', to: '~' };

/** Opens the store on visits.sql. */
export function createVisitStore(sql: QueryFile): VisitStore {
  const getRow = assemble<VisitRow>(sql, 'selectVisit', 'whereId');
  const owned = assemble<VisitRow>(sql, 'selectVisit', 'whereOwnedId');
  const place = sql.prepare<VisitedPlace>('getPlace');
  const get = (id: number): VisitRecord | undefined => {
    const row = getRow.get({ id });
    return row && visitOf(row);
  };
  return {
    ...createPages(sql),
    ...createWriter(sql, get),
    place: (restaurantId) => place.get({ restaurantId }),
    find: (ownerId, id) => {
      const row = owned.get({ ownerId, id });
      return row && visitOf(row);
    },
    stored: (id) => {
      const visit = get(id);
      return visit && storedVisit(visit);
    },
  };
}

function createPages(sql: QueryFile): Pick<VisitStore, 'page' | 'count'> {
  const all = assemble<VisitRow>(sql, 'selectVisit', 'whereOfOwner', 'orderVisits');
  const atOne = assemble<VisitRow>(sql, 'selectVisit', 'whereAtRestaurant', 'orderVisits');
  const countAll = sql.prepare<number>('countOfOwner').pluck();
  const countAtOne = sql.prepare<number>('countAtRestaurant').pluck();
  return {
    page: function* (ownerId, { restaurantId, from, to }, after, limit) {
      // Behind all visits of the last day.
      const { visitedOn, id } = after ?? { visitedOn: to, id: Number.MAX_SAFE_INTEGER };
      const part = { ownerId, from, to, visitedOn, id, limit };
      const rows = restaurantId === undefined ? all.iterate(part) : atOne.iterate({ ...part, restaurantId });
      for (const row of rows) yield visitOf(row);
    },
    count: (ownerId, { restaurantId, ...days }) => {
      const of = { ownerId, ...days };
      const found = restaurantId === undefined ? countAll.get(of) : countAtOne.get({ ...of, restaurantId });
      return found ?? 0;
    },
  };
}

type Writes = Pick<VisitStore, 'create' | 'update' | 'remove' | 'restore'>;

function createWriter(sql: QueryFile, get: (id: number) => VisitRecord | undefined): Writes {
  const restaurantName = sql.prepare<VisitedPlace>('getPlace');
  const insert = sql.prepare<number>('insertVisit').pluck();
  const update = sql.prepare('updateVisit');
  const remove = sql.prepare('deleteVisit');
  const restore = sql.prepare('restoreVisit');
  return {
    create: (ownerId, restaurantId, fields, write) => {
      if (!restaurantName.get({ restaurantId })) return undefined;
      const visit = required(
        get(insert.get({ ownerId, restaurantId, ...columns(fields), now: write.now }) ?? 0),
      );
      write.created(subjectOf(visit), storedVisit(visit));
      return visit;
    },
    update: (id, change, write) => {
      const before = get(id);
      if (!before) return undefined;
      const record = { ...before, ...change, updated_at: write.now };
      const { updated_at } = record;
      update.run({ id, ...columns(record), updated_at });
      write.updated(
        subjectOf(record),
        { ...visitFields(before), updated_at: before.updated_at },
        { ...visitFields(record), updated_at },
      );
      return record;
    },
    remove: (id, write) => {
      const before = get(id);
      if (!before) return false;
      remove.run({ id });
      write.deleted(subjectOf(before), storedVisit(before));
      return true;
    },
    restore: (stored, write) => {
      const { number, numberOrNull, text } = storedFields(stored);
      const id = number('id');
      restore.run({
        ...{ id, ...columns(readVisitFields(stored)), ownerId: numberOrNull('author_id') },
        ...{ restaurantId: numberOrNull('restaurant_id'), restaurantName: text('restaurant_name') },
        ...{ created_at: text('created_at'), updated_at: text('updated_at') },
      });
      const visit = required(get(id));
      write.restored(subjectOf(visit), storedVisit(visit));
    },
  };
}

function subjectOf({ id, restaurant_name: name, author_id }: VisitRecord): Subject {
  return { kind: 'visit', id, name, ownerId: author_id ?? PLACEHOLDER_ID };
}

function columns(fields: VisitFields): Record<string, string | number | null> {
  const { companions, dishes, ...rest } = visitFields(fields);
  return { ...rest, companions: JSON.stringify(companions), dishes: JSON.stringify(dishes) };
}

function required(visit: VisitRecord | undefined): VisitRecord {
  if (!visit) throw new Error('a visit is gone within its own transaction');
  return visit;
}
