import { readFileSync } from 'node:fs';

const IGNORABLE = /\p{Default_Ignorable_Code_Point}/gu;

/**
 * The visual form of a name: names with the same skeleton can be mistaken for each other (UTS #39 section 4).
 * Computed a second time in lower case, since names are case-insensitive and a capital may look like a
 * different letter than its small form does. Skeletons are stored, so a change to the character table needs a
 * migration.
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

/** Loaded on first use: most processes never need it. */
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
