import type { Restaurant } from '../base/types.js';
import type { PlaceText } from './place-text.js';

/** What the form of a place is for: a new place, a suggestion of one, a change, or making one of a suggestion. */
export type Purpose = 'add' | 'suggest' | 'edit' | 'convert';
/** of fields, under the names of the API */
export type Values = Record<string, any>;

/**
 * A field of the form. `control` is how it is shown; without one it is not. `of`: the purposes that have it. The values of a
 * `choice` are under its name in the words of the form.
 */
export interface FieldRow {
  name: string;
  control?: 'text' | 'position' | 'category' | 'foods' | 'price' | 'diets' | 'choice';
  type?: string;
  max?: number;
  required?: boolean;
  of: readonly Purpose[];
}

const ALWAYS: Purpose[] = ['add', 'suggest', 'edit', 'convert'];
const FACTS: Purpose[] = ['add', 'edit', 'convert'];
const POSITION: Purpose[] = ['add', 'suggest', 'edit'];

const FIELDS: readonly FieldRow[] = [
  { name: 'name', control: 'text', required: true, max: 255, of: ALWAYS },
  { name: 'address', control: 'text', max: 500, of: ALWAYS },
  { name: 'latitude', control: 'position', of: POSITION },
  { name: 'longitude', of: POSITION },
  { name: 'category_id', control: 'category', of: ALWAYS },
  { name: 'food_type_ids', control: 'foods', of: ALWAYS },
  { name: 'price_level', control: 'price', of: FACTS },
  { name: 'phone', control: 'text', type: 'tel', max: 50, of: ALWAYS },
  { name: 'website', control: 'text', type: 'url', max: 500, of: ALWAYS },
  { name: 'opening_hours', control: 'text', max: 1000, of: FACTS },
  { name: 'diets', control: 'diets', of: FACTS },
  { name: 'status', control: 'choice', required: true, of: ['edit'] },
  { name: 'description', control: 'text', type: 'area', max: 5000, of: FACTS },
  { name: 'notes', control: 'text', type: 'area', max: 5000, of: ['suggest'] },
  { name: 'google_place_id', of: ['add', 'suggest'] },
  { name: 'external_ids', of: ['add'] },
];

/** The fields of a form in their order. */
export const fieldsOf = (purpose: Purpose) => FIELDS.filter(({ of }) => of.includes(purpose));

/** A place or a suggestion as the values of its form. */
export const valuesOfPlace = ({
  category,
  food_types: foods,
  ...place
}: Pick<Restaurant, 'category' | 'food_types'>): Values => ({
  ...place,
  category_id: category?.id ?? null,
  food_type_ids: foods.map(({ id }) => id),
});

/** What a text says of a place as values. */
export const valuesOfText = ({
  name,
  address,
  phone,
  website,
  lat,
  lng,
  google_place_id,
  osm,
}: PlaceText): Values => ({
  name,
  address,
  phone,
  website,
  latitude: lat,
  longitude: lng,
  google_place_id,
  ...(osm && { external_ids: { osm } }),
});

/** A place that was looked up as values. */
export const valuesOfFound = ({ place_id: id, ...place }: { place_id: string } & Values): Values => ({
  ...place,
  google_place_id: id,
  ...(id.startsWith('osm:') && { external_ids: { osm: id.slice('osm:'.length) } }),
});

function tidy(value: unknown) {
  if (typeof value === 'string') return value.trim() || null;
  return value === undefined || (Array.isArray(value) && value.length === 0) ? null : value;
}

/**
 * The body of a request: the fields that differ from what there was.
 * @param before empty for a new place
 */
export function bodyOf(purpose: Purpose, values: Values, before: Values): Values {
  const entries = fieldsOf(purpose).map(({ name }) => [name, tidy(values[name])] as const);
  const changed = entries.filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(tidy(before[name])),
  );
  const body = Object.fromEntries(changed);
  // The service wants both halves of a position.
  if ('latitude' in body || 'longitude' in body) {
    Object.assign(body, { latitude: tidy(values['latitude']), longitude: tidy(values['longitude']) });
  }
  return body;
}

/** The place that there is already, as the service says it. */
export function twinOf(message: string): { id: number; name: string; isSuggestion: boolean } | undefined {
  const [, noun, name, id] =
    /^(Restaurant|Suggestion) already exists: "(.*)" \(id (\d+)\)$/s.exec(message) ?? [];
  return name === undefined ? undefined : { id: Number(id), name, isSuggestion: noun === 'Suggestion' };
}
