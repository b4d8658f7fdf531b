import type { Subject, Write } from '../../storage/change-log.ts';
import type { QueryFile } from '../../storage/statements.ts';
import { type Authored, NEWEST, withoutAuthorName } from '../authors.ts';
import type { PlacedPhoto } from './files.ts';
import { NO_THUMBNAIL, PHOTO_NAMES, type PhotoRecord, photoUrl } from './record.ts';

type Photo = Authored<PhotoRecord>;

/** A photo whose files are in their final places. */
export type NewPhoto = PlacedPhoto & Pick<PhotoRecord, 'restaurant_id' | 'original_filename' | 'caption'>;

/** Photos in the database. Writes must run inside a transaction. */
export class PhotoStore {
  readonly #sql;

  /** Opens photos.sql. */
  constructor(sql: QueryFile) {
    this.#sql = {
      restaurantName: sql.prepare<string>('getPhotoRestaurant').pluck(),
      get: sql.prepareFor<Photo>(PHOTO_NAMES, 'selectPhoto', 'whereId'),
      list: sql.prepareFor<Photo>(PHOTO_NAMES, 'selectPhoto', 'whereOfRestaurant'),
      covers: sql.prepare<readonly [restaurantId: number, cover: string]>('listCovers').raw(),
      type: sql.prepare<string>('getPhotoType').pluck(),
      insert: sql.prepareFor<number>(PHOTO_NAMES, 'insertPhoto').pluck(),
      setCaption: sql.prepare('setCaption'),
      remove: sql.prepare('deletePhoto'),
      leaveTrash: sql.prepare('leaveTrash'),
    };
  }

  restaurantExists(restaurantId: number): boolean {
    return this.#sql.restaurantName.get({ restaurantId }) !== undefined;
  }

  get(id: number): Photo | undefined {
    return this.#sql.get.get({ id });
  }

  /** The photo as in the change log. */
  stored(id: number): PhotoRecord | undefined {
    const photo = this.get(id);
    return photo && withoutAuthorName(photo);
  }

  /** Newest first, those after `after`. Do not write until the iteration is over. */
  list(restaurantId: number, after: PhotoRecord | undefined, limit: number, offset: number): Iterable<Photo> {
    const { created_at: createdAt, id } = after ?? NEWEST;
    return this.#sql.list.iterate({ restaurantId, createdAt, id, limit, offset });
  }

  /** Thumbnails as JSON, by restaurant id: of each one's newest photo with a thumbnail. */
  covers(ids: readonly number[]): ReadonlyMap<number, string> {
    return new Map(this.#sql.covers.all({ ids: JSON.stringify(ids), folder: photoUrl('') }));
  }

  /** The media type of a photo's file; undefined if the photo was deleted. */
  typeOf(filename: string): string | undefined {
    return this.#sql.type.get({ filename });
  }

  /** Undefined when there is no such restaurant. */
  create(photo: NewPhoto, write: Write): Photo | undefined {
    if (!this.restaurantExists(photo.restaurant_id)) return undefined;
    const { thumbnail, size, type, ...own } = photo;
    const small = thumbnail && {
      thumbnail_filename: thumbnail.filename,
      thumbnail_size: thumbnail.size,
      thumbnail_type: thumbnail.type,
      thumbnail_width: thumbnail.width,
      thumbnail_height: thumbnail.height,
    };
    const id = this.#sql.insert.get({
      ...own,
      ...(small ?? NO_THUMBNAIL),
      id: null,
      file_size: size,
      mime_type: type,
      author_id: write.userId,
      created_at: write.now,
      updated_at: write.now,
    });
    const made = this.get(id ?? 0);
    if (!made) throw new Error('an insert returned no row');
    write.created(this.#subjectOf(made), withoutAuthorName(made), size + (thumbnail?.size ?? 0));
    return made;
  }

  /** Undefined when there is no such photo. */
  setCaption(id: number, caption: string, write: Write): Photo | undefined {
    const before = this.get(id);
    if (!before) return undefined;
    this.#sql.setCaption.run({ id, caption, now: write.now });
    const after = { ...before, caption, updated_at: write.now };
    write.updated(this.#subjectOf(after), withoutAuthorName(before), withoutAuthorName(after));
    return after;
  }

  /** Moves its files to the trash. False when there is no such photo. */
  remove(id: number, write: Write): boolean {
    const photo = this.stored(id);
    if (!photo) return false;
    this.#sql.remove.run({ id });
    write.deleted(this.#subjectOf(photo), photo);
    return true;
  }

  /** Restores a deleted one to its restaurant, which must exist, and takes its files out of the trash. */
  restore(photo: PhotoRecord, write: Write): PhotoRecord {
    this.#sql.insert.get(photo);
    this.#sql.leaveTrash.run(photo);
    write.restored(this.#subjectOf(photo), photo);
    return photo;
  }

  #subjectOf({ id, restaurant_id: restaurantId, author_id: ownerId }: PhotoRecord): Subject {
    const name = this.#sql.restaurantName.get({ restaurantId }) ?? '';
    return { kind: 'photo', id, name, restaurantId, ownerId };
  }
}

/** The sweeper's queries. */
export class PhotoLedger {
  readonly #sql;

  /** Opens photos.sql. */
  constructor(sql: QueryFile) {
    this.#sql = {
      unreferenced: sql.prepare<string>('findFilesWithoutRow').pluck(),
      missing: sql.prepare<{ id: number; filename: string }>('findRowsWithoutFile'),
      trash: sql.prepare<string>('listTrash').pluck(),
      removeTrash: sql.prepare('deleteTrash'),
    };
  }

  /** The file names that do not belong to a photo and are not in the trash. */
  unreferenced(filenames: readonly string[]): string[] {
    return this.#sql.unreferenced.all({ filenames: JSON.stringify(filenames) });
  }

  /** The photos with a file name that starts with `prefix` and is not among `filenames`. */
  missingFrom(prefix: string, filenames: readonly string[]): { id: number; filename: string }[] {
    // "g" sorts after every hexadecimal digit.
    const range = { first: prefix, behind: `${prefix}g` };
    return this.#sql.missing.all({ ...range, filenames: JSON.stringify(filenames) });
  }

  /** Files of deleted photos that are due for removal. */
  trash(now: string, limit: number): string[] {
    return this.#sql.trash.all({ now, limit });
  }

  /** Must run inside a transaction. */
  removeTrash(filenames: readonly string[]): void {
    this.#sql.removeTrash.run({ filenames: JSON.stringify(filenames) });
  }
}
