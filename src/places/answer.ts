import type { OutboundAnswer } from '../outbound/fetch.ts';
import { firstCharacters, isWebAddress, longerThan } from '../input/fields.ts';
import { sanitise } from '../input/sanitise.ts';
import { PlacesError } from './provider.ts';

// The limits of the catalogue's own fields, so that a place can become a restaurant as it is.
const NAME_MAX = 255;
const ADDRESS_MAX = 500;
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

/** Sanitised text within the limit of its field, or null when there is none. */
export function nameOf(value: unknown): string | null {
  return clean(value, NAME_MAX);
}

/** As `nameOf`, for an address. */
export function addressOf(value: unknown): string | null {
  return clean(value, ADDRESS_MAX);
}

/** As `nameOf`, for a phone number. */
export function phoneOf(value: unknown): string | null {
  return clean(value, PHONE_MAX);
}

/** An http or https address, or null. One that is too long is none: its beginning would lead elsewhere. */
export function websiteOf(value: unknown): string | null {
  const text = clean(value, WEBSITE_MAX + 1);
  return text !== null && !longerThan(text, WEBSITE_MAX) && isWebAddress(text) ? text : null;
}

/** Both coordinates as numbers in range, or both null. */
export function pointOf(
  latitude: unknown,
  longitude: unknown,
): { readonly latitude: number | null; readonly longitude: number | null } {
  const isPoint = isWithin(latitude, 90) && isWithin(longitude, 180);
  return isPoint ? { latitude, longitude } : { latitude: null, longitude: null };
}

/** A decimal number that was written as text; undefined for everything else. */
export function decimalOf(value: unknown): number | undefined {
  return typeof value === 'string' && DECIMAL.test(value) ? Number(value) : undefined;
}

function isWithin(value: unknown, max: number): value is number {
  return typeof value === 'number' && Number.isFinite(value) && Math.abs(value) <= max;
}

function clean(value: unknown, max: number): string | null {
  if (typeof value !== 'string') return null;
  const text = firstCharacters(sanitise(value.toWellFormed()).trim(), max).trim();
  return text === '' ? null : text;
}
