/** Degrees: north and east are positive. */
export interface Position {
  readonly latitude: number;
  readonly longitude: number;
}

export type Axis = 'latitude' | 'longitude';

const MAX_LENGTH = 200;

// In front of each row the mark that stands for its words: a side of the earth, an axis, or a unit. A lone O is missing:
// it is east in German and Dutch, and west in French, Italian, Spanish and Portuguese.
const WORDS = `
N n nord norte north noord norden noordelijk nördl nördlich nördliche nördlicher nb nbr сш شمال شمالا
S s sud süd sur sul south zuid süden südl südlich südliche südlicher z zb sbr юш جنوب جنوبا
E e est este leste east ost oost öst øst osten östl östlich östliche östlicher ol öl ö ø l вд شرق شرقا
W w ouest oeste ovest west väst vest westen westl westlich westliche westlicher wl v зд غرب غربا
Φ lat latitude latitud latitudine breite breitengrad breedte breedtegraad br φ широта
Λ lng lon long longitude longitud longitudine länge längengrad lengte lengtegraad λ долгота
° deg degree degrees degré degrés grad graden grado grados gradi grau graus درجة
' min minute minutes minuti minutos minuten دقيقة
" sec second seconds seconde secondes secondi segundos sek sekunden seconden ثانية
`;
const MARKS: ReadonlyMap<string, string> = new Map(
  WORDS.trim()
    .split('\n')
    .flatMap((row) =>
      row
        .slice(2)
        .split(' ')
        .map((word) => [word, row.charAt(0)] as const),
    ),
);

