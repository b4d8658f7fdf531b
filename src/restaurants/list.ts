import type { Bindings, Prepared, QueryFile } from '../storage/statements.ts';
import type { Box, Point } from './geo.ts';
import type { Position, Sort } from './order.ts';
import type { RestaurantStatus } from './record.ts';

/** Which restaurants, or pending suggestions in their shape, a list holds; everything that is given must hold. */
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
  /** How many of any kind lie in a box, counted up to `limit`. */
  readonly countBox: (box: Box, limit: number) => number;
}

/** The lists of restaurants, which also tell their totals. */
export interface CountedLists extends Lists {
  /** How many restaurants match; `match` and `near` are left aside. */
  readonly count: (filters: Filters) => number;
}

/** The lists of pending suggestions, of which no restaurant's status and no least rating finds any. */
export interface PendingLists extends Lists {
  /** How many there are in all. */
  readonly size: () => number;
}

export interface WalkPage {
  readonly after: Position | undefined;
  readonly limit: number;
  readonly offset: number;
}

// Up to so many restaurants that a filter leaves are sorted; more of them are picked out of a sorted walk.
const FEW = 1_000;

// The fragments of restaurants.sql that the lists of one kind are put together from.
const RESTAURANTS = {
  all: 'fromRestaurants',
  rated: 'fromRated',
  ofFoodTypes: 'fromFoodTypes',
  matches: ['fromMatches', 'whereMatches', 'orderMatches'],
  box: 'fromBox',
  countBox: 'countBox',
  andFoodTypes: 'andFoodTypes',
  walks: {
    newest: { select: 'selectNewest', after: 'afterNewest', order: 'orderNewest' },
    name: { select: 'selectName', after: 'afterName', order: 'orderName' },
    rating: { select: 'selectRating', after: 'afterRating', order: 'orderRating' },
  },
} as const;

const PENDING = {
  all: 'fromPending',
  rated: 'fromPending',
  ofFoodTypes: 'fromPendingFoodTypes',
  matches: ['fromPendingMatches', 'wherePendingMatches', 'orderPendingMatches'],
  box: 'fromPendingBox',
  countBox: 'countPendingBox',
  andFoodTypes: 'andPendingFoodTypes',
  walks: {
    ...RESTAURANTS.walks,
    // Nobody has rated them, so that only their ids tell them apart.
    rating: { select: 'selectRating', after: 'afterPendingRating', order: 'orderPendingRating' },
  },
} as const;

type Kind = typeof RESTAURANTS | typeof PENDING;

// Asked for up front, so that a name that restaurants.sql does not have stops the start.
const SHARED = [
  ...['selectCandidates', 'selectCount', 'whereTrue', 'whereAfterId', 'whereBox', 'orderIds'],
  ...['andCategory', 'andStatus', 'andMinRating', 'pickCategory', 'pickStatus'],
];

/** Whether a filter leaves few; asked only of one that is set. */
type IsFew = (filter: 'foodTypeIds' | 'categoryId' | 'status' | 'minRating', filters: Filters) => boolean;

/** The list queries. Each shape is put together from the fragments of restaurants.sql when first needed, and kept. */
export function createLists(sql: QueryFile): CountedLists {
  const totalOf = sql.prepare<{ total: number }>('totalOf');
  const kept = (scope: 'all' | 'category' | 'food_type', scopeId: number): number =>
    totalOf.get({ scope, scopeId })?.total ?? 0;
  const upToMany = {
    status: sql.prepare<{ total: number }>('countStatus'),
    minRating: sql.prepare<{ total: number }>('countRated'),
  };
  const isFew: IsFew = (filter, filters) => {
    const { categoryId, foodTypeIds, status, minRating } = filters;
    if (filter === 'foodTypeIds')
      return (foodTypeIds ?? []).reduce((sum, id) => sum + kept('food_type', id), 0) <= FEW;
    if (filter === 'categoryId') return kept('category', categoryId ?? 0) <= FEW;
    const bound = { status: status ?? null, minRating: minRating ?? null, limit: FEW + 1 };
    return (upToMany[filter].get(bound)?.total ?? 0) <= FEW;
  };
  const counts = createShapes<{ total: number }>(sql);
  return {
    ...createKind(sql, RESTAURANTS, isFew),
    count: (filters) => {
      const scope = keptScope(filters);
      if (scope) return kept(...scope);
      const bound = bindings(filters);
      const counted = counts([
        'selectCount',
        'fromRestaurants',
        'whereTrue',
        ...conditions(filters, RESTAURANTS),
      ]);
      return counted.get(bound)?.total ?? 0;
    },
  };
}

