import type { QueryFile } from '../storage/statements.ts';
import { type Filters, type StoredScope, bindings, conditions, storedScope } from './filters.ts';
import type { Box } from './geo.ts';
import { type Kind, PENDING, RESTAURANTS, createShapes } from './kinds.ts';
import { type IsFew, type Walk, createWalk } from './walk.ts';

/** What sorting and distances need of a restaurant. */
export interface Candidate {
  readonly id: number;
  readonly created_at: string;
  readonly search_name: string;
  readonly overall: number;
  readonly latitude: number | null;
  readonly longitude: number | null;
}

/** Every call takes a few milliseconds at most, however many restaurants there are. `match` and `near` are left aside. */
export interface Lists {
  readonly walk: Walk;
  /** The next ids after an id, whatever the filters. */
  readonly idsAfter: (afterId: number, limit: number) => number[];
  /** Those of the ids that match. */
  readonly pick: (filters: Filters, ids: readonly number[]) => readonly Candidate[];
  /** The same for ids that lie in a box, which are often asked for again. */
  readonly pickNear: (filters: Filters, ids: readonly number[]) => readonly Candidate[];
  /** How many of the ids match. */
  readonly countOf: (filters: Filters, ids: readonly number[]) => number;
  /** The ids of up to `limit` restaurants whose coordinates lie in a box, whatever the filters. */
  readonly idsInBox: (box: Box, limit: number) => number[];
}

/** The lists of restaurants, of which some totals are stored. */
export interface CountedLists extends Lists {
  /** How many restaurants match; undefined where that is stored nowhere. */
  readonly storedTotal: (filters: Filters) => number | undefined;
}

/** The lists of pending suggestions, of which no restaurant's status and no least rating finds any. */
export interface PendingLists extends Lists {
  /** How many there are in all. */
  readonly size: () => number;
}

// Up to so many restaurants that a filter leaves are sorted; more of them are picked out of a sorted walk.
const FEW = 1_000;

// Asked for up front, so that a name that restaurants.sql does not have stops the start.
const SHARED = [
  ...['selectCandidates', 'selectCount', 'startMatches', 'endMatches', 'whereTrue'],
  ...['andCategory', 'andStatus', 'andMinRating'],
];

/** The list queries. Each shape is put together from the fragments of restaurants.sql when first needed, and cached. */
export function createLists(sql: QueryFile): CountedLists {
  const totalOf = sql.prepare<{ total: number }>('totalOf');
  const stored = (scope: StoredScope[0], scopeId: number): number =>
    totalOf.get({ scope, scopeId })?.total ?? 0;
  const upToMany = {
    status: sql.prepare<{ total: number }>('countStatus'),
    minRating: sql.prepare<{ total: number }>('countRated'),
  };
  const isFew: IsFew = (filter, { categoryId, foodTypeIds, status, minRating }) => {
    if (filter === 'foodTypeIds')
      return (foodTypeIds ?? []).reduce((sum, id) => sum + stored('food_type', id), 0) <= FEW;
    if (filter === 'categoryId') return stored('category', categoryId ?? 0) <= FEW;
    const bound = { status: status ?? null, minRating: minRating ?? null, limit: FEW + 1 };
    return (upToMany[filter].get(bound)?.total ?? 0) <= FEW;
  };
  return {
    ...createKind(sql, RESTAURANTS, isFew),
    storedTotal: (filters) => {
      const scope = storedScope(filters);
      return scope && stored(...scope);
    },
  };
}

/** The same for pending suggestions, whose columns the database shows like those of restaurants. */
export function createPendingLists(sql: QueryFile): PendingLists {
  const size = sql.prepare<{ total: number }>('countPending');
  return { ...createKind(sql, PENDING, () => false), size: () => size.get()?.total ?? 0 };
}

function createKind(sql: QueryFile, kind: Kind, isFew: IsFew): Lists {
  const walks = Object.values(kind.walks).flatMap((walk) => Object.values(walk));
  for (const name of [
    ...SHARED,
    ...walks,
    ...Object.values(kind.narrow ?? {}),
    kind.ofIds,
    kind.andFoodTypes,
  ])
    sql.fragment(name);
  const candidates = createShapes<Candidate>(sql);
  const counts = createShapes<{ total: number }>(sql);
  const idsAfter = sql.prepare<{ id: number }>(kind.idsAfter);
  const idsInBox = sql.prepare<{ id: number }>(kind.idsInBox);

  const pick: Lists['pick'] = (filters, ids) =>
    candidates(['selectCandidates', kind.ofIds, 'whereTrue', ...conditions(filters, kind)]).all({
      ...bindings(filters),
      ids: JSON.stringify(ids),
    });

  return {
    walk: createWalk(sql, kind, isFew),
    pick,
    pickNear: pick,
    idsAfter: (afterId, limit) => idsAfter.all({ afterId, limit }).map(({ id }) => id),
    countOf: (filters, ids) =>
      counts(['selectCount', kind.ofIds, 'whereTrue', ...conditions(filters, kind)]).get({
        ...bindings(filters),
        ids: JSON.stringify(ids),
      })?.total ?? 0,
    idsInBox: (box, limit) => idsInBox.all({ ...box, limit }).map(({ id }) => id),
  };
}
