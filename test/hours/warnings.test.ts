import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { field, ids } from '../support/client.ts';
import { startService } from '../support/service.ts';

const WARNING = 'opening_hours is not understood';

describe('a write of opening hours that are not understood', () => {
  test('succeeds with a warning, on create, change and conversion', async (t) => {
    const { api } = await startService(t);
    const made = await api.post('/restaurants', { name: 'One', opening_hours: 'sunrise-sunset' });
    assert.deepEqual([made.status, made.headers.get('catalogue-warning')], [201, WARNING]);
    assert.equal(field(made.body, 'opening_hours'), 'sunrise-sunset');
    const changed = await api.put('/restaurants/1', { opening_hours: 'Mo 10:00+' });
    assert.deepEqual([changed.status, changed.headers.get('catalogue-warning')], [200, WARNING]);
    await api.post('/suggestions', { name: 'Two', address: '1 Rue' });
    const converted = await api.post('/suggestions/2/convert', { opening_hours: 'week 1-10 Mo off' });
    assert.deepEqual([converted.status, converted.headers.get('catalogue-warning')], [201, WARNING]);
  });

  test('is the same for hours of more rules than anybody needs, which are then unknown', async (t) => {
    const { api } = await startService(t);
    const closed = Array.from({ length: 62 }, (_, minute) => `0:${10 + (minute % 50)}-1:00 off`);
    const hours = ['Jan-Nov 00:00-24:00', ...closed].join(';');
    const place = { name: 'One', opening_hours: hours, time_zone: 'Etc/UTC' };
    const made = await api.post('/restaurants', place);
    assert.deepEqual([made.status, made.headers.get('catalogue-warning')], [201, WARNING]);
    const { body } = await api.get('/restaurants/1?include=opening');
    assert.equal(field(body, 'opening_hours'), hours);
    assert.deepEqual(field(body, 'opening'), { state: 'unknown', until: null, reason: 'not_understood' });
    assert.deepEqual(ids((await api.get('/restaurants?open_at=now')).body), [1]);
    assert.deepEqual(ids((await api.get('/restaurants?open_at=now&open_strict=true')).body), []);
  });

  test('succeeds where unknown names are faults, too, and is named behind them', async (t) => {
    const { api } = await startService(t);
    const body = { name: 'One', opening_hours: '"by appointment"' };
    const strict = await api.post('/restaurants', body, { Prefer: 'handling=strict' });
    assert.deepEqual([strict.status, strict.headers.get('catalogue-warning')], [201, WARNING]);
    const both = await api.post('/restaurants', { ...body, name: 'Two', moon: 1 });
    assert.equal(both.headers.get('catalogue-warning'), `unknown field moon; ${WARNING}`);
  });

  test('has no warning where they are understood, not sent, cleared, or refused', async (t) => {
    const { api } = await startService(t);
    const understood = await api.post('/restaurants', { name: 'One', opening_hours: 'Mo-Fr 10:00-20:00' });
    await api.put('/restaurants/1', { opening_hours: 'whenever' });
    const others = [
      await api.put('/restaurants/1', { phone: '1' }),
      await api.put('/restaurants/1', { opening_hours: null }),
      await api.put('/restaurants/1', { opening_hours: 'whenever', price_level: 9 }),
    ];
    for (const { headers } of [understood, ...others]) assert.equal(headers.get('catalogue-warning'), null);
  });
});
