import type { OutboundAnswer } from '../../kit/fetch.ts';
import { firstCharacters, isWebAddress, longerThan } from '../../kit/input/fields.ts';
import { sanitise } from '../../kit/input/sanitise.ts';
import { type Properties, propertiesOf } from '../../kit/objects.ts';
import { type Place, PlacesError } from './provider.ts';

/** Hits of a search that are used. */
export const MAX_HITS = 20;
/** Characters. */
export const ADDRESS_MAX = 500;

// The limits of a restaurant's fields, so that a place can become a restaurant unchanged.
const NAME_MAX = 255;
const PHONE_MAX = 50;
const WEBSITE_MAX = 500;
const DECIMAL = /^[+-]?\d{1,3}(?:\.\d{1,30})?(?:e[+-]?\d{1,3})?$/i;

/**
 * The failure for a status other than 200. `reason` must be a plain constant of the provider. A rejected request (other
 * 4xx) does not mean that the provider is down.
 */
export function failureOf({ status }: OutboundAnswer, reason?: string): PlacesError {
  const details = { status, reason: reason ?? `http ${status}` };
  if ([401, 403, 429].includes(status) || reason?.startsWith('API_KEY_') === true)
    return new PlacesError('refused', details);
  if (status >= 400 && status < 500) return new PlacesError('rejected', details);
  // Redirects count as failures: they are not followed, and no provider needs one.
  return new PlacesError(status >= 200 && status < 300 ? 'nonsense' : 'failed', details);
}

/** An answer that makes no sense. */
export function nonsense(reason: string): PlacesError {
  return new PlacesError('nonsense', { status: 200, reason });
}

/** The usable ones among the first hits; undefined if `hits` is not an array. */
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
 * A place from a provider's values; undefined without a name. Other values that cannot be used become null; one bad
 * coordinate makes both null.
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

/** An http or https address, or null. One that is too long becomes null, because a cut address would lead elsewhere. */
function websiteOf(value: unknown): string | null {
  const text = textOf(value, WEBSITE_MAX + 1);
  return text !== null && !longerThan(text, WEBSITE_MAX) && isWebAddress(text) ? text : null;
}

/** The value of a decimal number in a string; undefined for anything else. */
export function decimalOf(value: unknown): number | undefined {
  return typeof value === 'string' && DECIMAL.test(value) ? Number(value) : undefined;
}

function isWithin(value: unknown, max: number): value is number {
  return typeof value === 'number' && Number.isFinite(value) && Math.abs(value) <= max;
}

/** The first `max` characters of sanitised text; null if nothing is left. */
export function textOf(value: unknown, max: number): string | null {
  if (typeof value !== 'string') return null;
  const text = firstCharacters(sanitise(value.toWellFormed()).trim(), max).trim();
  return text === '' ? null : text;
}
