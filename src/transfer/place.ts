import { DIETS } from '../catalogue/restaurants/field-table.ts';
import { type MapLink, readMapLink } from '../catalogue/places/map-address.ts';
import {
  type Position,
  asciiDigits,
  positionOf,
  readDegrees,
  readPosition,
} from '../catalogue/places/positions.ts';
import { propertiesOf } from '../kit/objects.ts';
import { searchText } from '../storage/text.ts';
import { joinedAddress } from './address.ts';
import { faultAt } from './faults.ts';
import { NameReader, type Target } from './names.ts';
import type { Notes } from './notes.ts';
import { type Raw, type SourceEntry, textOf } from './source.ts';
import {
  type DayOrder,
  type Read,
  dayOrderOf,
  isNothing,
  readField,
  readMoment,
  readNames,
  readPairs,
  readStars,
  osmIdOf,
  statusOf,
} from './values.ts';

/** What a look at the whole file has found out. */
export interface FileFindings {
  /** The order of days and months in each column of dates. */
  readonly orders: ReadonlyMap<string, DayOrder | 'both'>;
  /** Whether latitude and longitude are swapped throughout. */
  readonly isSwapped: boolean;
}

const MOMENTS: ReadonlySet<string | undefined> = new Set(['created_at', 'updated_at']);
const STARS = ['food_rating', 'service_rating', 'ambiance_rating'] as const;
const DECIMAL = /^[+-]?(?:\d{1,3}(?:\.\d*)?|\.\d+)$/;
const ADDRESS: readonly Target[] = [
  ...(['address', 'street', 'house_number', 'unit', 'place', 'district'] as const),
  ...(['postcode', 'city', 'region', 'country'] as const),
];
// What says whether a place is open, the surest first.
const STATES = ['status', 'closed', 'paused', 'open', 'former', 'opening_hours'] as const;
// Texts that become fields as they are read.
const SIMPLE = ['google_place_id', 'price_level', 'opening_hours', 'time_zone'] as const;

// What may have several values in one record, of which all count, or the first that can be used.
const SEVERAL: ReadonlySet<Target> = new Set<Target>([
  ...(['name', 'phone', 'website', 'map_link', 'description', 'comment', 'cuisine', 'diets'] as const),
  ...(['external_ids', 'external_ids.osm', 'osm_id', 'id', 'present'] as const),
  ...STATES,
  ...SIMPLE,
]);
// As many digits at the end tell whether two telephone numbers are one.
const PHONE_END = 7;

/** A value of a record, and what the source calls it. */
interface Cell {
  readonly name: string;
  readonly value: unknown;
  readonly rank: number;
}

type Cells = ReadonlyMap<Target, readonly Cell[]>;

/** Collects what only the whole file says: the order of days in each column, and positions that are swapped. */
export class FileLook {
  readonly #names = new NameReader();
  readonly #orders = new Map<string, DayOrder | 'both'>();
  readonly #notes: Notes;

  constructor(notes: Notes) {
    this.#notes = notes;
  }

  add({ line, values, isOwn }: Raw): void {
    if (isOwn === true) return;
    let [latitude, longitude]: unknown[] = [];
    for (const [name, value] of values) {
      const target = this.#names.targetOf(name)?.target;
      if (target === 'latitude') latitude ??= value;
      else if (target === 'longitude') longitude ??= value;
      else if (MOMENTS.has(target) && typeof value === 'string') this.#addOrder(name, value);
    }
    if (latitude === undefined || longitude === undefined) return;
    const [north, east] = [degreesOf(latitude, 'longitude'), degreesOf(longitude, 'latitude')];
    if (north !== undefined && Math.abs(north) > 90 && east !== undefined)
      this.#notes.swapped(line, pairText(latitude, longitude));
  }

  findings(isSwapped: boolean): FileFindings {
    return { orders: this.#orders, isSwapped };
  }

  #addOrder(name: string, text: string): void {
    const order = dayOrderOf(text);
    const known = this.#orders.get(name);
    if (order === undefined || known === order) return;
    // Days beyond the twelfth decide for the whole column, unless they decide both ways.
    if (known === undefined || known === 'both') this.#orders.set(name, order);
    else if (order !== 'both') this.#orders.set(name, 'both');
  }
}

