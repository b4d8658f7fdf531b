import { readPosition } from '../src/catalogue/places/positions.js';
import { parsePlace } from './place-text.js';
import type { Found, Restaurant } from '../base/types.js';
import type { PlaceText } from './place-text.js';

/** What the form of a place is for: a new place, a suggestion of one, a change, or making one of a suggestion. */
export type Purpose = 'add' | 'suggest' | 'edit' | 'convert';

/** What stands in the form, by the names of its fields, `position` as it is typed or pasted; `id` and `status` of what there was. */
export interface Values {
  readonly [name: string]: unknown;
  readonly id?: number;
  readonly status?: string;
  readonly name?: string | null;
  readonly address?: string | null;
  readonly phone?: string | null;
  readonly website?: string | null;
  readonly position?: string | undefined;
  readonly food_type_ids?: readonly number[];
  readonly diets?: Readonly<Record<string, string | null>>;
}

/** `control`: how a field is shown; without one it is not. `isNumber`: its value is one for the API, a text on the screen. */
export interface FieldRow {
  readonly name: string;
  readonly control?: 'text' | 'position' | 'select' | 'foods' | 'diets';
  readonly type?: string;
  readonly max?: number;
  readonly required?: boolean;
  readonly isNumber?: boolean;
  readonly of: readonly Purpose[];
}

const ALL: Purpose[] = ['add', 'suggest', 'edit', 'convert'];
const FACTS: Purpose[] = ['add', 'edit', 'convert'];

const FIELDS: readonly FieldRow[] = [
  { name: 'name', control: 'text', required: true, max: 255, of: ALL },
  { name: 'address', control: 'text', max: 500, of: ALL },
  { name: 'position', control: 'position', of: ['add', 'suggest', 'edit'] },
  { name: 'category_id', control: 'select', isNumber: true, of: ALL },
  { name: 'food_type_ids', control: 'foods', of: ALL },
  { name: 'price_level', control: 'select', isNumber: true, of: FACTS },
  { name: 'phone', control: 'text', type: 'tel', max: 50, of: ALL },
  { name: 'website', control: 'text', type: 'url', max: 500, of: ALL },
  { name: 'opening_hours', control: 'text', max: 1000, of: FACTS },
  { name: 'diets', control: 'diets', of: FACTS },
  { name: 'status', control: 'select', required: true, of: ['edit'] },
  { name: 'description', control: 'text', type: 'area', max: 5000, of: FACTS },
  { name: 'notes', control: 'text', type: 'area', max: 5000, of: ['suggest'] },
  { name: 'google_place_id', of: ['add', 'suggest'] },
  { name: 'external_ids', of: ['add'] },
];

export const fieldsOf = (purpose: Purpose) => FIELDS.filter(({ of }) => of.includes(purpose));

/** Where a text says that a place is, if it does: numbers, degrees or a link to a map. */
export function positionOf(text = ''): Pick<PlaceText, 'lat' | 'lng'> {
  const position = readPosition(text);
  return position ? { lat: position.latitude, lng: position.longitude } : parsePlace(text);
}

/** A position as the form shows it, to some ten centimetres; undefined where there is none. */
export const positionText = (lat?: number | null, lng?: number | null) =>
  typeof lat === 'number' && typeof lng === 'number'
    ? [lat, lng].map((degrees) => Number(degrees.toFixed(6))).join(', ')
    : undefined;

/** What of a place is in the form in another way; `place_id` is what the maps provider calls it. */
export type Place = Partial<
  Pick<Restaurant, 'latitude' | 'longitude' | 'category' | 'food_types'> & Pick<Found, 'place_id'>
>;

export function valuesOf(all: Place): Values {
  const { latitude, longitude, category, food_types: foods, place_id: id, ...place } = all;
  const at = positionText(latitude, longitude);
  return {
    ...place,
    ...(at && { position: at }),
    ...(category && { category_id: category.id }),
    ...(foods && { food_type_ids: foods.map(({ id }) => id) }),
    ...(id && { google_place_id: id }),
    ...(id?.startsWith('osm:') && { external_ids: { osm: id.slice('osm:'.length) } }),
  };
}

function sent({ name, isNumber }: FieldRow, values: Values) {
  const value = values[name];
  if (Array.isArray(value) && value.length === 0) return null;
  if (typeof value !== 'string') return value ?? null;
  return value.trim() === '' ? null : isNumber ? Number(value) : value.trim();
}

/** The body of a request: the fields that differ from what there was before, which is empty for a new place. */
export function bodyOf(purpose: Purpose, values: Values, before: Values): Record<string, unknown> {
  const changed = fieldsOf(purpose)
    .map((row) => [row.name, sent(row, values), sent(row, before)] as const)
    .filter(([, value, old]) => JSON.stringify(value) !== JSON.stringify(old));
  const { position, ...body } = Object.fromEntries(changed.map(([name, value]) => [name, value]));
  if (position === undefined) return body;
  const { lat: latitude = null, lng: longitude = null } = positionOf(values.position);
  return { ...body, latitude, longitude };
}

/** The place that there is already, as the service says it. */
export function twinOf(message: string) {
  const [, noun, name, id] =
    /^(Restaurant|Suggestion) already exists: "(.*)" \(id (\d+)\)$/s.exec(message) ?? [];
  return name === undefined ? undefined : { id: Number(id), name, isSuggestion: noun === 'Suggestion' };
}
