import type { Bindings, Prepared, QueryFile } from '../storage/statements.ts';
import type { Box, Point } from './geo.ts';
import type { Position, Sort } from './order.ts';
import type { RestaurantStatus } from './record.ts';

/** Which restaurants a list holds; everything that is given must hold. */
export interface Filters {
  readonly categoryId: number | undefined;
  /** Any of them. */
  readonly foodTypeIds: readonly number[] | undefined;
  readonly status: RestaurantStatus | undefined;
  /** Least overall average. */
  readonly minRating: number | undefined;
  /** An expression for the search index. */
  readonly match: string | undefined;
  /** The centre of distances, and the radius in kilometres that cuts off. */
  readonly near: (Point & { readonly radius: number | undefined }) | undefined;
}

/** What sorting and distances need of a restaurant. */
export interface Candidate {
  readonly id: number;
  readonly created_at: string;
  readonly search_name: string;
  readonly overall: number;
  readonly latitude: number | null;
  readonly longitude: number | null;
}

/** The sorts that an index keeps. */
export type IndexedSort = Exclude<Sort, 'distance'>;

export interface Lists {
  /** Ids in the order of an index, after a position; cheap wherever the position is. Leaves `match` and `near` aside. */
  readonly walk: (filters: Filters, sort: IndexedSort, page: WalkPage) => Position[];
  /** Matches in the order of their ids, after an id; for orders that no index keeps. The radius is left aside. */
  readonly slice: (filters: Filters, afterId: number, limit: number) => Candidate[];
  /** Matches whose coordinates lie in a box; `match` is left aside. */
  readonly inBox: (filters: Filters, box: Box) => Candidate[];
  /** How many restaurants of any kind lie in a box, counted up to `limit`. */
  readonly countBox: (box: Box, limit: number) => number;
  /** How many restaurants match; `match` and `near` are left aside. */
  readonly count: (filters: Filters) => number;
}

export interface WalkPage {
  readonly after: Position | undefined;
  readonly limit: number;
  readonly offset: number;
}

// Up to so many restaurants of a food type are sorted; more of them are picked out of a sorted walk.
const FEW = 1_000;
const MAX_TOTALS = 1_000;

const WALKS = {
  newest: { select: 'selectNewest', after: 'afterNewest', order: 'orderNewest' },
  name: { select: 'selectName', after: 'afterName', order: 'orderName' },
  rating: { select: 'selectRating', after: 'afterRating', order: 'orderRating' },
} as const;

// Asked for up front, so that a name that restaurants.sql does not have stops the start.
const FRAGMENTS = [
  ...['selectNewest', 'selectName', 'selectRating', 'selectCandidates', 'selectCount'],
  ...['fromRestaurants', 'fromFoodTypes', 'fromMatches', 'fromBox'],
  ...['whereTrue', 'whereMatches', 'whereAfterId', 'whereBox'],
  ...['andCategory', 'andFoodTypes', 'andStatus', 'andMinRating'],
  ...['afterNewest', 'afterName', 'afterRating'],
  ...['orderNewest', 'orderName', 'orderRating', 'orderIds', 'orderMatches'],
];

