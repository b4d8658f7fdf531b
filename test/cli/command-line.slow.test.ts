import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import type { Command } from '../../src/cli/command.ts';
import { CHECKOUT } from '../support/checkout.ts';
import { importOn, madeIn, runCommand } from '../support/cli.ts';
import { textOf } from '../support/client.ts';
import { temporaryFolder } from '../support/service.ts';

const COMMANDS: Readonly<Record<string, () => Promise<{ readonly command: Command }>>> = {
  serve: () => import('../../src/cli/serve.ts'),
  migrate: () => import('../../src/cli/migrate.ts'),
  import: () => import('../../src/cli/import.ts'),
  export: () => import('../../src/cli/export.ts'),
  changes: () => import('../../src/cli/changes.ts'),
  revert: () => import('../../src/cli/revert.ts'),
  backup: () => import('../../src/cli/backup.ts'),
  restore: () => import('../../src/cli/restore.ts'),
  check: () => import('../../src/cli/check.ts'),
  user: () => import('../../src/cli/user.ts'),
  healthcheck: () => import('../../src/cli/healthcheck.ts'),
  doctor: () => import('../../src/cli/doctor.ts'),
};

describe('catalogue', () => {
  test('lists its commands with --help, and explains each of them', async () => {
    const overview = await runCommand(['--help']);
    assert.deepEqual([overview.code, overview.err], [0, '']);
    assert.deepEqual(await runCommand(['help']), overview);
    for (const [name, load] of Object.entries(COMMANDS)) {
      const { command } = await load();
      assert.ok(command.help.startsWith('Usage: catalogue ') && command.help.includes(name), command.help);
      assert.ok(overview.out.includes(`\n  ${name.padEnd(11)}  ${command.summary}\n`), name);
    }
    const out = `${(await import('../../src/cli/import.ts')).command.help}\n`;
    for (const args of [['import', '--help'], ...['help', '--help', '-h'].map((word) => [word, 'import'])])
      assert.deepEqual(await runCommand(args), { code: 0, out, err: '' });
  });

  test('prints the version of package.json', async () => {
    const manifest: unknown = JSON.parse(readFileSync(new URL('package.json', CHECKOUT), 'utf8'));
    const out = `${textOf(manifest, 'version')}\n`;
    assert.deepEqual(await runCommand(['--version']), { code: 0, out, err: '' });
  });

  const wrong: readonly [readonly string[], RegExp][] = [
    [['--help', 'frobnicate'], /^unknown command "frobnicate"; see: catalogue --help\n$/],
    [['help', 'import', 'export'], /^help takes one command; see: catalogue --help\n$/],
    [['frobnicate'], /^unknown command "frobnicate"; see: catalogue --help\n$/],
    [['--frobnicate'], /^Unknown option '--frobnicate'[^\n]*; see: catalogue serve --help\n$/],
    [['import'], /^import takes one file; see: catalogue import --help\n$/],
    [['doctor', 'now'], /^Unexpected argument 'now'[^\n]*; see: catalogue doctor --help\n$/],
  ];
  test('refuses wrong usage in one line with exit code 2', async (t) => {
    const variables = { DATA_DIR: temporaryFolder(t) };
    const answers = await Promise.all(wrong.map(([args]) => runCommand(args, { variables })));
    for (const [index, { code, err }] of answers.entries()) {
      assert.equal(code, 2, err);
      assert.match(err, wrong[index]?.[1] ?? /^$/);
    }
  });

  test('has commands that refuse what they do not take', async () => {
    const refused: readonly [string, readonly string[], RegExp][] = [
      ['import', ['a.csv', 'b.csv'], /^import takes one file$/],
      ['import', ['a.csv', '--format', 'xlsx'], /^unknown format "xlsx"/],
      [
        'export',
        ['a.csv', '--format', 'xml'],
        /^unknown format "xml": it must be csv, ndjson, geojson, kml$/,
      ],
      ['user', [], /^user takes list, or an action and an email$/],
      ['user', ['promote', 'a@example.com'], /^user takes list, or an action and an email$/],
      ['user', ['create'], /^user create takes one email$/],
      ['user', ['list', 'a@example.com'], /^user list takes no email$/],
      ['migrate', ['now'], /^Unexpected argument 'now'/],
    ];
    for (const [name, args, message] of refused) {
      const loaded = await COMMANDS[name]?.();
      await assert.rejects(async () => loaded?.command.run([...args]), { message });
    }
  });

  test('makes a new database once when two commands begin it together', async (t) => {
    const DATA_DIR = temporaryFolder(t);
    const ended = await Promise.all(['A', 'B'].map((name) => importOn(DATA_DIR, `name\n${name}\n`)));
    assert.deepEqual(
      ended.map(({ code }) => code),
      [0, 0],
    );
    const said = 'read as csv\n';
    assert.deepEqual(ended.map(({ err }) => err).toSorted(), [madeIn(DATA_DIR) + said, said]);
  });
});
