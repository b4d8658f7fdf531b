import { parseJson } from '../../kit/objects.ts';
import type { Personal } from '../../catalogue/restaurants/personal.ts';
import type { QueryFile } from '../../storage/statements.ts';
import type { ListStore } from './store.ts';

/** The columns of a row; the lists are a JSON array of texts, each a kind and an id. */
type MineRow = readonly [
  id: number,
  lists: string,
  ratingId: number | null,
  visits: number,
  lastVisitedOn: string | null,
];

/** Opens it on lists.sql. */
export function createPersonal(sql: QueryFile, lists: Pick<ListStore, 'find'>): Personal {
  const listed = sql.prepare<number>('listedRestaurants').pluck();
  const visited = sql.prepare<number>('visitedRestaurants').pluck();
  const mine = sql.prepare<MineRow>('readMine').raw();
  return {
    listed: (ownerId, name) => {
      const list = lists.find(ownerId, name);
      return list && listed.all({ listId: list.id });
    },
    visited: (ownerId) => visited.all({ ownerId }),
    mine: (ownerId, ids) =>
      new Map(mine.all({ ownerId, ids: JSON.stringify(ids) }).map((row) => [row[0], textOf(row)])),
  };
}

function textOf([, lists, ratingId, visits, lastVisitedOn]: MineRow): string {
  const found = parseJson(lists);
  const names = Array.isArray(found) ? found.map(String) : [];
  const own = names.filter((name) => name.startsWith('own ')).map((name) => Number(name.slice(4)));
  return JSON.stringify({
    lists: own,
    want: names.some((name) => name.startsWith('want ')),
    favourite: names.some((name) => name.startsWith('favourites ')),
    rating_id: ratingId,
    visits,
    last_visited_on: lastVisitedOn,
  });
}
