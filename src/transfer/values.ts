import { parseNewLookup } from '../catalogue/lookups/input.ts';
import { OSM_TYPES } from '../catalogue/places/nominatim.ts';
import { asciiDigits } from '../catalogue/places/positions.ts';
import {
  FIELDS,
  MAX_FOOD_TYPES,
  RESTAURANT_STATUSES,
  type RestaurantStatus,
} from '../catalogue/restaurants/field-table.ts';
import { MAX_UNCLEANED, cutText, longerThan, readFields } from '../kit/input/fields.ts';
import { isObject, parseJson } from '../kit/objects.ts';
import { parseInstant } from '../kit/time.ts';
import { searchText } from '../storage/text.ts';
import { splitCells } from './csv-records.ts';
import { WINDOWS_CHARACTERS } from './encoding.ts';
import type { Target } from './names.ts';

/** Why a value of a file was left out or changed: a word that clients know. */
export type Reason =
  | 'too_long'
  | 'too_many'
  | 'not_a_text'
  | 'not_a_number'
  | 'out_of_range'
  | 'not_a_moment'
  | 'two_readings'
  | 'not_a_link'
  | 'not_a_choice';

/** A value of a file as our fields take it; null if there is none, or if it is left out for a reason. */
export interface Read<Value> {
  readonly value: Value | null;
  /** With a value: it is stored, but shortened. */
  readonly reason?: Reason;
  /** The value is stored, and was read by a guess. */
  readonly guess?: 'rounded' | 'decimal_comma';
}

const NOTHING: Read<never> = { value: null };

const left = (reason: Reason): Read<never> => ({ value: null, reason });

// What programs write for no value. Errors of spreadsheets are `#` and capitals: #N/A, #NV, #N/D, #НД, #REF!, #NAME?, #DIV/0!.
const NOTHING_WORDS: ReadonlySet<string> = new Set(
  `null <null> (null) [null] none (none) nil <nil> undef undefined nan -nan nat na <na> n/a n.a. n.a n/d s/d k.a. \\n [] {} missing
   (blank) (empty) (leer) #n/a #yok #hiányzik not_available not_applicable no_data keine_angabe unknown unbekannt inconnu
   desconocido sconosciuto onbekend desconhecido 不明 غير_معروف`
    .split(/\s+/)
    .map((word) => word.replaceAll('_', ' ')),
);
// Longer than any of these.
const MAX_NOTHING = 20;
const SHEET_ERROR = /^#(?:\p{Lu}\/?\p{Lu}|[¡¿]?[\p{Lu}\p{Lo}/0._]+[!?])$/u;
const NO_LETTER = /^[\p{P}\p{Z}\p{Cf}\s]*$/u;

/** Whether a value stands for nothing, in any column but that of the name. */
export function isNothing(raw: unknown): boolean {
  if (typeof raw === 'number') return Number.isNaN(raw);
  if (typeof raw !== 'string') return (raw ?? null) === null || (Array.isArray(raw) && raw.every(isNothing));
  const text = raw.trim();
  if (text.length > MAX_NOTHING) return NO_LETTER.test(text);
  return NO_LETTER.test(text) || NOTHING_WORDS.has(text.toLowerCase()) || SHEET_ERROR.test(text);
}

const ENTITY = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,8}\d{0,2}));/gi;
// Names with the character that they stand for; a combining one for the accent behind a letter, as in `eacute`.
const ENTITIES: ReadonlyMap<string, string> = new Map(
  `amp& lt< gt> quot" apos' nbsp\u00a0 ndash– mdash— hellip… bull• middot· lsquo‘ rsquo’ sbquo‚ ldquo“ rdquo” bdquo„ laquo« raquo»
   lsaquo‹ rsaquo› iexcl¡ iquest¿ sect§ deg° ordmº ordfª copy© reg® trade™ euro€ pound£ yen¥ cent¢ times× frac12½ frac14¼ frac34¾
   sup2² sup3³ szligß aeligæ AEligÆ oeligœ OEligŒ oslashø OslashØ ethð ETHÐ thornþ THORNÞ lstrokł LstrokŁ dstrokđ DstrokĐ inodotı
   micro\u00b5 star☆ starf★ phone☎ shy\u00ad zwnj\u200c zwj\u200d grave\u0300 acute\u0301 circ\u0302
   tilde\u0303 macr\u0304 breve\u0306 dot\u0307 uml\u0308 ring\u030a dblac\u030b caron\u030c
   cedil\u0327 ogon\u0328`
    .split(/[ \n]+/)
    .map((pair) => [pair.slice(0, -1), pair.slice(-1)]),
);

