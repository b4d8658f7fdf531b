import { type Point, kilometresFrom } from '../../index/geo.ts';
import { isText } from '../../storage/stored.ts';
import { fold, JOINTS, KIND_OF, type Kind, ORDINALS, SHARED_SITES, STREETS } from './words.ts';

/** A place as far as it can be taken for another one. */
export interface Likely {
  readonly name: string;
  readonly address: string | null;
  readonly phone: string | null;
  readonly website: string | null;
  /** Degrees. */
  readonly latitude: number | null;
  readonly longitude: number | null;
  readonly google_place_id?: string | null;
  /** Ids in other catalogues. */
  readonly external_ids?: Readonly<Record<string, unknown>>;
}

/** What two places share. */
export const REASONS = ['phone', 'name', 'address', 'website', 'near'] as const;
export type Reason = (typeof REASONS)[number];

/** How far two places look like one. */
export interface Likeness {
  /** Whether they are the same place beyond reasonable doubt. */
  readonly certain: boolean;
  readonly reasons: readonly Reason[];
  /** Metres; null where one of them has no coordinates. */
  readonly distance: number | null;
  readonly score: number;
}

/** A word, with the number of places that have it in their names, and what it says: rare ones say more. */
export class Word {
  readonly text: string;
  weight = 1;
  #count = 0;

  constructor(text: string) {
    this.text = text;
  }

  get count(): number {
    return this.#count;
  }

  set count(count: number) {
    this.#count = count;
    this.weight = 1 / (1 + Math.log2(Math.max(1, count)) / 4);
  }
}

/** What of a place is compared, in the forms in which it is. */
export interface Traits {
  /** All words of the name. */
  readonly all: readonly Word[];
  /** Those that say which place is meant. */
  readonly words: readonly Word[];
  readonly kinds: readonly Kind[];
  /** The words of the name that say which place is meant, and all of them, without spaces. */
  readonly whole: string;
  readonly full: string;
  /** The last digits of the phone number; empty without one. */
  readonly phone: string;
  /** The numbers of the house: one, the first and last of a range, or block, lot and house. */
  readonly numbers: readonly string[];
  readonly street: readonly Word[];
  /** The directions in the name of the street, as their first letters. */
  readonly directions: string;
  /** The words behind the street and number, and those up to the next comma: of the town, its region and country. */
  readonly town: readonly Word[];
  readonly nextTown: readonly Word[];
  /** The host of a website that is the place's or its company's. */
  readonly site: string;
  readonly path: string;
  readonly point: Point | undefined;
  readonly ids: ReadonlyMap<string, unknown>;
}

// A phone number with its country and without it ends alike.
const DIGITS = 8;
const FEWEST_DIGITS = 6;

