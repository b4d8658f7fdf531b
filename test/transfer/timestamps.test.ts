import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { runCommand } from '../support/cli.ts';
import { array, field } from '../support/client.ts';
import { startService, temporaryFolder } from '../support/service.ts';
import { longTest } from '../support/size.ts';

const SCORES = { food_rating: 5, service_rating: 4, ambiance_rating: 3 };
const OUTSIDE = 'must be between 1970-01-01 and 9999-12-31';

describe('timestamps of an import', () => {
  longTest('are stored from the first day of 1970 to the last of 9999', async (t) => {
    const DATA_DIR = temporaryFolder(t);
    const [first, last] = ['1970-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z'];
    const input = JSON.stringify({
      name: 'Chez Nous',
      created_at: first,
      updated_at: last,
      ratings: [{ ...SCORES, created_at: first }],
    });
    const { code } = await runCommand(['import', '-', '--format', 'ndjson'], {
      variables: { DATA_DIR },
      input,
    });
    assert.equal(code, 0);
    const { api } = await startService(t, { DATA_DIR });
    const { body } = await api.get('/restaurants/1');
    assert.deepEqual([field(body, 'created_at'), field(body, 'updated_at')], [first, last]);
    const [rating] = array((await api.get('/restaurants/1/ratings')).body);
    assert.equal(field(rating, 'created_at'), first);
  });

  longTest('outside of these years are refused, each with its line, and the other lines go in', async (t) => {
    const rows = [
      { name: 'Early', created_at: '1969-12-31T23:59:59.999Z' },
      { name: 'Late', updated_at: '+010000-01-01T00:00:00.000Z' },
      { name: 'Both', created_at: '-000001-01-01T00:00:00Z', updated_at: '1960-01-01' },
      {
        name: 'Rated',
        ratings: [{ ...SCORES }, { ...SCORES, food_rating: 6, created_at: '1900-01-01T00:00:00Z' }],
      },
      { name: 'Nonsense', created_at: 'yesterday', updated_at: 5 },
      { name: 'Fine' },
    ];
    const { code, out, err } = await runCommand(['import', '-', '--format', 'ndjson'], {
      variables: { DATA_DIR: temporaryFolder(t) },
      input: rows.map((row) => JSON.stringify(row)).join('\n'),
    });
    assert.equal(code, 1);
    assert.match(out, /1 created, 0 updated, 0 unchanged, 5 failed/);
    assert.deepEqual(
      err.split('\n').filter((line) => line.startsWith('line ')),
      [
        `line 1: created_at ${OUTSIDE}`,
        `line 2: updated_at ${OUTSIDE}`,
        `line 3: created_at ${OUTSIDE}; updated_at ${OUTSIDE}`,
        `line 4: rating 2: created_at ${OUTSIDE}; rating 2: food_rating must be an integer from 1 to 5`,
        'line 5: created_at must be a timestamp; updated_at must be a timestamp',
      ],
    );
  });
});
