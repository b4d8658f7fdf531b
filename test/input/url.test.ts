import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readFields, urlField } from '../../src/input/fields.ts';

describe('a web address', () => {
  test('may have letters beyond ASCII, the ten-thousandth time as the first', () => {
    for (let round = 0; round < 20_000; round += 1) {
      const fields = readFields({ website: 'https://www.säge-flüh.ch/' });
      assert.equal(urlField(fields, 'website', 500), 'https://www.säge-flüh.ch/');
      assert.deepEqual(fields.faults, [], `in round ${round}`);
    }
  });
});