/** A text whose entities of HTML are decoded, once. Others stay as they are. */
export function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(ENTITY, (entity, decimal?: string, hex?: string, name?: string) => {
    if (name === undefined)
      return characterOf(decimal === undefined ? parseInt(hex ?? '', 16) : Number(decimal)) ?? entity;
    const composed = (name.charAt(0) + (ENTITIES.get(name.slice(1)) ?? '?')).normalize('NFC');
    if (composed.length === 1) return composed;
    const found = ENTITIES.get(name) ?? entity;
    return /^\p{M}/u.test(found) ? entity : found;
  });
}

/** By HTML, codes of control characters mean those of windows-1252. */
function characterOf(code: number): string | undefined {
  if (code === 0 || code > 0x10ffff) return undefined;
  return code >= 0x80 && code < 0xa0
    ? WINDOWS_CHARACTERS.charAt(code - 0x80)
    : String.fromCodePoint(code).toWellFormed();
}

/** The text of a value; undefined for anything that is not text or a number. */
function textIn(raw: unknown): string | undefined {
  if (typeof raw === 'string') return decodeEntities(raw).trim();
  if (typeof raw === 'number' && Number.isFinite(raw))
    // Without an exponent, which long numbers would have.
    return Number.isInteger(raw) ? BigInt(raw).toString() : String(raw);
  return undefined;
}

// Longer than any list that is read in full.
const MAX_LIST = 10_000;

/** The texts of a value that may be an array, without those that stand for nothing. */
function textsIn(raw: unknown): readonly string[] {
  const values: readonly unknown[] = Array.isArray(raw) ? raw : [raw];
  return values.flatMap((value) => (isNothing(value) ? [] : (textIn(value)?.slice(0, MAX_LIST) ?? [])));
}

// Characters that the API removes, so that nothing may be left.
const HIDDEN = /[^\P{C}\n\r\t]/u;

/** A text, cut to `max` characters; of an array its texts, with commas. The name of a place may be a word for nothing. */
export function readText(raw: unknown, max: number, isName = false): Read<string> {
  if (!isName && isNothing(raw)) return NOTHING;
  const text = Array.isArray(raw) ? textsIn(raw).join(', ') : textIn(raw);
  if (text === undefined) return (raw ?? null) === null ? NOTHING : left('not_a_text');
  if (!longerThan(text, max)) return { value: HIDDEN.test(text) ? cutText(text, max) : text || null };
  const [cut, whole] = [max, Infinity].map((most) => cutText(text.slice(0, MAX_UNCLEANED), most));
  return { value: cut ?? null, ...(cut !== whole && { reason: 'too_long' }) };
}

/** The value of a field as the API reads it; undefined if it refuses it. */
function accepted(field: keyof typeof FIELDS, value: unknown): unknown {
  const fields = readFields({ [field]: value });
  const read: unknown = FIELDS[field].parse(fields, field);
  return fields.faults.length === 0 ? read : undefined;
}

