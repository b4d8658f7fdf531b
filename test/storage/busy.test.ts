import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { headerValues } from '../support/client.ts';
import { readStored } from '../support/people.ts';
import { sendTogether } from '../support/raw.ts';
import { startService } from '../support/service.ts';
import { longTest } from '../support/size.ts';
import { holdWriteLock } from '../support/write-lock.ts';

describe('while another process writes', () => {
  longTest('reads are answered, and writes wait and are stored', async (t) => {
    const { api, port, folder } = await startService(t);
    const release = holdWriteLock(t, folder);
    let isReleased = false;
    const names = Array.from({ length: 5 }, (_, index) => `Kind ${index}`);
    const writes = names.map((name) => ({ line: 'POST /api/categories', body: JSON.stringify({ name }) }));
    const answering = sendTogether(port, writes).then((answers) => ({
      answers,
      isReleased,
    }));
    const reads: number[] = [];
    while (reads.length < 60)
      for (const path of ['/health', '/categories', '/search?q=a']) reads.push((await api.get(path)).status);
    isReleased = true;
    release();
    const { answers, isReleased: haveWaited } = await answering;
    assert.deepEqual([...new Set(reads)], [200]);
    assert.deepEqual([haveWaited, answers.map(({ status }) => status)], [true, Array.from(names, () => 201)]);
    assert.deepEqual(
      readStored(folder, "SELECT name FROM categories WHERE name LIKE 'Kind %' ORDER BY name"),
      names.map((name) => ({ name })),
    );
  });

  longTest(
    'a write that has waited for five seconds is 503 with Retry-After, and nothing of it is stored',
    async (t) => {
      const { api, folder } = await startService(t);
      const release = holdWriteLock(t, folder);
      const late = await api.post('/categories', { name: 'Late' });
      assert.deepEqual([late.status, late.body], [503, { error: 'Storage is busy. Please try again.' }]);
      assert.deepEqual(headerValues(late, 'Retry-After'), ['1']);
      release();
      assert.equal((await api.post('/categories', { name: 'Late' })).status, 201);
    },
  );
});
