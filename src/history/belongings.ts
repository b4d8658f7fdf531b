import type { QueryFile } from '../storage/statements.ts';
import { storedEntity, storedFields } from '../storage/stored.ts';
import type { ReadContent, Viewer } from './record.ts';

// Elements of a piece: a hundred may have two megabytes.
const STEP = 10;

/**
 * Opens the reader of the contents of changes on changes.sql. A change that deleted or restored a restaurant or a list only
 * names the first hundred ratings, photos or items: its content has them as they are by now. One that was deleted by itself
 * since has `deleted`, and is missing once it is removed for good. A viewer who is no administrator gets the ratings and
 * photos of others without their words, and without those that were deleted by themselves: they are not even read.
 */
export function createContentReader(sql: QueryFile): ReadContent {
  const ratings = sql.prepare<string | null>('ratingsAmong').pluck();
  const photos = sql.prepare<string | null>('photosAmong').pluck();
  const items = sql.prepare<string | null>('itemsAmong').pluck();

  function* ofRestaurant(content: string, { userId, isAdmin }: Viewer): Generator<string> {
    const {
      rating_ids,
      photo_ids,
      last_rating_id: _rating,
      last_photo_id: _photo,
      ...rest
    } = storedEntity(content);
    if (rating_ids === undefined) {
      yield content;
      return;
    }
    const { ids } = storedFields({ rating_ids, photo_ids });
    const reader = { readerId: userId, seesAll: isAdmin ? 1 : 0 };
    yield JSON.stringify(rest).slice(0, -1);
    yield* member('ratings', ids('rating_ids'), (some) => ratings.all({ ids: some, ...reader }));
    yield* member('photos', ids('photo_ids'), (some) => photos.all({ ids: some, ...reader }));
    yield '}';
  }

  function* ofList(listId: number, content: string): Generator<string> {
    const { item_ids, ...rest } = storedEntity(content);
    if (item_ids === undefined) {
      yield content;
      return;
    }
    yield JSON.stringify(rest).slice(0, -1);
    yield* member('items', storedFields({ item_ids }).ids('item_ids'), (ids, at) =>
      items.all({ listId, ids, at }),
    );
    yield '}';
  }

  return ({ action, kind, entity_id: id }, content, viewer) => {
    if (action !== 'delete' && action !== 'restore') return [content];
    if (kind === 'restaurant') return ofRestaurant(content, viewer);
    return kind === 'list' ? ofList(id, content) : [content];
  };
}

/**
 * A member of a JSON object with an array of the texts of some ids; those that are null are left out. `read` gets a JSON
 * array of the ids that begin at a place.
 */
function* member(
  name: string,
  ids: readonly number[],
  read: (ids: string, at: number) => readonly (string | null)[],
): Generator<string> {
  yield `,"${name}":[`;
  let isFirst = true;
  for (let at = 0; at < ids.length; at += STEP) {
    const texts = read(JSON.stringify(ids.slice(at, at + STEP)), at).filter((text) => text !== null);
    if (texts.length === 0) continue;
    yield (isFirst ? '' : ',') + texts.join();
    isFirst = false;
  }
  yield ']';
}
