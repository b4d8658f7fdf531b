import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runCommand } from '../../support/cli.ts';
import { textOf } from '../../support/client.ts';
import { fuzz } from '../../support/fuzzer.ts';
import { LOCAL, makeAdmin, signUp } from '../../support/people.ts';
import { startService } from '../../support/service.ts';
import { SEED, scaled } from '../../support/size.ts';

// In each mode.
const REQUESTS = scaled(1_000);
const MOST_GROWTH_MB = 150;

describe(`requests made of the description (seed ${SEED})`, () => {
  for (const mode of ['none', 'local'])
    test(`are answered as it says, valid and broken ones, ${REQUESTS} of them in mode ${mode}`, async (t) => {
      const settings = { ...LOCAL, LOG_LEVEL: 'error' };
      const before = await startService(t, settings);
      const account = await signUp(before, 'guest');
      const admin = await signUp(before, 'fuzzer');
      makeAdmin(before, admin);
      await before.stop();
      const service = await startService(t, { ...settings, AUTH_MODE: mode, DATA_DIR: before.folder });
      const person = mode === 'local' ? admin : undefined;
      // The batch that is read and undone.
      const variables = { DATA_DIR: service.folder };
      const input = 'name\nChez Nous\nTrattoria\n';
      assert.equal((await runCommand(['import', '-', '--format', 'csv'], { variables, input })).code, 0);
      // An access token is valid for 15 minutes, and a long run may take longer.
      const newToken = async (): Promise<string> => {
        if (!person) return 'no-token-is-looked-at';
        const { email, password } = person;
        return textOf((await service.api.post('/auth/login', { email, password })).body, 'access_token');
      };
      const options = { port: service.port, seed: SEED, hasAccounts: mode === 'local', account, newToken };

      const report = await fuzz(t, REQUESTS, options);

      const problems = report.problems();
      const memory = report.memory();
      t.diagnostic(`${report.sent()} requests, RSS in MB: ${memory.join(' ')}`);
      assert.ok(problems.length === 0, [`seed ${SEED}`, ...problems].join('\n'));
      assert.deepEqual(service.logs, []);
      // Some seeds meet more of what cannot be had without accounts than others.
      assert.ok(report.goodShare() >= 0.8, report.table());
      // A single measurement may come before freed pages are returned.
      const grown = Math.min(...memory.slice(-2)) - (memory[0] ?? 0);
      assert.ok(grown < MOST_GROWTH_MB, `RSS in MB: ${memory.join(' ')}`);
      assert.equal(Reflect.get({}, 'polluted'), undefined);
    });
});
