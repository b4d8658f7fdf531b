import { type Authored, withoutAuthorName } from '../authors.ts';
import type { Subject, Write } from '../../storage/change-log.ts';
import { type QueryFile, assemble } from '../../storage/statements.ts';
import type { PlacedFile, PlacedPhoto } from './placement.ts';
import { NO_THUMBNAIL, type PhotoRecord } from './record.ts';

/** A photo whose files are in their places. */
export interface NewPhoto extends PlacedPhoto {
  readonly restaurantId: number;
  readonly originalFilename: string | null;
  readonly caption: string;
}

/** Photos in the database. Writes are to be run inside a transaction. */
export interface PhotoStore {
  readonly restaurantExists: (restaurantId: number) => boolean;
  /** Undefined when there is no such restaurant. */
  readonly create: (photo: NewPhoto, write: Write) => Authored<PhotoRecord> | undefined;
  /** Newest first, those behind `after`; nothing may be written until the last one was taken. */
  readonly list: (
    restaurantId: number,
    after: PhotoRecord | undefined,
    limit: number,
    offset: number,
  ) => Iterable<Authored<PhotoRecord>>;
  readonly get: (id: number) => Authored<PhotoRecord> | undefined;
  /** The photo as the change log holds it. */
  readonly stored: (id: number) => PhotoRecord | undefined;
  /** Undefined when there is no such photo. */
  readonly setCaption: (id: number, caption: string, write: Write) => Authored<PhotoRecord> | undefined;
  /** Leaves its files to the trash. False when there is no such photo. */
  readonly remove: (id: number, write: Write) => boolean;
  /** Brings a deleted one back to its restaurant, which must be there, and its files out of the trash. */
  readonly restore: (photo: PhotoRecord, write: Write) => void;
  /** The media type of a file of a photo that is there. */
  readonly typeOf: (filename: string) => string | undefined;
}

/** The sweeper's part of the database. `removeTrash` is to be run inside a transaction. */
export interface PhotoLedger {
  /** Those of the file names that belong to no photo, and are not in the trash. */
  readonly strangersAmong: (filenames: readonly string[]) => string[];
  /** The photos with a file name that begins with `prefix` and is none of these. */
  readonly missingFrom: (prefix: string, filenames: readonly string[]) => { id: number; filename: string }[];
  /** Files of deleted photos that need not be stored any longer at that moment. */
  readonly trash: (now: string, limit: number) => string[];
  readonly removeTrash: (filenames: readonly string[]) => void;
}

// Behind every moment there is.
const START = { created_at: '~', id: 0 };

/** Opens the store on photos.sql. */
export function createPhotoStore(sql: QueryFile): PhotoStore {
  const one = assemble<Authored<PhotoRecord>>(sql, 'selectPhoto', 'whereId');
  const list = assemble<Authored<PhotoRecord>>(sql, 'selectPhoto', 'whereOfRestaurant');
  const restaurantName = sql.prepare<{ name: string }>('getPhotoRestaurant');
  const type = sql.prepare<{ type: string }>('getPhotoType');
  const nameOf = (restaurantId: number): string | undefined => restaurantName.get({ restaurantId })?.name;
  const get = (id: number): Authored<PhotoRecord> | undefined => one.get({ id });
  return {
    ...createPhotoWriter(sql, get, nameOf),
    restaurantExists: (restaurantId) => nameOf(restaurantId) !== undefined,
    list: (restaurantId, after, limit, offset) => {
      const { created_at: createdAt, id } = after ?? START;
      return list.iterate({ restaurantId, createdAt, id, limit, offset });
    },
    get,
    stored: (id) => {
      const photo = get(id);
      return photo && withoutAuthorName(photo);
    },
    typeOf: (filename) => type.get({ filename })?.type,
  };
}

function createPhotoWriter(
  sql: QueryFile,
  get: PhotoStore['get'],
  nameOf: (restaurantId: number) => string | undefined,
): Pick<PhotoStore, 'create' | 'setCaption' | 'remove' | 'restore'> {
  const insert = sql.prepare<number>('insertPhoto').pluck();
  const setCaption = sql.prepare('setCaption');
  const remove = sql.prepare('deletePhoto');
  const insertStored = sql.prepare('insertStoredPhoto');
  const leaveTrash = sql.prepare('leaveTrash');
  const subjectOf = (photo: PhotoRecord): Subject => ({
    ...{ kind: 'photo', id: photo.id, name: nameOf(photo.restaurant_id) ?? '' },
    ...{ restaurantId: photo.restaurant_id, ownerId: photo.author_id },
  });
  return {
    create: ({ thumbnail, ...photo }, write) => {
      if (nameOf(photo.restaurantId) === undefined) return undefined;
      const row = { ...photo, ...thumbnailColumns(thumbnail), now: write.now, userId: write.userId };
      const made = get(insert.get(row) ?? 0);
      if (!made) throw new Error('an insert returned no row');
      write.created(subjectOf(made), withoutAuthorName(made));
      return made;
    },
    setCaption: (id, caption, write) => {
      const before = get(id);
      if (!before) return undefined;
      setCaption.run({ id, caption, now: write.now });
      const after = { ...before, caption, updated_at: write.now };
      write.updated(subjectOf(after), { ...withoutAuthorName(before) }, { ...withoutAuthorName(after) });
      return after;
    },
    remove: (id, write) => {
      const photo = get(id);
      if (!photo) return false;
      remove.run({ id });
      write.deleted(subjectOf(photo), withoutAuthorName(photo));
      return true;
    },
    restore: (photo, write) => {
      insertStored.run({ ...photo });
      leaveTrash.run({ ...photo });
      write.restored(subjectOf(photo), { ...photo });
    },
  };
}

function thumbnailColumns(file: PlacedFile | undefined) {
  if (!file) return NO_THUMBNAIL;
  return {
    thumbnail_filename: file.filename,
    thumbnail_size: file.size,
    thumbnail_type: file.type,
    thumbnail_width: file.width,
    thumbnail_height: file.height,
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
    trash: (now, limit) => names(trash.all({ now, limit })),
    removeTrash: (filenames) => void removeTrash.run({ filenames: JSON.stringify(filenames) }),
  };
}
