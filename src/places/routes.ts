import type { RequestContext } from '../http/context.ts';
import { HttpError, badRequest, rateLimited, requireValid } from '../http/errors.ts';
import type { Limiter } from '../http/limiter.ts';
import { type Reply, json } from '../http/reply.ts';
import type { Route } from '../http/router.ts';
import { type Parsed, parsed } from '../input/fields.ts';
import { readQuery, requiredTextParameter } from '../input/query.ts';
import type { Permit, PlacesClient } from './client.ts';
import { type FailureKind, PlacesError } from './provider.ts';

export interface PlacesRouteOptions {
  /** Undefined when no provider is configured. */
  readonly places: PlacesClient | undefined;
  /** Counts the provider's calls of callers that nobody knows, by address; undefined when limits are off. */
  readonly limiter: Limiter | undefined;
}

// What a client is told. The provider's own words stay with the provider.
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

/** `/api/places` and `/api/geocode` (CONTRACT section 7). */
export function placesRoutes({ places, limiter }: PlacesRouteOptions): readonly Route[] {
  const shared = { method: 'GET', access: 'public', knowsCaller: true, body: 'none', limit: 'api' } as const;

  /** Answers with what `look` finds, or with the failure in words of ours. */
  async function answer(
    context: RequestContext,
    look: (client: PlacesClient, permit: Permit) => Promise<unknown>,
  ): Promise<Reply> {
    if (!places) throw new HttpError(503, 'Maps provider is not configured');
    try {
      const found = await look(places, permitOf(context, limiter));
      return json(200, found, places.provider.attribution);
    } catch (error) {
      throw error instanceof PlacesError ? toClient(error) : error;
    }
  }

  return [
    {
      ...shared,
      pattern: '/api/places/search',
      operationId: 'searchPlaces',
      handle: (context) => answer(context, (client, permit) => client.searchPlaces(wordsIn(context), permit)),
    },
    {
      ...shared,
      pattern: '/api/places/:placeId',
      operationId: 'getPlace',
      handle: (context) =>
        answer(context, async (client, permit) => {
          const placeId = context.parameters.get('placeId') ?? '';
          if (!client.provider.isPlaceId(placeId)) throw badRequest('Invalid place ID');
          return client.getPlace(placeId, permit);
        }),
    },
    {
      ...shared,
      pattern: '/api/geocode/cities',
      operationId: 'findCities',
      handle: (context) => answer(context, (client, permit) => client.findCities(wordsIn(context), permit)),
    },
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
  return new HttpError(
    status,
    message,
    retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) },
  );
}

function wordsIn({ query }: RequestContext): string {
  return requireValid(parseWords(query));
}

function parseWords(queryString: string): Parsed<string> {
  const query = readQuery(queryString);
  return parsed(query, requiredTextParameter(query, 'q', 200));
}
