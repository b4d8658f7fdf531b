import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { headerValues } from '../../support/client.ts';
import { readDescription, readDescriptionText } from '../../support/description.ts';
import { startService } from '../../support/service.ts';
import { longTest } from '../../support/size.ts';

const FORMS: readonly [string, string, Readonly<Record<string, string>>][] = [
  ['as YAML', '/swagger.yaml', {}],
  ['as JSON', '/docs/swagger.json', {}],
  ['as JSON where the page is, for those who ask for it', '/docs', { Accept: 'application/json' }],
];
const PAGE = ['as a page that shows it', '/docs', { Accept: 'text/html' }] as const;

describe('the description that is served', () => {
  longTest('is static/swagger.yaml, byte by byte, and the same document where it is JSON', async (t) => {
    const { api } = await startService(t);
    const { status, headers, body } = await api.get('/swagger.yaml');
    assert.deepEqual([status, headers.get('content-type')?.split(';')[0]], [200, 'application/yaml']);
    assert.equal(body, readDescriptionText());
    for (const [title, path, accept] of FORMS.slice(1)) {
      const inJson = await api.get(path, accept);
      assert.equal(inJson.status, 200);
      assert.deepEqual(inJson.body, readDescription().document, title);
    }
  });

  longTest('is not sent again to a client that has it', async (t) => {
    const { api } = await startService(t);
    for (const [title, path, accept] of [...FORMS, PAGE]) {
      // A browser puts the headers of a 304 in place of those that it has.
      const names = ['etag', 'cache-control', 'vary', 'content-security-policy'];
      const [tag, ...others] = headerValues(await api.get(path, accept), ...names);
      const varies = path === '/docs' ? 'Accept, Origin, Accept-Encoding' : 'Origin, Accept-Encoding';
      assert.deepEqual([typeof tag, ...others.slice(0, 2)], ['string', 'no-cache', varies], title);
      const again = await api.get(path, { ...accept, 'If-None-Match': tag ?? '' });
      assert.deepEqual([again.status, again.body], [304, '']);
      assert.deepEqual(headerValues(again, ...names), [tag, ...others]);
      const other = await api.get(path, { ...accept, 'If-None-Match': '"other"' });
      assert.equal(other.status, 200);
    }
  });

  test('is linked from the page of the web app, for browsers without JavaScript', async (t) => {
    const { api } = await startService(t);
    const { status, body } = await api.send('/', {});
    assert.equal(status, 200);
    assert.match(String(body), /<noscript>(?:(?!<\/noscript>)[^])*<a href="\/api\/docs">/);
  });
});
