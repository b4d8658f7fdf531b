import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { parseEnv } from 'node:util';
import { readConfig } from '../../../src/config/config.ts';
import { PAGES, codeBlocks, pageText } from '../../support/manual.ts';
import { temporaryFolder } from '../../support/service.ts';

describe('the settings in the manual', () => {
  const known = [...readConfig({}).settings.keys()].sort();
  const blocks = [...PAGES].flatMap(([page, text]) =>
    codeBlocks(text, 'ini')
      .filter((block) => /^[A-Z_]+=/.test(block))
      .map((block): [string, string] => [page, block]),
  );

  test('are accepted as a .env file', (t) => {
    assert.ok(blocks.length > 3);
    const folder = temporaryFolder(t);
    writeFileSync(join(folder, 'paris.pmtiles'), '');
    const secret = randomBytes(32).toString('hex');
    for (const [page, block] of blocks) {
      const settings = parseEnv(block.replaceAll('…', secret).replaceAll('/srv/', `${folder}/`));
      for (const name of Object.keys(settings)) assert.ok(known.includes(name), `${page}: ${name}`);
      const result = readConfig(settings);
      assert.deepEqual(result.ok ? [] : result.faults, [], `${page}\n${block}`);
    }
  });

  test('have a row in configure.md each, and no other names have one', () => {
    const rows = [...pageText('configure.md').matchAll(/^\| ((?:`[A-Z_]+`(?:, )?)+) \|/gm)];
    const documented = rows.flatMap(([, names = '']) => names.replaceAll('`', '').split(', '));
    const [secrets = ''] = /This holds for ([^.]*)\./.exec(pageText('configure.md')) ?? [];
    const files = [...secrets.matchAll(/`([A-Z_]+)`/g)].map(([, name = '']) => `${name}_FILE`);
    assert.deepEqual([...documented, ...files].sort(), known);
  });
});
