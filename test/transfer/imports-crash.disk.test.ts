import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { startServerProcess } from '../support/cli.ts';
import { importText, spooled } from '../support/imports.ts';
import { readStored } from '../support/people.ts';
import { temporaryFolder } from '../support/service.ts';
import { until } from '../support/until.ts';

describe('what a crash leaves of an import', () => {
  test('is a batch of what was stored, which can be undone', async (t) => {
    const DATA_DIR = join(temporaryFolder(t), 'data');
    const killed = await startServerProcess(t, { DATA_DIR });
    const rows = Array.from({ length: 50_000 }, (_, index) => `R ${index}\n`).join('');
    const answer = importText(killed.api, `name\n${rows}`).catch(() => undefined);
    const count = (): number => readStored(DATA_DIR, 'SELECT 1 FROM restaurants').length;
    await until(() => count() > 0);
    killed.process.kill('SIGKILL');
    await Promise.all([answer, killed.ended]);
    assert.equal(spooled(DATA_DIR).length, 1);
    const { api } = await startServerProcess(t, { DATA_DIR });
    assert.deepEqual([spooled(DATA_DIR), count() > 0], [[], true]);
    assert.equal((await api.post('/batches/1/revert', {})).status, 200);
    assert.equal(count(), 0);
  });
});
