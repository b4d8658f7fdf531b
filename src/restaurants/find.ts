import { type Box, MAX_DISTANCE_KM, boxesAround, distanceTo } from './geo.ts';
import type { Candidate, CountedLists, Filters, IndexedSort, Lists, PendingLists } from './list.ts';
import { type Position, type Sort, comparePositions, mergeRuns, mergeSlices } from './order.ts';
import { type Turn, createTurns } from './turns.ts';

/** A list that is asked for: what is in it, in which order, and which part of it. */
export interface ListRequest {
  readonly filters: Filters;
  readonly sort: Sort;
  /** Where the part begins: behind a position, and then so many further on. */
  readonly after: Position | undefined;
  readonly offset: number;
  /** Undefined: all of it. */
  readonly limit: number | undefined;
}

/** One that may have pending suggestions among the restaurants. Pages never have. */
export interface SliceRequest extends ListRequest {
  readonly withPending: boolean;
}

/** Finds the restaurants of a list. Nothing here holds the event loop longer than one slice takes. */
export interface Finder {
  /** The positions of the part asked for, in slices as they are read. */
  readonly slices: (request: SliceRequest) => AsyncGenerator<readonly Position[]>;
  /** The part asked for at once, with the number of all matches. */
  readonly page: (
    request: ListRequest & { readonly limit: number },
  ) => Promise<{ positions: Position[]; total: number }>;
}

const WALK_SLICE = 50;
const SCAN_SLICE = 2_000;
// A box with more places than this is not read in one go.
const BOX_LIMIT = 5_000;
const FIRST_RADIUS_KM = 0.5;
const RADIUS_GROWTH = 4;

type Runs = readonly (readonly Position[])[];

/**
 * Three ways to a list: along an index where one keeps the order; by growing circles for the nearest few; and
 * otherwise by gathering all matches slice by slice, each slice sorted, merged as the list is read.
 */
export function createFinder(lists: CountedLists, pendingLists: PendingLists): Finder {
  const turn = createTurns();
  const gather = (filters: Filters, sort: Sort): Promise<Runs> => gatherRuns(lists, filters, sort, turn);

  async function* slices(request: SliceRequest): AsyncGenerator<readonly Position[]> {
    const { filters, sort, limit } = request;
    const pending = request.withPending && pendingLists.size() > 0 ? pendingLists : undefined;
    if (isIndexed(sort) && !needsScan(filters)) {
      const walk = { ...request, sort };
      yield* pending ? walkBoth(lists, pending, walk, turn) : walkSlices(lists, walk, turn);
      return;
    }
    const near = limit === undefined ? undefined : nearest(lists, request, request.offset + limit);
    const runs = near ? [near] : await gather(filters, sort);
    const pendingRuns = pending ? await gatherRuns(pending, filters, sort, turn) : [];
    yield* inSlices(part([...runs, ...pendingRuns], request), turn);
  }

  async function page(
    request: ListRequest & { limit: number },
  ): Promise<{ positions: Position[]; total: number }> {
    const { filters, sort } = request;
    if (isIndexed(sort) && !needsScan(filters))
      return { positions: lists.walk(filters, sort, request), total: lists.count(filters) };
    if (!needsScan(filters)) {
      const near = nearest(lists, request, request.offset + request.limit);
      if (near) return { positions: [...part([near], request)], total: lists.count(filters) };
    }
    const runs = await gather(filters, sort);
    return { positions: [...part(runs, request)], total: runs.reduce((sum, run) => sum + run.length, 0) };
  }

  return { slices, page };
}

function isIndexed(sort: Sort): sort is IndexedSort {
  return sort !== 'distance';
}

/** Whether matches can only be told by looking at each candidate. */
function needsScan({ match, near }: Filters): boolean {
  return match !== undefined || near?.radius !== undefined;
}

type Walk = ListRequest & { readonly sort: IndexedSort };

async function* walkSlices(lists: Lists, request: Walk, turn: Turn): AsyncGenerator<readonly Position[]> {
  const { filters, sort } = request;
  let { after, offset } = request;
  let left = request.limit ?? Infinity;
  while (left > 0) {
    const limit = Math.min(left, WALK_SLICE);
    const positions = lists.walk(filters, sort, { after, limit, offset });
    yield positions;
    if (positions.length < limit) return;
    left -= limit;
    after = positions.at(-1);
    offset = 0;
    await turn();
  }
}

