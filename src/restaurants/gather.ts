import { type Box, MAX_DISTANCE_KM, boxesAround, distanceTo } from './geo.ts';
import type { Filters, TextMatch } from './filters.ts';
import type { Candidate, Lists, PendingLists } from './list.ts';
import { type Position, type Sort, comparePositions, mergeRuns } from './order.ts';
import type { ListRequest, Pacing } from './request.ts';
import type { Counter } from './totals.ts';

/** Collects the matches of a list that no index has in its order. */
export interface Gatherer {
  /** The ids of the part asked for, in order. */
  readonly ids: (request: ListRequest, withPending: boolean, pacing: Pacing) => Promise<readonly number[]>;
  /** The positions of the part asked for, and the number of all matches; `count` is asked where they are not all seen. */
  readonly page: (
    request: ListRequest & { readonly limit: number },
    pacing: Pacing,
    count: Counter,
  ) => Promise<{ positions: readonly Position[]; total: number }>;
}

interface Gathered {
  /** In order, as many as are needed. */
  readonly positions: readonly Position[];
  /** Undefined where not all matches were seen. */
  readonly total: number | undefined;
}

const SLICE = 500;
// A box with more places than this is gathered like the whole catalogue.
const BOX_LIMIT = 5_000;
const FIRST_RADIUS_KM = 0.5;
const RADIUS_GROWTH = 4;

/** Opens the gatherer on the lists of restaurants and of pending suggestions. */
export function createGatherer(lists: Lists, pendingLists: PendingLists): Gatherer {
  /** The first positions of the list, as far as the part asked for. */
  async function gather(request: ListRequest, withPending: boolean, pacing: Pacing): Promise<Gathered> {
    const needed = request.limit === undefined ? Infinity : request.offset + request.limit;
    const near = await nearest(lists, request, needed, pacing);
    const all = near ? undefined : await gatherAll(lists, 'restaurants', request, needed, pacing);
    const pending = withPending
      ? await gatherAll(pendingLists, 'pending', request, needed, pacing)
      : { runs: [], total: 0 };
    const runs = [...(near ? [near] : []), ...(all?.runs ?? []), ...pending.runs];
    const positions = await mergeRuns(runs, comparePositions(request.sort), needed, pacing.pause);
    return { positions, total: all && all.total + pending.total };
  }

  return {
    ids: (request, withPending, pacing) =>
      pacing.gather(async () => {
        const { positions } = await gather(request, withPending, pacing);
        return part(positions, request).map(({ id }) => id);
      }),
    page: async (request, pacing, count) => {
      const gathered = await pacing.gather(() => gather(request, false, pacing));
      const total = gathered.total ?? (await count(request.filters, pacing));
      return { positions: part(gathered.positions, request), total };
    },
  };
}

/** Of positions behind the one that the request begins after, those that it asks for. */
function part(positions: readonly Position[], { offset, limit }: ListRequest): readonly Position[] {
  return positions.slice(offset, limit === undefined ? undefined : offset + limit);
}

interface Runs {
  readonly runs: readonly (readonly Position[])[];
  readonly total: number;
}

/** All matches in sorted runs, none longer than needed. */
async function gatherAll(
  lists: Lists,
  kind: keyof TextMatch,
  { filters, sort, after }: ListRequest,
  needed: number,
  { pause }: Pacing,
): Promise<Runs> {
  const compare = comparePositions(sort);
  const runs: (readonly Position[])[] = [];
  let total = 0;
  const { near, match } = filters;
  const boxed =
    near?.radius === undefined || match ? undefined : idsAround(lists, boxesAround(near, near.radius));
  const pick = boxed ? lists.pickNear : lists.pick;
  const candidates = match ? match[kind]() : boxed ? parts(boxed) : allIds(lists, pause);
  for await (const ids of candidates) {
    const run = rank(pick(filters, ids), filters, sort);
    total += run.length;
    const behind = after ? run.filter((position) => compare(after, position) < 0) : run;
    if (behind.length > 0) runs.push(behind.slice(0, needed));
    await pause();
  }
  return { runs, total };
}

async function* allIds(lists: Lists, pause: Pacing['pause']): AsyncGenerator<readonly number[]> {
  for (let ids = lists.idsAfter(0, SLICE); ids.length > 0;) {
    yield ids;
    const last = ids.at(-1);
    if (last === undefined || ids.length < SLICE) return;
    await pause();
    ids = lists.idsAfter(last, SLICE);
  }
}

function* parts(ids: readonly number[]): Generator<readonly number[]> {
  for (let at = 0; at < ids.length; at += SLICE) yield ids.slice(at, at + SLICE);
}

/** The ids in the boxes; undefined when they are too many. A place on the very edge between two boxes lies in both. */
function idsAround(lists: Lists, boxes: readonly Box[]): readonly number[] | undefined {
  const ids = new Set<number>();
  for (const box of boxes) for (const id of lists.idsInBox(box, BOX_LIMIT + 1)) ids.add(id);
  return ids.size > BOX_LIMIT ? undefined : [...ids];
}

/**
 * The restaurants in the smallest of some growing circles that holds as many as needed behind the position asked for.
 * Undefined when no small circle does, as when most restaurants have no coordinates or all lie in one town.
 */
async function nearest(
  lists: Lists,
  { filters, sort, after }: ListRequest,
  needed: number,
  { pause }: Pacing,
): Promise<readonly Position[] | undefined> {
  const { near, match } = filters;
  const isOpen = sort === 'distance' && match === undefined && near?.radius === undefined;
  if (!near || !isOpen || needed > BOX_LIMIT) return undefined;
  const compare = comparePositions(sort);
  const start = typeof after?.key === 'number' ? Math.max(FIRST_RADIUS_KM, after.key) : FIRST_RADIUS_KM;
  for (let radius = start; radius < MAX_DISTANCE_KM; radius *= RADIUS_GROWTH) {
    const ids = idsAround(lists, boxesAround(near, radius));
    if (!ids) return undefined;
    const circle = { ...filters, near: { ...near, radius } };
    const found: Position[] = [];
    for (const slice of parts(ids)) {
      if (found.length > 0) await pause();
      found.push(...rank(lists.pickNear(filters, slice), circle, sort));
    }
    found.sort(compare);
    const behind = after ? found.filter((position) => compare(after, position) < 0) : found;
    if (behind.length >= needed) return behind;
  }
  return undefined;
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
