import type { Entity } from '../../storage/change-log.ts';
import {
  type Stored,
  isNumber,
  isNumberOrNull,
  isText,
  isTextOrNull,
  readStored,
} from '../../storage/stored.ts';
import type { Authored, ShowAuthor } from '../authors.ts';

const COLUMNS = {
  id: isNumber,
  restaurant_id: isNumber,
  /** The user who uploaded it; null when none is known. */
  author_id: isNumberOrNull,
  /** Random, and never the client's. */
  filename: isText,
  original_filename: isTextOrNull,
  caption: isText,
  /** Bytes. */
  file_size: isNumber,
  mime_type: isText,
  /** Pixels, as a viewer shows it. */
  width: isNumber,
  height: isNumber,
  /** Likewise of the small file that was uploaded with it; all null without one. */
  thumbnail_filename: isTextOrNull,
  thumbnail_size: isNumberOrNull,
  thumbnail_type: isTextOrNull,
  thumbnail_width: isNumberOrNull,
  thumbnail_height: isNumberOrNull,
  created_at: isText,
  updated_at: isText,
};

/** A photo as it is stored, in the database and in the change log. */
export type PhotoRecord = Stored<typeof COLUMNS>;

/** Reads a photo of the change log. Its caption is null once the account of its author is deleted. */
export function readPhoto(entity: Entity): PhotoRecord {
  return readStored({ ...NO_THUMBNAIL, ...entity, caption: entity['caption'] ?? '' }, COLUMNS);
}

/** The fields of a photo without a thumbnail, such as those that were logged before there were any. */
export const NO_THUMBNAIL = {
  thumbnail_filename: null,
  thumbnail_size: null,
  thumbnail_type: null,
  thumbnail_width: null,
  thumbnail_height: null,
};

/** The names of its fields in an answer; that to an upload has the whole in `photo`, too. */
export const PHOTO_ANSWER = Object.keys({
  ...{ id: true, restaurant_id: true, filename: true, original_filename: true, caption: true },
  ...{ file_size: true, mime_type: true, width: true, height: true, created_at: true, updated_at: true },
  ...{ url: true, thumbnail_url: true, author: true, photo: true },
} satisfies Record<Answered | 'url' | 'thumbnail_url' | 'author' | 'photo', true>);

type Answered = Exclude<keyof PhotoRecord, keyof typeof NO_THUMBNAIL | 'author_id'>;

/** The MenuPhoto of swagger.yaml. */
export function photoJson(record: Authored<PhotoRecord>, showAuthor: ShowAuthor): object {
  return {
    id: record.id,
    restaurant_id: record.restaurant_id,
    filename: record.filename,
    original_filename: record.original_filename,
    caption: record.caption,
    file_size: record.file_size,
    mime_type: record.mime_type,
    width: record.width,
    height: record.height,
    url: addressOf(record.filename),
    thumbnail_url: record.thumbnail_filename === null ? null : addressOf(record.thumbnail_filename),
    author: showAuthor(record),
    created_at: record.created_at,
    updated_at: record.updated_at,
  };
}

/** The address of a file, from the root of the service. */
export function addressOf(filename: string): string {
  return `/api/uploads/menu_photos/${filename}`;
}
