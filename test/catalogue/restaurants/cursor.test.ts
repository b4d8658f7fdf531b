import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type CursorScope, PageCursors } from '../../../src/catalogue/restaurants/input.ts';
import type { ListPosition, Sort } from '../../../src/index/request.ts';

const KEY = Buffer.alloc(32, 7);
const NEWEST: CursorScope = { sort: 'newest', centre: undefined };
const POSITION: ListPosition = { key: '2026-01-31T18:05:09.123Z', id: 5 };

describe('a cursor', () => {
  const positions: readonly [string, ListPosition][] = [
    ['a time', POSITION],
    ['a name', { key: 'smorrebrod 寿司 🍕 "quoted"', id: 2 ** 40 }],
    ['an empty name', { key: '', id: 1 }],
    ['a distance with all its digits', { key: 343.55606034104164, id: 3 }],
    ['the smallest distance', { key: 5e-324, id: 3 }],
    ['zero', { key: 0, id: 9 }],
    ['no distance', { key: null, id: 4 }],
    ['the largest id', { key: 'a', id: Number.MAX_SAFE_INTEGER }],
  ];
  for (const [title, position] of positions)
    test(`returns the position that it was made of: ${title}`, () => {
      const sealer = new PageCursors(KEY);
      const cursor = sealer.seal(NEWEST, position);
      assert.match(cursor, /^[A-Za-z0-9_-]+$/);
      assert.deepEqual(sealer.open(NEWEST, cursor), position);
    });

  test('outlives the one who made it, as long as the key is the same', () => {
    const cursor = new PageCursors(KEY).seal(NEWEST, POSITION);
    assert.deepEqual(new PageCursors(Buffer.from(KEY)).open(NEWEST, cursor), POSITION);
    assert.equal(new PageCursors(Buffer.alloc(32, 8)).open(NEWEST, cursor), undefined);
  });

  test('is valid for one sort alone', () => {
    const sealer = new PageCursors(KEY);
    const sorts: readonly Sort[] = ['newest', 'name', 'rating', 'distance'];
    for (const made of sorts)
      for (const asked of sorts) {
        const cursor = sealer.seal({ sort: made, centre: undefined }, POSITION);
        const opened = sealer.open({ sort: asked, centre: undefined }, cursor);
        assert.deepEqual(opened, made === asked ? POSITION : undefined, `${made} as ${asked}`);
      }
  });

  test('is bound to the centre where distances are the order, and not elsewhere', () => {
    const sealer = new PageCursors(KEY);
    const [here, there] = [
      { latitude: 1, longitude: 11 },
      { latitude: 11, longitude: 1 },
    ];
    const near = sealer.seal({ sort: 'distance', centre: here }, POSITION);
    assert.deepEqual(sealer.open({ sort: 'distance', centre: { ...here } }, near), POSITION);
    assert.equal(sealer.open({ sort: 'distance', centre: there }, near), undefined);
    const byName = sealer.seal({ sort: 'name', centre: here }, POSITION);
    assert.deepEqual(sealer.open({ sort: 'name', centre: there }, byName), POSITION);
  });

  test('is spoilt by any other bit, a missing end and anything added', () => {
    const sealer = new PageCursors(KEY);
    const cursor = sealer.seal(NEWEST, POSITION);
    const bytes = Buffer.from(cursor, 'base64url');
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      assert.equal(sealer.open(NEWEST, changed.toString('base64url')), undefined, `bit ${bit}`);
    }
    for (let length = 0; length < cursor.length; length += 1)
      assert.equal(sealer.open(NEWEST, cursor.slice(0, length)), undefined, `${length} characters`);
    for (const added of ['A', '=', '==', '\n', ' ', '!', '.', cursor])
      assert.equal(sealer.open(NEWEST, cursor + added), undefined, JSON.stringify(added));
  });

  test('has one spelling', () => {
    const sealer = new PageCursors(KEY);
    const cursor = sealer.seal(NEWEST, { key: 'ÿÿ>>??', id: 77 });
    const padded = Buffer.from(cursor, 'base64url').toString('base64');
    assert.notEqual(padded, cursor);
    assert.equal(sealer.open(NEWEST, padded), undefined);
  });
});