// Numbers that a spreadsheet, or a program that knows no whole numbers, has changed.
const WITH_ZERO = /^(\+?\d{5,})[.,]0+$/;
const EXPONENT = /^\d(?:[.,]\d+)?e\+\d+$/i;
const BETWEEN_PHONES = /[;|\n]|\s\/\s|,(?=\s*[+(\p{Nd}])|\s(?:or|oder|ou|o|of)\s/u;

/** A telephone number, or a list of them, of which those that fit are read. */
export function readPhone(raw: unknown): Read<string> {
  const texts = textsIn(raw).map((text) => text.replace(WITH_ZERO, '$1'));
  const text = texts.join('; ');
  if (text === '') return isNothing(raw) ? NOTHING : left('not_a_text');
  if (!/\p{Nd}/u.test(text) || EXPONENT.test(text)) return left('not_a_number');
  const { max } = FIELDS.phone;
  if (!longerThan(text, max)) return { value: text };
  let list = '';
  for (const phone of text.split(BETWEEN_PHONES)) {
    const longer = list === '' ? phone.trim() : `${list}; ${phone.trim()}`;
    if (longerThan(longer, max)) break;
    list = longer;
  }
  return list === '' ? left('too_long') : { value: list, reason: 'too_long' };
}

const BETWEEN_LINKS = /[;|,]\s*(?=https?:\/\/|www\.)|;\s+|[|\n]/i;
const LINK_IN_TEXT = /(?:https?:\/\/|www\.)[^\s"'<>]+/i;

/** A web address: the first of a list, or of a text around it. */
export function readLink(raw: unknown): Read<string> {
  const texts = textsIn(raw).flatMap((text) => text.split(BETWEEN_LINKS).map((part) => part.trim()));
  if (texts.length === 0) return isNothing(raw) ? NOTHING : left('not_a_link');
  for (const text of texts) {
    // Blanks are common in addresses of files that a person has copied.
    const isAddress = /^https?:\/\/[^\s/]+\//i.test(text) && !/\shttps?:/i.test(text);
    const found = [text, isAddress ? text.replace(/\s/g, '%20') : undefined, LINK_IN_TEXT.exec(text)?.[0]];
    for (const link of found) {
      const value = link === undefined ? undefined : accepted('website', link);
      if (typeof value === 'string') return texts.length > 1 ? { value, reason: 'too_many' } : { value };
    }
  }
  const isLong = texts.some((text) => longerThan(text, FIELDS.website.max));
  return left(isLong ? 'too_long' : 'not_a_link');
}

const MAX_NUMBER = 100;
const NUMBER = /^[+-]?(?:\d+(?:[.,]\d*)?|[.,]\d+)$/;

/**
 * The number of a value, with a decimal point or comma, in digits of any script; undefined for anything else: `1.234,5` may
 * be two numbers.
 */
export function numberIn(raw: unknown): number | undefined {
  if (typeof raw === 'number') return Number.isFinite(raw) ? raw : undefined;
  if (typeof raw !== 'string' || raw.length > MAX_NUMBER) return undefined;
  const text = asciiDigits(raw).trim().replace(/[−–]/, '-').replace('٫', '.');
  return NUMBER.test(text) ? Number(text.replace(',', '.')) : undefined;
}

const MOST_STARS = 5;

/** Stars from 1 to 5: a number, also of a scale (`8/10`), or signs (`★★★★☆`). Fractions are rounded, a guess. */
export function readStars(raw: unknown): Read<number> {
  if (isNothing(raw) && !(typeof raw === 'string' && raw.includes('★'))) return NOTHING;
  const text = textIn(raw) ?? '';
  const [, score, scale] = /^([^/]+)\/([^/]+)$/.exec(text) ?? [];
  const [part, whole = MOST_STARS] = [numberIn(score ?? raw), numberIn(scale)];
  const signs = /^([★⭐]+)[☆✩]*$/u.exec(text)?.[1];
  const stars = signs?.length ?? (part === undefined ? undefined : (part * MOST_STARS) / whole);
  if (stars === undefined || Number.isNaN(stars)) return left('not_a_number');
  if (stars < 1 || stars > MOST_STARS) return left('out_of_range');
  return Number.isInteger(stars) ? { value: stars } : { value: Math.round(stars), guess: 'rounded' };
}

const CURRENCY_SIGNS = /^(\p{Sc})\1*$/u;
const PRICE_WORDS = ['inexpensive', 'moderate', 'expensive', 'veryexpensive'];

/** A price level: one to four equal currency signs, the words of Google, and, but for `price`, a number from 1 to 4. */
export function readPriceLevel(raw: unknown, target: 'price_level' | 'price'): Read<number> {
  if (isNothing(raw)) return NOTHING;
  const text = textIn(raw) ?? '';
  const word = PRICE_WORDS.indexOf(text.toLowerCase().replace(/^price_level_|[^a-z]/g, ''));
  const sign = CURRENCY_SIGNS.exec(text)?.[1];
  const signs = sign === undefined ? undefined : text.length / sign.length;
  const level = word >= 0 ? word + 1 : (signs ?? (target === 'price' ? undefined : numberIn(raw)));
  if (level === undefined) return left(target === 'price' ? 'not_a_choice' : 'not_a_number');
  return accepted('price_level', level) === undefined ? left('out_of_range') : { value: level };
}

const ISO =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?)\s?(?:Z|UTC|([+-]\d\d)(?::?(\d\d))?))?$/i;
const DAY_FIRST = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/;
const EITHER = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/;
// Beyond these years, the text of a moment no longer sorts by time.
const [EARLIEST, LATEST] = [Date.UTC(1970, 0, 1), Date.UTC(9999, 11, 31, 23, 59, 59, 999)];
// Day 1 of spreadsheets is 1900-01-01, with a 29th of February that there was not. With more digits it is rather an id.
const DAY_ZERO = Date.UTC(1899, 11, 30);
const DAY_NUMBER = /^\d{5}(?:[.,]\d+)?$/;