/** Makes entries of the records of a file, and notes what cannot be used. */
export class PlaceReader {
  readonly #names = new NameReader();
  readonly #notes: Notes;
  readonly #findings: FileFindings;

  constructor(findings: FileFindings, notes: Notes) {
    this.#findings = findings;
    this.#notes = notes;
  }

  read(raw: Raw): SourceEntry {
    const { line, kind, isSaved, list, review } = raw;
    if (raw.isOwn === true || kind !== 'restaurant') return ownEntry(raw);
    const cells = this.#cellsOf(raw);
    const fields = this.#fieldsOf(cells, line, isSaved === true);
    const note = isSaved === true ? textOf(fields.get('description')) : undefined;
    if (isSaved === true) fields.delete('description');
    if (review)
      fields.set(
        'ratings',
        [this.#review(review, line)].filter((one) => one !== undefined),
      );
    if (!fields.has('name')) return faultAt(line, 'no_name', whereIs(fields));
    return { line, kind, fields, isSaved: isSaved === true, note, list, isReview: review !== undefined };
  }

  /** The values of a record by what they are; of several for one thing the best comes first. */
  #cellsOf({ values }: Raw): Cells {
    const cells = new Map<Target, Cell[]>();
    for (const [name, value] of values) {
      const named = this.#names.targetOf(name);
      if (value === undefined || value === null || (named?.target !== 'name' && isNothing(value))) continue;
      if (!named) {
        this.#notes.ignored(name, value);
        continue;
      }
      const { target, rank } = named;
      if (target !== name && target !== 'id') this.#notes.taken(name, target);
      const others = cells.get(target);
      if (others) others.push({ name, value, rank });
      else cells.set(target, [{ name, value, rank }]);
    }
    for (const [target, list] of cells) {
      if (list.length === 1) continue;
      list.sort((one, other) => one.rank - other.rank);
      if (!SEVERAL.has(target)) this.#ignoreOthers(list.splice(1), list[0]?.value);
    }
    return cells;
  }

