import type { Prepared, QueryFile } from '../storage/statements.ts';
import { isIds, readStored, storedEntity } from '../storage/stored.ts';
import type { ReadContent, Viewer } from './record.ts';

// Elements per piece: a hundred may have two megabytes.
const STEP = 10;

/**
 * Opens the reader of the contents of changes on changes.sql. A change that deleted or restored a restaurant or a list only
 * names the first hundred ratings, photos or items: its content has them as they are now. One that was deleted separately
 * since then has `deleted`, and is missing once it is removed for good. Viewers who are not administrators see others' ratings
 * and photos without their text, and none that were deleted separately.
 */
export function createContentReader(sql: QueryFile): ReadContent {
  const ratings = sql.prepare<string | null>('ratingsAmong').pluck();
  const photos = sql.prepare<string | null>('photosAmong').pluck();
  const items = sql.prepare<string | null>('itemsAmong').pluck();

  function* ofRestaurant(content: string, { userId, isAdmin }: Viewer): Generator<string> {
    const stored = storedEntity(content);
    if (stored['rating_ids'] === undefined) {
      yield content;
      return;
    }
    const { rating_ids, photo_ids } = readStored(stored, { rating_ids: isIds, photo_ids: isIds });
    const {
      rating_ids: _ratings,
      photo_ids: _photos,
      last_rating_id: _rating,
      last_photo_id: _photo,
      ...rest
    } = stored;
    const reader = { readerId: userId, seesAll: isAdmin ? 1 : 0 };
    yield JSON.stringify(rest).slice(0, -1);
    yield* member('ratings', ratings, rating_ids, reader);
    yield* member('photos', photos, photo_ids, reader);
    yield '}';
  }

  function* ofList(listId: number, content: string): Generator<string> {
    const { item_ids: ids, ...rest } = storedEntity(content);
    if (ids === undefined) {
      yield content;
      return;
    }
    yield JSON.stringify(rest).slice(0, -1);
    yield* member('items', items, readStored({ ids }, { ids: isIds }).ids, { listId });
    yield '}';
  }

  return ({ action, kind, entity_id: id }, content, viewer) => {
    if (action !== 'delete' && action !== 'restore') return [content];
    if (kind === 'restaurant') return ofRestaurant(content, viewer);
    return kind === 'list' ? ofList(id, content) : [content];
  };
}

/** A member of a JSON object: the array of the texts that a statement returns for these ids, without nulls. */
function* member(
  name: string,
  statement: Prepared<string | null>,
  ids: readonly number[],
  bindings: Readonly<Record<string, number | null>>,
): Generator<string> {
  yield `,"${name}":[`;
  let isFirst = true;
  for (let at = 0; at < ids.length; at += STEP) {
    const some = JSON.stringify(ids.slice(at, at + STEP));
    const texts = statement.all({ ...bindings, ids: some, at }).filter((text) => text !== null);
    if (texts.length === 0) continue;
    yield (isFirst ? '' : ',') + texts.join();
    isFirst = false;
  }
  yield ']';
}
