import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe } from 'node:test';
import { atEnd } from '../../support/cleanup.ts';
import { importText } from '../../support/imports.ts';
import { changeStored } from '../../support/people.ts';
import { longTest } from '../../support/size.ts';
import { startWorld } from '../../support/world.ts';

// More than the buffers between a service and its client hold.
const ROWS = Array.from({ length: 1_000 }, (_, index) => `Place ${index}`);

describe('a list that is read slowly', () => {
  for (const [path, isOwn] of [
    ['/restaurants?include=mine', true],
    ['/me/export', true],
    ['/restaurants', false],
  ] as const)
    longTest(`${isOwn ? 'ends with' : 'does not depend on'} the rights of its caller: ${path}`, async (t) => {
      const { service, admin, owner, people } = await startWorld(t);
      await importText(admin, ['name', ...ROWS].join('\n'));
      changeStored(
        service.folder,
        "UPDATE restaurants SET description = replace(hex(zeroblob(2500)), '0', '한')",
      );
      changeStored(
        service.folder,
        `INSERT INTO visits (user_id, restaurant_id, visited_on, note, created_at, updated_at)
         SELECT ?, id, '2026-01-31', replace(hex(zeroblob(2500)), '0', '한'), '2026-01-31', '2026-01-31' FROM restaurants`,
        people.owner.id,
      );
      const reader = connect(service.port, '127.0.0.1');
      atEnd(t, () => reader.destroy());
      const bearer = `Authorization: Bearer ${people.owner.accessToken}`;
      reader.write(`GET /api${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${bearer}\r\n\r\n`);
      await once(reader, 'readable');
      await owner.post('/auth/logout', {});
      let last = '';
      reader.on('data', (chunk: Buffer) => {
        last = chunk.subarray(-5).toString('latin1');
      });
      await once(reader, 'close');
      // The last chunk, which is empty, says that an answer is complete.
      assert.equal(last === '0\r\n\r\n', !isOwn);
      assert.equal((await owner.get('/auth/me')).status, 401);
    });
});
