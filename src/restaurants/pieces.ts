import type { Cache } from '../memory/cache.ts';
import { type Point, distanceTo } from './geo.ts';
import { type ListedRecord, restaurantJson } from './record.ts';
import type { RestaurantStore } from './store.ts';

/** A restaurant as JSON text, of which answers are joined. */
export interface Piece {
  readonly text: string;
  /** Where its distance stands in lists that have one. */
  readonly distanceAt: number;
  readonly latitude: number | null;
  readonly longitude: number | null;
}

/** Reads restaurants as pieces. */
export interface PieceReader {
  /** Undefined when there is no such restaurant. */
  readonly one: (id: number) => Piece | undefined;
  /** Restaurants, and pending suggestions among them: those of the ids that exist, in the order given. */
  readonly listed: (ids: readonly number[]) => readonly Piece[];
  /** The same, of which nothing is kept. */
  readonly listedOnce: (ids: readonly number[]) => readonly Piece[];
}

export interface PieceOptions {
  readonly store: Pick<RestaurantStore, 'get' | 'getListed'>;
  /** The pieces that are kept and still true. */
  readonly kept: { readonly current: () => Cache<number, Piece> };
}

// The first field behind the place of the distance. In a text of a record its quotes would be escaped.
const BEHIND_DISTANCE = ',"is_suggestion":';

/** Makes a piece of a record once, and keeps it until the record changes. */
export function createPieceReader({ store, kept }: PieceOptions): PieceReader {
  function keep(record: ListedRecord): Piece {
    const piece = pieceOf(record);
    // What changes a suggestion is not told.
    if (record.status !== 'pending') kept.current().set(record.id, piece, bytesOf(piece.text));
    return piece;
  }

  const listed = (ids: readonly number[], make: (record: ListedRecord) => Piece): readonly Piece[] =>
    heldOrMade(
      kept.current(),
      ids,
      (missing) => new Map(store.getListed(missing).map((record) => [record.id, make(record)])),
    );

  return {
    one: (id) => {
      const piece = kept.current().get(id);
      if (piece) return piece;
      const record = store.get(id);
      return record && keep(record);
    },
    listed: (ids) => listed(ids, keep),
    listedOnce: (ids) => listed(ids, pieceOf),
  };
}

/** What a text takes in memory: two bytes a character as soon as one of them is beyond Latin-1. */
function bytesOf(text: string): number {
  return /^[\0-\xff]*$/.test(text) ? text.length : 2 * text.length;
}

function pieceOf(record: ListedRecord): Piece {
  const text = JSON.stringify(restaurantJson(record));
  const { latitude, longitude } = record;
  return { text, distanceAt: text.lastIndexOf(BEHIND_DISTANCE), latitude, longitude };
}

/** The text of a piece, with its distance in kilometres from `centre` where there is one. */
export function pieceText(piece: Piece, centre: Point | undefined): string {
  if (!centre) return piece.text;
  const { text, distanceAt } = piece;
  const distance = JSON.stringify(distanceTo(centre, piece));
  return `${text.slice(0, distanceAt)},"distance":${distance}${text.slice(distanceAt)}`;
}

/**
 * The values of those keys that have one, in the order of the keys. Those that are not held are made together; whether
 * they are put in is for `make` to say.
 */
function heldOrMade<Key, Value>(
  held: Cache<Key, Value>,
  keys: readonly Key[],
  make: (missing: readonly Key[]) => ReadonlyMap<Key, Value>,
): readonly Value[] {
  const found = keys.map((key) => held.get(key));
  const missing = keys.filter((_, index) => found[index] === undefined);
  if (missing.length > 0) {
    const made = make(missing);
    for (const [index, key] of keys.entries()) found[index] ??= made.get(key);
  }
  return found.filter((value) => value !== undefined);
}
