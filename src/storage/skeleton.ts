import { readFileSync } from 'node:fs';

const IGNORABLE = /\p{Default_Ignorable_Code_Point}/gu;

/**
 * The look of a name: names of one skeleton can be mistaken for each other. It is that of UTS #39 section 4, made once more
 * without case, since names are compared without case: a capital letter may look like another one than the small letter
 * does. It is stored, so that a change of the table of characters needs a migration.
 */
export function skeleton(name: string): string {
  return prototypes(prototypes(name).toLowerCase());
}

function prototypes(name: string): string {
  const table = confusables();
  const characters = Array.from(name.normalize('NFD').replace(IGNORABLE, ''));
  return characters
    .map((character) => table.get(character) ?? character)
    .join('')
    .normalize('NFD');
}

let known: ReadonlyMap<string, string> | undefined;

/** Read with the first name: most processes never need it. */
function confusables(): ReadonlyMap<string, string> {
  known ??= new Map(
    readFileSync(new URL('../../static/confusables.txt', import.meta.url), 'utf8')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .flatMap((line) => {
        const [prototype = '', characters = ''] = line.split('=');
        const text = prototype.split('+').map(characterOf).join('');
        return characters.split(' ').map((code): [string, string] => [characterOf(code), text]);
      }),
  );
  return known;
}

function characterOf(code: string): string {
  return String.fromCodePoint(parseInt(code, 16));
}
