import { pick } from '../../kit/objects.ts';
import type { Entity } from '../../storage/change-log.ts';
import {
  type Stored,
  isNumber,
  isNumberOrNull,
  isText,
  isTextOrNull,
  readStored,
} from '../../storage/stored.ts';
import { type Authored, COMMON_ANSWER, COMMON_COLUMNS, type ShowAuthor, authoredJson } from '../authors.ts';

const OWN = {
  restaurant_id: isNumber,
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
};

/** The same columns for the thumbnail that was uploaded with it; all null without one. */
const THUMBNAIL = {
  thumbnail_filename: isTextOrNull,
  thumbnail_size: isNumberOrNull,
  thumbnail_type: isTextOrNull,
  thumbnail_width: isNumberOrNull,
  thumbnail_height: isNumberOrNull,
};
const COLUMNS = { ...COMMON_COLUMNS, ...OWN, ...THUMBNAIL };
const ANSWERED = Object.keys(OWN);

/** The names of all columns except the common ones. */
export const PHOTO_NAMES = [...ANSWERED, ...Object.keys(THUMBNAIL)];

/** A photo as stored in the database and the change log. */
export type PhotoRecord = Stored<typeof COLUMNS>;

/** The columns of a photo without a thumbnail, as in old entries of the change log. */
export const NO_THUMBNAIL: Readonly<Record<string, null>> = Object.fromEntries(
  Object.keys(THUMBNAIL).map((name) => [name, null]),
);

/** Reads a photo from the change log. Its caption is null once the author's account is deleted. */
export function readPhoto(entity: Entity): PhotoRecord {
  return readStored({ ...NO_THUMBNAIL, ...entity, caption: entity['caption'] ?? '' }, COLUMNS);
}

/** The names of its fields in a response; the response to an upload also repeats them all in `photo`. */
export const PHOTO_ANSWER: readonly string[] = [
  ...COMMON_ANSWER,
  ...ANSWERED,
  'url',
  'thumbnail_url',
  'photo',
];

/** The MenuPhoto of swagger.yaml. */
export function photoJson(record: Authored<PhotoRecord>, showAuthor: ShowAuthor): object {
  const { filename, thumbnail_filename: thumbnail } = record;
  const urls = { url: photoUrl(filename), thumbnail_url: thumbnail === null ? null : photoUrl(thumbnail) };
  return authoredJson(record, { ...pick(record, ANSWERED), ...urls }, showAuthor);
}

/** The URL path of a file. */
export function photoUrl(filename: string): string {
  return `/api/uploads/menu_photos/${filename}`;
}
