import type { Point } from '../../index/geo.ts';
import { isText } from '../../storage/stored.ts';
import type { PlaceIdentity } from '../../storage/text.ts';
import { JOINTS, KIND_OF, type PlaceKind, ORDINALS, SHARED_SITES, STREETS, fold } from './words.ts';

/** What is known of a place, as far as it can look like another one. */
export interface Likely extends PlaceIdentity {
  readonly phone: string | null;
  readonly website: string | null;
  readonly google_place_id?: string | null;
  /** Ids in other catalogues. */
  readonly external_ids?: Readonly<Record<string, unknown>>;
}

/** A word, shared by all places that have it. Rare words weigh more. */
export class Word {
  readonly text: string;
  weight = 1;
  #count = 0;

  constructor(text: string) {
    this.text = text;
  }

  /** The number of places that have it in their names, or as their phone number. */
  get count(): number {
    return this.#count;
  }

  set count(count: number) {
    this.#count = count;
    this.weight = 1 / (1 + Math.log2(Math.max(1, count)) / 4);
  }
}

/** A place in the form in which places are compared. */
export interface Traits {
  /** All words of the name. */
  readonly all: readonly Word[];
  /** Those of them that tell places apart: no articles, and no kinds of places. */
  readonly words: readonly Word[];
  /** Names without a bit in common are in different scripts. */
  readonly scripts: number;
  readonly kinds: readonly PlaceKind[];
  /** `words` and `all` without spaces. */
  readonly whole: string;
  readonly full: string;
  /** The last digits of the phone number. */
  readonly phone: Word | undefined;
  /** Those of the house: one, both ends of a range, or block, lot and house. */
  readonly numbers: readonly string[];
  readonly street: readonly Word[];
  /** The first letters of north, south, east and west in the name of the street. */
  readonly directions: string;
  /** The words behind the street and number: the town, its region and country. */
  readonly town: readonly Word[];
  /** Those of them up to the next comma. */
  readonly nextTown: readonly Word[];
  /** The host of the website, empty for sites that many places share, and its path. */
  readonly site: string;
  readonly path: string;
  readonly point: Point | undefined;
  readonly ids: ReadonlyMap<string, unknown>;
}

// What a name or an address has beyond these is not compared.
export const MOST_WORDS = 20;
const MOST_OF_ADDRESS = 40;
const MOST_NUMBERS = 4;
const MOST_LETTERS = 24;
// A phone number ends alike with its country and without it.
const DIGITS = 8;
const FEWEST_DIGITS = 6;
// No word of a name has it.
const PHONE_MARK = '+';

