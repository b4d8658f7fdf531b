import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Thread } from '../../src/kit/threads.ts';

// Answers with the number of the thread. It ends with so many answers that some of them are often still under way when its
// end is known.
const ENDS_WITH_MANY_ANSWERS = `
  const { parentPort, threadId } = require('node:worker_threads');
  process.on('exit', () => {
    for (let sent = 0; sent < 5000; sent += 1) parentPort.postMessage('too late');
  });
  return (work) => {
    if (work === 'end') setImmediate(() => { throw new Error('out of the blue'); });
    return threadId;
  };
`;

describe('a thread', () => {
  test('that died gives no later call an answer that was still under way', async (t) => {
    for (let round = 0; round < 10; round += 1) {
      const thread = new Thread(ENDS_WITH_MANY_ANSWERS, 'repeats');
      t.after(() => {
        thread.end();
      });
      const first = await thread.run('go on');
      // It may end before its answer is out.
      await thread.run('end').catch(() => undefined);
      let answer: unknown;
      do answer = await thread.run('go on').catch(() => 'it died');
      while (answer === first || answer === 'too late');
      assert.equal(typeof (await thread.run('go on')), 'number');
    }
  });
});
