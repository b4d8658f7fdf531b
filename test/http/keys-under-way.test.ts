import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Answer, type Client, array, field, ids } from '../support/client.ts';
import { FORM_TYPE, form, photoPart, storedFiles } from '../support/photos.ts';
import { sample } from '../support/images.ts';
import { nextData, openFrom } from '../support/raw.ts';
import { startService } from '../support/service.ts';
import { until } from '../support/until.ts';

const KEY = { 'Idempotency-Key': 'the first one' };
const UNDER_WAY = { error: 'A request with this Idempotency-Key is under way' };
const TAKEN = { error: 'Idempotency-Key was used for another request' };
const CAPTION = { name: 'caption', content: 'The menu' };

const replay = ({ headers }: Answer): string | null => headers.get('idempotent-replay');
const names = async (api: Client): Promise<unknown[]> =>
  array((await api.get('/restaurants')).body).map((one) => field(one, 'name'));

function upload(api: Client, body: Buffer, headers: Readonly<Record<string, string>> = KEY): Promise<Answer> {
  return api.send('/api/restaurants/1/photos', {
    method: 'POST',
    headers: { 'Content-Type': FORM_TYPE, ...headers },
    body: new Uint8Array(body),
  });
}

describe('a POST whose Idempotency-Key is under way', () => {
  test('is made once, however many are sent at once', async (t) => {
    const { api } = await startService(t);
    const send = (): Promise<Answer> => api.post('/restaurants', { name: 'Chez Nous' }, KEY);
    const answers = await Promise.all(Array.from({ length: 20 }, send));
    for (const { status, body } of answers)
      if (status !== 201) assert.deepEqual([status, body], [409, UNDER_WAY]);
    const made = answers.filter((answer) => answer.status === 201 && replay(answer) === null);
    assert.equal(made.length, 1);
    assert.equal(replay(await send()), 'true');
    assert.deepEqual(await names(api), ['Chez Nous']);
  });

  test('is refused with 409 while the first still sends its body, and is free once that has gone', async (t) => {
    const { api, port } = await startService(t);
    const slow = await openFrom('127.0.0.1', port);
    slow.write(
      'POST /api/restaurants HTTP/1.1\r\nHost: x\r\nIdempotency-Key: the first one\r\n' +
        'Content-Type: application/json\r\nContent-Length: 20\r\nExpect: 100-continue\r\n\r\n',
    );
    await nextData(slow);
    const send = (): Promise<Answer> => api.post('/restaurants', { name: 'Chez Nous' }, KEY);
    let answer = await send();
    assert.deepEqual([answer.status, answer.body], [409, UNDER_WAY]);
    const other = { 'Idempotency-Key': 'another' };
    assert.equal((await api.post('/restaurants', { name: 'Chez Vous' }, other)).status, 201);
    slow.destroy();
    await until(async () => {
      answer = await send();
      return answer.status !== 409;
    });
    assert.deepEqual([answer.status, replay(answer)], [201, null]);
  });
});

describe('an upload with an Idempotency-Key', () => {
  test('is compared by the names and contents of its parts, in any order and with any boundary', async (t) => {
    const { api, folder } = await startService(t);
    await api.post('/restaurants', { name: 'Chez Nous' });
    const first = await upload(api, form(photoPart(), CAPTION));
    assert.equal(first.status, 201, JSON.stringify(first.body));
    const boundary = Buffer.from(
      form(CAPTION, photoPart()).toString('latin1').replaceAll('--the-boundary', '--another'),
      'latin1',
    );
    const sames: [string, Buffer, string][] = [
      ['the same', form(photoPart(), CAPTION), FORM_TYPE],
      ['another order', form(CAPTION, photoPart()), FORM_TYPE],
      ['another boundary', boundary, FORM_TYPE.replace('--the-boundary', '--another')],
    ];
    for (const [title, body, type] of sames) {
      const second = await upload(api, body, { ...KEY, 'Content-Type': type });
      assert.deepEqual([second.status, second.body, replay(second)], [201, first.body, 'true'], title);
    }
    const others: [string, Buffer][] = [
      ['another photo', form(photoPart(sample('progressive')), CAPTION)],
      ['another caption', form(photoPart(), { name: 'caption', content: 'The menu.' })],
      ['no caption', form(photoPart())],
      ['a field more', form(photoPart(), CAPTION, { name: 'note', content: 'The menu' })],
    ];
    for (const [title, body] of others) {
      const { status, body: refusal } = await upload(api, body);
      assert.deepEqual([status, refusal], [422, TAKEN], title);
    }
    assert.equal(ids((await api.get('/restaurants/1/photos')).body).length, 1);
    assert.equal(storedFiles(folder).length, 1);
    await api.delete('/restaurants/1');
    assert.equal(replay(await upload(api, form(photoPart(), CAPTION))), 'true');
    assert.equal((await upload(api, form(photoPart()), { 'Idempotency-Key': 'another' })).status, 404);
  });

  test('leaves the key free where the form is refused', async (t) => {
    const { api } = await startService(t);
    await api.post('/restaurants', { name: 'Chez Nous' });
    assert.equal((await upload(api, form(CAPTION))).status, 400);
    assert.equal((await upload(api, form(photoPart(Buffer.from('no image at all'))))).status, 400);
    const made = await upload(api, form(photoPart()));
    assert.deepEqual([made.status, replay(made)], [201, null]);
  });
});
