import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { LineWriter } from '../../src/cli/terminal.ts';
import { until } from '../support/until.ts';

describe('a writer of lines', () => {
  test('hands on together what comes within a moment, in order', async () => {
    const written: string[] = [];
    const lines = new LineWriter((text) => written.push(text));
    for (const line of ['one\n', 'two\n', 'three\n']) lines.write(line);
    assert.deepEqual(written, []);
    await until(() => written.length > 0);
    lines.write('four\n');
    await until(() => written.length > 1);
    assert.deepEqual(written, ['one\ntwo\nthree\n', 'four\n']);
  });

  test('hands on at once what a process that ends has left, and nothing twice', async () => {
    const written: string[] = [];
    const lines = new LineWriter((text) => written.push(text));
    lines.write('one\n');
    lines.flush();
    lines.flush();
    assert.deepEqual(written, ['one\n']);
    lines.write('two\n');
    await until(() => written.length > 1);
    assert.deepEqual(written, ['one\n', 'two\n']);
  });

  test('does not wait where there is much', () => {
    const written: string[] = [];
    const lines = new LineWriter((text) => written.push(text));
    for (let line = 0; line < 700; line += 1) lines.write(`${'x'.repeat(99)}\n`);
    assert.equal(written.length, 1);
  });
});