/** The list queries. Each shape is put together from the fragments of restaurants.sql when first needed, and kept. */
export function createLists(sql: QueryFile): Lists {
  for (const name of FRAGMENTS) sql.fragment(name);
  const positions = createShapes<Position>(sql);
  const candidates = createShapes<Candidate>(sql);
  const counts = createShapes<{ total: number }>(sql);
  const boxCount = sql.prepare<{ total: number }>('countBox');
  const totalOf = sql.prepare<{ total: number }>('totalOf');
  const kept = (scope: 'all' | 'category' | 'food_type', scopeId: number): number =>
    totalOf.get({ scope, scopeId })?.total ?? 0;

  const remembered = createMemory(sql);

  return {
    walk: (filters, sort, { after, limit, offset }) => {
      const walk = WALKS[sort];
      const few =
        filters.foodTypeIds && filters.foodTypeIds.reduce((sum, id) => sum + kept('food_type', id), 0) <= FEW;
      return positions([
        walk.select,
        ...(few === true
          ? ['fromFoodTypes', 'whereTrue', ...conditions({ ...filters, foodTypeIds: undefined })]
          : ['fromRestaurants', 'whereTrue', ...conditions(filters)]),
        ...(after ? [walk.after] : []),
        walk.order,
      ]).all({ ...bindings(filters), afterKey: after?.key ?? null, afterId: after?.id ?? 0, limit, offset });
    },
    slice: (filters, afterId, limit) =>
      candidates([
        'selectCandidates',
        ...(filters.match === undefined
          ? ['fromRestaurants', 'whereAfterId']
          : ['fromMatches', 'whereMatches']),
        ...conditions(filters),
        filters.match === undefined ? 'orderIds' : 'orderMatches',
      ]).all({ ...bindings(filters), afterId, limit }),
    inBox: (filters, box) =>
      candidates(['selectCandidates', 'fromBox', 'whereBox', ...conditions(filters)]).all({
        ...bindings(filters),
        ...box,
      }),
    countBox: (box, limit) => boxCount.get({ ...box, limit })?.total ?? 0,
    count: (filters) => {
      const scope = keptScope(filters);
      if (scope) return kept(...scope);
      const bound = bindings(filters);
      const counted = counts(['selectCount', 'fromRestaurants', 'whereTrue', ...conditions(filters)]);
      return remembered(JSON.stringify(bound), () => counted.get(bound)?.total ?? 0);
    },
  };
}

/**
 * Totals that were counted, for as long as nobody writes: `data_version` tells the commits of other processes,
 * `total_changes` the rows written by this one.
 */
function createMemory(sql: QueryFile): (key: string, count: () => number) => number {
  const contentVersion = sql.prepare<{ version: string }>('contentVersion');
  const totals = new Map<string, number>();
  let version: string | undefined;
  return (key, count) => {
    const now = contentVersion.get()?.version;
    if (now !== version || totals.size >= MAX_TOTALS) totals.clear();
    version = now;
    const total = totals.get(key) ?? count();
    totals.set(key, total);
    return total;
  };
}

/** Statements by the names of their fragments, in order. */
function createShapes<Row>(sql: QueryFile): (names: readonly string[]) => Prepared<Row> {
  const made = new Map<string, Prepared<Row>>();
  return (names) => {
    const shape = names.join(' ');
    const known = made.get(shape) ?? sql.assemble<Row>(names.map((name) => sql.fragment(name)));
    made.set(shape, known);
    return known;
  };
}

function conditions({ categoryId, foodTypeIds, status, minRating }: Filters): string[] {
  return [
    ...(categoryId === undefined ? [] : ['andCategory']),
    ...(foodTypeIds === undefined ? [] : ['andFoodTypes']),
    ...(status === undefined ? [] : ['andStatus']),
    ...(minRating === undefined ? [] : ['andMinRating']),
  ];
}

function bindings({ categoryId, foodTypeIds, status, minRating, match }: Filters): Bindings {
  return {
    categoryId: categoryId ?? null,
    foodTypeIds: JSON.stringify(foodTypeIds ?? []),
    status: status ?? null,
    minRating: minRating ?? null,
    match: match ?? null,
  };
}

/** The kept total that answers these filters, if there is one. */
function keptScope(filters: Filters): ['all' | 'category' | 'food_type', number] | undefined {
  const { categoryId, foodTypeIds, status, minRating } = filters;
  const [foodTypeId, ...more] = foodTypeIds ?? [];
  if (status !== undefined || minRating !== undefined || more.length > 0) return undefined;
  if (categoryId === undefined) return foodTypeId === undefined ? ['all', 0] : ['food_type', foodTypeId];
  return foodTypeId === undefined ? ['category', categoryId] : undefined;
}
