import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { openUnread, readToEnd } from '../../support/diaries.ts';
import { importText } from '../../support/imports.ts';
import { addLink, addMembers, startListWorld } from '../../support/lists.ts';
import { changeStored } from '../../support/people.ts';
import { longTest } from '../../support/size.ts';

// More than the buffers between a service and its client hold.
const ROWS = Array.from({ length: 1_000 }, (_, index) => `Place ${index}`);

describe('a list that is read slowly', () => {
  for (const isEnded of [true, false])
    longTest(
      `${isEnded ? 'ends' : 'goes on'} when its reader may ${isEnded ? 'no longer' : 'still'} see it`,
      async (t) => {
        const { service, owner, other, admin, people, id } = await startListWorld(t);
        const { folder, port } = service;
        await importText(admin, ['name', ...ROWS].join('\n'));
        changeStored(folder, "UPDATE restaurants SET description = replace(hex(zeroblob(2500)), '0', '한')");
        changeStored(
          folder,
          `INSERT INTO list_items (list_id, restaurant_id, user_id, rank, created_at)
         SELECT ?, id, ?, id * 10000000, created_at FROM restaurants WHERE id > 3`,
          id,
          people.owner.id,
        );
        await addMembers(owner, id, other);
        const link = await addLink(owner, id, { access: 'read', notes: true });
        const { other: member, admin: caller } = people;
        const asked: readonly (readonly [path: string, token?: string])[] = [
          [`/api/lists/${id}/items`, member.accessToken],
          [`/api/lists/${id}?include=items`, member.accessToken],
          ...['', '?include=cover', '.geojson', '.kml'].map(
            (end) => [`/api/shared/${link.secret}${end}`] as const,
          ),
          ['/api/restaurants?include=mine', caller.accessToken],
          ['/api/restaurants', caller.accessToken],
        ];
        const readers = await Promise.all(asked.map(([path, token]) => openUnread(port, path, token)));
        if (isEnded) {
          await owner.delete(`/lists/${id}/members/${member.id}`);
          await owner.delete(`/lists/${id}/links/${link.id}`);
          await admin.post('/auth/logout', {});
        }
        changeStored(folder, 'UPDATE list_items SET note = ?', 'Widdershins');
        const read = await Promise.all(readers.map(readToEnd));
        for (const [index, { all, isWhole }] of read.entries()) {
          const path = asked[index]?.[0] ?? '';
          const isOpen = !isEnded || path === '/api/restaurants';
          assert.equal(isWhole, isOpen, path);
          // What was written since is not read by one who may not.
          if (!path.startsWith('/api/restaurants')) assert.equal(all.includes('Widdershins'), isOpen, path);
        }
      },
    );
});
