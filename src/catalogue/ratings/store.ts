import { type Authored, withoutAuthorName } from '../authors.ts';
import type { Subject, Write } from '../../storage/change-log.ts';
import { type QueryFile, assemble } from '../../storage/statements.ts';
import type { NewRating, RatingChange } from './input.ts';
import type { RatingOfUser, RatingRecord } from './record.ts';

/** The ratings of a user, null for those without an author; at one restaurant alone where one is named. */
export interface OfUser {
  readonly userId: number | null;
  readonly restaurantId: number | undefined;
}

/** Ratings in the database. Writes must be run inside a transaction; averages change with them. */
export interface RatingStore {
  readonly restaurantExists: (restaurantId: number) => boolean;
  /** Undefined when there is no such restaurant. An import has its own `createdAt`. */
  readonly create: (input: NewRating, write: Write, createdAt?: string) => Authored<RatingRecord> | undefined;
  /** Sets what is in the change. Undefined when there is no such rating. */
  readonly update: (id: number, change: RatingChange, write: Write) => Authored<RatingRecord> | undefined;
  readonly get: (id: number) => Authored<RatingRecord> | undefined;
  /** The rating as the change log holds it. */
  readonly stored: (id: number) => RatingRecord | undefined;
  /** False when there is no such rating. */
  readonly remove: (id: number, write: Write) => boolean;
  /** Restores a deleted one to its restaurant, which must exist. */
  readonly restore: (rating: RatingRecord, write: Write) => void;
  /** Newest first, those behind `after`; nothing may be written until the last one was taken. */
  readonly list: (
    restaurantId: number,
    after: RatingRecord | undefined,
    limit: number,
    offset: number,
  ) => Iterable<Authored<RatingRecord>>;
  /** The same of a user's. */
  readonly listOfUser: (
    of: OfUser,
    after: RatingRecord | undefined,
    limit: number,
    offset: number,
  ) => Iterable<RatingOfUser>;
}

// Behind every moment there is.
const START = { created_at: '~', id: 0 };

/** Opens the store on ratings.sql. */
export function createRatingStore(sql: QueryFile): RatingStore {
  const restaurantName = sql.prepare<string>('getRestaurantName').pluck();
  const get = assemble<Authored<RatingRecord>>(sql, 'selectRating', 'fromRatings', 'whereId');
  const nameOf = (restaurantId: number): string | undefined => restaurantName.get({ restaurantId });
  const reader: Reader = { nameOf, get: (id) => get.get({ id }) };
  return {
    ...createLister(sql),
    ...createWriter(sql, reader),
    restaurantExists: (restaurantId) => nameOf(restaurantId) !== undefined,
    get: reader.get,
    stored: (id) => storedOf(reader.get(id)),
  };
}

interface Reader extends Pick<RatingStore, 'get'> {
  readonly nameOf: (restaurantId: number) => string | undefined;
}

function createLister(sql: QueryFile): Pick<RatingStore, 'list' | 'listOfUser'> {
  const list = assemble<Authored<RatingRecord>>(
    sql,
    ...['selectRating', 'fromRatings', 'whereOfRestaurant', 'orderNewest'],
  );
  const ofUser = ['selectRating', 'selectRestaurantName', 'fromRatings'];
  const everywhere = assemble<RatingOfUser>(sql, ...ofUser, 'whereOfUser', 'orderNewest');
  const atOne = assemble<RatingOfUser>(sql, ...ofUser, 'whereOfRestaurant', 'andOfUser', 'orderNewest');
  return {
    list: (restaurantId, after, limit, offset) =>
      list.iterate({ restaurantId, ...placeBehind(after), limit, offset }),
    listOfUser: ({ userId, restaurantId }, after, limit, offset) => {
      const part = { userId, ...placeBehind(after), limit, offset };
      return restaurantId === undefined ? everywhere.iterate(part) : atOne.iterate({ ...part, restaurantId });
    },
  };
}

function createWriter(
  sql: QueryFile,
  { get, nameOf }: Reader,
): Pick<RatingStore, 'create' | 'update' | 'remove' | 'restore'> {
  const insert = sql.prepare<number>('insertRating').pluck();
  const update = sql.prepare('updateRating');
  const remove = sql.prepare('deleteRating');
  const insertStored = sql.prepare('insertStoredRating');
  const subjectOf = (rating: RatingRecord, name = nameOf(rating.restaurant_id) ?? ''): Subject => ({
    kind: 'rating',
    id: rating.id,
    name,
    restaurantId: rating.restaurant_id,
    ownerId: rating.author_id,
  });
  return {
    create: (input, write, createdAt = write.now) => {
      const name = nameOf(input.restaurantId);
      if (name === undefined) return undefined;
      const rating = get(insert.get({ ...input, createdAt, userId: write.userId }) ?? 0);
      if (!rating) throw new Error('an insert returned no row');
      write.created(subjectOf(rating, name), withoutAuthorName(rating));
      return rating;
    },
    update: (id, change, write) => {
      const before = get(id);
      if (!before) return undefined;
      const after = { ...before, ...change, updated_at: write.now };
      update.run(after);
      write.updated(subjectOf(after), { ...withoutAuthorName(before) }, { ...withoutAuthorName(after) });
      return after;
    },
    remove: (id, write) => {
      const rating = storedOf(get(id));
      if (!rating) return false;
      remove.run({ id });
      write.deleted(subjectOf(rating), rating);
      return true;
    },
    restore: (rating, write) => {
      insertStored.run({ ...rating });
      write.restored(subjectOf(rating), { ...rating });
    },
  };
}

function storedOf(rating: Authored<RatingRecord> | undefined): RatingRecord | undefined {
  return rating && withoutAuthorName(rating);
}

function placeBehind(after: RatingRecord | undefined): { readonly createdAt: string; readonly id: number } {
  const { created_at: createdAt, id } = after ?? START;
  return { createdAt, id };
}
