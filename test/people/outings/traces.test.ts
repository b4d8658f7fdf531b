import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bearing } from '../../support/accounts.ts';
import { type Client, bodyOf, createClient, field } from '../../support/client.ts';
import {
  addOuting,
  ballot,
  closed,
  joinAs,
  openLink,
  startOutings,
  voteByLink,
} from '../../support/outings.ts';

const METRICS_TOKEN = 'a-token-of-the-tests-for-metrics';

describe('an outing', () => {
  test('is in no log, change, activity, metric, or export of another', async (t) => {
    const { service, owner, other, admin } = await startOutings(t, { METRICS_TOKEN, LOG_LEVEL: 'debug' });
    const marks = ['xk-title-xk', 'xk-guest-xk', '"outing', 'outings/1', '"choices"'];
    const outing = await addOuting(owner, [1, 2], { title: marks[0] });
    const guest = await joinAs(service.api, outing, 'xk-guest-xk', ballot({ 1: 'yes' }, 2));
    bodyOf(await voteByLink(other, outing, ballot({ 1: 'ok' })));
    bodyOf(await service.api.get(`/shared/${outing.token}`, { Authorization: `Guest ${guest}` }));
    await closed(owner, outing);
    const found = async (api: Client, path: string): Promise<string[]> => {
      const text = JSON.stringify((await api.get(path)).body);
      return [...marks, outing.token, guest].filter((mark) => text.includes(mark));
    };
    for (const api of [owner, other, admin])
      for (const path of ['/changes?since=start&limit=1000', '/activity?limit=100', '/search?q=xk'])
        assert.deepEqual(await found(api, path), [], path);
    assert.deepEqual(await found(admin, '/me/export'), []);
    assert.ok(!JSON.stringify((await other.get('/me/export')).body).includes(guest));
    const monitor = createClient(service.url, bearing(METRICS_TOKEN));
    const metrics = String(bodyOf(await monitor.get('/metrics')));
    const logs = JSON.stringify(service.logs);
    for (const secretText of [outing.token, guest, 'xk-title-xk', 'xk-guest-xk', '"yes"']) {
      assert.ok(!metrics.includes(secretText), secretText);
      assert.ok(!logs.includes(secretText), secretText);
    }
    assert.equal(field(await openLink(service.api, outing), 'title'), 'xk-title-xk');
  });
});
