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

/** Likewise of the small file that was uploaded with it; all null without one. */
const THUMBNAIL = {
  thumbnail_filename: isTextOrNull,
  thumbnail_size: isNumberOrNull,
  thumbnail_type: isTextOrNull,
  thumbnail_width: isNumberOrNull,
  thumbnail_height: isNumberOrNull,
};
const COLUMNS = { ...COMMON_COLUMNS, ...OWN, ...THUMBNAIL };
const ANSWERED = Object.keys(OWN);

/** The names of the columns besides the common ones. */
export const PHOTO_NAMES = [...ANSWERED, ...Object.keys(THUMBNAIL)];

/** A photo as it is stored, in the database and in the change log. */
export type PhotoRecord = Stored<typeof COLUMNS>;

/** The columns of a photo without a thumbnail, such as those that were logged before there were any. */
export const NO_THUMBNAIL = {
  thumbnail_filename: null,
  thumbnail_size: null,
  thumbnail_type: null,
  thumbnail_width: null,
  thumbnail_height: null,
};

/** Reads a photo of the change log. Its caption is null once the account of its author is deleted. */
export function readPhoto(entity: Entity): PhotoRecord {
  return readStored({ ...NO_THUMBNAIL, ...entity, caption: entity['caption'] ?? '' }, COLUMNS);
}

/** The names of its fields in an answer; an upload's answer has the whole in `photo`, too. */
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
  const urls = { url: addressOf(filename), thumbnail_url: thumbnail === null ? null : addressOf(thumbnail) };
  return authoredJson(record, { ...pick(record, ANSWERED), ...urls }, showAuthor);
}

/** The address of a file, from the root of the service. */
export function addressOf(filename: string): string {
  return `/api/uploads/menu_photos/${filename}`;
}
