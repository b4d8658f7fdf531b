import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe } from 'node:test';
import { atEnd } from '../../support/cleanup.ts';
import { importText } from '../../support/imports.ts';
import { addMembers, startListWorld } from '../../support/lists.ts';
import { changeStored } from '../../support/people.ts';
import { longTest } from '../../support/size.ts';

// More than the buffers between a service and its client hold.
const ROWS = Array.from({ length: 1_000 }, (_, index) => `Place ${index}`);

describe('the items of a list that are read slowly', () => {
  for (const isRemoved of [true, false])
    longTest(
      `${isRemoved ? 'end' : 'go on'} when a member is ${isRemoved ? '' : 'not '}removed`,
      async (t) => {
        const { service, owner, other, admin, people, id } = await startListWorld(t);
        await importText(admin, ['name', ...ROWS].join('\n'));
        changeStored(
          service.folder,
          "UPDATE restaurants SET description = replace(hex(zeroblob(2500)), '0', '한')",
        );
        changeStored(
          service.folder,
          `INSERT INTO list_items (list_id, restaurant_id, user_id, rank, created_at)
         SELECT ?, id, ?, id * 10000000, created_at FROM restaurants WHERE id > 3`,
          id,
          people.owner.id,
        );
        await addMembers(owner, id, other);
        const reader = connect(service.port, '127.0.0.1');
        atEnd(t, () => reader.destroy());
        const bearer = `Authorization: Bearer ${people.other.accessToken}`;
        reader.write(
          `GET /api/lists/${id}/items HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${bearer}\r\n\r\n`,
        );
        await once(reader, 'readable');
        if (isRemoved) await owner.delete(`/lists/${id}/members/${people.other.id}`);
        changeStored(service.folder, 'UPDATE list_items SET note = ?', 'Widdershins');
        let text = '';
        reader.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
        await once(reader, 'close');
        // The last chunk, which is empty, says that an answer is complete.
        assert.equal(text.endsWith('0\r\n\r\n'), !isRemoved);
        // What was written since is not read by one who may not.
        assert.equal(text.includes('Widdershins'), !isRemoved);
      },
    );
});