export type DayOrder = 'dmy' | 'mdy';

/** The orders that a date such as `12/31/2024` allows; undefined for any other text. */
export function dayOrderOf(raw: unknown): DayOrder | 'both' | undefined {
  const [, first, second] = EITHER.exec(textIn(raw) ?? '') ?? [];
  if (first === undefined) return undefined;
  if (Number(first) > 12) return 'dmy';
  return Number(second) > 12 ? 'mdy' : 'both';
}

/**
 * A moment as it is stored: ISO 8601 with an offset or in UTC, a date, `31.12.2024`, the day number of a spreadsheet, or
 * `12/31/2024` in the order of its column. The same wherever the server stands.
 */
export function readMoment(raw: unknown, order: DayOrder | undefined): Read<string> {
  if (isNothing(raw)) return NOTHING;
  const text = textIn(raw) ?? '';
  const [, first, second, year] = EITHER.exec(text) ?? [];
  const known = dayOrderOf(text) === 'both' ? order : dayOrderOf(text);
  if (year !== undefined && known === undefined && first !== second) return left('two_readings');
  const [, day, month, ofYear] =
    DAY_FIRST.exec(text) ?? (known === 'mdy' ? ['', second, first, year] : ['', first, second, year]);
  const time = DAY_NUMBER.test(text)
    ? DAY_ZERO + Math.round((numberIn(text) ?? NaN) * 86_400) * 1000
    : ofYear === undefined
      ? isoTime(ISO.exec(text) ?? [])
      : dayTime(ofYear, month, day);
  if (Number.isNaN(time)) return left('not_a_moment');
  const moment = storedMoment(time);
  return moment === undefined ? left('out_of_range') : { value: moment };
}

function isoTime([
  ,
  year = '',
  month = '',
  day = '',
  clock = '00:00',
  hours = '+00',
  minutes = '00',
]: readonly string[]): number {
  return parseInstant(`${year}-${month}-${day}T${clock.replace(',', '.')}${hours}:${minutes}`) ?? NaN;
}

/** A time as it is stored: ISO 8601 in UTC with milliseconds; undefined outside 1970 to 9999. */
export function storedMoment(time: number): string | undefined {
  return time >= EARLIEST && time <= LATEST ? new Date(time).toISOString() : undefined;
}

/** The beginning of a day in UTC; NaN if the calendar has no such day. */
function dayTime(year?: string, month?: string, day?: string): number {
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  return date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day) ? date.getTime() : NaN;
}

/**
 * The names of a list: an array, or a cell with commas, semicolons, bars or slashes outside quotes. `fish_and_chips` is written as
 * a person would, and of a path such as `Restaurant > Thai Restaurant` the last part counts.
 */
export function readNames(raw: unknown): Read<readonly string[]> {
  const texts = Array.isArray(raw) ? textsIn(raw) : textsIn(raw).flatMap(listIn);
  const all = texts.map((text) => nameIn(text)).filter((name) => !isNothing(name));
  const names = all.filter((name) => parseNewLookup({ name }).ok);
  const some = names.slice(0, MAX_FOOD_TYPES);
  const value = some.length === 0 ? null : some;
  if (some.length < names.length) return { value, reason: 'too_many' };
  if (names.length < all.length) return { value, reason: 'too_long' };
  if (value !== null) return { value };
  return isNothing(raw) || typeof raw === 'string' ? NOTHING : left('not_a_text');
}

function listIn(text: string): readonly string[] {
  if (text.startsWith('[')) {
    const value = parseJson(text) ?? parseJson(text.replaceAll("'", '"'));
    if (Array.isArray(value)) return textsIn(value);
  }
  // In quotes the separators are part of a name, as our own exports write them.
  if (!text.includes('"')) return text.split(/[,;|/、，；،\r\n]/);
  return splitCells(text.replace(/"(?:[^"]|"")*"|[;|/]/g, (part) => (part.startsWith('"') ? part : ',')));
}

