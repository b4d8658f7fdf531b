import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { CHECKOUT } from '../support/checkout.ts';

const ROOT = fileURLToPath(CHECKOUT);
const read = (name: string): string => readFileSync(join(ROOT, name), 'utf8');

// Without the line breaks inside of an instruction.
const instructions = read('Dockerfile').replaceAll('\\\n', ' ').split('\n');
const sent = [...read('.dockerignore').matchAll(/^!(.+)$/gm)].map(([, path = '']) => path);
/** What an instruction copies from the checkout. */
const copied = instructions
  .filter((line) => line.startsWith('COPY ') && !line.includes('--from='))
  .flatMap((line) => line.split(/\s+/).slice(1, -1));
const lastStage = instructions.slice(instructions.findLastIndex((line) => line.startsWith('FROM ')));

describe('the image', () => {
  test('is built of files that exist and are sent to the builder', () => {
    assert.ok(copied.length > 2);
    assert.deepEqual(
      copied.filter((path) => path !== '.' && !(sent.includes(path) && existsSync(join(ROOT, path)))),
      [],
    );
  });

  test('is sent whatever the package holds and is compiled from, and nothing else', () => {
    assert.match(read('.dockerignore'), /^\*\n/);
    assert.deepEqual(
      sent.filter((path) => !existsSync(join(ROOT, path))),
      [],
    );
    const [, list = ''] = /"files": \[([^\]]*)\]/.exec(read('package.json')) ?? [];
    const shipped = [...list.matchAll(/"(\w[^"/]*)/g)].map(([, name = '']) => name);
    const made = ['dist'];
    const needed = [...shipped, 'src', 'package.json', 'README.md', 'LICENSE'];
    assert.deepEqual(
      needed.filter((name) => !sent.includes(name) && !made.includes(name)),
      [],
    );
    assert.deepEqual(
      sent.filter((name) => ['test', 'data', '.env', '.git', 'node_modules'].includes(name)),
      [],
    );
  });

  test('runs nothing in its last stage, so that the base needs no shell and no emulation', () => {
    assert.deepEqual(
      lastStage.filter((line) => line.startsWith('RUN ')),
      [],
    );
    for (const line of lastStage.filter((line) => /^(?:ENTRYPOINT|CMD|HEALTHCHECK)/.test(line)))
      assert.match(line, /\["catalogue|\["node", .*"\/app\/bin\/catalogue"\]|\["serve"\]/);
  });

  test('runs as a user without a name, who owns the volume', () => {
    assert.ok(lastStage.includes('USER 1000:1000'));
    assert.ok(lastStage.includes('VOLUME /data'));
    assert.ok(lastStage.some((line) => /^COPY .*--chown=1000:1000 /.test(line)));
  });

  test('has the labels of OCI images', () => {
    const [labels = ''] = lastStage.filter((line) => line.startsWith('LABEL '));
    const names = [...labels.matchAll(/org\.opencontainers\.image\.(\w+)=/g)].map(([, name]) => name);
    assert.deepEqual(names.sort(), ['description', 'licenses', 'revision', 'source', 'title', 'version']);
  });
});
