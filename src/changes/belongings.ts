import type { QueryFile } from '../storage/statements.ts';
import { storedEntity, storedFields } from '../storage/stored.ts';
import { type ChangeRow, type Viewer, seesContent } from './record.ts';

/**
 * Completes a change that deleted or restored a restaurant or a list: `before` and `after` name the first hundred ratings,
 * photos or items, and are to hold them. They are shown as they are by now; one that was deleted by itself since has
 * `deleted`, and is missing once it is no longer kept. Of ratings and photos of others, a viewer who is no administrator
 * has no words, and nothing where they were deleted by themselves: what the viewer may not see is not even read. Takes a step at a time.
 */
export type AddBelongings = (row: ChangeRow, viewer: Viewer) => Generator<undefined, ChangeRow>;

// They are read in steps of so many: a hundred may have two megabytes.
const STEP = 10;

/** Opens it on changes.sql. */
export function createBelongings(sql: QueryFile): AddBelongings {
  const ratings = sql.prepare<string | null>('ratingsAmong').pluck();
  const photos = sql.prepare<string | null>('photosAmong').pluck();
  const items = sql.prepare<string | null>('itemsAmong').pluck();

  function* ofRestaurant(content: string, { userId, isAdmin }: Viewer): Generator<undefined, string> {
    const {
      rating_ids,
      photo_ids,
      last_rating_id: _rating,
      last_photo_id: _photo,
      ...rest
    } = storedEntity(content);
    if (rating_ids === undefined) return content;
    const { ids } = storedFields({ rating_ids, photo_ids });
    const reader = { readerId: userId, seesAll: isAdmin ? 1 : 0 };
    return withArrays(rest, {
      ratings: yield* inSteps(ids('rating_ids'), (some) => ratings.all({ ids: some, ...reader })),
      photos: yield* inSteps(ids('photo_ids'), (some) => photos.all({ ids: some, ...reader })),
    });
  }

  function ofList(listId: number, content: string): string {
    const { item_ids, ...rest } = storedEntity(content);
    if (item_ids === undefined) return content;
    const ids = JSON.stringify(storedFields({ item_ids }).ids('item_ids'));
    return withArrays(rest, { items: items.all({ listId, ids }) });
  }

  return function* (row, viewer) {
    if (row.action !== 'delete' && row.action !== 'restore') return row;
    if (!seesContent(row, viewer)) return row;
    const complete = function* (content: string | null): Generator<undefined, string | null> {
      if (content === null) return null;
      if (row.kind === 'restaurant') return yield* ofRestaurant(content, viewer);
      return row.kind === 'list' ? ofList(row.entity_id, content) : content;
    };
    return { ...row, before: yield* complete(row.before), after: yield* complete(row.after) };
  };
}

/** Reads texts by a JSON array of some ids after the other. */
function* inSteps(
  ids: readonly number[],
  read: (some: string) => readonly (string | null)[],
): Generator<undefined, readonly (string | null)[]> {
  const texts: (string | null)[] = [];
  for (let at = 0; at < ids.length; at += STEP) {
    texts.push(...read(JSON.stringify(ids.slice(at, at + STEP))));
    yield;
  }
  return texts;
}

/** The JSON of an object with arrays of JSON texts, without those that are null. */
function withArrays(rest: object, arrays: Readonly<Record<string, readonly (string | null)[]>>): string {
  const parts = Object.entries(arrays).map(
    ([name, texts]) => `,"${name}":[${texts.filter((text) => text !== null).join(',')}]`,
  );
  return `${JSON.stringify(rest).slice(0, -1)}${parts.join('')}}`;
}
