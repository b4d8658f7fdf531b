import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join as pathOf } from 'node:path';
import { describe, test } from 'node:test';
import { changeOf, refusal, reverted } from '../../support/changes.ts';
import {
  type Answer,
  type Client,
  array,
  bodyOf,
  field,
  headerValues,
  ids,
  record,
} from '../../support/client.ts';
import {
  type Link,
  addLink,
  addMembers,
  addRestaurants,
  join,
  putItem,
  signUpAll,
  startListWorld,
} from '../../support/lists.ts';
import { changeStored, readStored } from '../../support/people.ts';
import { sendRaw } from '../../support/raw.ts';
import { startService } from '../../support/service.ts';
import { until } from '../../support/until.ts';

const UNKNOWN = [404, 'Link is unknown or expired'];
const NOT_JOINED = [403, 'This link does not let you join'];
const PRIVATE = ['private, no-store', 'no-referrer', 'noindex', null];

const open = (api: Client, secret: string, query = ''): Promise<Answer> =>
  api.get(`/shared/${secret}${query}`);
const privacyOf = (answer: Answer): unknown[] =>
  headerValues(answer, 'cache-control', 'referrer-policy', 'x-robots-tag', 'etag');
const namesOf = ({ body }: Answer): unknown[] =>
  array(field(body, 'items')).map((item) => field(field(item, 'restaurant'), 'name'));
const guess = (): string => randomBytes(32).toString('base64url');

/** A list of the owner's with a link of each kind. */
async function linked(
  t: Parameters<typeof startListWorld>[0],
  variables = {},
): Promise<Awaited<ReturnType<typeof startListWorld>> & { readonly read: Link; readonly invite: Link }> {
  const world = await startListWorld(t, variables);
  const { owner, id } = world;
  const read = await addLink(owner, id);
  return { ...world, read, invite: await addLink(owner, id, { access: 'join' }) };
}

