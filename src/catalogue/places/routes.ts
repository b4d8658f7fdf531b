import type { RequestContext } from '../../http/context.ts';
import { HttpError, badRequest, rateLimited, requireValid } from '../../http/errors.ts';
import type { Limiter } from '../../http/limits.ts';
import { type Reply, json } from '../../http/reply.ts';
import { PUBLIC_READ, type Route, SESSION_OR_TOKEN } from '../../http/router.ts';
import { bodyParser, requiredTextField } from '../../kit/input/fields.ts';
import { queryParser, requiredTextParameter } from '../../kit/input/query.ts';
import type { PlacesClient } from './client.ts';
import type { MapLinks, NoPlace } from './links.ts';
import { type FailureKind, type LookUp, PlacesError } from './provider.ts';

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

const NO_PLACE: Readonly<Record<NoPlace, string>> = {
  unknown: 'This is no link of a map that is known',
  many: 'This is a link to a list or a map of many places, not to one place',
  short: 'This link says nothing until it is opened: open it, and send the address that it leads to',
};

/**
 * `/api/places` and `/api/geocode`. `places` is undefined when no provider is configured, `links` when links to maps are
 * not followed. `limiter` limits calls to the provider by clients without credentials, and links that all clients have
 * followed, per address; it is undefined when limits are off.
 */
export function placesRoutes(
  places: PlacesClient | undefined,
  links: MapLinks | undefined,
  limiter: Limiter | undefined,
): readonly Route[] {
  const row = (pattern: string, kind: LookUp, read: (context: RequestContext) => string): Route => ({
    ...PUBLIC_READ,
    credentials: SESSION_OR_TOKEN,
    // Look-ups use up a daily budget, which the primary counts.
    needsPrimary: true,
    pattern,
    operationId: kind,
    handle: async (context) => {
      if (!places) throw new HttpError(503, 'Maps provider is not configured');
      const text = read(context);
      if (kind === 'getPlace' && !places.provider.isPlaceId(text)) throw badRequest('Invalid place ID');
      // A session that has ended counts as none, since anyone may look.
      await context.caller().catch(ignoreRefusal);
      try {
        const found = await places.look(kind, text, () => {
          const { principal, client } = context;
          const verdict = principal ? undefined : limiter?.take(client.key);
          if (verdict?.allowed === false) throw rateLimited(verdict.retryAfter);
        });
        return json(200, found, places.provider.attribution);
      } catch (error) {
        throw error instanceof PlacesError ? toClient(error) : error;
      }
    },
  });
  async function readLink(context: RequestContext): Promise<Reply> {
    if (!links) throw new HttpError(503, 'Map links are switched off');
    const { url } = requireValid(parseLink(context.body), context);
    try {
      const found = await links.read(url, () => {
        const verdict = limiter?.take(context.client.key);
        if (verdict?.allowed === false) throw rateLimited(verdict.retryAfter);
      });
      if (typeof found === 'string') throw badRequest(NO_PLACE[found]);
      return json(200, found);
    } catch (error) {
      throw error instanceof PlacesError ? toClient(error) : error;
    }
  }

  return [
    {
      method: 'POST',
      pattern: '/api/places/link',
      access: 'user',
      credentials: SESSION_OR_TOKEN,
      answers: 'public',
      body: 'json',
      limit: 'api',
      operationId: 'readMapLink',
      handle: readLink,
    },
    row('/api/places/search', 'searchPlaces', wordsIn),
    row('/api/places/:placeId', 'getPlace', ({ parameters }) => parameters.get('placeId') ?? ''),
    row('/api/geocode/cities', 'findCities', wordsIn),
  ];
}

function ignoreRefusal(error: unknown): void {
  if (!(error instanceof HttpError)) throw error;
}

function toClient({ kind, details: { retryAfter } }: PlacesError): HttpError {
  const [status, message] = FAILURES[kind];
  const headers = retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) };
  return new HttpError(status, message, headers);
}

const parseLink = bodyParser(
  (fields) => ({ url: requiredTextField(fields, 'url', 2_000) }),
  ['name', 'address', 'latitude', 'longitude', 'external_ids'],
);

const parseWords = queryParser((query) => requiredTextParameter(query, 'q', 200));

function wordsIn(context: RequestContext): string {
  return requireValid(parseWords(context.query), context);
}
