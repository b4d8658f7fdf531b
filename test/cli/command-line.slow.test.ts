import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { CHECKOUT } from '../support/checkout.ts';
import { importOn, madeIn, runCommand } from '../support/cli.ts';
import { textOf } from '../support/client.ts';
import { temporaryFolder } from '../support/service.ts';

const COMMANDS = [
  ...['serve', 'migrate', 'import', 'export', 'changes', 'revert', 'backup', 'restore', 'check', 'user'],
  ...['healthcheck', 'doctor', 'proxy-config'],
];

describe('catalogue', () => {
  test('lists its commands with --help', async () => {
    const { code, out, err } = await runCommand(['--help']);
    assert.deepEqual([code, err], [0, '']);
    for (const command of COMMANDS) assert.match(out, new RegExp(`^  ${command} `, 'm'));
  });

  test('explains each command with --help', async () => {
    const answers = await Promise.all(COMMANDS.map((command) => runCommand([command, '--help'])));
    for (const [index, { code, out, err }] of answers.entries()) {
      assert.deepEqual([code, err], [0, '']);
      assert.ok(out.startsWith('Usage: catalogue ') && out.includes(COMMANDS[index] ?? ''), out);
    }
  });

  test('explains a command after help too', async () => {
    for (const word of ['help', '--help', '-h'])
      assert.deepEqual(await runCommand([word, 'import']), await runCommand(['import', '--help']));
    assert.deepEqual(await runCommand(['help']), await runCommand(['--help']));
  });

  test('prints the version of package.json', async () => {
    const manifest: unknown = JSON.parse(readFileSync(new URL('package.json', CHECKOUT), 'utf8'));
    const out = `${textOf(manifest, 'version')}\n`;
    assert.deepEqual(await runCommand(['--version']), { code: 0, out, err: '' });
  });

  const wrong: readonly [readonly string[], RegExp][] = [
    [['help', 'frobnicate'], /^unknown command "frobnicate"; see: catalogue --help\n$/],
    [['--help', 'frobnicate'], /^unknown command "frobnicate"; see: catalogue --help\n$/],
    [['help', 'import', 'export'], /^help takes one command; see: catalogue --help\n$/],
    [['frobnicate'], /^unknown command "frobnicate"; see: catalogue --help\n$/],
    [['serve', '--frobnicate'], /^Unknown option '--frobnicate'[^\n]*; see: catalogue serve --help\n$/],
    [['--frobnicate'], /^Unknown option '--frobnicate'[^\n]*; see: catalogue serve --help\n$/],
    [['import'], /^import takes one file; see: catalogue import --help\n$/],
    [['import', 'a.csv', 'b.csv'], /^import takes one file; /],
    [['import', 'a.xlsx'], /^cannot tell the format of a\.xlsx by its ending; /],
    [['export', 'a.csv', '--format', 'xml'], /^unknown format "xml": it must be csv, ndjson or geojson; /],
    [['user'], /^user takes list, or an action and an email; see: catalogue user --help\n$/],
    [['user', 'promote', 'a@example.com'], /^user takes list, or an action and an email; /],
    [['user', 'create'], /^user create takes one email; /],
    [['user', 'list', 'a@example.com'], /^user list takes no email; /],
    [['doctor', 'now'], /^Unexpected argument 'now'[^\n]*; see: catalogue doctor --help\n$/],
    [['migrate', 'now'], /^Unexpected argument 'now'[^\n]*; see: catalogue migrate --help\n$/],
  ];
  test('refuses wrong usage in one line with exit code 2', async (t) => {
    const variables = { DATA_DIR: temporaryFolder(t) };
    const answers = await Promise.all(wrong.map(([args]) => runCommand(args, { variables })));
    for (const [index, { code, err }] of answers.entries()) {
      assert.equal(code, 2, err);
      assert.match(err, wrong[index]?.[1] ?? /^$/);
    }
  });

  test('makes a new database once when two commands begin it together', async (t) => {
    const DATA_DIR = temporaryFolder(t);
    const ended = await Promise.all(['A', 'B'].map((name) => importOn(DATA_DIR, `name\n${name}\n`)));
    assert.deepEqual(
      ended.map(({ code }) => code),
      [0, 0],
    );
    assert.deepEqual(ended.map(({ err }) => err).toSorted(), ['', madeIn(DATA_DIR)]);
  });
});
