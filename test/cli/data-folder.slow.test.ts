import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, test } from 'node:test';
import { madeIn, runCommand, runOn, startServerProcess } from '../support/cli.ts';
import { linesOf } from '../support/imports.ts';
import { startService, temporaryFolder } from '../support/service.ts';

// Those that work on a catalogue which is there, and never make one.
const READERS: readonly (readonly string[])[] = [
  ['user', 'list'],
  ['user', 'create', 'chef@example.com'],
  ['export', '-', '--format', 'ndjson'],
  ['backup', 'backups/'],
  ['check'],
  ['migrate'],
];
const CODES = /\b(E[A-Z]{3,}|lstat|statx?|mkdir|open|scandir)\b/;

describe('a command in the wrong folder', () => {
  test('refuses to work, says where it looked and how to choose, and makes nothing', async (t) => {
    const cwd = realpathSync(temporaryFolder(t));
    const input = 'a long password of the chef\n';
    for (const args of READERS) {
      const { code, out, err } = await runCommand(args, { cwd, input });
      assert.deepEqual([code, out], [1, ''], args.join(' '));
      assert.equal(
        err,
        `there is no catalogue in ${cwd}/data: catalogue.db is missing (DATA_DIR is not set in the environment, and there is no ${cwd}/.env); ` +
          'set DATA_DIR to the folder that holds it, or run this in the folder of the .env that names it\n',
      );
      assert.deepEqual(readdirSync(cwd), [], args.join(' '));
    }
    const finish = await runCommand(['restore', '--finish'], { cwd });
    assert.equal(finish.out, 'There is no restore to complete.\n');
    assert.deepEqual(readdirSync(cwd), []);
  });

  test('names the .env that was read, and whether it chose the folder', async (t) => {
    const cwd = realpathSync(temporaryFolder(t));
    const reason = async (DATA_DIR?: string): Promise<string> => {
      const chosen = DATA_DIR === undefined ? {} : { variables: { DATA_DIR } };
      const dataFolder = join(cwd, DATA_DIR ?? (chosenByFile ? 'elsewhere' : 'data'));
      const { err } = await runCommand(['check'], { cwd, dataFolder, ...chosen });
      assert.ok(err.startsWith(`there is no catalogue in ${dataFolder}: `), err);
      return /\(([^)]*)\)/.exec(err)?.[1] ?? '';
    };
    let chosenByFile = false;
    writeFileSync(join(cwd, '.env'), 'PORT=0\n');
    assert.equal(await reason(), `DATA_DIR is set neither in the environment nor in ${cwd}/.env`);
    assert.equal(await reason('own'), 'as DATA_DIR in the environment says');
    chosenByFile = true;
    writeFileSync(join(cwd, '.env'), 'DATA_DIR=elsewhere\n');
    assert.equal(await reason(), `as DATA_DIR in ${cwd}/.env says`);
    assert.equal(await reason('own'), 'as DATA_DIR in the environment says');
  });

  test('refuses a database that is empty', async (t) => {
    const DATA_DIR = temporaryFolder(t);
    writeFileSync(join(DATA_DIR, 'catalogue.db'), '');
    const { code, err } = await runOn(DATA_DIR, 'user', 'list');
    assert.deepEqual([code, err], [1, `there is no catalogue: ${DATA_DIR}/catalogue.db is empty\n`]);
  });
});

describe('a new catalogue', () => {
  test('is announced with its whole path by import, and a dry run names the real folder', async (t) => {
    const cwd = realpathSync(temporaryFolder(t));
    const options = { cwd, input: '{"name":"Chez Nous"}\n' };
    const args = ['import', '-', '--format', 'ndjson'];
    const dry = await runCommand([...args, '--dry-run'], options);
    const said = 'read as ndjson\n';
    assert.equal(dry.err, `There is no catalogue in ${cwd}/data yet: the import would make one.\n${said}`);
    assert.equal(existsSync(join(cwd, 'data')), false);
    assert.equal((await runCommand(args, options)).err, madeIn(join(cwd, 'data')) + said);
    assert.equal((await runCommand(args, options)).err, said);
    assert.equal((await runCommand([...args, '--dry-run'], options)).err, said);
  });

  test('is announced by restore where none was before, and by serve as a log line', async (t) => {
    const place = temporaryFolder(t);
    const [first, second] = [join(place, 'first'), join(place, 'second')];
    const server = await startServerProcess(t, { DATA_DIR: first });
    const [made, listening] = linesOf({ body: server.log() });
    assert.deepEqual([made?.['message'], listening?.['message']], ['new catalogue', 'listening']);
    assert.equal(made?.['database'], join(first, 'catalogue.db'));
    const backup = join(place, 'saved');
    assert.equal((await runOn(first, 'backup', backup)).code, 0);
    assert.equal((await runOn(second, 'restore', backup)).err, madeIn(second));
    assert.equal((await runOn(second, 'restore', backup, '--force')).err, '');
    const again = await startService(t, { DATA_DIR: second });
    assert.ok(!JSON.stringify(again.logs).includes('new catalogue'));
  });
});

describe('a data folder that cannot be one', () => {
  const unusable: readonly (readonly [string, string, RegExp])[] = [
    ['a file', 'file', /the data folder \S+file is a file; set DATA_DIR to a folder$/],
    ['below a file', 'file/data', /\S+: a part of this path is a file, not a folder$/],
    ['where no folder can be made', '/proc/nope', /^(cannot make|there is no catalogue).*\/proc/],
  ];
  for (const [title, path, message] of unusable)
    test(`ends every command in one clear line: ${title}`, async (t) => {
      const place = temporaryFolder(t);
      writeFileSync(join(place, 'file'), 'mine');
      mkdirSync(join(place, 'backup'));
      const DATA_DIR = resolve(place, path);
      const writers = [['serve'], ['import', '-', '--format', 'csv'], ['restore', join(place, 'backup')]];
      const commands = [...READERS, ...writers];
      const ended = await Promise.all(
        commands.map((args) => runCommand(args, { variables: { DATA_DIR, PORT: '0' }, input: 'name\nA\n' })),
      );
      for (const [index, { code, err }] of ended.entries()) {
        assert.equal(code, 1, commands[index]?.join(' '));
        assert.match(err, /^[^\n]+\n$/);
        assert.match(err.trimEnd(), message);
        assert.doesNotMatch(err, CODES);
      }
      const { code, out, err } = await runOn(DATA_DIR, 'doctor');
      assert.equal(err, '');
      assert.ok(code === 1 || out.includes('is not there yet'), out);
    });

  test('keeps a backup from its folder in one clear line, too', async (t) => {
    const { folder } = await startService(t);
    for (const target of ['/proc/nope/', '/proc/nope', `${folder}/catalogue.db/x/`]) {
      const { code, err } = await runOn(folder, 'backup', target);
      assert.equal(code, 1);
      assert.match(err, /^cannot (make|write a backup in) [^\n]+\n$/);
      assert.doesNotMatch(err, CODES);
    }
  });
});
