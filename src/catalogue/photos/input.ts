import {
  type Fields,
  type Parsed,
  cleanFilename,
  parsed,
  readFields,
  textField,
} from '../../kit/input/fields.ts';
import { type ListPart, listPart, readQuery } from '../../kit/input/query.ts';
import { PHOTO_ANSWER } from './record.ts';
import type { NewPhoto } from './store.ts';
import type { UploadForm } from './form.ts';

const MAX_CAPTION = 255;

/** The query of a restaurant's list of photos. */
export function parsePhotoListQuery(queryString: string): Parsed<ListPart> {
  const query = readQuery(queryString);
  return parsed(query, listPart(query));
}

/** A body that changes a caption; null and blank clear it. */
export function parseCaptionChange(body: object): Parsed<string> {
  const fields = readFields(body, PHOTO_ANSWER);
  if (!fields.values.has('caption')) fields.faults.push('caption is required');
  return parsed(fields, captionField(fields));
}

/** The form of an upload; its caption is empty where none was sent. */
export function parseUpload({
  caption,
  filename,
  others,
  faults,
}: UploadForm): Parsed<Pick<NewPhoto, 'caption' | 'originalFilename'>> {
  const body = { ...Object.fromEntries(others.map((name) => [name, ''])), caption };
  const fields = { ...readFields(body, PHOTO_ANSWER), faults: [...faults] };
  return parsed(fields, { caption: captionField(fields), originalFilename: cleanFilename(filename) });
}

function captionField(fields: Fields): string {
  return textField(fields, 'caption', MAX_CAPTION) ?? '';
}
