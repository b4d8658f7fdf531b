import type { OutboundAnswer } from '../../kit/fetch.ts';
import { firstCharacters, isWebAddress, longerThan } from '../../kit/input/fields.ts';
import { sanitise } from '../../kit/input/sanitise.ts';
import { type Properties, propertiesOf } from '../../kit/objects.ts';
import { type Place, PlacesError } from './provider.ts';

/** How many hits of a search are used. */
export const MAX_HITS = 20;
/** Characters that an address may have. */
export const ADDRESS_MAX = 500;

// The limits of the catalogue's own fields, so that a place can become a restaurant as it is.
const NAME_MAX = 255;
const PHONE_MAX = 50;
const WEBSITE_MAX = 500;
const DECIMAL = /^[+-]?\d{1,3}(?:\.\d{1,30})?(?:e[+-]?\d{1,3})?$/i;

/**
 * The failure that a status other than 200 is, with what the provider gave as its reason, if that is a plain constant.
 * A request that is not taken (other 4xx) says nothing against the provider.
 */
export function failureOf({ status }: OutboundAnswer, reason?: string): PlacesError {
  const details = { status, reason: reason ?? `http ${status}` };
  if ([401, 403, 429].includes(status) || reason?.startsWith('API_KEY_') === true)
    return new PlacesError('refused', details);
  if (status >= 400 && status < 500) return new PlacesError('rejected', details);
  // A redirect too: it is not followed, and no provider has a reason for one.
  return new PlacesError(status >= 200 && status < 300 ? 'nonsense' : 'failed', details);
}

/** An answer that makes no sense as a whole. */
export function nonsense(reason: string): PlacesError {
  return new PlacesError('nonsense', { status: 200, reason });
}

/** Those of the first hits that can be used; undefined when they are no array. */
export function placesIn(
  hits: unknown,
  readPlace: (fields: Properties | undefined) => Place | undefined,
): readonly Place[] | undefined {
  const read = (hit: unknown): Place | undefined => readPlace(propertiesOf(hit));
  return Array.isArray(hits)
    ? hits
        .slice(0, MAX_HITS)
        .map(read)
        .filter((place) => place !== undefined)
    : undefined;
}

/**
 * A place of the values that a provider gave, each of which is null where it is none; undefined without a name. The
 * coordinates are both there or both null.
 */
export function placeOf(
  id: string,
  given: Readonly<Record<Exclude<keyof Place, 'place_id'>, unknown>>,
): Place | undefined {
  const name = textOf(given.name, NAME_MAX);
  if (name === null) return undefined;
  const { latitude, longitude } = given;
  return {
    place_id: id,
    name,
    address: textOf(given.address, ADDRESS_MAX),
    phone: textOf(given.phone, PHONE_MAX),
    website: websiteOf(given.website),
    ...(isWithin(latitude, 90) && isWithin(longitude, 180) ? { latitude, longitude } : NOWHERE),
  };
}

const NOWHERE = { latitude: null, longitude: null };

/** An http or https address, or null. One that is too long is none: its beginning would lead elsewhere. */
function websiteOf(value: unknown): string | null {
  const text = textOf(value, WEBSITE_MAX + 1);
  return text !== null && !longerThan(text, WEBSITE_MAX) && isWebAddress(text) ? text : null;
}

/** A decimal number that was written as text; undefined for everything else. */
export function decimalOf(value: unknown): number | undefined {
  return typeof value === 'string' && DECIMAL.test(value) ? Number(value) : undefined;
}

function isWithin(value: unknown, max: number): value is number {
  return typeof value === 'number' && Number.isFinite(value) && Math.abs(value) <= max;
}

/** The first `max` characters of sanitised text, or null when there is none. */
export function textOf(value: unknown, max: number): string | null {
  if (typeof value !== 'string') return null;
  const text = firstCharacters(sanitise(value.toWellFormed()).trim(), max).trim();
  return text === '' ? null : text;
}
