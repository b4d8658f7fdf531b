/** The sentence for something that is there already, which is named. */
export function alreadyExistsText(noun: string, of: { readonly id: number; readonly name: string }): string {
  return `${noun} already exists: "${of.name}" (id ${of.id})`;
}

// Of a name that may be as long as a body.
const LONGEST_NAME = 40;

/** The sentence for a name that is not known, cut and in ASCII so that it fits into a header, and those that it nearly is. */
export function unknownText(noun: 'field' | 'parameter', name: string, nearly: readonly string[]): string {
  const cut = Array.from(name.slice(0, 2 * LONGEST_NAME))
    .slice(0, LONGEST_NAME)
    .join('');
  const meant = nearly.length === 0 ? '' : `; did you mean ${nearly.join(' or ')}?`;
  return `unknown ${noun} ${cut.replace(/[^\x20-\x7e]/gu, '?')}${meant}`;
}
