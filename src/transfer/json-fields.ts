import { type Properties, propertiesOf } from '../objects.ts';
import { API_FIELDS, type SourceFields, TIMES, textOf } from './source.ts';

const OWN_FIELDS: readonly string[] = [...API_FIELDS, ...TIMES, 'ratings'];

/** A restaurant as the API or an export writes it: lookups are read by their names, ids and averages left out. */
export function restaurantFields(object: Properties): Map<string, unknown> {
  const fields = new Map<string, unknown>();
  for (const name of OWN_FIELDS) if (object.has(name)) fields.set(name, object.get(name));
  if (object.has('category')) fields.set('category', nameIn(object.get('category')));
  const foodTypes = object.get('food_types');
  if (Array.isArray(foodTypes)) fields.set('food_types', foodTypes.map(nameIn));
  // What is no list is for the caller to refuse.
  else if (foodTypes !== undefined) fields.set('food_types', foodTypes);
  return fields;
}

function nameIn(value: unknown): unknown {
  const record = propertiesOf(value);
  return record ? record.get('name') : value;
}

const ADDRESS_PARTS: readonly (readonly string[])[] = [
  ['addr:street', 'addr:housenumber'],
  ['addr:postcode', 'addr:city'],
  ['addr:country'],
];

/** Tags of OpenStreetMap that stand where a field of the API is missing. */
export function withMapTags(fields: Map<string, unknown>, tags: Properties): SourceFields {
  const tag = (...names: readonly string[]): string | undefined =>
    names.map((name) => textOf(tags.get(name))).find((text) => text !== undefined);
  const parts = ADDRESS_PARTS.map((names) => names.flatMap((name) => textOf(tags.get(name)) ?? []).join(' '));
  const found: readonly (readonly [string, unknown])[] = [
    ['address', tag('addr:full') ?? (parts.filter((part) => part !== '').join(', ') || undefined)],
    ['phone', tag('contact:phone')],
    ['website', tag('contact:website', 'url')],
  ];
  for (const [name, value] of found)
    if (value !== undefined && isMissing(fields, name)) fields.set(name, value);
  const cuisines = (tag('cuisine') ?? '')
    .split(/[;,]/)
    .map(cuisineName)
    .filter((name) => name !== '');
  if (cuisines.length > 0 && isMissing(fields, 'food_types')) {
    fields.set('food_types', cuisines);
    if (isMissing(fields, 'category')) fields.set('category', cuisines[0]);
  }
  return fields;
}

function isMissing(fields: Properties, name: string): boolean {
  return (fields.get(name) ?? null) === null;
}

/** `fish_and_chips` as a person would write it. */
function cuisineName(tag: string): string {
  const words = tag.trim().replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
