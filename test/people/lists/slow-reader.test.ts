import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe } from 'node:test';
import { atEnd } from '../../support/cleanup.ts';
import { importText } from '../../support/imports.ts';
import { addLink, addMembers, startListWorld } from '../../support/lists.ts';
import { changeStored } from '../../support/people.ts';
import { longTest } from '../../support/size.ts';

// More than the buffers between a service and its client hold.
const ROWS = Array.from({ length: 1_000 }, (_, index) => `Place ${index}`);

const MEMBERS = ['/api/lists/ID/items', '/api/lists/ID?include=items'];
const LINKED = ['', '?include=cover', '.geojson', '.kml'].map((format) => `/api/shared/SECRET${format}`);

describe('the places of a list that are read slowly', () => {
  for (const isEnded of [true, false])
    longTest(
      `${isEnded ? 'end' : 'go on'} when their reader may ${isEnded ? 'no longer' : 'still'} see them`,
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
        const link = await addLink(owner, id, { access: 'read', notes: true });
        const readers = [...MEMBERS, ...LINKED].map((path) => {
          const reader = connect(service.port, '127.0.0.1');
          atEnd(t, () => reader.destroy());
          const target = path.replace('ID', String(id)).replace('SECRET', link.secret);
          const bearer = target.includes(link.secret)
            ? ''
            : `Authorization: Bearer ${people.other.accessToken}\r\n`;
          reader.write(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${bearer}\r\n`);
          return reader;
        });
        for (const reader of readers) await once(reader, 'readable');
        if (isEnded) {
          await owner.delete(`/lists/${id}/members/${people.other.id}`);
          await owner.delete(`/lists/${id}/links/${link.id}`);
        }
        changeStored(service.folder, 'UPDATE list_items SET note = ?', 'Widdershins');
        for (const [index, reader] of readers.entries()) {
          let text = '';
          reader.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
          await once(reader, 'close');
          const path = [...MEMBERS, ...LINKED][index];
          // The last chunk, which is empty, says that an answer is complete.
          assert.equal(text.endsWith('0\r\n\r\n'), !isEnded, path);
          // What was written since is not read by one who may not.
          assert.equal(text.includes('Widdershins'), !isEnded, path);
        }
      },
    );
});