describe('a link to a list', () => {
  test('shows what its restaurants answer to a stranger, in the order of the list, and nothing of its people', async (t) => {
    const { service, owner, id, read, invite } = await linked(t);
    await owner.put(`/lists/${id}`, { description: 'For the summer' });
    await putItem(owner, id, 3, { position: 1, note: 'Ask for Jean' });
    const restaurants = [];
    for (const one of [3, 1, 2]) restaurants.push((await service.api.get(`/restaurants/${one}`)).body);
    const list = { name: 'Lyon', description: 'For the summer', item_count: 3 };
    const items = restaurants.map((restaurant) => ({ restaurant }));
    const shown = await open(service.api, read.secret);
    assert.deepEqual(shown.body, { kind: 'list', access: 'read', list, items });
    assert.deepEqual((await open(service.api, invite.secret)).body, {
      kind: 'list',
      access: 'join',
      list,
      items,
    });
    assert.deepEqual([shown.status, ...privacyOf(shown)], [200, ...PRIVATE]);
    // For its owner it is the same.
    assert.deepEqual((await open(owner, read.secret)).body, shown.body);
  });

  test('has the name of the list in each format, and notes where it was made with them', async (t) => {
    const { service, owner, id } = await startListWorld(t);
    await owner.put(`/lists/${id}`, { name: 'Lyon & us' });
    await putItem(owner, id, 2, { note: 'Ask for "Jean" & co' });
    for (const notes of [true, false]) {
      const { secret } = await addLink(owner, id, { access: 'read', notes });
      const items = array(field((await open(service.api, secret)).body, 'items'));
      assert.deepEqual(
        items.map((item) => record(item)['note']),
        notes ? [null, 'Ask for "Jean" & co', null] : [undefined, undefined, undefined],
      );
      const { name, features } = record(JSON.parse(await fileOf(`${secret}.geojson`)));
      assert.deepEqual(
        [name, ...array(features).map((feature) => record(field(feature, 'properties'))['note'])],
        ['Lyon & us', undefined, notes ? 'Ask for "Jean" & co' : undefined, undefined],
      );
      for (const [format, title] of [
        ['kml', 'name'],
        ['atom', 'title'],
      ] as const) {
        const text = await fileOf(`${secret}.${format}`);
        assert.ok(text.includes(`<${title}>Lyon &amp; us</${title}>`), text);
        assert.equal(text.split('Ask for &quot;Jean&quot; &amp; co').length, notes ? 2 : 1, format);
      }
    }

    async function fileOf(path: string): Promise<string> {
      return (await fetch(`${service.url}/api/shared/${path}`)).text();
    }
  });

  test('shows the newest photo of each restaurant, if asked for, and no restaurant that is deleted', async (t) => {
    const { service, admin, read } = await linked(t);
    await admin.delete('/restaurants/2');
    const { body } = await open(service.api, read.secret, '?include=cover');
    const items = array(field(body, 'items'));
    assert.deepEqual(
      items.map((item) => field(field(item, 'restaurant'), 'cover')),
      [null, null],
    );
    assert.equal(field(field(body, 'list'), 'item_count'), 2);
  });

  test('is shown in full once; then the list has all but its address, and the database its hash', async (t) => {
    const { service, owner, id } = await startListWorld(t);
    const made = await owner.post(`/lists/${id}/links`, { access: 'read' });
    const { url, ...link } = record(made.body);
    assert.equal(made.status, 201);
    assert.match(String(url), /^\/l\/[\w-]{43}$/);
    assert.deepEqual(Object.keys(link).sort(), ['access', 'created_at', 'expires_at', 'id', 'notes']);
    assert.deepEqual([link['access'], link['notes'], link['expires_at']], ['read', false, null]);
    assert.deepEqual((await owner.get(`/lists/${id}/links`)).body, [link]);
    await service.stop();
    const secret = String(url).slice('/l/'.length);
    for (const name of readdirSync(service.folder).filter((file) => file.startsWith('catalogue.db'))) {
      const bytes = readFileSync(pathOf(service.folder, name));
      assert.ok(!bytes.includes(secret) && !bytes.includes(Buffer.from(secret, 'base64url')), name);
    }
  });

  test('is one of at most twenty of its list', async (t) => {
    const { owner, id, service } = await startListWorld(t);
    const links: Link[] = [];
    for (let made = 0; made < 20; made += 1) links.push(await addLink(owner, id));
    const another = (): Promise<Answer> => owner.post(`/lists/${id}/links`, { access: 'read' });
    assert.deepEqual(refusal(await another()), [409, 'At most 20 links']);
    changeStored(
      service.folder,
      "UPDATE links SET expires_at = '2026-01-01T00:00:00.000Z' WHERE id IN (3, 4)",
    );
    for (const status of [201, 201, 409]) assert.equal((await another()).status, status);
    assert.deepEqual(ids((await owner.get(`/lists/${id}/links`)).body).slice(0, 4), [1, 2, 5, 6]);
    await owner.delete(`/lists/${id}/links/${String(links[0]?.id)}`);
    assert.equal((await another()).status, 201);
    // Of another list there may be more.
    assert.equal((await owner.post('/lists/want/links', { access: 'read' })).status, 201);
  });

  test('to a built-in list is for reading', async (t) => {
    const { owner, service } = await startListWorld(t);
    await putItem(owner, 'want', 2);
    for (const list of ['want', 'favourites']) {
      const answer = await owner.post(`/lists/${list}/links`, { access: 'join' });
      assert.deepEqual(refusal(answer), [409, 'A built-in list cannot be joined']);
    }
    const { secret } = await addLink(owner, 'want');
    assert.deepEqual(namesOf(await open(service.api, secret)), ['B']);
    assert.equal((await owner.get('/lists/want/links')).status, 200);
  });

  const faults: readonly (readonly [object, string])[] = [
    [{}, 'access is required'],
    [{ access: 'write' }, 'access must be one of read, join'],
    [{ access: 'read', notes: 'yes' }, 'notes must be true or false'],
    [{ access: 'read', expires_at: '2026-01-01' }, 'expires_at must be a time in the future with its offset'],
    [
      { access: 'read', expires_at: '2020-01-01T00:00:00Z' },
      'expires_at must be a time in the future with its offset',
    ],
    [
      { access: 'read', expires_at: '2999-02-30T00:00:00Z' },
      'expires_at must be a time in the future with its offset',
    ],
  ];
  test('is refused where its fields are wrong', async (t) => {
    const { owner, id } = await startListWorld(t);
    for (const [body, fault] of faults)
      assert.deepEqual(refusal(await owner.post(`/lists/${id}/links`, body)), [400, fault]);
    assert.deepEqual((await owner.get(`/lists/${id}/links`)).body, []);
  });
});

