import type { Prepared, QueryFile } from '../storage/statements.ts';
import type { Sort } from './order.ts';

/** The sorts that an index has. */
export type IndexedSort = Exclude<Sort, 'distance'>;

/** A filter whose rows can be found without the others. */
export type Narrow = 'foodTypeIds' | 'categoryId' | 'status' | 'minRating';

/** The fragments and statements of restaurants.sql that the lists of one kind are put together from. */
export interface Kind {
  readonly ofIds: string;
  readonly idsAfter: string;
  readonly idsInBox: string;
  readonly andFoodTypes: string;
  readonly walks: Readonly<
    Record<IndexedSort, Readonly<Record<'select' | 'from' | 'after' | 'order', string>>>
  >;
  /** Where the rows are that one filter leaves. */
  readonly narrow: Readonly<Record<Narrow, string>> | undefined;
}

/** The lists of restaurants. */
export const RESTAURANTS: Kind = {
  ofIds: 'fromIds',
  idsAfter: 'idsAfter',
  idsInBox: 'idsInBox',
  andFoodTypes: 'andFoodTypes',
  walks: {
    newest: { select: 'selectNewest', from: 'fromNewest', after: 'afterNewest', order: 'orderNewest' },
    name: { select: 'selectName', from: 'fromNamed', after: 'afterName', order: 'orderName' },
    rating: { select: 'selectRating', from: 'fromRated', after: 'afterRating', order: 'orderRating' },
  },
  narrow: {
    foodTypeIds: 'fromFoodTypes',
    categoryId: 'fromCategory',
    status: 'fromStatus',
    minRating: 'fromRated',
  },
};

/** The lists of pending suggestions, whose columns the database shows like those of restaurants. */
export const PENDING: Kind = {
  ofIds: 'fromPendingIds',
  idsAfter: 'pendingIdsAfter',
  idsInBox: 'pendingIdsInBox',
  andFoodTypes: 'andPendingFoodTypes',
  walks: {
    newest: { ...RESTAURANTS.walks.newest, from: 'fromPending' },
    name: { ...RESTAURANTS.walks.name, from: 'fromPending' },
    // No one has rated them, so that only their ids tell them apart.
    rating: {
      select: 'selectRating',
      from: 'fromPending',
      after: 'afterPendingRating',
      order: 'orderPendingRating',
    },
  },
  narrow: undefined,
};

/** Statements by the names of their fragments, in order. */
export function createShapes<Row>(sql: QueryFile): (names: readonly string[]) => Prepared<Row> {
  const made = new Map<string, Prepared<Row>>();
  return (names) => {
    const shape = names.join(' ');
    const known = made.get(shape) ?? sql.assemble<Row>(names.map((name) => sql.fragment(name)));
    made.set(shape, known);
    return known;
  };
}
