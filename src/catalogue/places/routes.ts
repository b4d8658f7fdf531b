import type { RequestContext } from '../../http/context.ts';
import { HttpError, badRequest, rateLimited, requireValid } from '../../http/errors.ts';
import type { Limiter } from '../../http/limits.ts';
import { type Reply, json } from '../../http/reply.ts';
import type { Route } from '../../http/router.ts';
import { parsed } from '../../kit/input/fields.ts';
import { readQuery, requiredTextParameter } from '../../kit/input/query.ts';
import type { Permit, PlacesClient } from './client.ts';
import { type FailureKind, PlacesError } from './provider.ts';

export interface PlacesRouteOptions {
  /** Undefined when no provider is configured. */
  readonly places: PlacesClient | undefined;
  /** Limits calls to the provider by clients without credentials, per address; undefined when limits are off. */
  readonly limiter: Limiter | undefined;
}

// The provider's own text is never passed on.
const FAILURES: Readonly<Record<FailureKind, readonly [number, string]>> = {
  refused: [502, 'Maps provider refused the request'],
  failed: [502, 'Maps provider failed'],
  nonsense: [502, 'Maps provider gave an answer that cannot be used'],
  rejected: [502, 'Maps provider did not accept the request'],
  timeout: [504, 'Maps provider did not answer in time'],
  missing: [404, 'Place not found'],
  unavailable: [502, 'Maps provider is unavailable'],
  busy: [503, 'Maps provider is busy'],
  spent: [503, 'Maps provider budget is used up for today'],
};

/** `/api/places` and `/api/geocode`. */
export function placesRoutes({ places, limiter }: PlacesRouteOptions): readonly Route[] {
  /** A handler that replies with the result of `find`, or with our own text for its failure. */
  const answering =
    (find: (client: PlacesClient, context: RequestContext, permit: Permit) => Promise<unknown>) =>
    async (context: RequestContext): Promise<Reply> => {
      if (!places) throw new HttpError(503, 'Maps provider is not configured');
      try {
        const found = await find(places, context, permitOf(context, limiter));
        return json(200, found, places.provider.attribution);
      } catch (error) {
        throw error instanceof PlacesError ? toClient(error) : error;
      }
    };

  const search = answering((client, context, permit) => client.searchPlaces(wordsIn(context), permit));
  const cities = answering((client, context, permit) => client.findCities(wordsIn(context), permit));
  const place = answering(async (client, { parameters }, permit) => {
    const placeId = parameters.get('placeId') ?? '';
    if (!client.provider.isPlaceId(placeId)) throw badRequest('Invalid place ID');
    return client.getPlace(placeId, permit);
  });
  const row = { method: 'GET', access: 'public', knowsCaller: true, body: 'none', limit: 'api' } as const;
  return [
    { ...row, pattern: '/api/places/search', operationId: 'searchPlaces', handle: search },
    { ...row, pattern: '/api/places/:placeId', operationId: 'getPlace', handle: place },
    { ...row, pattern: '/api/geocode/cities', operationId: 'findCities', handle: cities },
  ];
}

function permitOf({ principal, client }: RequestContext, limiter: Limiter | undefined): Permit {
  return () => {
    const verdict = principal ? undefined : limiter?.take(client.key);
    if (verdict?.allowed === false) throw rateLimited(verdict.retryAfter);
  };
}

function toClient({ kind, details: { retryAfter } }: PlacesError): HttpError {
  const [status, message] = FAILURES[kind];
  const headers = retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) };
  return new HttpError(status, message, headers);
}

function wordsIn(context: RequestContext): string {
  const query = readQuery(context.query);
  const words = requiredTextParameter(query, 'q', 200);
  return requireValid(parsed(query, words), context);
}
