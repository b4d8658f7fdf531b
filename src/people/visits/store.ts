import { zoneNamed, zoneOf } from '../../catalogue/hours/zones.ts';
import { type Entity, PLACEHOLDER_ID, type Subject, type Write } from '../../storage/change-log.ts';
import type { QueryFile } from '../../storage/statements.ts';
import { readStored } from '../../storage/stored.ts';
import {
  STORED_VISIT,
  VISIT_COLUMNS,
  type VisitFields,
  type VisitRecord,
  type VisitRow,
  storedVisit,
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

/** Selects visits; days are inclusive. */
interface VisitFilters {
  /** Null for all. */
  readonly restaurantId: number | null;
  readonly from: string;
  readonly to: string;
}

/** Where a page begins: after the visit of that day and id. */
export interface VisitPlace {
  readonly visitedOn: string;
  readonly id: number;
}

export const ALL_VISITS: VisitFilters = { restaurantId: null, from: '', to: '~' };

/** Visits in the database, of owners who are null for the placeholder of mode none. Writes must run inside a transaction. */
export class VisitStore {
  readonly #sql;

  constructor(sql: QueryFile) {
    this.#sql = {
      get: sql.prepare<VisitRow>('selectVisit', 'whereId'),
      owned: sql.prepare<VisitRow>('selectVisit', 'whereOwnedId'),
      place: sql.prepare<VisitedPlace>('getPlace'),
      ofOwner: sql.prepare<VisitRow>('selectVisit', 'whereOfOwner', 'orderVisits'),
      atRestaurant: sql.prepare<VisitRow>('selectVisit', 'whereAtRestaurant', 'orderVisits'),
      countOfOwner: sql.prepare<number>('countOfOwner').pluck(),
      countAtRestaurant: sql.prepare<number>('countAtRestaurant').pluck(),
      insert: sql.prepareFor<number>(VISIT_COLUMNS, 'insertVisit').pluck(),
      update: sql.prepareFor(VISIT_COLUMNS, 'updateVisit'),
      restore: sql.prepareFor(VISIT_COLUMNS, 'restoreVisit'),
      delete: sql.prepare('deleteVisit'),
    };
  }

  /** Undefined when there is no such restaurant. */
  place(restaurantId: number): VisitedPlace | undefined {
    return this.#sql.place.get({ restaurantId });
  }

  find(ownerId: number | null, id: number): VisitRecord | undefined {
    const row = this.#sql.owned.get({ ownerId, id });
    return row && visitOf(row);
  }

  #get(id: number): VisitRecord | undefined {
    const row = this.#sql.get.get({ id });
    return row && visitOf(row);
  }

  #written(id: number): VisitRecord {
    const visit = this.#get(id);
    if (!visit) throw new Error('a visit is gone within its own transaction');
    return visit;
  }

  /** The visit as the change log has it. */
  stored(id: number): Entity | undefined {
    const visit = this.#get(id);
    return visit && storedVisit(visit);
  }

  /** Visits after `after`, newest first. Do not write to the database while iterating. */
  *page(
    ownerId: number | null,
    { restaurantId, from, to }: VisitFilters,
    after: VisitPlace | undefined,
    limit: number,
  ): Generator<VisitRecord> {
    // Sorts before every visit of the last day.
    const { visitedOn, id } = after ?? { visitedOn: to, id: Number.MAX_SAFE_INTEGER };
    const list = restaurantId === null ? this.#sql.ofOwner : this.#sql.atRestaurant;
    const part = { ownerId, restaurantId, from, to, visitedOn, id, limit };
    for (const row of list.iterate(part)) yield visitOf(row);
  }

  count(ownerId: number | null, { restaurantId, from, to }: VisitFilters): number {
    const count = restaurantId === null ? this.#sql.countOfOwner : this.#sql.countAtRestaurant;
    return count.get({ ownerId, restaurantId, from, to }) ?? 0;
  }

  /** The restaurant must exist. */
  create(ownerId: number | null, restaurantId: number, fields: VisitFields, write: Write): VisitRecord {
    const id = this.#sql.insert.get({ ownerId, restaurantId, ...rowOf(fields), now: write.now });
    const visit = this.#written(id ?? 0);
    write.created(subjectOf(visit), storedVisit(visit));
    return visit;
  }

  /** Sets the fields of the change. Undefined when there is no such visit. */
  update(id: number, change: Partial<VisitFields>, write: Write): VisitRecord | undefined {
    const before = this.#get(id);
    if (!before) return undefined;
    const record = { ...before, ...change, updated_at: write.now };
    this.#sql.update.run({ id, ...rowOf(record), updated_at: write.now });
    write.updated(subjectOf(record), storedVisit(before), storedVisit(record));
    return record;
  }

  /** False when there is no such visit. */
  remove(id: number, write: Write): boolean {
    const before = this.#get(id);
    if (!before) return false;
    this.#sql.delete.run({ id });
    write.deleted(subjectOf(before), storedVisit(before));
    return true;
  }

  /** Restores a deleted visit of the log. */
  restore(stored: Entity, write: Write): VisitRecord {
    const restored = readStored(stored, STORED_VISIT);
    this.#sql.restore.run({ ...restored, ...rowOf(restored) });
    const visit = this.#written(restored.id);
    write.restored(subjectOf(visit), storedVisit(visit));
    return visit;
  }
}

/** The current day, YYYY-MM-DD, at a place; in UTC where its time zone is not known. */
export function todayAt({ time_zone, latitude, longitude }: VisitedPlace, now: Date): string {
  const place = latitude === null || longitude === null ? null : zoneOf(latitude, longitude);
  const timeZone = time_zone ?? place;
  if (timeZone === null || !zoneNamed(timeZone)) return now.toISOString().slice(0, 10);
  // Swedish dates have the format of ISO 8601.
  return new Intl.DateTimeFormat('sv-SE', { timeZone }).format(now);
}

/** The place of a visit in the order of pages. */
export function visitPlaceOf({ visited_on: visitedOn, id }: VisitRecord): VisitPlace {
  return { visitedOn, id };
}

function subjectOf({ id, restaurant_name: name, author_id }: VisitRecord): Subject {
  return { kind: 'visit', id, name, ownerId: author_id ?? PLACEHOLDER_ID };
}

function rowOf({ companions, dishes, ...fields }: VisitFields) {
  return { ...fields, companions: JSON.stringify(companions), dishes: JSON.stringify(dishes) };
}
