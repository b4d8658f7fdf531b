import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createRestaurants } from '../support/catalogue.ts';
import { runCommand, startCommand } from '../support/cli.ts';
import { startService, temporaryFolder } from '../support/service.ts';

interface Left {
  readonly code: number | null;
  readonly err: string;
}

/** Runs a command whose reader has left before the first line; `leaves` names the outputs that no one reads. */
function runUnread(
  args: readonly string[],
  DATA_DIR: string,
  { input = '', leaves = ['stdout'] }: { input?: string; leaves?: readonly ('stdout' | 'stderr')[] } = {},
): Promise<Left> {
  const child = startCommand(args, { variables: { DATA_DIR } });
  for (const name of leaves) child[name].destroy();
  let err = '';
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  child.stdin.end(input);
  return new Promise((resolve) => {
    child.on('close', (code) => {
      resolve({ code, err: err.replace(/^Data folder: .*\n/, '') });
    });
  });
}

const PRINTING: readonly (readonly string[])[] = [
  ['--help'],
  ['check'],
  ['doctor'],
  ['changes'],
  ['changes', '--follow'],
  ['user', 'list'],
  ['export', '-', '--format', 'ndjson'],
];

describe('a command whose reader has left', () => {
  test('ends quietly', async (t) => {
    const { api, folder, stop } = await startService(t);
    await createRestaurants(api, [{ name: 'Chez Nous' }, { name: 'Bar B' }]);
    await stop();
    for (const args of PRINTING)
      assert.deepEqual(await runUnread(args, folder), { code: 0, err: '' }, args.join(' '));
  });

  test('completes its work when it changes data', async (t) => {
    const folder = temporaryFolder(t);
    const rows = Array.from({ length: 1_000 }, (_, index) => (index % 2 === 0 ? `R ${index}` : 'R 0'));
    const input = ['name', ...rows, ''].join('\n');
    const { code } = await runUnread(['import', '-', '--format', 'csv'], folder, {
      input,
      leaves: ['stdout', 'stderr'],
    });
    assert.equal(code, 1);
    const { out } = await runCommand(['export', '-', '--format', 'csv'], { variables: { DATA_DIR: folder } });
    assert.equal(out.trimEnd().split('\r\n').length, 1 + 500);
  });

  test('fails when what it prints cannot be stored', async (t) => {
    const { code, err } = await runCommand(['--help'], {
      cwd: temporaryFolder(t),
      under: ['sh', '-c', '"$0" "$@" >/dev/full'],
    });
    assert.deepEqual([code, err.includes('ENOSPC')], [1, true]);
  });
});
