import { kilometresFrom } from '../../index/geo.ts';
import { editsBetween } from '../../kit/edits.ts';
import type { Traits, Word } from './traits.ts';
import { type PlaceKind, STREETS } from './words.ts';

/** What two places may share. */
const REASONS = ['phone', 'name', 'address', 'website', 'near'] as const;
type Reason = (typeof REASONS)[number];

/** How much two places look like one. */
export interface Likeness {
  /** True if they are the same place beyond reasonable doubt. */
  readonly certain: boolean;
  readonly reasons: readonly Reason[];
  /** Metres; null if one of them has no coordinates. */
  readonly distance: number | null;
  readonly score: number;
}

// Two places with LOOKS points look like one. With CERTAIN points they are one, unless something speaks against it.
const LOOKS = 4;
const CERTAIN = 6.5;
// A name that many places have says less.
const NAME = { same: 4, common: 3, longer: 3, alike: 1.5, other: -3 };
// A trattoria and an osteria are other kinds, a café and a bar also of other classes.
const KINDS = { same: 0, room: 0, other: -1, otherClass: -3 };
// Chains have branches on one street. A house on a corner has two addresses.
const ADDRESS = { same: 3, like: 0.5, unknown: 0, corner: -1, otherNumber: -2.5, otherStreet: -3 };
const PHONE = { same: 4, other: -0.5 };
// All branches of a chain share a host.
const WEBSITE = { samePath: 2, sameHost: 1 };
// The most metres for these points. Entrance and middle of a house are up to 50 apart, rough coordinates up to 150.
const CLOSE = 50;
const NEAR = 150;
const DISTANCES = [
  [CLOSE, 2.5],
  [NEAR, 1.5],
  [500, 0],
  [3_000, -2],
] as const;
const FARAWAY = -4;

// Names and phone numbers of more places than this are common.
const COMMON = 8;
// Two houses that two sources know.
const FEW = 4;

/** Whether two words are meant to be one: long ones may have a letter or two wrong, or be cut short. */
function isAlike(one: string, other: string): boolean {
  if (one === other) return true;
  // The first letter is rarely wrong.
  if (one.charCodeAt(0) !== other.charCodeAt(0)) return false;
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  if (long.startsWith(short))
    return short.length > 3 || (short.length > 2 && long.slice(short.length) === 's');
  const most = short.length > 7 ? 2 : short.length > 4 ? 1 : 0;
  return !/\d/.test(long) && editsBetween(short, long, most) <= most;
}

