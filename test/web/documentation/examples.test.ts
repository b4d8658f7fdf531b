import assert from 'node:assert/strict';
import { type TestContext, describe, test } from 'node:test';
import { field } from '../../support/client.ts';
import { type Fields, type Operation, isFields, readDescription } from '../../support/description.ts';
import { importText } from '../../support/imports.ts';
import { SAME_ORIGIN } from '../../support/own-page.ts';
import { LOCAL, changeStored, makeAdmin, signUp } from '../../support/people.ts';
import { upload } from '../../support/photos.ts';
import { type Service, startService } from '../../support/service.ts';
import { longTest } from '../../support/size.ts';

const { operation, operations, entries, resolve } = readDescription();
// Refresh tokens and cursors are valid only at the service that issued them.
const WITHOUT_WORKING_EXAMPLE = [
  'refreshSession',
  // Links are valid only where they were made.
  'resetPassword',
  'checkInvitation',
  'joinShared',
  'voteByLink',
  // An outing is at most 60 days ahead.
  'createOuting',
  'closeOuting',
  'vote',
  'getShared include',
  'getShared format',
  'listUsers cursor',
  'listBatches cursor',
  'listDuplicates cursor',
  'pageRestaurants cursor',
  'listVisits cursor',
  'listOutings cursor',
  'getRestaurantHistory since',
];
// What mode none refuses.
const FOR_ACCOUNTS = /^\/api\/(?:auth\/|invitations|users\/.*\/password-reset)/;
const STREAM = 'text/event-stream';

interface Example {
  readonly name: string;
  readonly value: unknown;
}

function jsonExamples({ fields }: Operation): Example[] {
  if (fields['requestBody'] === undefined) return [];
  const { content } = resolve(fields['requestBody']);
  const [, media] = entries(content).find(([type]) => type === 'application/json') ?? [];
  if (!media) return [];
  const several = entries(media['examples']).map(([name, { value }]) => ({ name, value }));
  return several.length > 0 ? several : [{ name: 'its example', value: media['example'] }];
}

function exampleOf(operationId: string): unknown {
  return jsonExamples(operation(operationId))[0]?.value;
}

function pathOf({ path, parameters }: Operation): string {
  return path.replaceAll(/\{(\w+)\}/g, (_template, wanted: string) =>
    String(parameters.find(({ name }) => name === wanted)?.['example']),
  );
}

/** Whether the answer of an operation ends: a stream has the same query as the list, and does not. */
function ends({ fields }: Operation): boolean {
  const { content } = resolve(resolve(fields['responses'])['200'] ?? {});
  return !isFields(content) || content[STREAM] === undefined;
}

function statusesOf({ fields }: Operation): string[] {
  const { responses } = fields;
  return isFields(responses) ? Object.keys(responses).filter((status) => status.startsWith('2')) : [];
}

/** A new service with the records that a path names, created by the examples of their own operations. */
async function serviceFor(t: TestContext, { path }: Operation): Promise<Service> {
  const service = await startService(t);
  const make = async (at: string, operationId: string): Promise<void> => {
    assert.equal((await service.api.post(at, exampleOf(operationId))).status, 201);
  };
  if (path.startsWith('/api/users/'))
    changeStored(
      service.folder,
      `INSERT INTO users (id, email, email_key, username, username_key, created_at, updated_at)
       VALUES (2, 'ada@example.com', 'ada@example.com', 'ada', 'ada', '2026-01-31T18:05:09.123Z', '2026-01-31T18:05:09.123Z')`,
    );
  if (path.startsWith('/api/batches/')) await makeBatch(service);
  if (/^\/api\/(changes|ratings|photos|lists|visits|duplicates|restaurants\/|suggestions\/)/.test(path))
    await make('/restaurants', 'createRestaurant');
  if (/^\/api\/duplicates\/|\/merge$/.test(path))
    assert.equal((await service.api.post('/restaurants', { name: 'Duplicate' })).status, 201);
  if (path.endsWith('/purge')) assert.equal((await service.api.delete('/restaurants/1')).status, 204);
  // The second, as in the examples: its id is from the same sequence as that of the restaurant.
  if (path.startsWith('/api/suggestions/')) await make('/suggestions', 'createSuggestion');
  if (path.startsWith('/api/photos/')) await upload(service.api);
  if (path === '/api/lists/{id}') await make('/lists', 'createList');
  if (path.startsWith('/api/visits/')) await make('/visits', 'createVisit');
  if (path.startsWith('/api/ratings/')) await make('/ratings', 'createRating');
  return service;
}

