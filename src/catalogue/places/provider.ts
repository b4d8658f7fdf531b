import type { OutboundAnswer, OutboundRequest } from '../../kit/fetch.ts';

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

/**
 * Why there are no places. The provider's fault: `refused` (key, quota, block), `failed` (error or no connection),
 * `nonsense`, `timeout`. A working provider's answer: `rejected` (this request) and `missing` (no such place). Ours:
 * `unavailable` (breaker open after failures), `busy` (too many calls are waiting), `spent` (the day's budget).
 */
export type FailureKind =
  'refused' | 'failed' | 'nonsense' | 'timeout' | 'rejected' | 'missing' | 'unavailable' | 'busy' | 'spent';

export interface FailureDetails {
  /** The provider's HTTP status. */
  readonly status?: number;
  /** A constant or a code, never the provider's text. */
  readonly reason?: string;
  /** Seconds after which another try may succeed. */
  readonly retryAfter?: number;
}

/** A failed look-up. Neither the message nor the details contain the provider's text or the key. */
export class PlacesError extends Error {
  override readonly name = 'PlacesError';
  readonly kind: FailureKind;
  readonly details: FailureDetails;

  constructor(kind: FailureKind, details: FailureDetails = {}) {
    super(`${kind} ${details.reason ?? ''}`.trim());
    this.kind = kind;
    this.details = details;
  }
}

/** A request of a provider; the sender sets its limits. */
export type ProviderRequest = Pick<OutboundRequest, 'method' | 'headers' | 'body'>;

/** Sends a request to the provider. Rejects with a PlacesError unless a complete answer arrives. */
export type Ask = (address: string, request: ProviderRequest) => Promise<OutboundAnswer>;

/** A maps provider. Each look-up sends one request, and rejects with a PlacesError if the answer cannot be used. */
export interface MapsProvider {
  readonly name: 'google' | 'nominatim';
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
  readonly searchPlaces: (words: string, ask: Ask) => Promise<readonly Place[]>;
  readonly getPlace: (placeId: string, ask: Ask) => Promise<Place>;
  readonly findCities: (words: string, ask: Ask) => Promise<readonly Place[]>;
}
