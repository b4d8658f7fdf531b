import type { Authored, ShowAuthor } from '../authors.ts';

/** A photo as it is stored, in the database and in the change log. */
export interface PhotoRecord {
  readonly id: number;
  readonly restaurant_id: number;
  /** The user who uploaded it; null when none is known. */
  readonly author_id: number | null;
  /** Random, and never the client's. */
  readonly filename: string;
  readonly original_filename: string | null;
  readonly caption: string;
  /** Bytes. */
  readonly file_size: number;
  readonly mime_type: string;
  /** Pixels, as a viewer shows it. */
  readonly width: number;
  readonly height: number;
  /** Likewise of the small file that was uploaded with it; all null without one. */
  readonly thumbnail_filename: string | null;
  readonly thumbnail_size: number | null;
  readonly thumbnail_type: string | null;
  readonly thumbnail_width: number | null;
  readonly thumbnail_height: number | null;
  readonly created_at: string;
  readonly updated_at: string;
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
