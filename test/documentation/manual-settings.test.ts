import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { runCommand } from '../support/cli.ts';
import { PAGES, codeBlocks, pageText } from '../support/manual.ts';
import { temporaryFolder } from '../support/service.ts';

describe('the settings in the manual', () => {
  const blocks = [...PAGES].flatMap(([page, text]) =>
    codeBlocks(text, 'ini')
      .filter((block) => /^[A-Z_]+=/.test(block))
      .map((block): [string, string] => [page, block]),
  );

  test('are accepted as a .env file', async (t) => {
    assert.ok(blocks.length > 3);
    for (const [page, block] of blocks) {
      const folder = temporaryFolder(t);
      const secret = randomBytes(32).toString('hex');
      writeFileSync(join(folder, '.env'), block.replaceAll('…', secret).replaceAll('/srv/', `${folder}/`));
      writeFileSync(join(folder, 'paris.pmtiles'), '');
      const { code, err } = await runCommand(['serve', '--print-config'], { cwd: folder });
      assert.deepEqual([code, err], [0, ''], `${page}\n${block}`);
    }
  });

  test('have a row in configure.md each, and no other names have one', async (t) => {
    const { out } = await runCommand(['serve', '--print-config'], { cwd: temporaryFolder(t) });
    const known = [...out.matchAll(/^([A-Z_]+)=/gm)].map(([, name = '']) => name).sort();
    const rows = [...pageText('configure.md').matchAll(/^\| ((?:`[A-Z_]+`(?:, )?)+) \|/gm)];
    const documented = rows.flatMap(([, names = '']) => names.replaceAll('`', '').split(', '));
    const [secrets = ''] = /This holds for ([^.]*)\./.exec(pageText('configure.md')) ?? [];
    const files = [...secrets.matchAll(/`([A-Z_]+)`/g)].map(([, name = '']) => `${name}_FILE`);
    assert.deepEqual([...documented, ...files].sort(), known);
  });
});