/** The same for pending suggestions, whose columns the database shows like those of restaurants. */
export function createPendingLists(sql: QueryFile): PendingLists {
  const size = sql.prepare<{ total: number }>('countPending');
  return { ...createKind(sql, PENDING, () => true), size: () => size.get()?.total ?? 0 };
}

function createKind(sql: QueryFile, kind: Kind, isFew: IsFew): Lists {
  const { newest, name: byName, rating } = kind.walks;
  const walks = [newest, byName, rating].flatMap(({ select, after, order }) => [select, after, order]);
  const fragments = [kind.all, kind.rated, kind.ofFoodTypes, ...kind.matches, kind.box, kind.andFoodTypes];
  for (const name of [...SHARED, ...fragments, ...walks]) sql.fragment(name);
  const positions = createShapes<Position>(sql);
  const candidates = createShapes<Candidate>(sql);
  const boxCount = sql.prepare<{ total: number }>(kind.countBox);
  const [fromMatches, whereMatches, orderMatches] = kind.matches;

  return {
    walk: (filters, sort, { after, limit, offset }) => {
      const walk = kind.walks[sort];
      return positions([
        walk.select,
        ...narrowed(filters, sort, kind, isFew),
        ...(after ? [walk.after] : []),
        walk.order,
      ]).all({ ...bindings(filters), afterKey: after?.key ?? null, afterId: after?.id ?? 0, limit, offset });
    },
    slice: (filters, afterId, limit) =>
      candidates([
        'selectCandidates',
        ...(filters.match === undefined ? [kind.all, 'whereAfterId'] : [fromMatches, whereMatches]),
        ...conditions(filters, kind),
        filters.match === undefined ? 'orderIds' : orderMatches,
      ]).all({ ...bindings(filters), afterId, limit }),
    inBox: (filters, box) =>
      candidates(['selectCandidates', kind.box, 'whereBox', ...conditions(filters, kind)]).all({
        ...bindings(filters),
        ...box,
      }),
    countBox: (box, limit) => boxCount.get({ ...box, limit })?.total ?? 0,
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

/** From where a walk takes what the filters leave: from the few of one of them, or from the index of the sort. */
function narrowed(filters: Filters, sort: IndexedSort, kind: Kind, isFew: IsFew): readonly string[] {
  if (filters.foodTypeIds !== undefined && isFew('foodTypeIds', filters))
    return [kind.ofFoodTypes, 'whereTrue', ...conditions({ ...filters, foodTypeIds: undefined }, kind)];
  if (filters.minRating !== undefined && sort !== 'rating' && isFew('minRating', filters))
    return [kind.rated, 'whereTrue', ...conditions(filters, kind)];
  const names = [kind.all, 'whereTrue', ...conditions(filters, kind)];
  // Of a category and of a status there is an index by newest alone.
  if (sort === 'newest') return names;
  return names.map((name) => {
    if (name === 'andCategory' && !isFew('categoryId', filters)) return 'pickCategory';
    return name === 'andStatus' && !isFew('status', filters) ? 'pickStatus' : name;
  });
}

function conditions({ categoryId, foodTypeIds, status, minRating }: Filters, kind: Kind): string[] {
  return [
    ...(categoryId === undefined ? [] : ['andCategory']),
    ...(foodTypeIds === undefined ? [] : [kind.andFoodTypes]),
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
