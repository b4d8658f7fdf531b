/** The names of files of photos that changed rows are about. */
export interface PhotoNames {
  /** Those that rows name. */
  readonly named: readonly string[];
  /** Those that left the trash: the photo is back, or gone for good. */
  readonly left: readonly string[];
}

/** Collects them. */
export interface PhotoNameCollector {
  /** Notes a row by its table; `row` is undefined for one that is gone. */
  readonly note: (
    table: string,
    key: string,
    columns: readonly string[],
    row: readonly unknown[] | undefined,
  ) => void;
  /** All that were noted since the last call. */
  readonly take: () => PhotoNames;
}

// A photo that is deleted puts its files into the trash, so that all files leave through it.
const TRASH = 'photo_trash';
const COLUMNS = ['filename', 'thumbnail_filename'];

/** Has noted nothing yet. */
export function createPhotoNames(): PhotoNameCollector {
  let [named, left]: string[][] = [[], []];
  return {
    note: (table, key, columns, row) => {
      if (table !== 'photos' && table !== TRASH) return;
      const names: unknown = row ? COLUMNS.map((column) => row[columns.indexOf(column)]) : JSON.parse(key);
      const files = Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [];
      if (row) named?.push(...files);
      else if (table === TRASH) left?.push(...files);
    },
    take: () => {
      const taken = { named: named ?? [], left: left ?? [] };
      [named, left] = [[], []];
      return taken;
    },
  };
}
