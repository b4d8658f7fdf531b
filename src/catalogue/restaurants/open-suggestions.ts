import type { Write } from '../../storage/change-log.ts';
import type { QueryFile } from '../../storage/statements.ts';
import { identityKey } from '../../storage/text.ts';
import type { Identity } from './obstacles.ts';

/** A suggestion that a new restaurant converts. */
export interface OpenSuggestion {
  readonly id: number;
  readonly name: string;
  readonly user_id: number | null;
  readonly status: string;
  readonly updated_at: string;
}

/** The suggestions that become restaurants. Writes must be run inside a transaction. */
export interface Suggestions {
  /** Those that are still open and are the same place as a new restaurant, and the one that it is made of; the oldest first. */
  readonly open: (place: Identity, madeFrom: number | undefined) => OpenSuggestion[];
  readonly convert: (suggestion: OpenSuggestion, restaurantId: number, write: Write) => void;
  /** The suggestion, unless it is gone or another restaurant was made of it. */
  readonly free: (id: number | null) => number | null;
}

/** Opens them on restaurants.sql. */
export function openSuggestions(sql: QueryFile): Suggestions {
  const findOpen = sql.prepare<OpenSuggestion>('findOpenSuggestions');
  const convert = sql.prepare('convertSuggestion');
  const findFree = sql.prepare<{ id: number }>('findFreeSuggestion');
  return {
    open: (place, madeFrom) => {
      const { google_place_id } = place;
      return findOpen.all({ identityKey: identityKey(place), google_place_id, madeFrom: madeFrom ?? null });
    },
    convert: ({ id, name, user_id: ownerId, status, updated_at }, restaurantId, write) => {
      convert.run({ id, restaurantId, now: write.now });
      write.updated(
        { kind: 'suggestion', id, name, ownerId },
        { status, restaurant_id: null, updated_at },
        { status: 'converted', restaurant_id: restaurantId, updated_at: write.now },
      );
    },
    free: (id) => findFree.get({ id })?.id ?? null,
  };
}
