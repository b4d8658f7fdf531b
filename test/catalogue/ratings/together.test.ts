import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { field } from '../../support/client.ts';
import { readScrape, valueOf } from '../../support/exposition.ts';
import { readStored } from '../../support/people.ts';
import { type RawAnswer, sendTogether } from '../../support/raw.ts';
import { startService } from '../../support/service.ts';
import { ratingOf } from '../../support/world.ts';

// A client has at most 32 requests under way.
const RATINGS = 30;

/** Posts all bodies at once, each on a connection of its own; the answers are in their order. */
function postTogether(port: number, path: string, bodies: readonly object[]): Promise<RawAnswer[]> {
  const requests = bodies.map((body) => ({ line: `POST /api${path}`, body: JSON.stringify(body) }));
  return sendTogether(port, requests);
}

describe('POSTs that arrive together', () => {
  test(`store ${RATINGS} ratings, but for those of no restaurant`, async (t) => {
    const { api, port, folder } = await startService(t);
    await api.post('/restaurants', { name: 'Chez Nous' });
    const isStray = (index: number): boolean => index % 5 === 3;
    const indexes = Array.from({ length: RATINGS }, (_, index) => index);
    const bodies = indexes.map((index) => ratingOf(isStray(index) ? 999 : 1, `Number ${index}`));
    const answers = await postTogether(port, '/ratings', bodies);
    assert.deepEqual(
      answers.map(({ status }) => status),
      indexes.map((index) => (isStray(index) ? 404 : 201)),
    );
    const made: unknown[] = answers
      .filter(({ status }) => status === 201)
      .map(({ body }): unknown => JSON.parse(body));
    const answered = made
      .map((rating) => ({ id: Number(field(rating, 'id')), comment: field(rating, 'comment') }))
      .sort((one, other) => one.id - other.id);
    assert.deepEqual(readStored(folder, 'SELECT id, comment FROM ratings ORDER BY id'), answered);
    const average = field((await api.get('/restaurants/1')).body, 'avg_rating');
    assert.equal(field(average, 'count'), made.length);
    const scrape = readScrape(String((await api.get('/metrics')).body));
    const commits = valueOf(scrape, 'catalogue_database_commits_total');
    assert.ok(commits >= 2 && commits <= 1 + made.length, String(commits));
  });

  test('make a restaurant once, and name it to the second', async (t) => {
    const { port } = await startService(t);
    const body = { name: 'Chez Nous', address: '1 High Street' };
    const answers = await postTogether(port, '/restaurants', [body, body, { name: 'Other' }]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 201, 409]);
    const [made] = answers
      .filter(({ status }) => status === 201)
      .map(({ body: text }): unknown => JSON.parse(text));
    const refused = answers.find(({ status }) => status === 409)?.body ?? '';
    assert.match(refused, new RegExp(`already exists.*id ${String(field(made, 'id'))}\\b`));
  });
});