async function makeBatch({ api }: Service): Promise<void> {
  assert.equal((await importText(api, 'name\nChez Nous\n')).status, 200);
}

/** The token of the user whom the example of `register` registers. */
async function registered({ api }: Service): Promise<Record<string, string>> {
  const answer = await api.post('/auth/register', exampleOf('register'));
  assert.equal(answer.status, 201);
  return { Authorization: `Bearer ${String(field(answer.body, 'access_token'))}` };
}

async function anAdministrator(service: Service): Promise<Record<string, string>> {
  const chef = await signUp(service, 'chef');
  makeAdmin(service, chef);
  return { Authorization: `Bearer ${chef.accessToken}` };
}

async function send(
  service: Service,
  one: Operation,
  value: unknown,
  own: Readonly<Record<string, string>> = {},
): Promise<void> {
  const answer = await service.api.send(pathOf(one), {
    method: one.method,
    headers: { 'Content-Type': 'application/json', ...own },
    body: JSON.stringify(value),
  });
  assert.ok(statusesOf(one).includes(String(answer.status)), JSON.stringify(answer.body));
}

const all = operations
  .filter(({ operationId }) => !WITHOUT_WORKING_EXAMPLE.includes(operationId))
  .flatMap((one) => jsonExamples(one).map((example) => ({ one, example })));

describe('the request examples', () => {
  test('exist', () => {
    assert.ok(all.length > 12);
  });

  for (const { one, example } of all.filter(({ one }) => !FOR_ACCOUNTS.test(one.path)))
    longTest(`work as they are: ${one.operationId}, ${example.name}`, async (t) => {
      await send(await serviceFor(t, one), one, example.value);
    });

  for (const { one, example } of all.filter(({ one }) => FOR_ACCOUNTS.test(one.path)))
    test(`work as they are with accounts: ${one.operationId}, ${example.name}`, async (t) => {
      const service = await startService(t, LOCAL);
      const registrant = one.operationId === 'register' ? {} : await registered(service);
      const caller = one.path.startsWith('/api/auth/') ? registrant : await anAdministrator(service);
      await send(service, one, example.value, { ...SAME_ORIGIN, ...caller });
    });

  // Places need a provider, and sign-ins with a provider need a browser.
  const reading = operations.filter(
    (one) =>
      one.method === 'GET' &&
      ends(one) &&
      !/^\/api\/(auth|places|geocode)\//.test(one.path) &&
      one.parameters.some((parameter) => parameter['in'] === 'query'),
  );
  longTest('work as they are in a query', async (t) => {
    const services = new Map<string, Service>();
    for (const one of reading) {
      // Reading changes nothing, so that those which need the same records share a service.
      const records = `${one.path.split('/{', 1).join()} ${one.path.includes('{') ? 'with an id' : ''}`;
      const service = services.get(records) ?? (await serviceFor(t, one));
      services.set(records, service);
      const query = one.parameters.filter(
        (parameter) =>
          parameter['in'] === 'query' &&
          !WITHOUT_WORKING_EXAMPLE.includes(`${one.operationId} ${String(parameter['name'])}`),
      );
      for (const parameter of query) {
        const sent = query.filter(
          (other) => other === parameter || other['required'] === true || goesWith(parameter, other),
        );
        const pairs = sent.map(
          ({ name, example }) => `${String(name)}=${encodeURIComponent(String(example))}`,
        );
        const address = `${pathOf(one)}?${pairs.join('&')}`;
        const { status, body } = await service.api.send(address, {});
        assert.equal(status, 200, `${address}: ${JSON.stringify(body)}`);
      }
    }
  });
});

/** Whether one parameter has no meaning without the other. */
function goesWith(one: Fields, other: Fields): boolean {
  const near = ['lat', 'lng', 'radius'];
  const of = ['entity_id', 'kind'];
  const open = ['open_at', 'open_strict'];
  const log = ['batches', 'order'];
  return [near, of, open, log].some((names) =>
    [one, other].every(({ name }) => names.includes(String(name))),
  );
}
