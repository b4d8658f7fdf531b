import type { QueryFile } from '../storage/statements.ts';

/** The names of all photos' files in a database, in their order; none in one that is older than photos are. */
export function* listPhotoFiles(sql: QueryFile): Generator<string, void, undefined> {
  if (sql.prepare('findPhotoTable').get() === undefined) return;
  const list = sql.prepare<{ filename: string }>('listPhotoFiles');
  for (let after = ''; ;) {
    const rows = list.all({ after });
    for (const { filename } of rows) yield filename;
    const last = rows.at(-1);
    if (!last) return;
    after = last.filename;
  }
}
