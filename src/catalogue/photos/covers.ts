import type { QueryFile } from '../../storage/statements.ts';
import { addressOf } from './record.ts';

interface CoverRow {
  readonly restaurant_id: number;
  readonly filename: string;
  readonly width: number;
  readonly height: number;
}

/**
 * Opens the reader of covers on photos.sql: by the ids of restaurants the JSON text of the thumbnail of each one's newest
 * photo that has one.
 */
export function createCovers(sql: QueryFile): (ids: readonly number[]) => ReadonlyMap<number, string> {
  const list = sql.prepare<CoverRow>('listCovers');
  return (ids) =>
    new Map(
      list
        .all({ ids: JSON.stringify(ids) })
        .map(({ restaurant_id: id, filename, width, height }) => [
          id,
          JSON.stringify({ thumbnail_url: addressOf(filename), width, height }),
        ]),
    );
}
