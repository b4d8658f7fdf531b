import { type Fields, bodyParser, textField } from '../../kit/input/fields.ts';
import { PHOTO_ANSWER } from './record.ts';

/** A body that changes a caption; null and blank clear it. */
export const parseCaptionChange = bodyParser((fields) => {
  if (!fields.values.has('caption')) fields.faults.push('caption is required');
  return captionField(fields);
}, PHOTO_ANSWER);

/** Empty if absent. */
export function captionField(fields: Fields): string {
  return textField(fields, 'caption', 255) ?? '';
}