describe('a link that opens nothing', () => {
  test('is answered alike, whatever is wrong with it', async (t) => {
    const { service, owner, other, id, read, invite } = await linked(t);
    await owner.delete(`/lists/${id}/links/${read.id}`);
    await owner.delete(`/lists/${id}/links/${invite.id}`);
    const expired = await addLink(owner, id, { access: 'join', expires_at: '2999-01-01T00:00:00+02:00' });
    assert.equal((await open(service.api, expired.secret)).status, 200);
    changeStored(
      service.folder,
      'UPDATE links SET expires_at = ? WHERE id = ?',
      '2026-01-01T00:00:00.000Z',
      expired.id,
    );
    const { secret } = await addLink(owner, id);
    const last = secret.endsWith('A') ? 'E' : 'A';
    const guesses = [
      ...[read.secret, invite.secret, expired.secret, guess()],
      // What is nearly right.
      ...[secret.slice(0, 42), `${secret}A`, secret.slice(0, 42) + last, secret.toLowerCase(), ` ${secret}`],
      ...[`${secret}%20`, `%2F${secret}`, `${secret}%2Fjoin`, `${secret.slice(0, 21)}%2F${secret.slice(22)}`],
      ...[`${secret}%3D`, `${secret}.`, 'null', '0', '%F0%9F%8D%9C', 'A'.repeat(4_000)],
    ];
    for (const one of guesses) {
      const shown = await open(service.api, one);
      assert.deepEqual(refusal(shown), UNKNOWN, one);
      assert.deepEqual(privacyOf(shown), PRIVATE, one);
      const joined = await join(other, one);
      assert.deepEqual([refusal(joined), privacyOf(joined)], [UNKNOWN, PRIVATE], one);
      assert.deepEqual(refusal(await join(owner, one)), UNKNOWN, one);
    }
    for (const one of [read.secret, expired.secret, guess()])
      for (const format of ['geojson', 'kml', 'atom', 'xlsx'])
        for (const path of [`${one}.${format}`, `${one}?format=${format}`]) {
          const shown = await open(service.api, path);
          assert.ok(shown.status === 404 || (format === 'xlsx' && shown.status === 400), path);
          assert.ok(!JSON.stringify(shown.body).includes('Lyon'), path);
          if (shown.status === 404)
            assert.deepEqual([refusal(shown), privacyOf(shown)], [UNKNOWN, PRIVATE], path);
        }
    assert.equal((await open(service.api, `${secret}/`)).status, 200);
    assert.equal((await other.get(`/lists/${id}`)).status, 404);
  });

  test('is refused where its path is malformed, without a word of the list', async (t) => {
    const { service, read } = await linked(t);
    for (const tail of ['%00', '%', '%zz', '\\', '%5C'].map((bad) => read.secret + bad)) {
      const answer = await sendRaw(
        service.port,
        `GET /api/shared/${tail} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
      );
      assert.match(answer, /^HTTP\/1\.1 400 /, tail);
      assert.ok(!answer.includes('Lyon') && !answer.includes(read.secret), answer);
    }
  });

  test('does not come back for a client that has the answer already', async (t) => {
    const { service, owner, id, read } = await linked(t);
    const first = await open(service.api, read.secret);
    const conditions = {
      'If-None-Match': first.headers.get('etag') ?? '*',
      'If-Modified-Since': new Date().toUTCString(),
    };
    assert.equal((await service.api.get(`/shared/${read.secret}`, conditions)).status, 200);
    await owner.delete(`/lists/${id}/links/${read.id}`);
    assert.deepEqual(refusal(await service.api.get(`/shared/${read.secret}`, conditions)), UNKNOWN);
  });

  test('opens it again once the list is restored, and never after it is purged', async (t) => {
    const { service, owner, other, id, read, invite } = await linked(t);
    const first = changeOf(await owner.delete(`/lists/${id}`));
    for (const { secret } of [read, invite])
      assert.deepEqual(refusal(await open(service.api, secret)), UNKNOWN);
    assert.deepEqual(refusal(await join(other, invite.secret)), UNKNOWN);
    await reverted(owner, first);
    assert.deepEqual(namesOf(await open(service.api, read.secret)), ['A', 'B', 'C']);
    assert.equal((await join(other, invite.secret)).status, 200);
    const second = changeOf(await owner.delete(`/lists/${id}`));
    assert.equal((await owner.post(`/changes/${second}/purge`, {})).status, 204);
    for (const { secret } of [read, invite])
      assert.deepEqual(refusal(await open(service.api, secret)), UNKNOWN);
    await until(() => readStored(service.folder, 'SELECT 1 FROM links').length === 0);
  });
});

describe('the page of a link', () => {
  test('says what the list is, without an account, and is gone with the link', async (t) => {
    const { service, owner, id, read } = await linked(t, { CATALOGUE_NAME: 'Tables' });
    await owner.put(`/lists/${id}`, { name: 'Lyon & "more" 2 < 3', description: "Jean's $& 2 < 3" });
    await putItem(owner, id, 1, { note: 'Widdershins' });
    const visit = (secret: string): Promise<Answer> => service.api.send(`/l/${secret}`, {});
    const page = await visit(read.secret);
    const html = String(page.body);
    assert.deepEqual(
      [page.status, ...headerValues(page, 'cache-control', 'referrer-policy', 'x-robots-tag')],
      [200, 'private, no-store', 'no-referrer', 'noindex'],
    );
    const title = 'Lyon &amp; &quot;more&quot; 2 &lt; 3';
    assert.ok(html.includes(`<title>${title} - `), html.slice(0, 2_000));
    assert.ok(html.includes(`<meta property="og:title" content="${title} - `));
    const about = /<meta property="og:description" content="([^"]*)"/.exec(html)?.[1];
    assert.match(about ?? '', /^Jean(?:'|&#39;)s \$&amp; 2 &lt; 3$/);
    assert.ok(!html.includes('Widdershins') && !html.includes('alice'));
    const [, json = ''] = /<script type="application\/json" id="data">(.*?)<\/script>/s.exec(html) ?? [];
    const data: unknown = JSON.parse(json);
    assert.deepEqual(
      field(field(data, 'answers'), `/shared/${read.secret}?include=cover`),
      (await open(service.api, read.secret, '?include=cover')).body,
    );
    await owner.delete(`/lists/${id}/links/${read.id}`);
    const etag = page.headers.get('etag') ?? '*';
    for (const gone of [
      await visit(read.secret),
      await service.api.send(`/l/${read.secret}`, { headers: { 'If-None-Match': etag } }),
      await visit(guess()),
      await visit(`${read.secret}A`),
    ]) {
      const text = String(gone.body);
      assert.deepEqual(
        [gone.status, ...headerValues(gone, 'cache-control', 'referrer-policy', 'x-robots-tag')],
        [404, 'private, no-store', 'no-referrer', 'noindex'],
      );
      assert.ok(text.includes('<!doctype html>') || text.includes('<!DOCTYPE html>'));
      assert.ok(!text.includes('Lyon') && !text.includes('Jean'), text);
    }
  });
});

describe('a link to join a list', () => {
  test('makes its caller a member, once', async (t) => {
    const { owner, other, people, id, invite } = await linked(t);
    const joined = await join(other, invite.secret);
    assert.equal(joined.headers.get('cache-control'), 'private, no-store');
    const list = { ...record((await owner.get(`/lists/${id}`)).body), role: 'member' };
    assert.deepEqual([joined.status, joined.body], [200, list]);
    assert.deepEqual(
      [field(list, 'member_count'), field(list, 'owner')],
      [2, { id: people.owner.id, username: 'alice' }],
    );
    const members = (await owner.get(`/lists/${id}/members`)).body;
    // Another link to it changes nothing.
    const { secret } = await addLink(owner, id, { access: 'join' });
    for (const one of [invite.secret, secret]) {
      assert.deepEqual((await join(other, one)).body, list);
      assert.equal(field((await join(owner, one)).body, 'role'), 'owner');
    }
    assert.deepEqual((await owner.get(`/lists/${id}/members`)).body, members);
  });

  test('takes an account and the right link', async (t) => {
    const { service, other, token, id, read, invite } = await linked(t);
    assert.equal((await join(service.api, invite.secret)).status, 401);
    assert.deepEqual(refusal(await join(other, read.secret)), NOT_JOINED);
    assert.deepEqual(refusal(await join(token, read.secret)), NOT_JOINED);
    assert.equal((await other.get(`/lists/${id}`)).status, 404);
  });

  test('lets fifty people join, and one more after one has left', async (t) => {
    const { service, owner, other, id, invite } = await linked(t);
    const names = Array.from({ length: 49 }, (_, index) => `guest${index}`);
    const [leaver, ...rest] = await signUpAll(service, 'leaver', ...names);
    assert.ok(leaver);
    const joined = await Promise.all([leaver, ...rest].map(({ api }) => join(api, invite.secret)));
    assert.deepEqual([...new Set(joined.map(({ status }) => status))], [200]);
    assert.deepEqual(refusal(await join(other, invite.secret)), [409, 'A list has at most 50 members']);
    assert.equal(field((await owner.get(`/lists/${id}`)).body, 'member_count'), 51);
    // Those who are members may use it.
    assert.equal((await join(leaver.api, invite.secret)).status, 200);
    await leaver.api.delete(`/lists/${id}/members/${leaver.id}`);
    assert.equal((await join(other, invite.secret)).status, 200);
    assert.deepEqual(refusal(await join(leaver.api, invite.secret)), [409, 'A list has at most 50 members']);
  });

  test('ends when its owner removes a member, but not when one leaves', async (t) => {
    const { service, owner, other, admin, people, id, read, invite } = await linked(t);
    for (const api of [other, admin]) bodyOf(await join(api, invite.secret));
    await other.delete(`/lists/${id}/members/${people.other.id}`);
    assert.equal((await join(other, invite.secret)).status, 200);
    await owner.delete(`/lists/${id}/members/${people.other.id}`);
    assert.deepEqual(refusal(await join(other, invite.secret)), UNKNOWN);
    assert.equal((await open(service.api, read.secret)).status, 200);
    assert.deepEqual(ids((await owner.get(`/lists/${id}/links`)).body), [read.id]);
    assert.equal((await admin.get(`/lists/${id}`)).status, 200);
  });
});

describe('links', () => {
  test('are in no line of the log, and neither is what lists hold', async (t) => {
    const { service, owner, other, id, read, invite } = await linked(t, { LOG_LEVEL: 'debug' });
    await owner.put(`/lists/${id}`, { name: 'Zyzzyva', description: 'Brobdingnag' });
    await putItem(owner, id, 1, { note: 'Widdershins' });
    await open(service.api, read.secret);
    await join(other, invite.secret);
    await other.post(`/shared/${invite.secret}/join`, { more: 1 }, { Prefer: 'handling=strict' });
    await owner.delete(`/lists/${id}/links/${read.id}`);
    const lines = JSON.stringify(service.logs);
    const said = [read.secret, invite.secret, 'Zyzzyva', 'Brobdingnag', 'Widdershins', 'Lyon'];
    assert.deepEqual(
      said.filter((word) => lines.includes(word)),
      [],
    );
    assert.ok(lines.includes('"/api/shared/…"'));
  });

  test('work where only administrators write, and where authors are hidden', async (t) => {
    const { service, owner, other, id, read, invite } = await linked(t, {
      WRITE_ACCESS: 'admins',
      AUTHORS: 'none',
    });
    assert.equal((await open(service.api, read.secret)).status, 200);
    assert.equal(field((await join(other, invite.secret)).body, 'role'), 'member');
    const undone = changeOf(await putItem(owner, id, 1, { note: 'Of Alice' }));
    await reverted(other, undone);
    assert.equal((await putItem(other, id, 1, { note: 'Mine' })).status, 200);
    const [first] = array((await owner.get(`/lists/${id}/items`)).body);
    assert.deepEqual([field(first, 'note'), field(field(first, 'added_by'), 'username')], ['Mine', 'alice']);
    assert.equal((await service.api.put(`/lists/${id}/items/1`, {})).status, 401);
  });

  test('are for reading where there are no accounts', async (t) => {
    const service = await startService(t);
    const { api } = service;
    await addRestaurants(api, 'A');
    await putItem(api, 'want', 1);
    const { secret } = await addLink(api, 'want');
    assert.deepEqual(namesOf(await open(api, secret)), ['A']);
    const id = Number(field((await api.post('/lists', { name: 'Lyon' })).body, 'id'));
    const invite = await addLink(api, id, { access: 'join' });
    const joined = await join(api, invite.secret);
    // Every caller owns the list.
    assert.deepEqual(
      [joined.status, field(joined.body, 'role'), field(joined.body, 'owner')],
      [200, 'owner', null],
    );
    const members = [{ user: null, role: 'owner', joined_at: field(joined.body, 'created_at') }];
    assert.deepEqual((await api.get(`/lists/${id}/members`)).body, members);
    assert.deepEqual(readStored(service.folder, 'SELECT 1 FROM list_members'), []);
  });

  test('of a list with accounts do not let anyone join without them', async (t) => {
    const { service, owner, other, id, invite } = await linked(t);
    await addMembers(owner, id, other);
    await service.stop();
    const { api } = await startService(t, { DATA_DIR: service.folder });
    assert.equal((await open(api, invite.secret)).status, 200);
    assert.deepEqual(refusal(await join(api, invite.secret)), [403, 'Joining a list takes an account']);
    assert.equal((await api.get(`/lists/${id}`)).status, 404);
    assert.equal(readStored(service.folder, 'SELECT 1 FROM list_members').length, 2);
  });
});
