import { type Query, choicesParameter } from '../../kit/input/query.ts';
import type { ChosenFilter, OwnPlaces } from './filters.ts';
import type { OpenAt } from './open-at.ts';
import type { OpeningReader } from './opening-texts.ts';
import type { ListName, Personal } from './personal.ts';
import type { Extra } from './texts.ts';

/** What a client may have added to restaurants. */
export const INCLUDES = ['cover', 'mine', 'opening'] as const;
export type Include = (typeof INCLUDES)[number];

/** The parts of a request that decide what is shown of restaurants besides their fields. */
export interface Wanted {
  readonly includes: readonly Include[];
  readonly filters: readonly ChosenFilter[];
  /** Where `opening` is shown as of that instant; otherwise it is that of the request. */
  readonly openAt: OpenAt | undefined;
}

/** What is shown, to a caller. */
export interface View {
  readonly extras: readonly Extra[];
  readonly own: OwnPlaces | undefined;
}

export interface Views {
  /**
   * Undefined where the caller has no list of that name. `ownerId` is undefined where no caller is needed; `now` is the
   * instant of the request.
   */
  readonly open: (wanted: Wanted, ownerId: number | null | undefined, now: number) => View | undefined;
}

export interface ViewsOptions {
  readonly personal: Personal;
  /** The JSON texts of `cover` by the ids of restaurants that have one. */
  readonly covers: Extra['read'];
  readonly openings: OpeningReader;
}

/** Reads `include`, which may have these words; none where it is absent. */
export function parseIncludes(query: Query, words: readonly Include[] = INCLUDES): readonly Include[] {
  return choicesParameter(query, 'include', words) ?? [];
}

/** Whether the answer depends on its caller. */
export function isPersonal({ includes, filters }: Wanted): boolean {
  return includes.includes('mine') || filters.some(({ isOwn }) => isOwn);
}

/** Whether the answer depends on the time. */
export function isOfTheTime(wanted: Wanted): boolean {
  return includesOf(wanted).includes('opening');
}

function includesOf({ includes, openAt }: Wanted): readonly Include[] {
  return openAt === undefined || includes.includes('opening') ? includes : [...includes, 'opening'];
}

/** Joins what other modules know of restaurants. */
export function createViews({ personal, covers, openings }: ViewsOptions): Views {
  return {
    open: (wanted, ownerId, now) => {
      const { filters, openAt = 'now' } = wanted;
      const readers: Readonly<Record<Include, Extra['read']>> = {
        cover: covers,
        opening: (ids) => openings(ids, openAt === 'now' ? now : openAt),
        mine: (ids) => (ownerId === undefined ? new Map() : personal.mine(ownerId, ids)),
      };
      const extras = includesOf(wanted).map((name) => ({ name, read: readers[name] }));
      if (ownerId === undefined) return { extras, own: undefined };
      const list = filters.find((filter) => filter.list !== undefined)?.list;
      const listed = list === undefined ? [] : personal.listed(ownerId, list);
      const on = (name: ListName): readonly number[] => personal.listed(ownerId, name) ?? [];
      return listed && { extras, own: { listed, on, visited: () => personal.visited(ownerId) } };
    },
  };
}
