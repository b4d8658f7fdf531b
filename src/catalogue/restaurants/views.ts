import { OWN } from '../../http/conditional.ts';
import { type RequestContext, authorIdOf } from '../../http/context.ts';
import { notFound } from '../../http/errors.ts';
import { type Query, choicesParameter } from '../../kit/input/query.ts';
import type { Prepared, QueryFile } from '../../storage/statements.ts';
import type { Openings } from '../hours/answer.ts';
import { zoneOfPlace } from './facts.ts';
import type { RestaurantStatus } from './field-table.ts';
import type { ChosenFilter, ListName, OpenAt, OwnPlaces } from './filters.ts';
import type { Extra } from './texts.ts';

/** What clients may add to restaurants. */
export const INCLUDES = ['cover', 'mine', 'opening'] as const;
export type Include = (typeof INCLUDES)[number];

/** The parts of a request that decide what an answer shows of restaurants besides their fields. */
export interface Wanted {
  readonly includes: readonly Include[];
  readonly filters: readonly ChosenFilter[];
  /** Where `opening` is shown as of that instant; otherwise it is that of the request. */
  readonly openAt: OpenAt | undefined;
}

/** What an answer shows to its caller. */
export interface View {
  readonly extras: readonly Extra[];
  readonly own: OwnPlaces | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

/** The places that users note for themselves. The owner is null for the placeholder of mode none. */
export interface Personal {
  /** The restaurants of a list; undefined where the owner has no such list. */
  readonly listed: (ownerId: number | null, list: ListName) => readonly number[] | undefined;
  /** The restaurants that the owner has visited. */
  readonly visited: (ownerId: number | null) => readonly number[];
  /** The JSON text of `mine` of each of these restaurants. */
  readonly mine: (ownerId: number | null, ids: readonly number[]) => ReadonlyMap<number, string>;
}

interface HoursRow {
  readonly id: number;
  readonly status: RestaurantStatus;
  readonly opening_hours: string | null;
  readonly time_zone: string | null;
  readonly latitude: number | null;
  readonly longitude: number | null;
}

/** Reads `include`, which may have these words; none where it is absent. */
export function parseIncludes(query: Query, words: readonly Include[] = INCLUDES): readonly Include[] {
  return choicesParameter(query, 'include', words) ?? [];
}

/** Joins what other modules know of restaurants. */
export class Views {
  readonly #readHours: Prepared<HoursRow>;
  readonly #personal: Personal;
  readonly #covers: Extra['read'];
  readonly #openings: Openings;

  /** On restaurants.sql. `covers` reads the JSON texts of `cover`. */
  constructor(sql: QueryFile, personal: Personal, covers: Extra['read'], openings: Openings) {
    this.#readHours = sql.prepare('readHours');
    this.#personal = personal;
    this.#covers = covers;
    this.#openings = openings;
  }

  /**
   * The caller's view as of an instant. Rejects with 401 where the answer is the caller's own and there is no caller, 404
   * for a list that the caller does not have.
   */
  async open(
    { includes, filters, openAt }: Wanted,
    { caller }: Pick<RequestContext, 'caller'>,
    now = Date.now(),
  ): Promise<View> {
    const names =
      openAt === undefined || includes.includes('opening') ? includes : [...includes, 'opening' as const];
    const isOwn = includes.includes('mine') || filters.some((filter) => filter.isOwn);
    const ownerId = isOwn ? authorIdOf({ principal: await caller() }) : undefined;
    const instant = openAt === undefined || openAt === 'now' ? now : openAt;
    const readers: Readonly<Record<Include, Extra['read']>> = {
      cover: this.#covers,
      opening: (ids) => this.#openingsOf(ids, instant),
      mine: (ids) => (ownerId === undefined ? new Map() : this.#personal.mine(ownerId, ids)),
    };
    return {
      extras: names.map((name) => ({ name, read: readers[name] })),
      own: ownerId === undefined ? undefined : this.#ownPlaces(ownerId, filters),
      headers: isOwn ? OWN : names.includes('opening') ? { 'Cache-Control': 'no-cache' } : {},
    };
  }

  #ownPlaces(ownerId: number | null, filters: readonly ChosenFilter[]): OwnPlaces {
    const list = filters.find((filter) => filter.list !== undefined)?.list;
    const listed = list === undefined ? [] : this.#personal.listed(ownerId, list);
    if (!listed) throw notFound('List');
    return {
      listed,
      on: (name) => this.#personal.listed(ownerId, name) ?? [],
      visited: () => this.#personal.visited(ownerId),
    };
  }

  #openingsOf(ids: readonly number[], instant: number): ReadonlyMap<number, string> {
    return new Map(
      this.#readHours.all({ ids: JSON.stringify(ids) }).map((row) => {
        const zone = zoneOfPlace(row.time_zone, row.latitude, row.longitude);
        const place = { isActive: row.status === 'active', hours: row.opening_hours, zone };
        return [row.id, JSON.stringify(this.#openings(place, instant))];
      }),
    );
  }
}