function nameIn(text: string): string {
  const name = (text.split(' > ').at(-1) ?? '').trim();
  const words = /^[a-z\d]+(?:_[a-z\d]+)+$/.test(name) ? name.replaceAll('_', ' ') : name;
  return /^[a-z]/.test(words) ? words.charAt(0).toUpperCase() + words.slice(1) : words;
}

/** The values by their keys, of an object or a cell such as `vegan=only,halal=yes`, without those that are not valid. */
export function readPairs(
  raw: unknown,
  field: 'diets' | 'external_ids',
): Read<Readonly<Record<string, string>>> {
  const sent: readonly (readonly [string, unknown])[] = isObject(raw)
    ? Object.entries(raw)
    : textsIn(raw)
        .flatMap((text) => (text.includes('"') ? splitCells(text) : text.split(',')))
        .map((pair) => {
          const [key = '', value] = pair.split(/=(.*)/s, 2);
          // A list of diets alone says that they are there.
          return [key.trim(), value?.trim() ?? (field === 'diets' ? 'yes' : '')];
        });
  const filled = sent.filter(([key, value]) => key !== '' && !isNothing(value));
  const read = filled.map(([key, value]) => [key, readKey(field, key, value)] as const);
  const valid = read.flatMap(([key, { value }]) => (value === null ? [] : [[key, value] as const]));
  const reason = read.find(([, one]) => one.reason !== undefined)?.[1].reason;
  return { value: valid.length === 0 ? null : Object.fromEntries(valid), ...(reason && { reason }) };
}

// Programs write `1.0`, databases `t`, and spreadsheets a word of their language.
const YES =
  /^(?:true|t|yes|y|1|1\.0|x|✓|✔|ja|j|oui|sí|si|sim|はい|نعم|wahr|vrai|verdadero|vero|waar|verdadeiro)$/i;
const NO = /^(?:false|f|no|n|0|0\.0|nein|non|nee|não|いいえ|لا|falsch|faux|falso|onwaar)$/i;

function readKey(field: 'diets' | 'external_ids', key: string, raw: unknown): Read<string> {
  if (isNothing(raw)) return NOTHING;
  const text = typeof raw === 'boolean' ? String(raw) : (textIn(raw) ?? '');
  const choice = YES.test(text) ? 'yes' : NO.test(text) ? 'no' : text.toLowerCase();
  const value = field === 'diets' ? choice : text;
  // The id at Google has a field of its own.
  return accepted(field, { [key]: value }) === undefined ? left('not_a_choice') : { value };
}

/** An id of OpenStreetMap: `N1` or `node/1`, or a number with its type; undefined for anything else. */
export function osmIdOf(id: unknown, type?: unknown): string | undefined {
  const text = (textIn(id) ?? '').replace(/\.0$/, '');
  const typed = /^\d+$/.test(text) ? `${textIn(type) ?? ''}/${text}` : text;
  const [, word = '', number] = /^(node|way|relation|[nwr])\/?([1-9]\d{0,18})$/i.exec(typed) ?? [];
  if (number === undefined) return undefined;
  return `${OSM_TYPES.get(word.toLowerCase()) ?? word.toUpperCase()}${number}`;
}

// Words for the state of a place, without their separators, in the languages of the app.
const STATES: Readonly<Record<RestaurantStatus, string>> = {
  active: `active open operational operating inbusiness reopened offen geoffnet abierto ouvert aperto aberto 営業中 مفتوح`,
  temporarily_closed: `temporarilyclosed closedtemporarily temporarilyunavailable temporary closedforseason seasonalclosed
    vorubergehendgeschlossen cerradotemporalmente cerradoporuntiempo fermetemporairement temporairementferme
    chiusotemporaneamente temporaneamentechiuso tijdelijkgesloten temporariamentefechado 休業中 臨時休業 مغلقمؤقتا`,
  closed: `closed verylikelyclosed permanentlyclosed closedpermanently permanent permanently defunct outofbusiness inactive deleted demolished
    abandoned disused shutdown gone dauerhaftgeschlossen geschlossen cerrado cerradopermanentemente ferme
    definitivementferme fermedefinitivement chiuso chiusodefinitivamente gesloten permanentgesloten fechado
    permanentementefechado fechadopermanentemente 閉店 閉業 مغلق مغلقنهائيا`,
};
const STATE_OF_WORD: ReadonlyMap<string, RestaurantStatus> = new Map(
  RESTAURANT_STATUSES.flatMap((status) =>
    STATES[status].split(/\s+/).map((word) => [wordKey(word), status] as const),
  ),
);

