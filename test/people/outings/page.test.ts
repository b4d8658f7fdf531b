import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Answer, field, headerValues } from '../../support/client.ts';
import { addOuting, ballot, joinAs, startOutings } from '../../support/outings.ts';

const PRIVATE = ['private, no-store', 'no-referrer', 'noindex'];
const headersOf = (answer: Answer): unknown[] =>
  headerValues(answer, 'cache-control', 'referrer-policy', 'x-robots-tag');

function dataIn({ body }: Answer): unknown {
  const [, json = ''] =
    /<script type="application\/json" id="data">(.*?)<\/script>/s.exec(String(body)) ?? [];
  return field(JSON.parse(json), 'answers');
}

describe('the page of an outing', () => {
  test('says what is put up, carries what its link answers to someone new, and ends with the account of its creator', async (t) => {
    const { service, owner, admin, people } = await startOutings(t, { CATALOGUE_NAME: 'Tables' });
    await admin.put('/restaurants/2', { name: 'B & "more" < 3' });
    const named = await addOuting(owner, [1, 2, 3], { title: 'Friday & "later"' });
    const unnamed = await addOuting(owner, [1, 2]);
    const visit = (token: string): Promise<Answer> => service.api.send(`/o/${token}`, {});

    const page = await visit(named.token);
    const html = String(page.body);
    assert.deepEqual([page.status, ...headersOf(page)], [200, ...PRIVATE]);
    const title = 'Friday &amp; &quot;later&quot; - Tables';
    assert.ok(html.includes(`<title>${title}</title>`), html.slice(0, 2_000));
    assert.ok(html.includes(`<meta property="og:title" content="${title}"`));
    assert.ok(
      html.includes('<meta property="og:description" content="A, B &amp; &quot;more&quot; &lt; 3, C"'),
    );
    assert.ok(String((await visit(unnamed.token)).body).includes('<title>Where do we eat? - Tables</title>'));

    const address = `/shared/${named.token}`;
    assert.deepEqual(field(dataIn(page), address), (await service.api.get(address)).body);
    // A vote is in it at once, though it is not in the change log.
    await joinAs(service.api, named, 'Grace', ballot({ 1: 'yes' }));
    const later = field(dataIn(await visit(named.token)), address);
    assert.deepEqual(later, (await service.api.get(address)).body);
    assert.ok(JSON.stringify(later).includes('Grace'));

    await admin.patch(`/users/${people.owner.id}`, { is_active: false });
    for (const token of [named.token, 'A'.repeat(43)]) {
      const gone = await visit(token);
      assert.deepEqual([gone.status, ...headersOf(gone)], [404, ...PRIVATE]);
      assert.ok(!String(gone.body).includes('Friday') && !String(gone.body).includes('Grace'));
    }
  });
});