const UNSPACED = /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u{10ffff}]/u;
const ELISION = /(?<=^|\P{L})(l|d|un|dell|all|dall|nell|sull|qu|c|s)['’ʼ`´](?=\p{L})/giu;
const APOSTROPHES = /['’ʼ`´]/g;

const UNSPACED_KINDS = [...KIND_OF.keys()]
  .filter((word) => UNSPACED.test(word))
  .sort((a, b) => b.length - a.length);

/** The folded words of a text. What stands between spaces in a script without them is one word. */
function wordsOf(text: string): string[] {
  const parts = fold(text.replace(ELISION, '$1 ').replace(APOSTROPHES, '')).split(' ');
  return parts.flatMap((part) =>
    part.split('\u007f').reduce<string[]>((runs, piece) => {
      const before = runs.at(-1) ?? '';
      if (UNSPACED.test(piece) && UNSPACED.test(before)) runs.splice(-1, 1, before + piece);
      else if (piece !== '') runs.push(piece);
      return runs;
    }, []),
  );
}

/** A word of a script without spaces as pairs of neighbouring characters; other words as they are. */
function pairsOf(run: string): string[] {
  const characters = Array.from(run);
  if (!UNSPACED.test(run) || characters.length < 2) return [run.slice(0, MOST_LETTERS)];
  return characters.slice(1).map((one, at) => `${characters[at]}${one}`);
}

/** Splits the kind of place from the beginning or end of a word of a script without spaces. */
function withoutKind(run: string): string[] {
  if (!UNSPACED.test(run) || KIND_OF.has(run)) return [run];
  const kind = UNSPACED_KINDS.find((word) => run.startsWith(word) || run.endsWith(word));
  if (kind === undefined) return [run];
  return [run.startsWith(kind) ? run.slice(kind.length) : run.slice(0, -kind.length), kind];
}

/**
 * A bit for each script of a name, by the blocks of its letters; all of them for a name without letters. Words for kinds of places
 * do not count: "Bar 桜" is a Japanese name.
 */
function scriptsOf(name: string): number {
  // Most names, in a fraction of the time.
  if (!/[\u0300-\u{10ffff}]/u.test(name)) return /[a-z]/i.test(name) ? 1 : ~0;
  const own = name.split(/[^\p{L}\p{M}]+/u).filter((word) => !KIND_OF.has(fold(word)));
  let bits = 0;
  for (const letter of (own.join('') || name).normalize('NFKD').match(/[\p{Lu}\p{Ll}\p{Lo}]/gu) ?? []) {
    const code = letter.codePointAt(0) ?? 0;
    const block = code < 0x300 ? 0 : code >= 0x3400 && code < 0xa000 ? 0x34 : code >> 8;
    bits |= 1 << (block % 30);
  }
  return bits || ~0;
}

/** The last digits of a phone number; empty without one. */
export function phoneOf(phone: string | null): string {
  const [first = ''] = (phone ?? '').toLowerCase().split(/ext|x|#|;|,|\bor\b| \/ /);
  const digits = first.normalize('NFKC').replace(/\D/g, '');
  return digits.length < FEWEST_DIGITS ? '' : digits.slice(-DIGITS);
}

// Where in a building a place is, and directions to it.
const WITHIN =
  /\b(?:unit|shop|suite|ste|apt|room|rm|level|floor|flat|piso|planta|local|bajo|stall)\b\.?\s*#?\w+|\b\w+(?:st|nd|rd|th)?\s+(?:floor|fl)\b|\b[bl]?\d{1,2}f\b|#\s*[\w-]+|\b\d{1,3}\s*\/\s*f\b|[b\d]+\s*[楼樓阶階层層]|\d+층|〒?\b\d{3}-\d{4}\b|\b(?:between|bet|near|off|opposite|at|cnr|corner)\b.*$/giu;
const NUMBER = /^\d+(?:\p{L}|bis|ter)?$/u;
const DIRECTION = /^(?:north|south|east|west|[nsew])$/;
const POSTAL = /^\d{5,7}$/;
const POSTAL_FIRST = /^\d{4,7}$/;
// "nº 1"
const ANNOUNCED = /\b(?:no|nr|n)\.?\s*(?=\d)/giu;
// Numbers that are names of streets: "Insadong 5-gil", "Section 2".
const NUMBERED_STREET =
  /(?<=\d)[\s-]?(?=(?:gil|ro)\b|번?길|로)|(?<=\b(?:sec|section|lane|alley|soi))[.\s]+(?=\d)/giu;

/** Splits an address into house numbers, street and town. */
export function addressParts(
  address: string | null,
): Readonly<Record<'numbers' | 'street' | 'directions' | 'town' | 'nextTown', readonly string[]>> {
  const parts = (address ?? '')
    .normalize('NFKC')
    .split(/[,;\n]/)
    .map(wordsOfAddress);
  const isNumber = (word: string, at: number): boolean => NUMBER.test(word) && !(at > 0 && POSTAL.test(word));
  const numbered = parts.filter((part) => part.some(isNumber));
  // "1146 Budapest, Gundel Károly út 4" begins with the town.
  const isTownFirst =
    POSTAL_FIRST.test(numbered[0]?.[0] ?? '') &&
    numbered[1]?.some((word, at) => at > 0 && /^\d{1,3}\D?$/.test(word));
  const houseParts = numbered[isTownFirst === true ? 1 : 0] ?? [];
  const at = parts.indexOf(houseParts);
  // "14, Lalbagh Road" has the street behind the number.
  const end = Math.max(0, at) + (houseParts.length === 1 ? 2 : 1);
  const town = [...parts.slice(end), ...(isTownFirst === true ? parts.slice(0, at) : [])];
  const street = parts.slice(isTownFirst === true ? at : 0, end);
  return {
    numbers: houseParts.filter(isNumber).map((word) => word.replace(/(?<=\d)(?:bis|ter)$/, '')),
    street: namesIn(street),
    directions: street
      .flat()
      .filter((word) => DIRECTION.test(word))
      .map((word) => word.charAt(0)),
    town: namesIn(town),
    nextTown: namesIn(town.slice(0, 1)),
  };
}

function wordsOfAddress(part: string): string[] {
  const plain = part.replace(WITHIN, ' ').replace(ANNOUNCED, '').replace(NUMBERED_STREET, '');
  return wordsOf(plain.replace(/(?<=\d)\s*(?:丁目|番地|番|号|號|-chome|-ban|-go)/giu, ' '))
    .flatMap((word) => (UNSPACED.test(word) && !/^\d+[길로번]/u.test(word) ? word.split(/(\d+)/) : [word]))
    .filter(Boolean);
}

/** The words in parts of an address that are names. */
function namesIn(parts: readonly (readonly string[])[]): string[] {
  return parts
    .flat()
    .map(
      (word) => ORDINALS.get(word) ?? word.replace(/(?<=.{3})(?:strasse|str|straat|gatan|gade|gasse)$/, ''),
    )
    .filter((word) => !NUMBER.test(word) && !JOINTS.has(word) && !STREETS.has(word))
    .flatMap(pairsOf);
}

function siteOf(website: string | null): Pick<Traits, 'site' | 'path'> {
  const [, host = '', path = ''] =
    /^(?:https?:)?(?:\/\/)?(?:www\.)?([^/:?#]+)[^/?#]*\/?([^?#]*)/i.exec(website ?? '') ?? [];
  const site = host.toLowerCase();
  return SHARED_SITES.test(site)
    ? { site: '', path: '' }
    : { site, path: path.replace(/\/+$/, '').toLowerCase() };
}

const NO_IDS: ReadonlyMap<string, unknown> = new Map();

/** The traits of a place. `wordFor` returns the word of a text, the same one for all places. */
export function traitsOf(place: Likely, wordFor: (text: string) => Word): Traits {
  const { latitude, longitude, google_place_id } = place;
  const wordsFor = (texts: readonly string[], most = MOST_WORDS): readonly Word[] =>
    [...new Set(texts)].slice(0, most).map(wordFor);
  const all = wordsOf(place.name).flatMap(withoutKind).filter(Boolean);
  const own = all.filter((word) => !KIND_OF.has(word) && !JOINTS.has(word));
  const phone = phoneOf(place.phone);
  const { numbers, street, directions, town, nextTown } = addressParts(place.address);
  const ids = Object.entries({ ...place.external_ids, google: google_place_id }).filter(([, id]) =>
    isText(id),
  );
  return {
    all: wordsFor(all.flatMap(pairsOf)),
    words: wordsFor(own.flatMap(pairsOf)),
    scripts: scriptsOf(place.name),
    kinds: all.flatMap((word) => KIND_OF.get(word) ?? []),
    whole: (own.length > 0 ? own : all).join(''),
    full: all.join(''),
    phone: phone === '' ? undefined : wordFor(`${PHONE_MARK}${phone}`),
    numbers: numbers.slice(0, MOST_NUMBERS),
    street: wordsFor(street, MOST_OF_ADDRESS),
    directions: directions.join(''),
    town: wordsFor(town, MOST_OF_ADDRESS),
    nextTown: wordsFor(nextTown, MOST_OF_ADDRESS),
    ...siteOf(place.website),
    point: latitude !== null && longitude !== null ? { latitude, longitude } : undefined,
    ids: ids.length > 0 ? new Map(ids) : NO_IDS,
  };
}
