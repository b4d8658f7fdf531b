import { type Fields, type Operation, elementsOf, mapValues } from './description.ts';
import type { Parameter, Plan } from './fuzz-plans.ts';
import { Reference } from './fuzz-values.ts';

/** Whether a query asks for what is its caller's own; that of a further page may. */
export function ownPart({ query }: Pick<Plan, 'query'>): 'some' | 'none' | 'unknown' {
  const asks = ([name, value]: Parameter): boolean =>
    ['list', 'visited'].includes(name) || (name === 'include' && elementsOf(value).includes('mine'));
  if (query.some(asks)) return 'some';
  return query.some(([name]) => name === '') ? 'unknown' : 'none';
}

/** The query of a good request, made of any values of its parameters. */
export function queryOf({ operationId }: Operation, given: Fields): readonly Parameter[] {
  const { cursor, since = cursor, ...asked } = given;
  const rest = withoutMap(asked);
  if (since instanceof Reference) return [['', new Reference(pagesOf(operationId), since.turn)]];
  if (operationId === 'listVisits') return Object.entries(mapValues(rest, dayInstead));
  const isPlaced = isGiven(rest, 'lat') && isGiven(rest, 'lng');
  const far = rest['sort'] === 'distance' ? ['sort'] : [];
  const own = isPlaced || operationId === 'search' ? rest : without(rest, ['lat', 'lng', 'radius', ...far]);
  const isOfOneKind = new Set(elementsOf(rest['kind'])).size === 1;
  const alone = [...(isOfOneKind ? [] : ['entity_id']), ...(rest['order'] === 'newest' ? [] : ['batches'])];
  const ofKind = without(own, alone);
  const parameters = isGiven(ofKind, 'open_at')
    ? mapValues(ofKind, instantInstead)
    : without(ofKind, ['open_strict']);
  return Object.entries(
    'bbox' in parameters ? { ...parameters, bbox: boxOf(parameters['bbox']) } : parameters,
  );
}

/** The same without `include=map` where it lacks what it needs. */
function withoutMap(fields: Fields): Fields {
  if (isGiven(fields, 'bbox') && isGiven(fields, 'zoom')) return fields;
  const words = elementsOf(fields['include']).filter((word) => word !== 'map');
  return words.length > 0 ? { ...fields, include: words } : without(fields, ['include']);
}

/** A day that is in the calendar, for any text of its form. */
function dayInstead(value: unknown): unknown {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) ? `${value.slice(0, 4)}-01-31` : value;
}

/** The same for an instant. */
function instantInstead(value: unknown): unknown {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\d[Tt ]/.test(value)
    ? `${value.slice(0, 4)}-01-31T22:30:00-05:30`
    : value;
}

/** A box of four longitudes: latitudes are half of them, the southern one first. */
function boxOf(degrees: unknown): readonly number[] {
  const [west = 0, south = 0, east = 0, north = 0] = elementsOf(degrees).map(Number);
  return [west, Math.min(south, north) / 2, east, Math.max(south, north) / 2];
}

/** The pool of queries that lead to further pages of an operation. */
export function pagesOf(operationId: string): string {
  return `pages of ${operationId}`;
}

/** Whether a field is there, and not null. */
export function isGiven(fields: Fields, name: string): boolean {
  return (fields[name] ?? null) !== null;
}

/** The fields but for some. */
export function without(fields: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}
