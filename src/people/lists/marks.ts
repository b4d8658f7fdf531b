import type { QueryFile } from '../../storage/statements.ts';
import type { ListStore } from './store.ts';

// What is read at once takes about a millisecond.
const ROWS = 500;
const RESTAURANTS = 100;

/** What `mine` is for a restaurant that its owner has not noted anywhere. */
const UNMARKED =
  '{"lists":[],"want":false,"favourite":false,"rating_id":null,"visits":0,"last_visited_on":null}';

/** A row with a restaurant, and with what names its place among the others. */
interface Marked {
  readonly restaurant_id: number | null;
}

/** The Marks of swagger.yaml of an owner as JSON; between the pieces no statement is open, so the reader may pause. */
export type ReadMarks = (ownerId: number | null) => Iterable<string>;

/** Returns a reader of everything that an owner has noted of restaurants. `file` is lists.sql. */
export function createMarkReader(file: QueryFile, lists: Pick<ListStore, 'part' | 'mine'>): ReadMarks {
  const sql = {
    listed: file.prepare<Marked>('listedPart'),
    visited: file.prepare<Marked>('visitedPart'),
    rated: file.prepare<Marked>('ratedPart'),
    ratedWithoutAuthor: file.prepare<Marked>('ratedRestaurants'),
  };

  /** Restaurants that may be marked, several times each. */
  function* candidates(ownerId: number | null): Generator<readonly Marked[]> {
    for (const { id: listId } of [...lists.part(ownerId, undefined, -1)])
      yield* parts((last) => sql.listed.all({ listId, ...last }), { restaurant_id: 0 });
    yield* parts((last) => sql.visited.all({ ownerId, ...last }), { visited_on: '~', id: 0 });
    // The index by author has only ratings with one.
    if (ownerId === null)
      yield* parts((last) => sql.ratedWithoutAuthor.all({ ...last }), { restaurant_id: 0 });
    else yield* parts((last) => sql.rated.all({ ownerId, ...last }), { created_at: '', id: 0 });
  }

  return function* (ownerId) {
    const ids = new Set<number>();
    for (const found of candidates(ownerId)) {
      for (const { restaurant_id: id } of found) if (id !== null) ids.add(id);
      yield '';
    }
    // In one order, so that the same marks are the same text.
    const sorted = Float64Array.from([...ids]).sort();
    yield '{"restaurants":{';
    let comma = '';
    for (let start = 0; start < sorted.length; start += RESTAURANTS) {
      let text = '';
      for (const [id, mine] of lists.mine(ownerId, [...sorted.subarray(start, start + RESTAURANTS)])) {
        if (mine === UNMARKED) continue;
        text += `${comma}"${id}":${mine}`;
        comma = ',';
      }
      yield text;
    }
    yield '}}';
  };
}

/** Reads rows part by part, each behind the last row of the one before. */
function* parts(read: (last: object) => readonly Marked[], start: object): Generator<readonly Marked[]> {
  let rows = read({ ...start, limit: ROWS });
  for (; rows.length > 0; rows = read({ ...rows.at(-1), limit: ROWS })) yield rows;
}