/** Restaurants and pending suggestions in one order. */
async function* walkBoth(
  lists: Lists,
  pending: PendingLists,
  request: Walk,
  turn: Turn,
): AsyncGenerator<readonly Position[]> {
  const { sort, offset, limit } = request;
  // However many suggestions come before the part, so many restaurants do at least: the index skips them.
  const start = Math.max(0, offset - pending.size());
  let skip = offset - start;
  let left = limit ?? Infinity;
  const ahead = { ...request, limit: limit === undefined ? undefined : skip + limit };
  const merged = mergeSlices(
    walkSlices(lists, { ...ahead, offset: start }, turn),
    walkSlices(pending, { ...ahead, offset: 0 }, turn),
    comparePositions(sort),
  );
  for await (const slice of merged) {
    const wanted = slice.slice(skip, skip + left);
    skip = Math.max(0, skip - slice.length);
    left -= wanted.length;
    yield wanted;
    if (left === 0) return;
  }
}

async function gatherRuns(lists: Lists, filters: Filters, sort: Sort, turn: Turn): Promise<Runs> {
  const { near, match } = filters;
  if (near?.radius !== undefined && match === undefined) {
    const boxes = boxesAround(near, near.radius);
    if (isSmall(lists, boxes)) return [rank(inBoxes(lists, filters, boxes), filters, sort)];
  }
  const runs: Position[][] = [];
  let afterId = 0;
  for (;;) {
    const candidates = lists.slice(filters, afterId, SCAN_SLICE);
    runs.push(rank(candidates, filters, sort));
    const last = candidates.at(-1);
    if (last === undefined || candidates.length < SCAN_SLICE) return runs;
    afterId = last.id;
    await turn();
  }
}

/**
 * The restaurants in the smallest of some growing circles that holds as many as needed behind the position asked for.
 * Undefined when no small circle does, as when most restaurants have no coordinates or all lie in one town.
 */
function nearest(
  lists: Lists,
  { filters, sort, after }: ListRequest,
  needed: number,
): Position[] | undefined {
  const { near } = filters;
  if (sort !== 'distance' || near === undefined || needsScan(filters)) return undefined;
  const compare = comparePositions(sort);
  const start = typeof after?.key === 'number' ? Math.max(FIRST_RADIUS_KM, after.key) : FIRST_RADIUS_KM;
  for (let radius = start; radius < MAX_DISTANCE_KM; radius *= RADIUS_GROWTH) {
    const boxes = boxesAround(near, radius);
    if (!isSmall(lists, boxes)) return undefined;
    const circle = { ...filters, near: { ...near, radius } };
    const found = rank(inBoxes(lists, circle, boxes), circle, sort);
    const behind = after ? found.filter((position) => compare(after, position) < 0) : found;
    if (behind.length >= needed) return behind;
  }
  return undefined;
}

function isSmall(lists: Lists, boxes: readonly Box[]): boolean {
  return boxes.reduce((sum, box) => sum + lists.countBox(box, BOX_LIMIT + 1), 0) <= BOX_LIMIT;
}

/** A place on the very edge between two boxes lies in both. */
function inBoxes(lists: Lists, filters: Filters, boxes: readonly Box[]): readonly Candidate[] {
  const found = boxes.flatMap((box) => lists.inBox(filters, box));
  return boxes.length === 1
    ? found
    : [...new Map(found.map((candidate) => [candidate.id, candidate])).values()];
}

/** The positions of those candidates that the radius leaves, in order. */
function rank(candidates: readonly Candidate[], { near }: Filters, sort: Sort): Position[] {
  const positions: Position[] = [];
  for (const candidate of candidates) {
    const distance = near ? distanceTo(near, candidate) : null;
    if (near?.radius !== undefined && (distance === null || distance > near.radius)) continue;
    positions.push({ key: keyOf(candidate, sort, distance), id: candidate.id });
  }
  return positions.sort(comparePositions(sort));
}

function keyOf(candidate: Candidate, sort: Sort, distance: number | null): string | number | null {
  switch (sort) {
    case 'newest':
      return candidate.created_at;
    case 'name':
      return candidate.search_name;
    case 'rating':
      return candidate.overall;
    case 'distance':
      return distance;
  }
}

/** The part of the merged runs that a request asks for. */
function* part(runs: Runs, { sort, after, offset, limit }: ListRequest): Generator<Position> {
  const compare = comparePositions(sort);
  let skip = offset;
  let left = limit ?? Infinity;
  for (const position of mergeRuns(runs, compare)) {
    if (left <= 0) return;
    if (after && compare(position, after) <= 0) continue;
    if (skip > 0) skip -= 1;
    else {
      left -= 1;
      yield position;
    }
  }
}

async function* inSlices(positions: Iterable<Position>, turn: Turn): AsyncGenerator<readonly Position[]> {
  let slice: Position[] = [];
  for (const position of positions) {
    slice.push(position);
    if (slice.length < WALK_SLICE) continue;
    yield slice;
    slice = [];
    await turn();
  }
  yield slice;
}
