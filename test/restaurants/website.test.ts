import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { field } from '../support/client.ts';
import { startService } from '../support/service.ts';

const LONGEST = `food.example/${'x'.repeat(479)}`;

describe('the website of a restaurant', () => {
  const addresses: readonly [string, string, string][] = [
    ['a host with a dot', 'food.example', 'https://food.example'],
    ['a host with a path', 'food.example/menu', 'https://food.example/menu'],
    ['a host with a query', 'www.food.example?lang=fr', 'https://www.food.example?lang=fr'],
    ['a host with a fragment', 'food.example#menu', 'https://food.example#menu'],
    ['a host with a port, which is no scheme', 'food.example:8080', 'https://food.example:8080'],
    ['a host with a port and a path', 'food.example:8080/menu', 'https://food.example:8080/menu'],
    ['two slashes and a host', '//food.example', 'https://food.example'],
    ['a host with letters beyond ASCII', 'säge-flüh.ch/küche', 'https://säge-flüh.ch/küche'],
    [
      'a path with an address in it',
      'food.example/go?to=http://a.example',
      'https://food.example/go?to=http://a.example',
    ],
    ['http, which stays', 'http://food.example', 'http://food.example'],
    ['a scheme in capitals, which stays', 'HTTPS://Food.example', 'HTTPS://Food.example'],
    ['a scheme and a host without a dot', 'http://localhost:8080', 'http://localhost:8080'],
    ['492 characters without its scheme, the most', LONGEST, `https://${LONGEST}`],
  ];
  test('may be an address with or without its scheme', async (t) => {
    const { api } = await startService(t);
    for (const [title, website, expected] of addresses) {
      const created = await api.post('/restaurants', { name: title, website });
      assert.deepEqual([created.status, field(created.body, 'website')], [201, expected], title);
      const changed = await api.put('/restaurants/1', { website });
      assert.equal(field(changed.body, 'website'), expected, title);
      const suggested = await api.post('/suggestions', { name: `Suggested: ${title}`, website });
      assert.equal(field(suggested.body, 'website'), expected, title);
    }
  });
});