// Characters and words with the same meaning. Scripts without blanks come before words.
const NOTATIONS: readonly (readonly [RegExp, string])[] = [
  [/[\p{Cf}\p{M}]/gu, ''],
  [/[º˚∘ᵒ⁰]/g, '°'],
  [/['’‘´`ʹʼˈ′]{2}|[“”„″ʺˮ〃]/g, '"'],
  [/[’‘´`ʹʼˈ′]/g, "'"],
  [/[−–—‐‑]/g, '-'],
  [/٫/g, '.'],
  [/[،、]/g, ','],
  [/^(?:SRID=4326;)?\s*POINT\s*(?:Z\s*)?\(\s*([^\s()]+)\s+([^\s()]+)(?:\s+[^\s()]+)?\s*\)$/i, '$2, $1'],
  [/خط (?:ال)?عرض|دائرة عرض|[緯纬]度|위도/g, ' Φ '],
  [/خط (?:ال)?طول|[経經经]度|경도/g, ' Λ '],
  [/北[緯纬]|북위/g, ' N '],
  [/南[緯纬]|남위/g, ' S '],
  [/[東东][経經经]|동경/g, ' E '],
  [/西[経經经]|서경/g, ' W '],
  [/[度도]/g, '°'],
  [/[分분]/g, "'"],
  [/[秒초]/g, '"'],
  [/([сюзв])\.\s*([шд])\./giu, ' $1$2 '],
  [/[\n\t]/g, ';'],
  [/[()[\]{}<>\s]+/g, ' '],
  [/ ?, | ,/g, ', '],
];

const NUMBER = String.raw`(\d{1,3}(?:[.,]\d+)?)`;
// 48.85° or 48° 51.4' or 48° 51' 24", with colons or blanks for the signs as well.
const ANGLE = new RegExp(`^([+-]?)${NUMBER}(?: ?[°: ] ?(?:${NUMBER}(?: ?[': ] ?(?:${NUMBER} ?"?)?)?)?)?$`);
const MARKED_FIRST = /^([NSEWΦΛ])([^NSEWΦΛ]+)([NSEWΦΛ])([^NSEWΦΛ]+)$/;
const MARKED_LAST = /^([^NSEWΦΛ]+)([NSEWΦΛ])([^NSEWΦΛ]+)([NSEWΦΛ])$/;
const MARKED_ONCE = /^([NSEWΦΛ]?)([^NSEWΦΛ]+)([NSEWΦΛ]?)$/;
const REAL = /\d[.,]\d|°/;
// The first of these in a text without marks separates its halves. `needs`: without it two whole numbers may be a date or
// one number with a decimal comma; `avoids`: what a half would be cut through. Signed numbers may stand next to each other.
const SEPARATORS: readonly { readonly at: RegExp; readonly needs?: RegExp; readonly avoids?: RegExp }[] = [
  { at: /[;|]/g },
  { at: /\//g, needs: REAL },
  { at: /, |(?<!\d),|,(?!\d)/g },
  { at: / /g, needs: REAL, avoids: /\d \d/ },
  { at: /,/g, needs: /[.°]/, avoids: /,/ },
  { at: /(?<=^[+-].*\d)(?=[+-])/g },
];

interface Angle {
  readonly degrees: number;
  /** 1 for degrees alone, 2 with minutes, 3 with seconds. */
  readonly parts: number;
}

/** The text with the digits of any script, and with characters of full width, as those of ASCII. */
export function asciiDigits(text: string): string {
  return text
    .replace(/[\uff01-\uff5e]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0))
    .replace(/[^\P{Nd}0-9]/gu, (digit) => {
      const code = digit.codePointAt(0) ?? 0;
      let first = code;
      // Unicode has digits in runs of ten, or of several tens, each from 0 to 9.
      while (/\p{Nd}/u.test(String.fromCodePoint(first - 1))) first -= 1;
      return String((code - first) % 10);
    });
}

/**
 * The position that a text states in any common notation, and that alone; undefined if it can be read in two ways, and
 * for 0, 0, which programs write for a position that they do not know.
 */
export function readPosition(text: string): Position | undefined {
  const plain = plainText(text);
  const marked = MARKED_FIRST.exec(plain.replace(MARKED_LAST, '$2$1$4$3'));
  if (!marked) return splitPosition(plain);
  const [, mark = '', half = '', otherMark = '', other = ''] = marked;
  const isNorth = isOfLatitude(mark);
  if (isNorth === isOfLatitude(otherMark) || isMixed(half, other)) return undefined;
  const [first, second] = [readAngle(half, mark), readAngle(other, otherMark)];
  return isNorth ? positionOf(first?.degrees, second?.degrees) : positionOf(second?.degrees, first?.degrees);
}

/** The degrees of an axis that a text states, 0 as well; undefined for those of the other axis. */
export function readDegrees(text: string, axis: Axis): number | undefined {
  if (/^\s*[+-]?\d(?:\.\d+)?e[+-]\d{1,2}\s*$/i.test(text)) return within(Number(text), axis);
  const [, before = '', angle = '', behind = ''] = MARKED_ONCE.exec(plainText(text)) ?? [];
  const mark = before + behind;
  if (mark.length > 1 || (mark !== '' && isOfLatitude(mark) !== (axis === 'latitude'))) return undefined;
  return within(readAngle(angle, mark)?.degrees, axis);
}

/** The position at these degrees; undefined if one of them is missing or out of range, and for 0, 0. */
export function positionOf(north: number | undefined, east: number | undefined): Position | undefined {
  const [latitude, longitude] = [within(north, 'latitude'), within(east, 'longitude')];
  if (latitude === undefined || longitude === undefined) return undefined;
  return latitude === 0 && longitude === 0 ? undefined : { latitude, longitude };
}

function within(degrees: number | undefined, axis: Axis): number | undefined {
  return degrees !== undefined && Math.abs(degrees) <= (axis === 'latitude' ? 90 : 180) ? degrees : undefined;
}

/** A text with one notation for all that have the same meaning; '' if it has other words. */
function plainText(text: string): string {
  if (text.length > MAX_LENGTH) return '';
  let plain = asciiDigits(text).normalize('NFC');
  for (const [pattern, notation] of NOTATIONS) plain = plain.replace(pattern, notation);
  plain = plain
    .replace(/\p{L}[\p{L}.]*/gu, (word) => MARKS.get(word.toLowerCase().replaceAll('.', '')) ?? '?')
    // A heading, such as "Position:".
    .replace(/^[? ]+[:=]/, '')
    .replace(/ ?([NSEWΦΛ])[ :=]*/g, '$1')
    .replace(/^Φ[,/]?Λ/, '');
  if (plain.includes('?')) return '';
  // A side says the axis as well.
  if (/[NSEW]/.test(plain)) plain = plain.replace(/[ΦΛ]/g, '');
  return trimmed(plain);
}

function splitPosition(plain: string): Position | undefined {
  const separator = SEPARATORS.find(({ at }) => plain.search(at) !== -1);
  if (!separator || separator.needs?.test(plain) === false) return undefined;
  const found: (Position | undefined)[] = [];
  for (const { 0: match, index } of plain.matchAll(separator.at)) {
    const [half, other] = [plain.slice(0, index), plain.slice(index + match.length)];
    const [north, east] = [readAngle(half), readAngle(other)];
    const isCut = [half, other].some((text) => separator.avoids?.test(text) === true);
    if (!north || north.parts !== east?.parts || isCut || isMixed(half, other)) continue;
    // Times are written like degrees and minutes.
    if (north.parts === 2 && plain.includes(':')) continue;
    found.push(positionOf(north.degrees, east.degrees));
  }
  return found.length === 1 ? found[0] : undefined;
}

function readAngle(text: string, mark = ''): Angle | undefined {
  const [all, sign, ...written] = ANGLE.exec(trimmed(text)) ?? [];
  const parts = written.filter(Boolean);
  const [degrees = 0, minutes = 0, seconds = 0] = parts.map((part) => Number(part.replace(',', '.')));
  const isWhole = parts.slice(0, -1).every((part) => /^\d+$/.test(part));
  // With a side, a sign would say it a second time, or the opposite.
  const isSigned = sign !== '' && /[NSEW]/.test(mark);
  if (all === undefined || !isWhole || isSigned || minutes >= 60 || seconds >= 60) return undefined;
  const size = degrees + minutes / 60 + seconds / 3600;
  return { degrees: sign === '-' || /[SW]/.test(mark) ? 0 - size : size, parts: parts.length };
}

function isOfLatitude(mark: string): boolean {
  return /[NSΦ]/.test(mark);
}

/** Whether one number has a decimal point and another one a decimal comma. */
function isMixed(half: string, other: string): boolean {
  const both = `${half};${other}`;
  return /\d,\d/.test(both) && /\d\.\d/.test(both);
}

function trimmed(plain: string): string {
  return plain.replace(/^[ ,;:|/&']+|[ ,;|/&]+$/g, '');
}
