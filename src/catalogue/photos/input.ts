import {
  type Fields,
  type Parsed,
  bodyParser,
  cleanFilename,
  parsed,
  readFields,
  textField,
} from '../../kit/input/fields.ts';
import { PHOTO_ANSWER, type PhotoRecord } from './record.ts';
import type { UploadForm } from './upload.ts';

/** A body that changes a caption; null and blank clear it. */
export const parseCaptionChange = bodyParser((fields) => {
  if (!fields.values.has('caption')) fields.faults.push('caption is required');
  return captionField(fields);
}, PHOTO_ANSWER);

/** The form of an upload; the caption is empty if absent. */
export function parseUpload({
  caption,
  filename,
  others,
  faults,
}: UploadForm): Parsed<Pick<PhotoRecord, 'caption' | 'original_filename'>> {
  const body = { ...Object.fromEntries(others.map((name) => [name, ''])), caption };
  const fields = { ...readFields(body, PHOTO_ANSWER), faults: [...faults] };
  return parsed(fields, { caption: captionField(fields), original_filename: cleanFilename(filename) });
}

function captionField(fields: Fields): string {
  return textField(fields, 'caption', 255) ?? '';
}
