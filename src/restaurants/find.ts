import { type Gatherer, createGatherer } from './gather.ts';
import type { IndexedSort } from './kinds.ts';
import type { Lists, PendingLists } from './list.ts';
import type { WalkPage } from './walk.ts';
import { type Position, comparePositions, mergeSlices } from './order.ts';
import type { ListRequest, Pacing, SliceRequest } from './request.ts';
import type { Counter } from './totals.ts';

/** Finds the restaurants of a list. Nothing here holds the event loop longer than one slice takes. */
export interface Finder {
  /** The ids of the part asked for, in slices as they are read. */
  readonly slices: (request: SliceRequest, pacing: Pacing) => AsyncGenerator<readonly number[]>;
  /** The part asked for at once, with the number of all matches. */
  readonly page: (
    request: ListRequest & { readonly limit: number },
    pacing: Pacing,
  ) => Promise<{ positions: readonly Position[]; total: number }>;
}

const WALK_SLICE = 50;

/**
 * Two ways to a list: along an index where one has the order, and otherwise by gathering all matches slice by slice, or
 * the nearest few of them.
 */
export function createFinder(lists: Lists, pendingLists: PendingLists, count: Counter): Finder {
  const gatherer = createGatherer(lists, pendingLists);

  async function* slices(request: SliceRequest, pacing: Pacing): AsyncGenerator<readonly number[]> {
    const pending = request.withPending && pendingLists.size() > 0 ? pendingLists : undefined;
    const walk = asWalk(request);
    if (!walk) {
      yield* inSlices(await gatherer.ids(request, pending !== undefined, pacing), pacing);
      return;
    }
    const walked = pending ? walkBoth(lists, pending, walk, pacing) : walkSlices(lists, walk, pacing);
    for await (const positions of walked) yield idsOf(positions);
  }

  return { slices, page: createPager(lists, gatherer, count) };
}

function createPager(lists: Lists, gatherer: Gatherer, count: Counter): Finder['page'] {
  return async (request, pacing) => {
    const walk = asWalk(request);
    if (!walk) return gatherer.page(request, pacing, count);
    const positions: Position[] = [];
    for await (const slice of walkSlices(lists, walk, pacing, request.limit)) positions.push(...slice);
    return { positions, total: await count(request.filters, pacing) };
  };
}

type Walk = ListRequest & { readonly sort: IndexedSort };

/** The request as one that an index answers, or undefined where matches can only be told by looking at each. */
function asWalk(request: ListRequest): Walk | undefined {
  const { sort, filters } = request;
  const needsGathering = filters.match !== undefined || filters.near?.radius !== undefined;
  return sort === 'distance' || needsGathering ? undefined : { ...request, sort };
}

async function* walkSlices(
  lists: Lists,
  { filters, sort, after, offset, limit = Infinity }: Walk,
  { pause }: Pacing,
  size = WALK_SLICE,
): AsyncGenerator<readonly Position[]> {
  let left = limit;
  let page: WalkPage | undefined = { after, offset, limit: Math.min(left, size) };
  for (;;) {
    const { limit: wanted } = page;
    const { positions, rest } = lists.walk(filters, sort, page);
    yield positions;
    left -= positions.length;
    const last = positions.at(-1);
    if (rest) page = rest;
    else if (last && left > 0 && positions.length === wanted)
      page = { after: last, offset: 0, limit: Math.min(left, size) };
    else return;
    await pause();
  }
}

/** Restaurants and pending suggestions in one order. */
async function* walkBoth(
  lists: Lists,
  pending: PendingLists,
  request: Walk,
  pacing: Pacing,
): AsyncGenerator<readonly Position[]> {
  const { sort, offset, limit } = request;
  // However many suggestions come before the part, so many restaurants do at least: the index skips them.
  const start = Math.max(0, offset - pending.size());
  let skip = offset - start;
  let left = limit ?? Infinity;
  const ahead = { ...request, limit: limit === undefined ? undefined : skip + limit };
  const merged = mergeSlices(
    walkSlices(lists, { ...ahead, offset: start }, pacing),
    walkSlices(pending, { ...ahead, offset: 0 }, pacing),
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

async function* inSlices(ids: readonly number[], { pause }: Pacing): AsyncGenerator<readonly number[]> {
  for (let at = 0; at < ids.length; at += WALK_SLICE) {
    if (at > 0) await pause();
    yield ids.slice(at, at + WALK_SLICE);
  }
}

function idsOf(positions: readonly Position[]): readonly number[] {
  return positions.map(({ id }) => id);
}
