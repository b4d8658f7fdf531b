// Only lines that are comments from end to end: what begins behind code may stand in a text.
const LINES_OF_COMMENTS = /^[ \t]*(?:\/\*\*(?:(?!\*\/)[^])*\*\/|\/\/[^\n]*)[ \t]*\n/gm;

/** A JavaScript module without its comments, in which the types stand: a third of its bytes. */
export function withoutComments(code: string): string {
  return code.replace(LINES_OF_COMMENTS, '');
}
