import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { runCommand } from '../support/cli.ts';
import { array, field } from '../support/client.ts';
import { countsOf, importText } from '../support/imports.ts';
import { startService, temporaryFolder } from '../support/service.ts';
import { longTest } from '../support/size.ts';

const SCORES = { food_rating: 5, service_rating: 4, ambiance_rating: 3 };

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

  longTest('outside of these years are left out, and the places go in', async (t) => {
    const { api } = await startService(t);
    const rows = [
      { name: 'Early', created_at: '1969-12-31T23:59:59.999Z' },
      { name: 'Late', updated_at: '+010000-01-01T00:00:00.000Z' },
      { name: 'Rated', ratings: [{ ...SCORES }, { ...SCORES, food_rating: 6 }] },
      { name: 'Nonsense', created_at: 'yesterday', updated_at: 'table 12' },
      { name: 'Fine' },
    ];
    const { body } = await importText(api, rows.map((row) => JSON.stringify(row)).join('\n'));
    assert.deepEqual(countsOf(body), [5, 0, 0, 0, 0]);
    const notes = array(field(body, 'left_out')).map((note) =>
      ['field', 'reason', 'count', 'line'].map((name) => field(note, name)),
    );
    assert.deepEqual(notes, [
      ['created_at', 'out_of_range', 1, 1],
      ['updated_at', 'not_a_moment', 2, 2],
      ['ratings', 'not_valid', 1, 3],
      ['created_at', 'not_a_moment', 1, 4],
    ]);
  });
});