  /** Notes the values that say something else than the one that was used. */
  #ignoreOthers(others: readonly Cell[], used: unknown): void {
    const text = (value: unknown): string =>
      typeof value === 'string' ? value.trim() : JSON.stringify(value);
    for (const { name, value } of others) if (text(value) !== text(used)) this.#notes.ignored(name, value);
  }

  #fieldsOf(cells: Cells, line: number, isSaved: boolean): Map<string, unknown> {
    const fields = new Map<string, unknown>();
    const first = (target: Target): unknown => cells.get(target)?.[0]?.value;
    const set = (field: string, value: unknown): void => {
      if (value !== null && value !== undefined) fields.set(field, value);
    };
    /** The first of these values that can be used. */
    const usable = <Value>(
      target: Target,
      field: string,
      read: (value: unknown) => Read<Value>,
    ): Value | null => {
      const list = cells.get(target) ?? [];
      for (const [index, { value }] of list.entries()) {
        const found = read(value);
        if (found.value === null && index < list.length - 1) continue;
        this.#ignoreOthers(list.slice(index + 1), value);
        return this.#noted(found, field, line, value);
      }
      return null;
    };

    const link = this.#link(cells);
    const name = usable('name', 'name', (value) => readField('name', value)) ?? textOf(first('brand'));
    set('name', branchName(name, first('branch')) ?? link?.name ?? null);
    const phones = phonesIn(cells.get('phone') ?? []);
    if (phones.length > 0)
      set('phone', this.#noted(readField('phone', phones), 'phone', line, phones.join('; ')));
    for (const field of SIMPLE)
      set(
        field,
        usable(field, field, (value) => readField(field, value)),
      );
    set(
      'website',
      usable('website', 'website', (value) => readField('website', value)),
    );
    if (!fields.has('website'))
      set(
        'website',
        usable('map_link', 'website', (value) => readField('website', value)),
      );
    this.#setAddress(fields, cells, line, link);
    this.#setPosition(fields, cells, line, link);
    this.#setStatus(fields, cells, line);
    this.#setIds(fields, cells, line, link);
    this.#setKinds(fields, cells, line);
    for (const field of ['created_at', 'updated_at'] as const)
      for (const { name: column, value } of cells.get(field)?.slice(0, 1) ?? []) {
        const order = this.#findings.orders.get(column);
        set(field, this.#noted(readMoment(value, order === 'both' ? undefined : order), field, line, value));
      }
    this.#setTexts(fields, cells, line, isSaved);
    return fields;
  }

  /** The value, after its note. */
  #noted<Value>(
    { value, reason, guess }: Read<Value>,
    field: string,
    line: number,
    raw: unknown,
  ): Value | null {
    if (reason !== undefined) this.#notes.leftOut(field, reason, line, raw);
    if (guess !== undefined) this.#notes.guessed(field, guess, line, raw);
    return value;
  }

  /** What the link to a map says. */
  #link(cells: Cells): MapLink | undefined {
    for (const { value } of [...(cells.get('map_link') ?? []), ...(cells.get('website') ?? [])]) {
      const link = typeof value === 'string' ? readMapLink(value) : undefined;
      if (link?.kind === 'place') return link;
    }
    return undefined;
  }

  #setAddress(fields: Map<string, unknown>, cells: Cells, line: number, link: MapLink | undefined): void {
    const parts = new Map<Target, string>();
    for (const target of ADDRESS)
      for (const { value } of cells.get(target)?.slice(0, 1) ?? []) {
        const text = this.#noted(readField('address', value), 'address', line, value);
        if (typeof text === 'string') parts.set(target, text);
      }
    if (parts.size === 0 && link?.address !== undefined) parts.set('address', link.address);
    if (parts.size === 0) return;
    const whole = joinedAddress(parts);
    const address =
      whole === undefined ? null : this.#noted(readField('address', whole), 'address', line, whole);
    if (address !== null) fields.set('address', address);
  }

  #setPosition(fields: Map<string, unknown>, cells: Cells, line: number, link: MapLink | undefined): void {
    let [latitude, longitude] = [cells.get('latitude')?.[0]?.value, cells.get('longitude')?.[0]?.value];
    if (this.#findings.isSwapped) [latitude, longitude] = [longitude, latitude];
    const whole = cells.get('position')?.[0]?.value;
    let position: Position | undefined;
    let raw = '';
    if (latitude !== undefined || longitude !== undefined) {
      raw = pairText(latitude, longitude);
      position = positionOf(degreesOf(latitude, 'latitude'), degreesOf(longitude, 'longitude'));
      if (position && /\d,\d/.test(raw)) this.#notes.guessed('position', 'decimal_comma', line, raw);
    } else if (whole !== undefined) {
      // Of two numbers in an array it is unknown which one comes first.
      raw = Array.isArray(whole) ? pairText(whole[0], whole[1]) : plainText(whole);
      if (!Array.isArray(whole)) position = readPosition(raw);
    }
    if (!position && raw !== '') this.#notes.leftOut('position', 'not_a_position', line, raw);
    position ??= link?.position;
    if (position) fields.set('latitude', position.latitude).set('longitude', position.longitude);
  }

  #setStatus(fields: Map<string, unknown>, cells: Cells, line: number): void {
    if (!STATES.some((target) => cells.has(target))) return;
    const today = new Date().toISOString().slice(0, 10);
    for (const target of STATES) {
      if (target === 'former' && cells.has('present')) continue;
      for (const { value } of cells.get(target) ?? []) {
        const status = statusOf(target, value, today);
        if (status === undefined && target === 'status')
          this.#notes.leftOut('status', 'not_a_choice', line, value);
        if (status === undefined || (status === 'active' && fields.has('status'))) continue;
        fields.set('status', status);
        if (status !== 'active') return;
      }
    }
  }

  #setIds(fields: Map<string, unknown>, cells: Cells, line: number, link: MapLink | undefined): void {
    const ids = new Map<string, string>();
    for (const { value } of cells.get('external_ids') ?? [])
      for (const [key, id] of Object.entries(
        this.#noted(readPairs(value, 'external_ids'), 'external_ids', line, value) ?? {},
      ))
        ids.set(key, id);
    for (const target of ['external_ids.fsq', 'external_ids.overture', 'external_ids.wikidata'] as const)
      for (const { value } of cells.get(target)?.slice(0, 1) ?? []) {
        const id = this.#noted(readField(target, value), target, line, value);
        if (typeof id === 'string') ids.set(target.slice('external_ids.'.length), id);
      }
    const type = cells.get('osm_type')?.[0]?.value;
    const osm = (['external_ids.osm', 'osm_id', 'id'] as const)
      .flatMap((target) => cells.get(target) ?? [])
      .map(({ value }) => osmIdOf(value, type))
      .find((id) => id !== undefined);
    const gers =
      cells.get('name')?.some(({ name }) => name === 'names.primary') === true && cells.get('id')?.[0];
    if (gers && typeof gers.value === 'string' && !ids.has('overture')) ids.set('overture', gers.value);
    const known = ids.get('osm') ?? osm ?? link?.osm;
    if (known !== undefined) ids.set('osm', known);
    const { google: given = link?.google, ...others } = Object.fromEntries(ids);
    if (given !== undefined && !fields.has('google_place_id')) fields.set('google_place_id', given);
    if (Object.keys(others).length > 0) fields.set('external_ids', others);
  }

  /** The category, food types, price and diets. */
  #setKinds(fields: Map<string, unknown>, cells: Cells, line: number): void {
    const namesOf = (target: Target, field: string): readonly string[] =>
      (cells.get(target) ?? [])
        .slice(0, 1)
        .flatMap(({ value }) => this.#noted(readNames(value), field, line, value) ?? []);
    const cuisines = (cells.get('cuisine') ?? []).flatMap(
      ({ value }) => this.#noted(readNames(value), 'cuisine', line, value) ?? [],
    );
    const [own] = cells.get('category') ?? [];
    const named = own && this.#noted(readField('category', own.value), 'category', line, own.value);
    const category = named ?? cuisines[0];
    const foodTypes = namesOf('food_types', 'food_types');
    if (category !== undefined) fields.set('category', category);
    if (foodTypes.length > 0 || cuisines.length > 0)
      fields.set('food_types', foodTypes.length > 0 ? foodTypes : [...new Set(cuisines)]);
    for (const { value } of cells.get('price')?.slice(0, 1) ?? []) {
      const level = this.#noted(readField('price', value), 'price', line, value);
      if (level !== null && !fields.has('price_level')) fields.set('price_level', level);
    }
    const diets = new Map<string, unknown>();
    for (const { value } of cells.get('diets') ?? [])
      for (const [key, diet] of Object.entries(
        this.#noted(readPairs(value, 'diets'), 'diets', line, value) ?? {},
      ))
        diets.set(key, diet);
    for (const diet of DIETS) {
      const target = `diets.${diet}` as const;
      const [cell] = cells.get(target) ?? [];
      const value = cell && this.#noted(readField(target, cell.value), target, line, cell.value);
      if (value !== undefined && value !== null) diets.set(diet, value);
    }
    if (diets.size > 0) fields.set('diets', Object.fromEntries(diets));
  }

  /** The description, a comment, and ratings: a comment next to stars belongs to them. */
  #setTexts(fields: Map<string, unknown>, cells: Cells, line: number, isSaved: boolean): void {
    const ratings = cells.get('ratings')?.[0]?.value;
    if (Array.isArray(ratings)) fields.set('ratings', ratings);
    const comments = cells.get('comment') ?? [];
    const stars = STARS.map((target) => [target, cells.get(target)?.[0]?.value] as const);
    const isRated = stars.some(([, value]) => value !== undefined);
    if (isRated) {
      const [comment] = comments;
      const review = new Map<string, unknown>([...stars, ['comment', comment?.value]]);
      const rating = this.#review(review, line);
      if (rating) fields.set('ratings', [rating]);
    }
    const texts = [...(cells.get('description') ?? []), ...(isRated ? [] : comments)].flatMap(({ value }) => {
      // Of a note an item has its own length.
      const text = readField(isSaved ? 'comment' : 'description', value);
      return this.#noted(text, 'description', line, value) ?? [];
    });
    if (texts.length > 0) fields.set('description', [...new Set(texts)].join('\n'));
  }

  /** A rating of the three scores; undefined, with a note, where one is missing. */
  #review(review: ReadonlyMap<string, unknown>, line: number): object | undefined {
    const scores = STARS.map((axis) => {
      const value = review.get(axis);
      return [
        axis,
        value === undefined ? null : this.#noted(readStars(value), 'rating', line, value),
      ] as const;
    });
    if (scores.some(([, score]) => score === null)) {
      this.#notes.leftOut('rating', 'incomplete', line, scores.map(([, score]) => score ?? '–').join(', '));
      return undefined;
    }
    const [comment, moment] = [review.get('comment'), review.get('created_at')];
    const text =
      comment === undefined ? null : this.#noted(readField('comment', comment), 'comment', line, comment);
    const created_at =
      moment === undefined ? null : this.#noted(readMoment(moment, undefined), 'created_at', line, moment);
    return { ...Object.fromEntries(scores), comment: text, created_at };
  }
}

