import type { OutboundAnswer, OutboundRequest } from '../../kit/fetch.ts';
import { cutText, isWebAddress, longerThan } from '../../kit/input/fields.ts';
import { type Properties, propertiesOf } from '../../kit/objects.ts';

/** Hits of a search that are used. */
export const MAX_HITS = 20;
/** Characters. */
export const ADDRESS_MAX = 500;

// The limits of a restaurant's fields, so that a place can become a restaurant unchanged.
export const NAME_MAX = 255;
const PHONE_MAX = 50;
const WEBSITE_MAX = 500;
const DECIMAL = /^[+-]?\d{1,3}(?:\.\d{1,30})?(?:e[+-]?\d{1,3})?$/i;

/** A place of any provider, as the API returns it. */
export interface Place {
  readonly place_id: string;
  readonly name: string;
  readonly address: string | null;
  readonly phone: string | null;
  readonly website: string | null;
  readonly latitude: number | null;
  readonly longitude: number | null;
}

/** The state of the provider after a call; `untried` if nothing was sent. */
export type Verdict = 'alive' | 'failed' | 'untried';

/** Why there are no places, and what that says about the provider. */
export const VERDICTS = {
  /** Because of the key, a quota or a block. */
  refused: 'failed',
  /** An error, or no connection. */
  failed: 'failed',
  nonsense: 'failed',
  timeout: 'failed',
  /** Only this request: one client's odd request must not shut out the others. */
  rejected: 'alive',
  /** There is no such place. */
  missing: 'alive',
  /** The breaker is open after failures. */
  unavailable: 'untried',
  /** Too many calls are waiting. */
  busy: 'untried',
  /** The day's budget is used up. */
  spent: 'untried',
} as const satisfies Readonly<Record<string, Verdict>>;

export type FailureKind = keyof typeof VERDICTS;

/** A failed look-up. Neither the message nor the details contain the provider's text or the key. */
export class PlacesError extends Error {
  override readonly name = 'PlacesError';
  readonly kind: FailureKind;
  readonly details: {
    /** The provider's HTTP status. */
    readonly status?: number;
    /** A constant or a code, never the provider's text. */
    readonly reason?: string;
    /** Seconds after which another try may succeed. */
    readonly retryAfter?: number;
  };

  constructor(kind: FailureKind, details: PlacesError['details'] = {}) {
    super(`${kind} ${details.reason ?? ''}`.trim());
    this.kind = kind;
    this.details = details;
  }
}

/** Sends a request to the provider. Rejects with a PlacesError unless a complete answer arrives. */
export type Ask = (
  address: string,
  request: Pick<OutboundRequest, 'method' | 'headers' | 'body'>,
) => Promise<OutboundAnswer>;

export type LookUp = 'searchPlaces' | 'getPlace' | 'findCities';
export type FoundPlaces = Place | readonly Place[];

/**
 * A maps provider. Each look-up, by words or a place id, sends one request, and rejects with a PlacesError if the answer
 * cannot be used.
 */
export interface MapsProvider extends Readonly<
  Record<LookUp, (text: string, ask: Ask) => Promise<FoundPlaces>>
> {
  /** How long its terms allow caching answers, in milliseconds. */
  readonly maxAgeMs: number;
  /** The shortest time between the starts of two calls that its terms allow, in milliseconds. */
  readonly intervalMs: number;
  /** True if its host may have a private address. */
  readonly allowPrivate: boolean;
  /** Headers that its licence requires on every response made from its data. */
  readonly attribution: Readonly<Record<string, string>>;
  /** True if a place of this provider can have that id. */
  readonly isPlaceId: (text: string) => boolean;
}

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

export function nonsense(reason: string): PlacesError {
  return new PlacesError('nonsense', { status: 200, reason });
}

/** The places among the first hits, without unusable ones. Throws a PlacesError with `reason` if `hits` is not an array. */
export function placesIn(
  hits: unknown,
  readPlace: (fields: Properties | undefined) => Place | undefined,
  reason: string,
): readonly Place[] {
  if (!Array.isArray(hits)) throw nonsense(reason);
  return hits.slice(0, MAX_HITS).flatMap((hit: unknown) => readPlace(propertiesOf(hit)) ?? []);
}

/**
 * A place from a provider's values; undefined without a name. Other values that cannot be used become null; one bad
 * coordinate makes both null.
 */
export function placeOf(
  id: string,
  given: Readonly<Record<Exclude<keyof Place, 'place_id'>, unknown>>,
): Place | undefined {
  const name = cutText(given.name, NAME_MAX);
  if (name === null) return undefined;
  const { latitude, longitude } = given;
  return {
    place_id: id,
    name,
    address: cutText(given.address, ADDRESS_MAX),
    phone: cutText(given.phone, PHONE_MAX),
    website: websiteOf(given.website),
    ...(isWithin(latitude, 90) && isWithin(longitude, 180)
      ? { latitude, longitude }
      : { latitude: null, longitude: null }),
  };
}

/** An http or https address, or null. One that is too long becomes null, because a cut address would lead elsewhere. */
function websiteOf(value: unknown): string | null {
  const text = cutText(value, WEBSITE_MAX + 1);
  return text !== null && !longerThan(text, WEBSITE_MAX) && isWebAddress(text) ? text : null;
}

/** The value of a decimal number in a string; undefined for anything else. */
export function decimalOf(value: unknown): number | undefined {
  return typeof value === 'string' && DECIMAL.test(value) ? Number(value) : undefined;
}

function isWithin(value: unknown, max: number): value is number {
  return typeof value === 'number' && Math.abs(value) <= max;
}
