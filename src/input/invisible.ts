import { sanitise } from './sanitise.ts';

// Soft hyphen, zero-width space, word joiner and invisible operators, embeddings, overrides and isolates of direction,
// the byte order mark, and Hangul fillers. In a name they only make one that looks like another, or turn around the
// text that follows it. Joiners are part of the spelling of some languages, and marks of direction of mixed names.
const INVISIBLE = /[\u00ad\u115f\u1160\u200b\u202a-\u202e\u2060-\u2064\u2066-\u2069\u3164\ufeff\uffa0]/g;

/** A name as it is stored: sanitised, and without characters that no name needs and no reader sees. */
export function sanitiseName(name: string): string {
  // They go first: behind a `<` they keep a parser from seeing the markup that is there without them.
  return sanitise(name.replace(INVISIBLE, ''));
}

// White space, characters that take no room, and a Braille cell without dots.
const BLANK = /^[\s\p{Z}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]*$/u;

/** Whether a text holds nothing that a reader sees. */
export function isBlank(text: string): boolean {
  return BLANK.test(text);
}