/** `longer`: one name has all words of the other, as "Da Enzo" and "Da Enzo al 29". */
function nameRelation(one: Traits, other: Traits): 'same' | 'longer' | 'alike' | 'other' {
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

/** The words of a name that are not in the addresses: of "Spago (Los Angeles)" in Los Angeles, the first. */
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

function isLatin({ text }: Word): boolean {
  return /[a-z]/.test(text);
}

/** Whether one is the end of the other: "Northpoint" and "North Point". */
function endsAlike(one: string, other: string): boolean {
  return Math.min(one.length, other.length) > 3 && (one.endsWith(other) || other.endsWith(one));
}

/** How many of the words both have, as a share of the shorter list; undefined if the scripts cannot be compared. */
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

/** Ranges have the number of one house, and a block, lot and house are one number. */
function areOfOneHouse(numbers: readonly string[], others: readonly string[]): boolean {
  const [few, many] = numbers.length <= others.length ? [numbers, others] : [others, numbers];
  return few.length > 0 && few.every((number) => many.some((another) => isSameNumber(number, another)));
}

/** `like`: the same number, or no numbers to compare, and no difference between the streets. */
function addressRelation(
  one: Traits,
  other: Traits,
  samePhone: boolean,
): 'same' | 'like' | 'unknown' | 'otherNumber' | 'otherStreet' {
  const { numbers, street } = one;
  if (numbers.length === 0 || other.numbers.length === 0) {
    // Without a number, the street may stand anywhere.
    const share = overlap([...street, ...one.town], [...other.street, ...other.town]);
    if (share === undefined) return 'unknown';
    return share >= 0.8 ? 'like' : share === 0 ? 'otherStreet' : 'unknown';
  }
  const isSame = areOfOneHouse(numbers, other.numbers);
  const share = hasOtherNumber(street, other.street) ? 0 : overlap(street, other.street);
  if (share === undefined) return isSame ? 'like' : 'unknown';
  if (share < 0.5) return 'otherStreet';
  // Two ends of one street.
  const isOtherEnd = one.directions !== other.directions && one.directions !== '' && other.directions !== '';
  if (!isSame || isOtherEnd) return 'otherNumber';
  // With one phone number, two names of the town are the town and a part of it.
  const isElsewhere =
    !samePhone && overlap(one.nextTown, other.town) === 0 && overlap(other.nextTown, one.town) === 0;
  return isElsewhere ? 'like' : 'same';
}

/**
 * Whether the kinds in two names agree, as they do if one has none. `room`: only one name has a kind that may be a second room
 * of the same house.
 */
function kindRelation(
  kinds: readonly PlaceKind[],
  others: readonly PlaceKind[],
): 'same' | 'room' | 'other' | 'otherClass' {
  if (kinds.length === 0 || others.length === 0)
    return [...kinds, ...others].some(({ isRoom }) => isRoom) ? 'room' : 'same';
  if (kinds.some(({ kind }) => others.some((other) => kind === other.kind))) return 'same';
  return kinds.some(({ of }) => others.some((other) => of === other.of)) ? 'other' : 'otherClass';
}

/** Metres; null if one of them has no coordinates. */
function distanceOf({ point }: Traits, { point: other }: Traits): number | null {
  return point && other ? 1_000 * kilometresFrom(point)(other.latitude, other.longitude) : null;
}

function distancePoints(distance: number | null): number {
  if (distance === null) return 0;
  return DISTANCES.find(([most]) => distance <= most)?.[1] ?? FARAWAY;
}

/** Whether other catalogues have both places under one id, or one of them under two. */
function idRelation({ ids }: Traits, { ids: others }: Traits): 'same' | 'other' | 'unknown' {
  let relation: 'same' | 'unknown' = 'unknown';
  for (const [source, id] of ids) {
    if (others.get(source) === id) relation = 'same';
    else if (others.has(source)) return 'other';
  }
  return relation;
}

/** How much two places look like one; undefined if they do not. */
export function likeness(one: Traits, other: Traits): Likeness | undefined {
  const id = idRelation(one, other);
  const isOnePhone = one.phone !== undefined && one.phone.text === other.phone?.text;
  // Not the one phone of a food court, or of all branches of a chain.
  const samePhone = isOnePhone && one.phone.count <= COMMON;
  const sameSite = one.site !== '' && one.site === other.site;
  const distance = distanceOf(one, other);
  let score = distancePoints(distance);
  if (samePhone) score += PHONE.same;
  else if (one.phone && other.phone && !isOnePhone) score += PHONE.other;
  if (sameSite) score += one.path === other.path ? WEBSITE.samePath : WEBSITE.sameHost;
  // Of names that cannot be compared, the rest says whether they may be those of one place.
  const inOtherScripts = (one.scripts & other.scripts) === 0;
  const isHouse = distance !== null && areOfOneHouse(one.numbers, other.numbers);
  const isCandidate = id === 'same' || (inOtherScripts && (distance ?? 0) <= CLOSE && (samePhone || isHouse));
  // Most pairs are given up here, where little has been compared.
  if (score + NAME.same + ADDRESS.same < LOOKS && !isCandidate) return undefined;
  const name = nameRelation(one, other);
  const count = name === 'same' ? Math.min(...one.all.map((word) => word.count)) : 0;
  score += NAME[count > COMMON ? 'common' : name];
  // Restaurants of one hotel, stalls of one food court.
  const areOthers = name === 'other' && !samePhone;
  if ((areOthers || score + ADDRESS.same < LOOKS) && !isCandidate) return undefined;
  const kinds = kindRelation(one.kinds, other.kinds);
  const found = addressRelation(one, other, samePhone);
  const mayBeCorner = name === 'same' && samePhone && count <= FEW && (distance ?? 0) <= CLOSE;
  const address = found === 'otherStreet' && mayBeCorner ? 'corner' : found;
  score += KINDS[kinds] + ADDRESS[address];
  if (score < LOOKS && !isCandidate) return undefined;
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
    certain: id === 'same' || (score >= CERTAIN && isNamed && !isOther && !inOtherScripts),
    reasons: REASONS.filter((reason) => shared[reason]),
    distance,
    score,
  };
}
