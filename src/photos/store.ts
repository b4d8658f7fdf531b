import type { QueryFile } from '../storage/statements.ts';
import type { PhotoRecord } from './record.ts';

/** A photo whose file is in its place. */
export interface NewPhoto {
  readonly restaurantId: number;
  readonly filename: string;
  readonly originalFilename: string | null;
  readonly caption: string;
  /** Bytes. */
  readonly size: number;
  readonly type: string;
  readonly width: number;
  readonly height: number;
}

/** Photos in the database. Writes are to be run inside a transaction. */
export interface PhotoStore {
  readonly restaurantExists: (restaurantId: number) => boolean;
  /** Undefined when there is no such restaurant. Without `userId` the photo is nobody's. */
  readonly create: (photo: NewPhoto, now: string, userId?: number) => PhotoRecord | undefined;
  /** Newest first, those behind `after`. */
  readonly list: (
    restaurantId: number,
    after: PhotoRecord | undefined,
    limit: number,
    offset: number,
  ) => PhotoRecord[];
  /** Who uploaded it, null when nobody is known to; undefined when there is no such photo. */
  readonly ownerOf: (id: number) => number | null | undefined;
  readonly get: (id: number) => PhotoRecord | undefined;
  /** Undefined when there is no such photo. */
  readonly setCaption: (id: number, caption: string, now: string) => PhotoRecord | undefined;
  /** Leaves the file to the trash. */
  readonly remove: (id: number) => void;
  /** The media type of a photo that is there. */
  readonly typeOf: (filename: string) => string | undefined;
}

/** What the sweeper asks of the database. `removeTrash` is to be run inside a transaction. */
export interface PhotoLedger {
  /** Those of the file names that belong to no photo, nor to one that was deleted lately. */
  readonly strangersAmong: (filenames: readonly string[]) => string[];
  /** The photos whose file name begins with `prefix` and is none of these. */
  readonly missingFrom: (prefix: string, filenames: readonly string[]) => { id: number; filename: string }[];
  /** Files of photos that were deleted before that moment, the oldest first. */
  readonly trash: (before: string, limit: number) => string[];
  readonly removeTrash: (filenames: readonly string[]) => void;
}

// Behind every moment there is.
const START = { created_at: '~', id: 0 };

/** Opens the store on photos.sql. */
export function createPhotoStore(sql: QueryFile): PhotoStore {
  const restaurantExists = sql.prepare('restaurantExists');
  const insert = sql.prepare<PhotoRecord>('insertPhoto');
  const list = sql.prepare<PhotoRecord>('listPhotos');
  const owner = sql.prepare<{ user_id: number | null }>('getPhotoOwner');
  const get = sql.prepare<PhotoRecord>('getPhoto');
  const setCaption = sql.prepare<PhotoRecord>('setCaption');
  const remove = sql.prepare('deletePhoto');
  const type = sql.prepare<{ mime_type: string }>('getPhotoType');
  const exists = (restaurantId: number): boolean => restaurantExists.get({ restaurantId }) !== undefined;
  return {
    restaurantExists: exists,
    create: (photo, now, userId) =>
      exists(photo.restaurantId) ? insert.get({ ...photo, now, userId: userId ?? null }) : undefined,
    list: (restaurantId, after, limit, offset) => {
      const { created_at: createdAt, id } = after ?? START;
      return list.all({ restaurantId, createdAt, id, limit, offset });
    },
    ownerOf: (id) => owner.get({ id })?.user_id,
    get: (id) => get.get({ id }),
    setCaption: (id, caption, now) => setCaption.get({ id, caption, now }),
    remove: (id) => {
      remove.run({ id });
    },
    typeOf: (filename) => type.get({ filename })?.mime_type,
  };
}

/** Opens the sweeper's part of photos.sql. */
export function createPhotoLedger(sql: QueryFile): PhotoLedger {
  const strangers = sql.prepare<{ filename: string }>('findFilesWithoutRow');
  const missing = sql.prepare<{ id: number; filename: string }>('findRowsWithoutFile');
  const trash = sql.prepare<{ filename: string }>('listTrash');
  const removeTrash = sql.prepare('deleteTrash');
  const names = (rows: readonly { filename: string }[]): string[] => rows.map(({ filename }) => filename);
  return {
    strangersAmong: (filenames) => names(strangers.all({ filenames: JSON.stringify(filenames) })),
    // "g" stands behind every digit of the names.
    missingFrom: (prefix, filenames) =>
      missing.all({ first: prefix, behind: `${prefix}g`, filenames: JSON.stringify(filenames) }),
    trash: (before, limit) => names(trash.all({ before, limit })),
    removeTrash: (filenames) => {
      removeTrash.run({ filenames: JSON.stringify(filenames) });
    },
  };
}
