import { type Properties, isObject, parseJson, propertiesOf } from '../kit/objects.ts';
import { faultAt } from './faults.ts';
import {
  type Chunks,
  type Found,
  MAX_RECORD,
  byteTexts,
  decodeText,
  elementsOf,
  extended,
} from './source.ts';

// The arrays within an object whose elements are places: of GeoJSON, Overpass, and the usual wrappings.
const ARRAYS = 'features elements results businesses places restaurants venues records cards'.split(' ');
// A restaurant may have such arrays as well; they may be within another object.
const LOOSE_ARRAYS = ['data', 'items', 'venues', 'businesses', 'restaurants'];
// Of uMap: each layer is a collection.
const LAYERS = 'layers';
const [ARRAY_START, LOOSE_START, LAYERS_START] = [startOf(ARRAYS), startOf(LOOSE_ARRAYS), startOf([LAYERS])];
const NAMED = /"(?:name|title)"\s*:/i;
// Enough to hold the longest of these keys.
const KEY_LENGTH = 64;
// What stands around such an array is looked at up to here.
const MAX_AROUND = 64 * 1024;
const [NEWLINE, QUOTE, BACKSLASH, COMMA] = [10, 34, 92, 44];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [91, 93, 123, 125];

/**
 * Reads the elements of JSON of any outline as it arrives: those of an array, also of one within an object; or the values
 * themselves, one after the other, pretty-printed or not. Only one element is in memory at a time, and at most 1 MiB of it.
 * Brackets that do not match are a fault, and so is an end in the middle. Calls `around` with the text around an array.
 */
export async function* readElements(
  chunks: Chunks,
  around: (text: string) => void,
): AsyncGenerator<Found<unknown>> {
  let place: 'values' | 'array' | 'behind' = 'values';
  // Elements are at this depth of brackets.
  let [level, depth, line, startLine] = [0, 0, 1, 1];
  let [inString, isEscaped] = [false, false];
  // Of the object that is being read.
  let [hasLayers, isNamed] = [false, false];
  let [element, outside, tail] = ['', '', ''];
  for await (const text of byteTexts(chunks)) {
    // Where the part of this text begins that belongs to the element.
    let start = 0;
    const end = (at: number): Found<unknown> | undefined => {
      const whole = extended(element, text.slice(start, at));
      [element, start] = ['', at + 1];
      return whole.trim() === '' ? undefined : parsed(startLine, whole);
    };
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code === NEWLINE) line += 1;
      if (inString) {
        if (isEscaped) isEscaped = false;
        else if (code === BACKSLASH) isEscaped = true;
        else if (code === QUOTE) inString = false;
        continue;
      }
      const isAhead = depth === level && place !== 'behind' && start === at && element === '';
      if (isAhead && isBlank(code, level)) {
        start = at + 1;
        continue;
      }
      if (isAhead) startLine = line;
      let found: Found<unknown> | undefined;
      if (code === QUOTE) inString = true;
      else if (code === OPEN_ARRAY || code === OPEN_OBJECT) {
        depth += 1;
        if (place === 'array' || code === OPEN_OBJECT) continue;
        const key = (tail + text.slice(Math.max(0, at - KEY_LENGTH), at)).slice(-KEY_LENGTH);
        hasLayers ||= depth === 2 && LAYERS_START.test(key);
        const isPlaces = isAhead || ((depth === 2 || (depth === 4 && hasLayers)) && ARRAY_START.test(key));
        const isLoose = !isPlaces && (depth === 2 || depth === 3) && LOOSE_START.test(key);
        if (!isPlaces && !isLoose) continue;
        const before = element + text.slice(start, at);
        isNamed ||= isLoose && NAMED.test(before);
        if (isLoose && isNamed) continue;
        outside = joined(outside, before);
        [place, level, element, start] = ['array', depth, '', at + 1];
      } else if (code === CLOSE_ARRAY || code === CLOSE_OBJECT) {
        depth -= 1;
        if (depth === 0) [hasLayers, isNamed] = [false, false];
        const isEnd = depth < level && place === 'array';
        if (isEnd) found = end(at);
        else if (depth === 0 && place === 'values') {
          found = end(at + 1);
          start = at + 1;
        } else if (depth === 0) {
          outside = joined(outside, text.slice(start, at + 1));
          [place, level, start] = ['values', 0, at + 1];
        }
        if (found) yield found;
        if (depth < 0 || (isEnd && code !== CLOSE_ARRAY)) {
          // It is unknown which parts belong to the array.
          yield faultAt(line, 'brackets');
          return;
        }
        if (isEnd) [place, level] = depth === 0 ? ['values', 0] : ['behind', level];
        continue;
      } else if (depth === level && place !== 'behind' && code === (level === 0 ? NEWLINE : COMMA))
        found = end(at);
      if (found) yield found;
    }
    tail = (tail + text.slice(-KEY_LENGTH)).slice(-KEY_LENGTH);
    if (place === 'behind') outside = joined(outside, text.slice(start));
    else element = extended(element, text.slice(start));
  }
  around(outside);
  if (depth > 0) yield faultAt(line, 'cut_short');
  else if (element.trim() !== '') yield parsed(startLine, element);
}

