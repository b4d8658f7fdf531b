import { type Properties, isObject, propertiesOf } from '../kit/objects.ts';
import { DIETS } from '../catalogue/restaurants/facts.ts';
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

const OSM_TYPES: ReadonlyMap<string, string> = new Map([
  ['node', 'N'],
  ['way', 'W'],
  ['relation', 'R'],
]);
// Values of `diet:*` that the service knows too; others are free text.
const DIET_VALUES: readonly unknown[] = ['yes', 'only', 'limited', 'no'];

/** Tags of OpenStreetMap that stand where a field of the API is missing. */
export function withMapTags(
  fields: Map<string, unknown>,
  tags: Properties,
  featureId: unknown,
): SourceFields {
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
  setFacts(fields, tags, featureId);
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

function setFacts(fields: Map<string, unknown>, tags: Properties, featureId: unknown): void {
  const diets = DIETS.map((diet) => [diet, tags.get(`diet:${diet}`)]).filter(([, value]) =>
    DIET_VALUES.includes(value),
  );
  if (diets.length > 0 && isMissing(fields, 'diets')) fields.set('diets', Object.fromEntries(diets));
  const osm = mapId(tags, featureId);
  const ids = fields.get('external_ids') ?? {};
  const isMarked = isObject(ids) && Object.entries(ids).some(([key, id]) => key === 'osm' && id !== null);
  if (osm !== undefined && isObject(ids) && !isMarked) fields.set('external_ids', { ...ids, osm });
}

/** The id of a place at OpenStreetMap, as `N1` or `node/1`, or as a number next to its type. */
function mapId(tags: Properties, featureId: unknown): string | undefined {
  const type = textOf(tags.get('osm_type'));
  const typed = type === undefined ? undefined : `${type}/${String(tags.get('osm_id'))}`;
  for (const value of [tags.get('osm_id'), typed, tags.get('@id'), tags.get('id'), featureId]) {
    const [, word = '', number] =
      /^(node|way|relation|[NWR])\/?([1-9]\d{0,18})$/.exec(textOf(value) ?? '') ?? [];
    if (number !== undefined) return `${OSM_TYPES.get(word) ?? word}${number}`;
  }
  return undefined;
}

function isMissing(fields: Properties, name: string): boolean {
  return (fields.get(name) ?? null) === null;
}

/** `fish_and_chips` as a person would write it. */
function cuisineName(tag: string): string {
  const words = tag.trim().replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
