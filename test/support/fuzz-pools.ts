import { type Fields, elementsOf, isFields, mapValues } from './description.ts';
import { pagesOf } from './fuzz-queries.ts';
import { type Received, type Sendable, headerOf, jsonOf } from './fuzz-sender.ts';
import { Reference } from './fuzz-values.ts';
import type { Person } from './people.ts';

/** Values that the service returned, for later requests to refer to. */
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

/** The pools of what changes are about. */
const COLLECTIONS: Readonly<Record<string, string>> = {
  restaurant: 'restaurants',
  category: 'categories',
  food_type: 'food-types',
  suggestion: 'suggestions',
  rating: 'ratings',
  photo: 'photos',
  list: 'lists',
  visit: 'visits',
};

/** Pools with nothing in them but an account that is there already. */
export function createPools({ email, password }: Pick<Person, 'email' | 'password'>): Pools {
  const pools = new Map<string, (string | number)[]>([
    // An empty one counts as none.
    ['event ids', ['']],
    ['emails', [email]],
    ['passwords', [password]],
  ]);

  function add(pool: string, value: string | number): void {
    const values = pools.get(pool) ?? [];
    pools.set(pool, values);
    if (values.push(value) > MOST) values.shift();
  }

  function remove(pool: string, value: unknown): void {
    const values = pools.get(pool) ?? [];
    pools.set(
      pool,
      values.filter((other) => String(other) !== String(value)),
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
    learnHeaders(method, received);
    // Deleted, or found to be gone with what it belonged to.
    const [, pool = '', gone] = /\/([a-z_-]+)\/([\w.]+)(?:\/[a-z]+)?(?:\?|$)/.exec(target) ?? [];
    if (status === 404 || (method === 'DELETE' && status === 204)) {
      remove(pool, gone);
      remove(`open ${pool}`, gone);
    }
    if (['revertChange', 'purgeChange'].includes(operationId)) {
      remove('open changes', gone);
      remove('deletions', gone);
    }
    if (operationId === 'streamChanges') learnEvents(received);
    // A refresh token is valid for one refresh.
    const spends = ['refreshSession', 'logout'].includes(operationId) && (status < 300 || status === 401);
    if (spends && isFields(sent)) remove('refresh tokens', sent['refresh_token']);
    const body = status < 300 ? jsonOf(received) : undefined;
    if (isFields(body)) learnBody(told, body);
  }

  function learnHeaders(method: string, received: Received): void {
    const tag = headerOf(received, 'etag');
    if (tag !== undefined) add('tags', tag);
    const location = headerOf(received, 'location') ?? '';
    const [, made, id] = /^\/api\/(?:auth\/)?([a-z-]+)\/(\d+)$/.exec(location) ?? [];
    if (received.status === 201 && made !== undefined) add(made, Number(id));
    const change = headerOf(received, 'change');
    if (change === undefined) return;
    for (const pool of ['changes', 'open changes', ...(method === 'DELETE' ? ['deletions'] : [])])
      add(pool, Number(change));
  }

  function learnEvents({ body }: Received): void {
    for (const [, id = ''] of body.toString().matchAll(/^id: (.+)$/gm)) {
      add('event ids', id);
      add(pagesOf('streamChanges'), `since=${encodeURIComponent(id)}`);
    }
  }

  /** What a revert has taken away or brought back. */
  function learnRevert({ kind, entity_id: id, action }: Fields): void {
    const collection = COLLECTIONS[String(kind)] ?? '';
    if (action === 'delete') remove(collection, id);
    if (action === 'restore') add(collection, Number(id));
  }

  function learnPage(operationId: string, target: string, body: Fields): void {
    const [name, next] = 'next' in body ? ['since', body['next']] : ['cursor', body['next_cursor']];
    if (typeof next !== 'string') return;
    const query = (target.split('?')[1] ?? '').replace(new RegExp(`(^|&)${name}=[^&]*`), '');
    add(pagesOf(operationId), `${query}&${name}=${encodeURIComponent(next)}`);
  }

  function learnBody({ operationId, sendable: { target, json: sent } }: Told, body: Fields): void {
    if (operationId === 'uploadPhoto') add('menu_photos', String(body['filename']));
    if (operationId === 'createSuggestion') add('open suggestions', Number(body['id']));
    if (operationId === 'convertSuggestion') remove('open suggestions', body['suggestion_id']);
    if (operationId === 'mergeRestaurants' && isFields(sent))
      for (const id of elementsOf(sent['from'])) remove('restaurants', id);
    if (operationId === 'setSuggestionStatus' && body['status'] === 'rejected')
      remove('open suggestions', body['id']);
    if (operationId === 'revertChange') learnRevert(body);
    if (operationId === 'revertBatch') add('batches', Number(body['id']));
    if (operationId === 'importFile' && body['batch_id'] !== null) add('batches', Number(body['batch_id']));
    learnPage(operationId, target, body);
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
