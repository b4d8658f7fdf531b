import type { ChosenQuery } from '../../catalogue/restaurants/input.ts';
import type { CatalogueIndex } from '../../index/catalogue-index.ts';
import { kilometresFrom } from '../../index/geo.ts';
import type { PageRequest } from '../../index/request.ts';
import type { PlaceThen } from './record.ts';

/** A place that may be proposed. */
export interface Candidate extends Pick<PlaceThen, 'id' | 'name' | 'opening' | 'overall'> {
  /** In kilometres from where the caller wants to eat; undefined without such a point, or without coordinates. */
  readonly distance: number | undefined;
  /** Whether the caller visited it recently. */
  readonly isVisited: boolean;
}

export const MOST_OPTIONS = 5;
// This many of the best rated places, and of the nearest ones.
const LOOKED_AT = 30;

/**
 * Up to five places: open ones before those with unknown hours, then those that the caller did not visit recently, then by
 * rating, distance and id. Closed ones are left out.
 */
export function propose<Place extends Candidate>(candidates: readonly Place[]): readonly Place[] {
  return candidates
    .filter(({ opening }) => opening.state !== 'closed')
    .toSorted(
      (a, b) =>
        Number(b.opening.state === 'open') - Number(a.opening.state === 'open') ||
        Number(a.isVisited) - Number(b.isVisited) ||
        b.overall - a.overall ||
        (a.distance ?? Infinity) - (b.distance ?? Infinity) ||
        a.id - b.id,
    )
    .slice(0, MOST_OPTIONS);
}

/** Where to look for places. */
interface Search {
  readonly index: Pick<CatalogueIndex, 'page'>;
  /** Reads places as they are at the time of the outing. */
  readonly places: (ids: readonly number[]) => readonly PlaceThen[];
  readonly choice: Omit<PageRequest, 'sort' | 'after' | 'limit'>;
  /** The time of the outing in ISO 8601. */
  readonly at: string;
  readonly near: ChosenQuery['near'];
  /** The places that the caller visited recently. */
  readonly visited: ReadonlySet<number>;
}

/** The places to propose, and how many of the chosen ones are closed at that time. */
export async function proposals({ index, places, choice, at, near, visited }: Search): Promise<{
  readonly options: readonly PlaceThen[];
  readonly closed: number;
}> {
  const page = (more: Partial<PageRequest>): ReturnType<typeof index.page> =>
    index.page({ ...choice, sort: 'rating', after: undefined, limit: LOOKED_AT, ...more });
  const open = (isStrict: boolean): Pick<PageRequest, 'conditions'> => {
    return { conditions: [...choice.conditions, { openAt: Date.parse(at), isStrict }] };
  };
  const kilometresTo = near && kilometresFrom(near);
  const candidate = (place: PlaceThen): PlaceThen & Candidate => {
    const { id, latitude, longitude } = place;
    const isPlaced = latitude !== null && longitude !== null;
    const distance = kilometresTo && isPlaced ? kilometresTo(latitude, longitude) : undefined;
    return { ...place, distance, isVisited: visited.has(id) };
  };
  const found = new Map<number, PlaceThen & Candidate>();
  const isBest = ({ opening, isVisited }: Candidate): boolean => opening.state === 'open' && !isVisited;
  // Returns whether the first places by rating, and those by distance, have enough that none behind them is wanted.
  const look = async (among: Partial<PageRequest>): Promise<boolean> => {
    let isEnough = true;
    for (const sort of near ? (['rating', 'distance'] as const) : (['rating'] as const)) {
      const { positions, total } = await page({ ...among, sort });
      const candidates = places(positions.map(({ id }) => id)).map(candidate);
      for (const one of candidates) found.set(one.id, one);
      isEnough &&= candidates.filter(isBest).length >= MOST_OPTIONS;
      if (total <= LOOKED_AT) break;
    }
    return isEnough;
  };
  // Testing the hours of all places is slow and rarely necessary.
  if (!(await look({}))) await look(open(true));
  if (propose([...found.values()]).length < MOST_OPTIONS) await look(open(false));
  const options = propose([...found.values()]);
  if (options.length >= 2) return { options, closed: 0 };
  const [all, fit] = [await page({ limit: 1 }), await page({ ...open(false), limit: 1 })];
  return { options, closed: all.total - fit.total };
}
