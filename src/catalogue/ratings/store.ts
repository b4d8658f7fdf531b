import { type Authored, NEWEST, withoutAuthorName } from '../authors.ts';
import type { Subject, Write } from '../../storage/change-log.ts';
import type { QueryFile } from '../../storage/statements.ts';
import {
  CHANGEABLE_NAMES,
  type NewRating,
  RATING_NAMES,
  type RatingChange,
  type RatingOfUser,
  type RatingRecord,
} from './record.ts';

type Rating = Authored<RatingRecord>;
/** What an insert adds to the input. */
type Inserted = Pick<Rating, 'id' | 'author_id' | 'author_name'>;

/** When a rating was made, and by whom. */
interface RatingOrigin {
  readonly createdAt?: string | undefined;
  readonly authorId?: number | null;
}

/** The position before the oldest rating. */
const OLDEST = { created_at: '', id: 0 };

/** Ratings in the database. Writes must run inside a transaction; they update the averages too. */
export class RatingStore {
  readonly #sql;

  /** `sql` is ratings.sql. */
  constructor(sql: QueryFile) {
    const list = <Row>(...fragments: readonly string[]) =>
      sql.prepareFor<Row>(RATING_NAMES, 'selectRating', ...fragments, 'orderNewest');
    const ofUser = ['selectRestaurantName', 'fromRatings'];
    this.#sql = {
      restaurantName: sql.prepare<string>('getRestaurantName').pluck(),
      get: sql.prepareFor<Rating>(RATING_NAMES, 'selectRating', 'fromRatings', 'whereId'),
      list: list<Rating>('fromRatings', 'whereOfRestaurant'),
      oldest: sql.prepareFor<Rating>(
        RATING_NAMES,
        'selectRating',
        'fromRatings',
        'whereOfRestaurantAfter',
        'orderOldest',
      ),
      listOfUser: list<RatingOfUser>(...ofUser, 'whereOfUser'),
      listOfUserAtRestaurant: list<RatingOfUser>(...ofUser, 'whereOfRestaurant', 'andOfUser'),
      countOf: sql.prepare<number>('countRatingsOf').pluck(),
      insert: sql.prepareFor<Inserted>(RATING_NAMES, 'insertRating'),
      update: sql.prepareFor(CHANGEABLE_NAMES, 'updateRating'),
      remove: sql.prepare('deleteRating'),
    };
  }

  restaurantExists(restaurantId: number): boolean {
    return this.#sql.restaurantName.get({ restaurantId }) !== undefined;
  }

  get(id: number): Rating | undefined {
    return this.#sql.get.get({ id });
  }

  /** The rating as in the change log. */
  stored(id: number): RatingRecord | undefined {
    const rating = this.get(id);
    return rating && withoutAuthorName(rating);
  }

  /** Newest first, those after `after`. Do not write until the iteration is over. */
  list(
    restaurantId: number,
    after: RatingRecord | undefined,
    limit: number,
    offset: number,
  ): Iterable<Rating> {
    const { created_at: createdAt, id } = after ?? NEWEST;
    return this.#sql.list.iterate({ restaurantId, createdAt, id, limit, offset });
  }

  /** The oldest ones, or those that follow `after`. */
  oldest(restaurantId: number, after: RatingRecord | undefined, limit: number): readonly Rating[] {
    const { created_at: createdAt, id } = after ?? OLDEST;
    return this.#sql.oldest.all({ restaurantId, createdAt, id, limit });
  }

  /** Like `list`, for the ratings of one user (null: without an author), at one restaurant or all. */
  listOfUser(
    { userId, restaurantId }: { readonly userId: number | null; readonly restaurantId: number | undefined },
    after: RatingRecord | undefined,
    limit: number,
    offset: number,
  ): Iterable<RatingOfUser> {
    const { created_at: createdAt, id } = after ?? NEWEST;
    const part = { userId, createdAt, id, limit, offset };
    return restaurantId === undefined
      ? this.#sql.listOfUser.iterate(part)
      : this.#sql.listOfUserAtRestaurant.iterate({ ...part, restaurantId });
  }

  /** How many ratings of a restaurant a user has; 0 for the placeholder of mode none. */
  countOf(restaurantId: number, userId: number | null): number {
    return this.#sql.countOf.get({ restaurantId, userId }) ?? 0;
  }

  /** Undefined when there is no such restaurant. An import sets `createdAt`; its ratings have no author. */
  create(
    input: NewRating,
    write: Write,
    { createdAt = write.now, authorId = write.userId }: RatingOrigin = {},
  ): Rating | undefined {
    const name = this.#sql.restaurantName.get({ restaurantId: input.restaurant_id });
    if (name === undefined) return undefined;
    const times = { created_at: createdAt, updated_at: createdAt };
    const row = this.#sql.insert.get({ ...input, ...times, id: null, author_id: authorId });
    if (!row) throw new Error('an insert returned no row');
    const { id, author_id, author_name } = row;
    const rating = { id, ...input, ...times, author_id, author_name };
    write.createdRow(subjectOf(rating, name), rating);
    return rating;
  }

  /** Undefined when there is no such rating. */
  update(id: number, change: RatingChange, write: Write): Rating | undefined {
    const before = this.get(id);
    if (!before) return undefined;
    const after = { ...before, ...change, updated_at: write.now };
    this.#sql.update.run(after);
    write.updated(this.#subjectOf(after), withoutAuthorName(before), withoutAuthorName(after));
    return after;
  }

  /** False when there is no such rating. */
  remove(id: number, write: Write): boolean {
    const rating = this.stored(id);
    if (!rating) return false;
    this.#sql.remove.run({ id });
    write.deleted(this.#subjectOf(rating), rating);
    return true;
  }

  /** Restores a deleted one to its restaurant, which must exist. */
  restore(rating: RatingRecord, write: Write): void {
    this.#sql.insert.get(rating);
    write.restored(this.#subjectOf(rating), rating);
  }

  #subjectOf(rating: RatingRecord): Subject {
    return subjectOf(rating, this.#sql.restaurantName.get({ restaurantId: rating.restaurant_id }) ?? '');
  }
}

function subjectOf(
  { id, restaurant_id: restaurantId, author_id: ownerId }: RatingRecord,
  name: string,
): Subject {
  return { kind: 'rating', id, name, restaurantId, ownerId };
}
