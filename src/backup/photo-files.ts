import type { QueryFile } from '../storage/statements.ts';

/**
 * The names of all photos' files in a database, in their order, those of deleted ones that can be restored included; none in
 * a database that is older than photos are.
 */
export function* listPhotoFiles(sql: QueryFile): Generator<string, void, undefined> {
  if (sql.prepare('findPhotoTable').get() === undefined) return;
  const list =
    sql.prepare('findKeptTrash').get() === undefined
      ? sql.prepare<{ filename: string }>('listPhotoFiles')
      : sql.prepare<{ filename: string }>('listPhotoAndTrashFiles');
  for (let after = ''; ;) {
    const rows = list.all({ after });
    for (const { filename } of rows) yield filename;
    const last = rows.at(-1);
    if (!last) return;
    after = last.filename;
  }
}
