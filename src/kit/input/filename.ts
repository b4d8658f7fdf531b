import { firstCharacters } from './fields.ts';
import { sanitise } from './sanitise.ts';

const MAX_FILENAME = 255;

/** The client's name for its file, without markup and cut to 255 characters; null when nothing is left. */
export function cleanFilename(name = ''): string | null {
  const clean = firstCharacters(sanitise(name.toWellFormed()).trim(), MAX_FILENAME).trim();
  return clean === '' ? null : clean;
}
