import type { Prepared, QueryFile } from '../storage/statements.ts';
import { isIds, storedEntity } from '../storage/stored.ts';
import type { ReadContent } from './record.ts';

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

  return function* ({ kind, action, entity_id }, content, { userId, isAdmin }) {
    if (kind === 'restaurant' && action === 'create') {
      // If SQLite built this text, its numbers look different: `40.0` for `40`.
      yield JSON.stringify(storedEntity(content));
      return;
    }
    const {
      rating_ids,
      photo_ids,
      item_ids,
      last_rating_id: _rating,
      last_photo_id: _photo,
      ...rest
    } = action === 'delete' || action === 'restore' ? storedEntity(content) : {};
    if (rating_ids === undefined && item_ids === undefined) {
      yield content;
      return;
    }
    const reader = { readerId: userId, seesAll: isAdmin ? 1 : 0, listId: entity_id };
    yield JSON.stringify(rest).slice(0, -1);
    if (isIds(rating_ids)) yield* member('ratings', ratings, rating_ids, reader);
    if (isIds(photo_ids)) yield* member('photos', photos, photo_ids, reader);
    if (isIds(item_ids)) yield* member('items', items, item_ids, reader);
    yield '}';
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
