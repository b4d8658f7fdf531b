import { type Fields, isFields, mapValues } from './description.ts';
import { type Received, type Sendable, headerOf, jsonOf } from './fuzz-sender.ts';
import { Reference } from './fuzz-values.ts';

/** What the service told, for later requests to refer to. */
export interface Pools {
  /** The value with what its references stand for; what is not known yet becomes 1, which may be there. */
  readonly resolve: (value: unknown) => unknown;
  /** Whether the request leaves something of each kind for others to refer to. */
  readonly canSpare: (method: string, path: Fields) => boolean;
  /** Takes note of the files that the documentation page loads. */
  readonly learnAssets: (page: Received) => void;
  /** Takes note of an answer: of what was made, and of what is gone. */
  readonly learn: (told: Told) => void;
}

/** An answer and what was asked. */
export interface Told {
  readonly operationId: string;
  readonly sendable: Sendable;
  readonly received: Received;
}

// Of each kind the newest are enough, and a pool that grew would look like a leak of the service.
const MOST = 200;
const SPARED = 3;

/** Pools with nothing in them. */
export function createPools(): Pools {
  const pools = new Map<string, (string | number)[]>();

  function add(pool: string, value: string | number): void {
    const values = pools.get(pool) ?? [];
    pools.set(pool, values);
    if (values.push(value) > MOST) values.shift();
  }

  function remove(pool: string, value: unknown): void {
    const values = pools.get(pool) ?? [];
    pools.set(
      pool,
      values.filter((kept) => String(kept) !== String(value)),
    );
  }

  function resolve(value: unknown): unknown {
    if (value instanceof Reference) {
      const values = pools.get(value.pool) ?? [];
      return values[value.turn % values.length] ?? 1;
    }
    if (Array.isArray(value)) return value.map(resolve);
    return isFields(value) ? mapValues(value, resolve) : value;
  }

  function canSpare(method: string, path: Fields): boolean {
    const references = Object.values(path).filter((value) => value instanceof Reference);
    return method !== 'DELETE' || references.every(({ pool }) => (pools.get(pool) ?? []).length > SPARED);
  }

  function learn(told: Told): void {
    const { operationId, sendable, received } = told;
    const { method, target, json: sent } = sendable;
    const { status } = received;
    learnHeaders(received);
    // Deleted, or found to be gone with what it belonged to.
    const [, pool = '', gone] = /\/([a-z_-]+)\/([\w.]+)(?:\/[a-z]+)?(?:\?|$)/.exec(target) ?? [];
    if (status === 404 || (method === 'DELETE' && status === 204)) {
      remove(pool, gone);
      remove(`open ${pool}`, gone);
    }
    // A refresh token is good for one refresh.
    const spends = ['refreshSession', 'logout'].includes(operationId) && (status < 300 || status === 401);
    if (spends && isFields(sent)) remove('refresh tokens', sent['refresh_token']);
    const body = status < 300 ? jsonOf(received) : undefined;
    if (isFields(body)) learnBody(told, body);
  }

  function learnHeaders(received: Received): void {
    const tag = headerOf(received, 'etag');
    if (tag !== undefined) add('tags', tag);
    const location = headerOf(received, 'location') ?? '';
    const [, made, id] = /^\/api\/(?:auth\/)?([a-z-]+)\/(\d+)$/.exec(location) ?? [];
    if (received.status === 201 && made !== undefined) add(made, Number(id));
  }

  function learnBody({ operationId, sendable: { target, json: sent } }: Told, body: Fields): void {
    if (operationId === 'uploadPhoto') add('menu_photos', String(body['filename']));
    if (operationId === 'createSuggestion') add('open suggestions', Number(body['id']));
    if (operationId === 'convertSuggestion') remove('open suggestions', body['suggestion_id']);
    if (operationId === 'setSuggestionStatus' && body['status'] === 'rejected')
      remove('open suggestions', body['id']);
    if (operationId === 'pageRestaurants' && typeof body['next_cursor'] === 'string') {
      const query = (target.split('?')[1] ?? '').replace(/(^|&)cursor=[^&]*/, '');
      add('pages', `${query}&cursor=${encodeURIComponent(body['next_cursor'])}`);
    }
    if (typeof body['refresh_token'] === 'string') add('refresh tokens', body['refresh_token']);
    if (operationId === 'register' && isFields(sent)) {
      add('emails', String(sent['email']));
      add('passwords', String(sent['password']));
    }
  }

  function learnAssets({ body }: Received): void {
    for (const [, version, file] of body.toString().matchAll(/\/api\/docs\/assets\/([^/"]+)\/([^/"]+)"/g)) {
      add('versions', version ?? '');
      add('assets', file ?? '');
    }
  }

  return { resolve, canSpare, learn, learnAssets };
}
