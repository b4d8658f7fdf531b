import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { nextLink } from '../../src/http/target.ts';
import { createRestaurants } from '../support/catalogue.ts';
import { field, ids } from '../support/client.ts';
import { startService } from '../support/service.ts';

const PATH = '/api/restaurants/paginated';
const TARGETS: readonly [string, string, string][] = [
  ['no query', '', 'cursor=NEXT'],
  ['a query', 'limit=20', 'limit=20&cursor=NEXT'],
  ['the cursor of this page', 'cursor=OLD&limit=20', 'limit=20&cursor=NEXT'],
  ['a cursor by another spelling', 'c%75rsor=OLD&limit=20', 'limit=20&cursor=NEXT'],
  ['a cursor without a value', 'cursor', 'cursor=NEXT'],
  ['names that are alike', 'cursors=1&xcursor=2', 'cursors=1&xcursor=2&cursor=NEXT'],
  ['escapes in either case', 'q=caf%c3%A9+au%20lait', 'q=caf%c3%A9+au%20lait&cursor=NEXT'],
  ['a broken escape', '%zz=1&q=%', '%zz=1&q=%&cursor=NEXT'],
  ['empty pairs', '&&a', '&&a&cursor=NEXT'],
  ['the end of the reference', 'q=>; rel="prev", <x', 'q=%3E;%20rel=%22prev%22,%20%3Cx&cursor=NEXT'],
  ['the end of the header', 'q=a\r\nSet-Cookie: b=c', 'q=a%0D%0ASet-Cookie:%20b=c&cursor=NEXT'],
  ['a fragment', 'q=#1', 'q=%231&cursor=NEXT'],
  ['bytes of no letter', 'q=\u00c3\u00a9\0\\', 'q=%C3%A9%00%5C&cursor=NEXT'],
];

describe('the link to the next page', () => {
  for (const [title, query, target] of TARGETS)
    test(`keeps the query as it was sent: ${title}`, () => {
      assert.equal(nextLink(PATH, query, 'NEXT'), `<${PATH}?${target}>; rel="next"`);
    });

  test('escapes what the cursor and the path hold', () => {
    assert.equal(nextLink('/a>b', '', 'x&y=">'), '</a%3Eb?cursor=x%26y%3D%22%3E>; rel="next"');
  });

  test('is left out where it would be longer than proxies take', () => {
    assert.equal(nextLink(PATH, `x=${'a'.repeat(2_000)}`, 'NEXT'), undefined);
    assert.equal(nextLink(PATH, `x=${'<'.repeat(700)}`, 'NEXT'), undefined);
  });

  test('leads from page to page to the last, which has none', async (t) => {
    const { api } = await startService(t);
    const all = await createRestaurants(
      api,
      ['Ä', 'B', 'C', 'D', 'E'].map((name) => ({ name })),
    );
    const seen: number[] = [];
    let target: string | undefined = `${PATH}?limit=2&sort=name&note=a%20b&`;
    for (let pages = 0; target !== undefined; pages += 1) {
      assert.ok(pages < 3, target);
      const { headers, body } = await api.send(target, {});
      const link = headers.get('link');
      assert.equal(field(body, 'has_more'), link !== null);
      seen.push(...ids(field(body, 'data')));
      target = /^<(.+)>; rel="next"$/.exec(link ?? '')?.[1];
    }
    assert.deepEqual(seen.sort(), [...all].sort());
  });
});
