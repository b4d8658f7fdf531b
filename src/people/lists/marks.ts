import type { QueryFile } from '../../storage/statements.ts';
import type { ListStore } from './store.ts';

// What is read at once takes about a millisecond.
const ROWS = 500;
const RESTAURANTS = 100;

/** What `mine` is for a restaurant that its owner has not noted anywhere. */
const UNMARKED =
  '{"lists":[],"want":false,"favourite":false,"rating_id":null,"visits":0,"last_visited_on":null}';

interface Visited {
  readonly restaurant_id: number | null;
  readonly visited_on: string;
  readonly id: number;
}

interface Rated {
  readonly restaurant_id: number;
  readonly created_at: string;
  readonly id: number;
}

/** Everything that an owner has noted of restaurants; owners are null for the placeholder of mode none. */
export class MarkStore {
  readonly #lists: Pick<ListStore, 'part' | 'mine'>;
  readonly #sql;

  /** `sql` is lists.sql. */
  constructor(sql: QueryFile, lists: Pick<ListStore, 'part' | 'mine'>) {
    this.#lists = lists;
    this.#sql = {
      listed: sql.prepare<number>('listedPart').pluck(),
      visited: sql.prepare<Visited>('visitedPart'),
      rated: sql.prepare<Rated>('ratedPart'),
      ratedWithoutAuthor: sql.prepare<number>('ratedRestaurants').pluck(),
    };
  }

  /** The Marks of swagger.yaml as JSON. Between the pieces no statement is open, so the reader may pause. */
  *pieces(ownerId: number | null): Generator<string> {
    const ids = new Set<number>();
    for (const found of this.#candidates(ownerId)) {
      for (const id of found) if (id !== null) ids.add(id);
      yield '';
    }
    // In one order, so that the same marks are the same text.
    const sorted = Float64Array.from([...ids]).sort();
    yield '{"restaurants":{';
    let comma = '';
    for (let start = 0; start < sorted.length; start += RESTAURANTS) {
      let text = '';
      for (const [id, mine] of this.#lists.mine(ownerId, [...sorted.subarray(start, start + RESTAURANTS)])) {
        if (mine === UNMARKED) continue;
        text += `${comma}"${id}":${mine}`;
        comma = ',';
      }
      yield text;
    }
    yield '}}';
  }

  /** Restaurants that may be marked, several times each. */
  *#candidates(ownerId: number | null): Generator<readonly (number | null)[]> {
    const { listed, visited, rated, ratedWithoutAuthor } = this.#sql;
    const limit = ROWS;
    for (
      let [list] = this.#lists.part(ownerId, undefined, 1);
      list;
      [list] = this.#lists.part(ownerId, list, 1)
    ) {
      const { id: listId } = list;
      yield* parts((after = 0) => listed.all({ listId, after, limit }));
    }
    yield* restaurantsOf((last: Visited | undefined) => {
      const { visited_on: visitedOn, id } = last ?? { visited_on: '~', id: 0 };
      return visited.all({ ownerId, visitedOn, id, limit });
    });
    // The index by author has only ratings with one.
    if (ownerId === null) yield* parts((after = 0) => ratedWithoutAuthor.all({ after, limit }));
    else
      yield* restaurantsOf((last: Rated | undefined) => {
        const { created_at: createdAt, id } = last ?? { created_at: '', id: 0 };
        return rated.all({ ownerId, createdAt, id, limit });
      });
  }
}

function* restaurantsOf<Row extends { readonly restaurant_id: number | null }>(
  read: (last: Row | undefined) => readonly Row[],
): Generator<readonly (number | null)[]> {
  for (const part of parts(read)) yield part.map(({ restaurant_id }) => restaurant_id);
}

/** Reads a list part by part, each after the last row of the one before. */
function* parts<Row>(read: (last: Row | undefined) => readonly Row[]): Generator<readonly Row[]> {
  for (let rows = read(undefined); rows.length > 0; rows = read(rows.at(-1))) yield rows;
}
