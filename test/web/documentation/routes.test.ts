import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Route } from '../../../src/http/router.ts';
import {
  type Operation,
  elementsOf,
  isFields,
  patternOf,
  readDescription,
} from '../../support/description.ts';
import { startService } from '../../support/service.ts';

const description = readDescription();
const { entries, resolve } = description;
const RATE_LIMIT = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];

/** The facts of an operation in both the route table and the description, in the same form. */
interface Known {
  readonly operation: string;
  readonly access: string;
  readonly parameters: readonly string[];
  readonly body: string;
  readonly limit: string;
}

function knownOfRoute(route: Route): Known {
  const knowsCaller = route.credentials.some((one) => one === 'session' || one === 'apiToken');
  const names = [...route.pattern.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  const bodies = {
    none: 'none',
    json: 'application/json, required',
    jsonOrEmpty: 'application/json, optional',
    multipart: 'multipart/form-data, required',
  };
  return {
    operation: `${route.method} ${route.pattern} ${route.operationId}`,
    access: route.access === 'public' ? (knowsCaller ? 'anybody, or a user' : 'anybody') : 'a user',
    parameters: names,
    body: bodies[route.body],
    limit: isMisplaced(route) ? 'misplaced' : limitOfRoute(route),
  };
}

function limitOfRoute({ answers, limit }: Route): string {
  if (answers !== 'public') return 'private';
  return limit === 'files' ? 'api' : limit;
}

/** Whether a route has the limit of other paths. Files have the same headers as the rest, so only their place can be checked. */
function isMisplaced({ limit, method, pattern }: Route): boolean {
  if (limit === 'files')
    return (
      method !== 'GET' ||
      !/^\/(?:api\/(?:docs|uploads|shared\/|swagger\.yaml|app-config|changes\/stream)|tiles\/|feeds\/)/.test(
        pattern,
      )
    );
  return limit === 'auth' && !pattern.startsWith('/api/auth/');
}

function knownOfOperation({ operationId, method, path, fields, parameters }: Operation): Known {
  const inPath = parameters.filter((one) => one['in'] === 'path' && one['required'] === true);
  return {
    operation: `${method} ${patternOf(path)} ${operationId}`,
    access: accessOf(fields['security']),
    parameters: inPath.map(({ name }) => String(name)),
    body: bodyOf(fields['requestBody']),
    limit: limitOf(fields['responses']),
  };
}

function accessOf(security: unknown): string {
  const names = elementsOf(security).map((one) => Object.keys(resolve(one)).join());
  const known = new Map([
    ['', Array.isArray(security) && security.length === 0 ? 'anybody' : 'unknown'],
    ['|bearer', 'anybody, or a user'],
    ['bearer', 'a user'],
  ]);
  return known.get(names.join('|')) ?? 'unknown';
}

function bodyOf(requestBody: unknown): string {
  if (requestBody === undefined) return 'none';
  const { content, required } = resolve(requestBody);
  const types = entries(content).map(([type]) => type);
  return `${types.join()}, ${required === true ? 'required' : 'optional'}`;
}

/** The class of limits to which the headers of all answers point. */
function limitOf(responses: unknown): string {
  const found = entries(responses).map(([status, { headers }]) => {
    const names = entries(headers).map(([name]) => name);
    const limits = RATE_LIMIT.filter((name) => names.includes(name)).length;
    if (limits === 0) return 'exempt';
    if (limits < RATE_LIMIT.length) return `some limit headers with ${status}`;
    return names.includes('Cache-Control') ? 'limited, with Cache-Control' : 'limited';
  });
  const classes = [...new Set(found)];
  const refuses = isFields(responses) && '429' in responses;
  if (classes.length === 1 && classes[0] === 'limited, with Cache-Control' && refuses) return 'private';
  if (classes.every((one) => one.startsWith('limited')) && refuses) return 'api';
  return classes.join() === 'exempt' && !refuses
    ? 'exempt'
    : `${classes.join(' | ')}, 429: ${String(refuses)}`;
}

function byOperation(known: readonly Known[]): Known[] {
  return known.toSorted((a, b) => (a.operation < b.operation ? -1 : 1));
}

describe('the route table and the description', () => {
  test('have the same operations, with the same access, body and limits', async (t) => {
    const { routes } = await startService(t);
    const served = byOperation(routes.map(knownOfRoute));
    const described = byOperation(description.operations.map(knownOfOperation));
    const names = (known: readonly Known[]): string[] => known.map(({ operation }) => operation);
    assert.deepEqual({ missing: without(names(served), names(described)) }, { missing: [] });
    assert.deepEqual({ surplus: without(names(described), names(served)) }, { surplus: [] });
    assert.deepEqual(described, served);
  });

  test('state a 401 where a user is needed, and a 403 where the catalogue is written', async (t) => {
    const { routes } = await startService(t);
    const silent = routes.filter(({ operationId, access }) => {
      const { responses } = description.operation(operationId).fields;
      const statuses = Object.keys(resolve(responses));
      const needed = access === 'public' ? [] : access === 'user' ? ['401'] : ['401', '403'];
      return needed.some((status) => !statuses.includes(status));
    });
    const ids = silent.map(({ operationId }) => operationId);
    assert.deepEqual(ids, []);
  });

  test('state the id of the request with each answer', () => {
    const silent = description.operations.flatMap(({ operationId, fields }) =>
      entries(fields['responses'])
        .filter(([, { headers }]) => {
          const header = isFields(headers) ? headers['X-Request-Id'] : undefined;
          return header === undefined || resolve(header)['required'] !== true;
        })
        .map(([status]) => `${operationId} ${status}`),
    );
    assert.deepEqual(silent, []);
  });
});

function without(names: readonly string[], others: readonly string[]): string[] {
  return names.filter((name) => !others.includes(name));
}