/** The entry of a record that has its values as the API does. */
function ownEntry({ line, kind, values, isSaved, list }: Raw): SourceEntry {
  const fields = new Map<string, unknown>();
  let note: string | undefined;
  for (const [name, value] of values) {
    const [field = '', key] = name.split('.', 2);
    if (key !== undefined) fields.set(field, { ...propertiesObject(fields.get(field)), [key]: value });
    else if (name === 'note') note = textOf(value);
    else if (value !== null && value !== '') fields.set(name, value);
  }
  return { line, kind, fields, isSaved: isSaved === true, note, list };
}

function propertiesObject(value: unknown): object {
  return Object.fromEntries(propertiesOf(value) ?? []);
}

function degreesOf(value: unknown, axis: 'latitude' | 'longitude'): number | undefined {
  const most = axis === 'latitude' ? 90 : 180;
  if (typeof value === 'number' || (typeof value === 'string' && DECIMAL.test(value.trim()))) {
    const degrees = Number(value);
    return Math.abs(degrees) <= most ? degrees : undefined;
  }
  return typeof value === 'string' ? readDegrees(value, axis) : undefined;
}

function pairText(latitude: unknown, longitude: unknown): string {
  return `${plainText(latitude)}, ${plainText(longitude)}`;
}

function plainText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** The name of a chain followed by the name of the branch. */
function branchName(name: string | number | undefined, branch: unknown): string | undefined {
  const [chain, place] = [textOf(name), textOf(branch)];
  const isSaid = place === undefined || searchText(chain ?? '').includes(searchText(place));
  return chain === undefined || isSaid ? chain : `${chain} ${place}`;
}

/** The telephone numbers of a record, each once, however it is written. */
function phonesIn(cells: readonly Cell[]): readonly string[] {
  const phones = new Map<string, string>();
  for (const { value } of cells)
    for (const phone of [value].flat()) {
      const text = plainText(phone);
      const end = asciiDigits(text).replace(/\D/g, '').slice(-PHONE_END);
      if (text !== '' && !phones.has(end)) phones.set(end, text);
    }
  return [...phones.values()];
}

/** What is known of a place without a name. */
function whereIs(fields: ReadonlyMap<string, unknown>): string {
  const [latitude, longitude] = [fields.get('latitude'), fields.get('longitude')];
  const at = latitude === undefined ? '' : ` at ${plainText(latitude)},${plainText(longitude)}`;
  const link = textOf(fields.get('website'));
  return `${at}${link === undefined ? '' : ` (${link.slice(0, 500)})`}`;
}