/** The text in front of an array with one of these names. */
function startOf(names: readonly string[]): RegExp {
  return new RegExp(String.raw`[{,]\s*"(?:${names.join('|')})"\s*:\s*$`);
}

/** Whether an object holds places, and is none itself. */
export function isCollection(object: Properties): boolean {
  const isNamed = object.has('name') || object.has('title');
  // A restaurant has texts in such an array, or nothing.
  const isEmpty = object.get('type') === 'FeatureCollection' || !isNamed;
  const has = (names: readonly string[], within = object): boolean =>
    names.some((name) => {
      const list = within.get(name);
      return Array.isArray(list) && (list.length === 0 ? isEmpty : isObject(list[0]));
    });
  if (has([...ARRAYS, LAYERS])) return true;
  const parts = [...object.values()].flatMap((value) => propertiesOf(value) ?? []);
  return !isNamed && (has(LOOSE_ARRAYS) || parts.some((part) => has(LOOSE_ARRAYS, part)));
}

/** Blanks ahead of an element; between values also what separates them: commas, and the marks of RFC 8142 and of UTF-8. */
function isBlank(code: number, level: number): boolean {
  return code <= 32 || (level === 0 && (code === COMMA || code === 0xef || code === 0xbb || code === 0xbf));
}

/** A text with its next part, up to a length. */
function joined(text: string, more: string): string {
  return text.length >= MAX_AROUND ? text : (text + more).slice(0, MAX_AROUND);
}

/** Reads one JSON value per line. */
export async function* readLines(chunks: Chunks): AsyncGenerator<Found<unknown>> {
  let [line, text] = [1, ''];
  for await (const part of byteTexts(chunks)) {
    const [rest = '', ...more] = part.split('\n');
    text = extended(text, rest);
    for (const next of more) {
      if (text.trim() !== '') yield parsed(line, text);
      line += 1;
      text = next;
    }
  }
  if (text.trim() !== '') yield parsed(line, text);
}

function parsed(line: number, bytes: string): Found<unknown> {
  if (bytes.length > MAX_RECORD) return faultAt(line, 'too_long');
  const text = decodeText(bytes, true);
  if (text === undefined) return faultAt(line, 'bad_bytes');
  const value = parseJson(text.startsWith('\x1e') ? text.slice(1) : text);
  return value === undefined ? faultAt(line, 'not_json') : { line, value };
}

type Value = readonly [name: string, value: unknown];

// Deeper ones say nothing about a place.
const MAX_DEPTH = 4;
const MOST_VALUES = 1_000;
// What names one of several things.
const LABELS = ['name', 'title', 'label', 'alias'];

/**
 * The values of a JSON object, those of objects within it with dots: `location.city`. Of a list of objects these are the
 * names, under the name of the list, and the values of the first one: `addresses.locality`. Ratings stay as they are.
 */
export function flattened(object: object): Value[] {
  const values: Value[] = [];
  const add = (prefix: string, inner: object, depth: number): void => {
    if ('type' in inner && inner.type === 'Point' && 'coordinates' in inner) {
      const [longitude, latitude] = elementsOf(inner.coordinates);
      values.push(['latitude', latitude], ['longitude', longitude]);
      return;
    }
    for (const [key, value] of new Map<string, unknown>(Object.entries(inner))) {
      const name = prefix + key;
      if (values.length >= MOST_VALUES) return;
      if (isObject(value) && depth < MAX_DEPTH) add(`${name}.`, value, depth + 1);
      else if (name === 'ratings' || !Array.isArray(value))
        values.push([name, isObject(value) ? '{…}' : value]);
      else addList(name, value, depth);
    }
  };
  const addList = (name: string, list: readonly unknown[], depth: number): void => {
    const objects = list.filter((one) => isObject(one));
    const texts = list.flatMap((one): readonly unknown[] =>
      isObject(one) ? labelOf(one) : Array.isArray(one) ? [] : [one],
    );
    if (texts.length > 0 || objects.length === 0) values.push([name, texts]);
    const [first] = objects;
    if (first !== undefined && depth < MAX_DEPTH) add(`${name}.`, first, depth + 1);
  };
  add('', object, 1);
  return values;
}

function labelOf(object: object): readonly string[] {
  const named = new Map<string, unknown>(Object.entries(object));
  const label = LABELS.map((key) => named.get(key)).find((value) => typeof value === 'string');
  return label === undefined ? [] : [label];
}