const UNSPACED = /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u{10ffff}]/u;
const ELISION = /(?<=^|\P{L})(l|d|un|dell|all|dall|nell|sull|qu|c|s)['’ʼ`´](?=\p{L})/giu;
const APOSTROPHES = /['’ʼ`´]/g;

const UNSPACED_KINDS = [...KIND_OF.keys()]
  .filter((word) => UNSPACED.test(word))
  .sort((a, b) => b.length - a.length);

/** The folded words of a text; of scripts without spaces each pair of neighbouring characters, and what stands around it. */
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

function pairsOf(run: string): string[] {
  const characters = Array.from(run);
  if (!UNSPACED.test(run) || characters.length < 2) return run === '' ? [] : [run];
  return characters.slice(1).map((one, at) => `${characters[at]}${one}`);
}

/** A run of a script without spaces, and the kind of place at its beginning or end. */
function withoutKind(run: string): string[] {
  if (!UNSPACED.test(run) || KIND_OF.has(run)) return [run];
  const kind = UNSPACED_KINDS.find((word) => run.startsWith(word) || run.endsWith(word));
  if (kind === undefined) return [run];
  return [run.startsWith(kind) ? run.slice(kind.length) : run.slice(0, -kind.length), kind];
}

function phoneOf(phone: string | null): string {
  const [first = ''] = (phone ?? '').toLowerCase().split(/ext|x|#|;|,|\bor\b| \/ /);
  const digits = first.normalize('NFKC').replace(/\D/g, '');
  return digits.length < FEWEST_DIGITS ? '' : digits.slice(-DIGITS);
}

// What says where in a building a place is, and how to find it.
const WITHIN =
  /\b(?:unit|shop|suite|ste|apt|room|rm|level|floor|flat|piso|planta|local|bajo|stall)\b\.?\s*#?\w+|\b\w+(?:st|nd|rd|th)?\s+(?:floor|fl)\b|\b[bl]?\d{1,2}f\b|#\s*[\w-]+|\b\d{1,3}\s*\/\s*f\b|[b\d]+\s*[楼樓阶階层層]|\d+층|〒?\b\d{3}-\d{4}\b|\b(?:between|bet|near|off|opposite|at|cnr|corner)\b.*$/giu;
const NUMBER = /^\d+(?:\p{L}|bis|ter)?$/u;
const DIRECTION = /^(?:north|south|east|west|[nsew])$/;
const POSTAL = /^\d{5,7}$/;
const POSTAL_FIRST = /^\d{4,7}$/;
// What announces a number: "nº 1", and "#12" or "d. 12".
const ANNOUNCED = /\b(?:no|nr|n)\.?\s*(?=\d)/giu;
// Numbers that are names of streets: "Insadong 5-gil", "Section 2".
const NUMBERED_STREET =
  /(?<=\d)[\s-]?(?=(?:gil|ro)\b|번?길|로)|(?<=\b(?:sec|section|lane|alley|soi))[.\s]+(?=\d)/giu;

/** The number, the words of the street, and those of the town. */
function addressOf(
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
    /^https?:\/\/(?:www\.)?([^/:?#]+)[^/?#]*\/?([^?#]*)/i.exec(website ?? '') ?? [];
  const site = host.toLowerCase();
  return SHARED_SITES.test(site)
    ? { site: '', path: '' }
    : { site, path: path.replace(/\/+$/, '').toLowerCase() };
}

const NO_IDS: ReadonlyMap<string, unknown> = new Map();

/** What of a place is compared. `wordFor` returns the word of a text, the same for all places. */
export function traitsOf(place: Likely, wordFor: (text: string) => Word): Traits {
  const { latitude, longitude, google_place_id } = place;
  const wordsFor = (texts: readonly string[]): readonly Word[] => [...new Set(texts)].map(wordFor);
  const all = wordsOf(place.name).flatMap(withoutKind).filter(Boolean);
  const own = all.filter((word) => !KIND_OF.has(word) && !JOINTS.has(word));
  const { numbers, street, directions, town, nextTown } = addressOf(place.address);
  const ids = Object.entries({ ...place.external_ids, google: google_place_id }).filter(([, id]) =>
    isText(id),
  );
  return {
    all: wordsFor(all.flatMap(pairsOf)),
    words: wordsFor(own.flatMap(pairsOf)),
    kinds: all.flatMap((word) => KIND_OF.get(word) ?? []),
    whole: (own.length > 0 ? own : all).join(''),
    full: all.join(''),
    phone: phoneOf(place.phone),
    numbers,
    street: wordsFor(street),
    directions: directions.join(''),
    town: wordsFor(town),
    nextTown: wordsFor(nextTown),
    ...siteOf(place.website),
    point: latitude !== null && longitude !== null ? { latitude, longitude } : undefined,
    ids: ids.length > 0 ? new Map(ids) : NO_IDS,
  };
}

// Points for what two places share and against what differs. A pair with LOOKS points may be one place, one with CERTAIN is.
const LOOKS = 4;
const CERTAIN = 6.5;
const POINTS = {
  /** All words that say something; a name that many places have says less. */
  sameName: 4,
  commonName: 3,
  /** One name has all words of the other: "Da Enzo" and "Da Enzo al 29". */
  longerName: 3,
  alikeName: 1.5,
  otherName: -3,
  /** A trattoria and an osteria; a café and a bar. */
  otherKind: -1,
  otherClass: -3,
  samePhone: 4,
  otherPhone: -0.5,
  /** Number and street; also the same number in a street that cannot be compared. */
  sameAddress: 3,
  likeAddress: 0.5,
  /** Branches of a chain are on one street. */
  otherNumber: -2.5,
  otherStreet: -3,
  corner: -1,
  sameSite: 2,
  sameHost: 1,
  close: 2.5,
  near: 1.5,
  apart: -2,
  faraway: -4,
} as const;
// Metres. Entrances and the middle of a house are up to 50 apart, rough coordinates 150.
const CLOSE = 50;
export const NEAR = 150;
const APART = 500;
const FARAWAY = 3_000;
// More places than a chain has in one town.
const COMMON = 8;
// Two houses, of each of which two sources know.
const FEW = 4;

/** Whether two words are one: a letter or two of long ones are misspelt, or one is cut. */
function isAlike(one: string, other: string): boolean {
  if (one === other) return true;
  // The first letter is rarely wrong.
  if (one.charCodeAt(0) !== other.charCodeAt(0)) return false;
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  if (long.startsWith(short))
    return short.length > 3 || (short.length > 2 && long.slice(short.length) === 's');
  const most = short.length > 7 ? 2 : short.length > 4 ? 1 : 0;
  return long.length - short.length <= most && !/\d/.test(long) && editsWithin(short, long, most);
}

/** Whether at most `most` insertions, removals, replacements or swaps of neighbours make one word the other. */
function editsWithin(one: string, other: string, most: number): boolean {
  let before: number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let at = 1; at <= one.length; at += 1) {
    const next = [at];
    for (let to = 1; to <= other.length; to += 1) {
      const isSame = one[at - 1] === other[to - 1];
      const isSwap = at > 1 && to > 1 && one[at - 1] === other[to - 2] && one[at - 2] === other[to - 1];
      next.push(
        Math.min(
          (row[to] ?? 0) + 1,
          (next[to - 1] ?? 0) + 1,
          (row[to - 1] ?? 0) + (isSame ? 0 : 1),
          isSwap ? (before[to - 2] ?? 0) + 1 : Infinity,
        ),
      );
    }
    if (Math.min(...next) > most) return false;
    [before, row] = [row, next];
  }
  return (row[other.length] ?? Infinity) <= most;
}

type NameRelation = 'same' | 'longer' | 'alike' | 'other';

function nameRelation(one: Traits, other: Traits): NameRelation {
  if (one.whole === other.whole || one.full === other.full) return 'same';
  const which = one.words.length > 0 && other.words.length > 0 ? 'words' : 'all';
  if (!haveAny(one[which], other[which]) && !beginsAlike(one.whole, other.whole)) return 'other';
  const [words, others] = [withoutAddress(one[which], one, other), withoutAddress(other[which], one, other)];
  const [first, second] = [sharesOf(words, others), sharesOf(others, words)];
  // "Pizzeria 22" and "Pizzeria 23".
  if (first.hasOtherNumber && second.hasOtherNumber) return 'other';
  const [part, otherPart] = [first.shared / first.all, second.shared / second.all];
  if (Math.min(part, otherPart) > 0.9) return 'same';
  if (Math.max(part, otherPart) > 0.9 || beginsAlike(one.whole, other.whole)) return 'longer';
  return (first.shared + second.shared) / (first.all + second.all) >= 0.5 ? 'alike' : 'other';
}

/** The words of a name without those of the addresses: "Spago (Los Angeles)" in Los Angeles. */
function withoutAddress(words: readonly Word[], one: Traits, other: Traits): readonly Word[] {
  if (!words.some((word) => isOfAddress(word, one, other))) return words;
  const others = words.filter((word) => !isOfAddress(word, one, other) && !STREETS.has(word.text));
  return others.length > 0 ? others : words;
}

function isOfAddress(word: Word, ...places: readonly Traits[]): boolean {
  for (const { town, street, numbers } of places)
    if (town.includes(word) || street.includes(word) || numbers.includes(word.text)) return true;
  return false;
}

/** Whether one name is the beginning of the other: "Thip Samai" and "Thipsamai Pad Thai". */
function beginsAlike(one: string, other: string): boolean {
  return Math.min(one.length, other.length) > 5 && (one.startsWith(other) || other.startsWith(one));
}

/** The weight of the words, and of those among them that the others have as well. */
function sharesOf(
  words: readonly Word[],
  others: readonly Word[],
): { readonly all: number; readonly shared: number; readonly hasOtherNumber: boolean } {
  let [all, shared, hasOtherNumber] = [0, 0, false];
  for (const word of words) {
    all += word.weight;
    if (isAmong(word, others)) shared += word.weight;
    else hasOtherNumber ||= /^\d+$/.test(word.text);
  }
  return { all, shared, hasOtherNumber };
}

function haveAny(words: readonly Word[], others: readonly Word[]): boolean {
  for (const word of words) if (isAmong(word, others)) return true;
  return false;
}

function isAmong(word: Word, others: readonly Word[]): boolean {
  for (const other of others) if (word === other || isAlike(word.text, other.text)) return true;
  return false;
}

type AddressRelation = 'same' | 'like' | 'otherNumber' | 'otherStreet' | 'unknown';

function isLatin({ text }: Word): boolean {
  return /[a-z]/.test(text);
}

/** Whether one is the end of the other: "Northpoint" and "North Point". */
function endsAlike(one: string, other: string): boolean {
  return Math.min(one.length, other.length) > 3 && (one.endsWith(other) || other.endsWith(one));
}

/** The share of the words of the shorter text that both have; undefined where they cannot be compared. */
function overlap(words: readonly Word[], others: readonly Word[]): number | undefined {
  if (words.length === 0 || others.length === 0 || words.some(isLatin) !== others.some(isLatin))
    return undefined;
  let count = 0;
  for (const word of words)
    if (
      others.includes(word) ||
      others.some(({ text }) => isAlike(text, word.text) || endsAlike(text, word.text))
    )
      count += 1;
  return count / Math.min(words.length, others.length);
}

/** Whether two numbers are of one house: 12 may be 12a, but 12a is not 12b. */
function isSameNumber(one: string, other: string): boolean {
  const [digits, others] = [parseInt(one, 10), parseInt(other, 10)];
  return one === other || (digits === others && (one === `${digits}` || other === `${others}`));
}

/** Whether two streets with numbers in their names have different ones. */
function hasOtherNumber(street: readonly Word[], other: readonly Word[]): boolean {
  const [words, others] = [street.filter(isNumbered), other.filter(isNumbered)];
  return words.length > 0 && others.length > 0 && !haveAny(words, others);
}

function isNumbered({ text }: Word): boolean {
  return /\d/.test(text);
}

function addressRelation(one: Traits, other: Traits, samePhone: boolean): AddressRelation {
  const street = hasOtherNumber(one.street, other.street) ? 0 : overlap(one.street, other.street);
  // The same number and street in two towns; of one place sources may name the town or the part of it.
  const isElsewhere =
    !samePhone && overlap(one.nextTown, other.town) === 0 && overlap(other.nextTown, one.town) === 0;
  const [numbers, others] = [one.numbers, other.numbers];
  if (numbers.length === 0 || others.length === 0) {
    if (street === undefined) return 'unknown';
    return street >= 0.8 ? 'like' : street === 0 ? 'otherStreet' : 'unknown';
  }
  const [few, many] = numbers.length <= others.length ? [numbers, others] : [others, numbers];
  // A range has the number of one house, and a block, lot and house are one number.
  const isSame = few.every((number) => many.some((another) => isSameNumber(number, another)));
  if (street === undefined) return isSame ? 'like' : 'unknown';
  if (street < 0.5) return 'otherStreet';
  // Two ends of one street.
  const isOtherEnd = one.directions !== other.directions && one.directions !== '' && other.directions !== '';
  if (!isSame || isOtherEnd) return 'otherNumber';
  return isElsewhere ? 'like' : 'same';
}

/** Whether what two places are called by kind agrees, as it does where one has no kind. */
function kindRelation(
  kinds: readonly Kind[],
  others: readonly Kind[],
): 'same' | 'room' | 'other' | 'otherClass' {
  if (kinds.length === 0 || others.length === 0)
    return [...kinds, ...others].some(({ isRoom }) => isRoom) ? 'room' : 'same';
  if (kinds.some(({ kind }) => others.some((other) => kind === other.kind))) return 'same';
  return kinds.some(({ of }) => others.some((other) => of === other.of)) ? 'other' : 'otherClass';
}

/** Metres; null where one of them has no coordinates. */
function distanceOf({ point }: Traits, { point: other }: Traits): number | null {
  return point && other ? 1_000 * kilometresFrom(point)(other.latitude, other.longitude) : null;
}

function distancePoints(distance: number | null): number {
  if (distance === null) return 0;
  if (distance <= CLOSE) return POINTS.close;
  if (distance <= NEAR) return POINTS.near;
  if (distance <= APART) return 0;
  return distance <= FARAWAY ? POINTS.apart : POINTS.faraway;
}

const NAME_POINTS = {
  same: POINTS.sameName,
  longer: POINTS.longerName,
  alike: POINTS.alikeName,
  other: POINTS.otherName,
};
const KIND_POINTS = { same: 0, room: 0, other: POINTS.otherKind, otherClass: POINTS.otherClass };
const ADDRESS_POINTS = {
  same: POINTS.sameAddress,
  like: POINTS.likeAddress,
  otherNumber: POINTS.otherNumber,
  otherStreet: POINTS.otherStreet,
  corner: POINTS.corner,
  unknown: 0,
};

/** Whether a source has both places under one id, or under two. */
function idRelation({ ids }: Traits, { ids: others }: Traits): 'same' | 'other' | 'unknown' {
  let relation: 'other' | 'unknown' = 'unknown';
  for (const [source, id] of ids) {
    if (others.get(source) === id) return 'same';
    if (others.has(source)) relation = 'other';
  }
  return relation;
}

/** How far two places look like one; undefined where they do not. */
export function likeness(one: Traits, other: Traits): Likeness | undefined {
  const samePhone = one.phone !== '' && one.phone === other.phone;
  const id = idRelation(one, other);
  const name = nameRelation(one, other);
  // The restaurants of one hotel.
  if (name === 'other' && !samePhone && id !== 'same') return undefined;
  const distance = distanceOf(one, other);
  const sameSite = one.site !== '' && one.site === other.site;
  const count = Math.min(...one.all.map((word) => word.count));
  // A house on a corner has two addresses, and a place that moved has its old number.
  const mayBeCorner = name === 'same' && samePhone && count <= FEW && (distance ?? 0) <= CLOSE;
  const found = addressRelation(one, other, samePhone);
  const address = found === 'otherStreet' && mayBeCorner ? 'corner' : found;
  const kinds = kindRelation(one.kinds, other.kinds);
  let score = name === 'same' && count > COMMON ? POINTS.commonName : NAME_POINTS[name];
  score += KIND_POINTS[kinds] + ADDRESS_POINTS[address] + distancePoints(distance);
  if (samePhone) score += POINTS.samePhone;
  else if (one.phone !== '' && other.phone !== '') score += POINTS.otherPhone;
  if (sameSite) score += one.path === other.path ? POINTS.sameSite : POINTS.sameHost;
  if (score < LOOKS && id !== 'same') return undefined;
  const isNamed = name === 'same' || (name === 'longer' && samePhone && address === 'same');
  const isElsewhere = address === 'otherNumber' || address === 'otherStreet';
  const isOther = isElsewhere || kinds === 'otherClass' || kinds === 'room' || id === 'other';
  const shared: Readonly<Record<Reason, boolean>> = {
    phone: samePhone,
    name: name !== 'other',
    address: address === 'same' || address === 'like',
    website: sameSite,
    near: distance !== null && distance <= NEAR,
  };
  return {
    certain: id === 'same' || (score >= CERTAIN && isNamed && !isOther),
    reasons: REASONS.filter((reason) => shared[reason]),
    distance,
    score,
  };
}