// Longer than any word for a state.
const MAX_STATE = 100;

function wordKey(text: string): string {
  return searchText(text).replace(/[ \u007f]/g, '');
}

/**
 * The state of a place by a value of these columns. `today` is a date such as `2024-12-31`: what ends later is still open.
 * Undefined if the value says nothing about it.
 */
export function statusOf(
  target: 'status' | 'closed' | 'paused' | 'open' | 'former' | 'opening_hours',
  raw: unknown,
  today = new Date().toISOString().slice(0, 10),
): RestaurantStatus | undefined {
  if (isNothing(raw)) return undefined;
  const text = typeof raw === 'boolean' ? String(raw) : (textsIn(raw)[0] ?? '').slice(0, MAX_STATE);
  const state = STATE_OF_WORD.get(wordKey(text));
  const isYes = YES.test(text);
  switch (target) {
    case 'status':
      return state;
    case 'open':
      return isYes ? 'active' : NO.test(text) ? 'closed' : state;
    case 'paused':
      return isYes ? 'temporarily_closed' : undefined;
    case 'opening_hours':
      return /^(?:24\/7 |Mo-Su )?(?:off|closed)$/i.test(text) || state === 'closed' ? 'closed' : undefined;
    case 'former':
      return NO.test(text) ? undefined : 'closed';
    case 'closed': {
      if (isYes || state === 'closed' || state === 'temporarily_closed') return state ?? 'closed';
      // Days of the week stand in such columns as well; a date has a year.
      const date = readMoment(raw, 'mdy').value ?? /\d{4}(?:-\d\d){0,2}/.exec(text)?.[0];
      return date === undefined || date.slice(0, today.length) > today ? undefined : 'closed';
    }
  }
}

/** The fields that a value of one name fills. */
export type ReadTarget =
  | Extract<
      Target,
      | 'name'
      | 'description'
      | 'comment'
      | 'address'
      | 'phone'
      | 'website'
      | 'google_place_id'
      | 'category'
      | 'price_level'
      | 'price'
      | 'opening_hours'
      | 'time_zone'
      | `external_ids.${string}`
      | `diets.${string}`
    >
  | 'note';

/** A value of a field that is a text or a number, as the API takes it. */
export function readField(target: ReadTarget, raw: unknown): Read<string | number> {
  switch (target) {
    case 'name':
      return readText(Array.isArray(raw) ? textsIn(raw)[0] : raw, FIELDS.name.max, true);
    case 'description':
    case 'address':
      return readText(raw, FIELDS[target].max);
    case 'comment':
    case 'note':
      return readText(raw, MAX_UNCLEANED);
    case 'phone':
      return readPhone(raw);
    case 'website':
      return readLink(raw);
    case 'price':
    case 'price_level':
      return readPriceLevel(raw, target);
    case 'category': {
      const { value, reason } = readNames(Array.isArray(raw) ? raw : [raw]);
      return { value: value?.[0] ?? null, ...(reason && { reason }) };
    }
    case 'opening_hours':
    case 'google_place_id':
    case 'time_zone':
      return whole(target, raw);
    default: {
      const [field = '', key = ''] = target.split('.');
      return readKey(field === 'diets' ? 'diets' : 'external_ids', key, raw);
    }
  }
}

/** A text that means nothing if it is cut. */
function whole(field: 'google_place_id' | 'opening_hours' | 'time_zone', raw: unknown): Read<string> {
  const texts = textsIn(raw);
  const one = field === 'opening_hours' ? texts.join('; ') : texts[0];
  const { value, reason } = readText(Array.isArray(raw) ? one : raw, MAX_UNCLEANED);
  if (value === null || reason !== undefined) return { value: null, ...(reason && { reason }) };
  // A number is the id of another source, and this pair is that of a feature.
  if (field === 'google_place_id' && /^(?:\d+|0x[\da-f]+:0x[\da-f]+)$/i.test(value))
    return left('not_a_choice');
  if (accepted(field, value) !== undefined) return { value };
  return left(field === 'time_zone' ? 'not_a_choice' : 'too_long');
}
