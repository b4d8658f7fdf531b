import { OWN } from '../../http/conditional.ts';
import { type RequestContext, authorIdOf } from '../../http/context.ts';
import { notFound } from '../../http/errors.ts';
import { type Query, choicesParameter } from '../../kit/input/query.ts';
import type { Prepared, QueryFile } from '../../storage/statements.ts';
import { type Opening, openingAt } from '../hours/opening.ts';
import { type RestaurantStatus, zoneOfPlace } from './field-table.ts';
import type { ChosenFilter, ListName, OpenAt, OwnPlaces } from './filters.ts';
import type { Extra } from './texts.ts';

/** Members that clients may add to restaurants. */
export const INCLUDES = ['cover', 'mine', 'opening'] as const;
/** Those that clients may add to a single one. */
export const INCLUDES_OF_ONE = [...INCLUDES, 'photos', 'ratings'] as const;
export type Include = (typeof INCLUDES_OF_ONE)[number];

/** The parts of a query that decide which members are added to restaurants. */
export interface Wanted {
  readonly includes: readonly Include[];
  readonly filters: readonly ChosenFilter[];
  /** Shows `opening` as of that instant; undefined for the time of the request. */
  readonly openAt: OpenAt | undefined;
}

/** The added members, own places and headers of a response to one caller. */
export interface View {
  readonly extras: readonly Extra[];
  readonly own: OwnPlaces | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

/** The lists and visits of users. The owner is null for the placeholder user of mode none. */
export interface Personal {
  /** The restaurants of a list; undefined if the owner has no such list. */
  readonly listed: (ownerId: number | null, list: ListName) => readonly number[] | undefined;
  /** The restaurants that the owner has visited. */
  readonly visited: (ownerId: number | null) => readonly number[];
  /** `mine` as JSON, by restaurant id. */
  readonly mine: (ownerId: number | null, ids: readonly number[]) => ReadonlyMap<number, string>;
}

/** Readers of the members that are the same for every caller and at every time. */
export type StoredReaders = Readonly<Record<'cover' | 'photos' | 'ratings', Extra['read']>>;

/** The columns that decide whether a restaurant is open. */
export interface HoursColumns {
  readonly status: RestaurantStatus;
  readonly opening_hours: string | null;
  readonly time_zone: string | null;
  readonly latitude: number | null;
  readonly longitude: number | null;
}

/** Reads `include`; empty if absent. */
export function parseIncludes<Word extends string>(query: Query, words: readonly Word[]): readonly Word[] {
  return choicesParameter(query, 'include', words) ?? [];
}

/** Adds data of other modules to restaurants. */
export class Views {
  readonly #readHours: Prepared<HoursColumns & { readonly id: number }>;
  readonly #personal: Personal;
  readonly #stored: StoredReaders;

  /** `sql` is restaurants.sql. */
  constructor(sql: QueryFile, personal: Personal, stored: StoredReaders) {
    this.#readHours = sql.prepare('readHours');
    this.#personal = personal;
    this.#stored = stored;
  }

  /**
   * The caller's view at an instant. Rejects with 401 if the request needs a signed-in caller and has none, and with 404 for
   * a list that the caller does not have.
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
      ...this.#stored,
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
      this.#readHours
        .all({ ids: JSON.stringify(ids) })
        .map((row) => [row.id, JSON.stringify(openingOf(row, instant))]),
    );
  }
}

/** Whether a restaurant is open at an instant, in milliseconds since 1970. */
export function openingOf(columns: HoursColumns, instant: number): Opening {
  const zone = zoneOfPlace(columns.time_zone, columns.latitude, columns.longitude);
  return openingAt({ isActive: columns.status === 'active', hours: columns.opening_hours, zone }, instant);
}
