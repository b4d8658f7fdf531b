import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { HOUR_MS } from '../../../src/kit/time.ts';
import { bodyOf, headerValues } from '../../support/client.ts';
import { makeFeed, readFeed } from '../../support/feeds.ts';
import {
  type TimedEvent,
  addOuting,
  ballot,
  closed,
  inDays,
  startOutings,
  timedEventsOf,
  vote,
  voteByLink,
} from '../../support/outings.ts';

const PLACE = { address: '1 Rue du Bac; Paris', latitude: 48.858, longitude: 2.327 };

const shown = ({ status, summary, location, sequence }: TimedEvent): unknown[] => [
  status,
  summary,
  location,
  sequence,
];

describe('the calendar entry behind a link', () => {
  test('follows the outing: tentative, confirmed with the address, cancelled', async (t) => {
    const { owner, admin, service } = await startOutings(t);
    bodyOf(await admin.put('/restaurants/1', PLACE));
    const at = inDays(2);
    const outing = await addOuting(owner, [1, 2], { at, title: 'Friday' });
    const read = async (): Promise<TimedEvent> => {
      const answer = await service.api.get(`/shared/${outing.token}.ics`);
      assert.deepEqual(headerValues(answer, 'content-type', 'cache-control'), [
        'text/calendar; charset=utf-8',
        'private, no-store',
      ]);
      assert.deepEqual((await service.api.get(`/shared/${outing.token}?format=ics`)).body, answer.body);
      const [event, ...more] = timedEventsOf(String(bodyOf(answer)));
      if (!event || more.length > 0) throw new Error('not one event');
      return event;
    };
    const open = await read();
    assert.deepEqual(shown(open), ['TENTATIVE', 'Friday', null, 0]);
    const start = `${at.slice(0, 19)}.000Z`;
    assert.deepEqual(
      [open.start, open.end],
      [start, new Date(Date.parse(start) + 2 * HOUR_MS).toISOString()],
    );
    assert.equal(open.url, `${service.url}/o/${outing.token}`);
    await vote(owner, outing, ballot({ 1: 'yes' }));
    await closed(owner, outing);
    const decided = await read();
    assert.deepEqual(shown(decided), ['CONFIRMED', 'Friday: A', 'A, 1 Rue du Bac; Paris', 1]);
    assert.equal(decided.uid, open.uid);
    await owner.delete(`/outings/${outing.id}`);
    const { status, sequence, uid } = await read();
    assert.deepEqual([status, sequence, uid], ['CANCELLED', 2, open.uid]);
  });

  test('is cancelled where nothing won', async (t) => {
    const { owner, service } = await startOutings(t);
    const outing = await addOuting(owner, [1, 2]);
    await closed(owner, outing);
    const [event] = timedEventsOf(String((await service.api.get(`/shared/${outing.token}.ics`)).body));
    assert.equal(event?.status, 'CANCELLED');
  });

  test('has no other format, and lines as calendars want them', async (t) => {
    const { owner, service } = await startOutings(t);
    const outing = await addOuting(owner, [1, 2], { title: 'Ünder, the; bridge\\ '.repeat(5).trim() });
    for (const ending of ['.geojson', '.kml', '.atom', '?format=geojson'])
      assert.equal((await service.api.get(`/shared/${outing.token}${ending}`)).status, 400);
    const text = String((await service.api.get(`/shared/${outing.token}.ics`)).body);
    for (const line of text.split('\r\n')) assert.ok(Buffer.byteLength(line) <= 75, line);
    assert.ok(!text.replaceAll('\r\n', '').includes('\n'));
    assert.equal(timedEventsOf(text)[0]?.summary, 'Ünder, the; bridge\\ '.repeat(5).trim());
  });
});

describe('the feed of outings', () => {
  test('has those of the user, the newest first, without those to which the user does not come', async (t) => {
    const { owner, other, service } = await startOutings(t);
    const [first, second, third] = [
      await addOuting(owner, [1, 2], { title: 'One' }),
      await addOuting(other, [1, 2], { title: 'Two' }),
      await addOuting(owner, [1, 2], { title: 'Three' }),
    ];
    await addOuting(other, [1, 2], { title: 'Not joined' });
    await voteByLink(owner, second, ballot({ 2: 'yes' }));
    const url = await makeFeed(owner, 'outings');
    const read = async (): Promise<unknown[][]> => timedEventsOf(await readFeed(service, url)).map(shown);
    assert.deepEqual(await read(), [
      ['TENTATIVE', 'Three', null, 0],
      ['TENTATIVE', 'Two', null, 0],
      ['TENTATIVE', 'One', null, 0],
    ]);
    await closed(other, second);
    await owner.delete(`/outings/${first.id}`);
    await vote(owner, third, { coming: false });
    assert.deepEqual(await read(), [
      ['CONFIRMED', 'Two: B', 'B', 1],
      ['CANCELLED', 'One', null, 2],
    ]);
  });

  test('has the same events as the links', async (t) => {
    const { owner, service } = await startOutings(t);
    const outing = await addOuting(owner, [1, 2]);
    const [feed] = timedEventsOf(await readFeed(service, await makeFeed(owner, 'outings')));
    const [link] = timedEventsOf(String((await service.api.get(`/shared/${outing.token}.ics`)).body));
    assert.deepEqual(feed, link);
  });
});
