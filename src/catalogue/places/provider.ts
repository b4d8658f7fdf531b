import type { OutboundAnswer, OutboundRequest } from '../../kit/fetch.ts';

/** A place of any provider, as the API answers it. */
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
 * Why there are no places. Of the provider's making: `refused` (key, quota, block), `failed` (fault, no connection),
 * `nonsense`, `timeout`; and where it lives: `rejected` (it does not take this request) and `missing` (no such place). Of ours: `unavailable` (left
 * alone after failures), `busy` (too many wait already), `spent` (the day's budget).
 */
export type FailureKind =
  'refused' | 'failed' | 'nonsense' | 'timeout' | 'rejected' | 'missing' | 'unavailable' | 'busy' | 'spent';

export interface FailureDetails {
  /** The status that the provider answered. */
  readonly status?: number;
  /** A constant or a code, never the provider's own sentence. */
  readonly reason?: string;
  /** Seconds after which another try may succeed. */
  readonly retryAfter?: number;
}

/** The look-up failed. Neither the message nor a detail holds anything that the provider wrote, or the key. */
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

/** A request as a provider defines it; its limits are set where it is sent. */
export type ProviderRequest = Pick<OutboundRequest, 'method' | 'headers' | 'body'>;

/** Sends a request to the provider. Rejects with a PlacesError when there is no whole answer. */
export type Ask = (address: string, request: ProviderRequest) => Promise<OutboundAnswer>;

/** A maps provider. Everything asks exactly once, and rejects with a PlacesError when no answer can be made of it. */
export interface MapsProvider {
  readonly name: 'google' | 'nominatim';
  /** How long its terms let answers be cached, in milliseconds. */
  readonly maxAgeMs: number;
  /** Milliseconds that its terms want between the starts of two calls. */
  readonly intervalMs: number;
  /** Whether its host may have a private address. */
  readonly allowPrivate: boolean;
  /** Headers that its licence wants on every answer made from its data. */
  readonly attribution: Readonly<Record<string, string>>;
  /** Whether a place of this provider can have that id. */
  readonly isPlaceId: (text: string) => boolean;
  readonly searchPlaces: (words: string, ask: Ask) => Promise<readonly Place[]>;
  readonly getPlace: (placeId: string, ask: Ask) => Promise<Place>;
  readonly findCities: (words: string, ask: Ask) => Promise<readonly Place[]>;
}
