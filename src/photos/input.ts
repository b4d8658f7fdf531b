import { type Fields, type Parsed, parsed, readFields, textField } from '../input/fields.ts';
import { type ListPart, listPart, readQuery } from '../input/query.ts';
import { sanitise } from '../input/sanitise.ts';

const MAX_CAPTION = 255;
const MAX_FILENAME = 255;

/** The query of a restaurant's list of photos. */
export function parsePhotoListQuery(queryString: string): Parsed<ListPart> {
  const query = readQuery(queryString);
  return parsed(query, listPart(query));
}

/** A body that changes a caption; null and blank clear it. */
export function parseCaptionChange(body: object): Parsed<string> {
  const fields = readFields(body);
  if (!fields.values.has('caption')) fields.faults.push('caption is required');
  return parsed(fields, captionField(fields));
}

/** The caption of an upload, empty where none was sent. */
export function parseUploadedCaption(caption: string | undefined): Parsed<string> {
  const fields = readFields({ caption });
  return parsed(fields, captionField(fields));
}

/** The client's name for its file, without markup and cut to 255 characters; null when nothing is left. */
export function cleanFilename(name: string | undefined): string | null {
  const clean = Array.from(sanitise((name ?? '').toWellFormed()).trim())
    .slice(0, MAX_FILENAME)
    .join('')
    .trim();
  return clean === '' ? null : clean;
}

function captionField(fields: Fields): string {
  return textField(fields, 'caption', MAX_CAPTION) ?? '';
}
