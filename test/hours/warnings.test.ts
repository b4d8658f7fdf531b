import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { field } from '../support/client.ts';
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
