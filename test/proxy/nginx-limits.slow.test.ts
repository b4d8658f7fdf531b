import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { field } from '../support/client.ts';
import { AT_DOMAIN, DOMAIN, type EdgeRequest, ask, sendRawSecurely } from '../support/edge.ts';
import { NO_NGINX, type Nginx, startNginx } from '../support/nginx.ts';
import { parseAnswers } from '../support/raw.ts';
import { startService } from '../support/service.ts';
import { filesAddress } from '../support/web-app-files.ts';

const REFUSAL = '{"error":"Rate limit exceeded. Please try again later."}';

async function statuses(
  nginx: Nginx,
  count: number,
  path: string,
  options: EdgeRequest = {},
): Promise<number[]> {
  const answers: number[] = [];
  for (let index = 0; index < count; index += 1) answers.push((await ask(nginx, path, options)).status);
  return answers;
}

describe('nginx limits', { skip: NO_NGINX }, () => {
  test('/api to 20 requests at once and 10 a second', async (t) => {
    const nginx = await startNginx(t, (await startService(t, AT_DOMAIN)).port);
    const head = `GET /api/health HTTP/1.1\r\nHost: ${DOMAIN}\r\n`;
    const asked = `${`${head}\r\n`.repeat(59)}${head}Connection: close\r\n\r\n`;
    const started = performance.now();
    const answers = parseAnswers(await sendRawSecurely(nginx, asked));
    const refilled = Math.ceil((performance.now() - started) / 100);
    const allowed = answers.filter(({ status }) => status === 200).length;
    assert.equal(answers.length, 60);
    assert.deepEqual(
      answers.slice(0, 20).map(({ status }) => status),
      Array(20).fill(200),
    );
    assert.ok(allowed <= 20 + refilled && allowed < 60, `${allowed} were let through`);
    const refused = answers.find(({ status }) => status !== 200);
    assert.deepEqual([refused?.status, refused?.body], [429, REFUSAL]);
    assert.match(refused?.head ?? '', /^retry-after: 1$/im);
    assert.deepEqual(await statuses(nginx, 25, '/'), Array(25).fill(200));
  });

  test('/api/auth/ to 5 at once, whatever the spelling, and leaves the rest of /api alone', async (t) => {
    const nginx = await startNginx(t, (await startService(t, AT_DOMAIN)).port);
    assert.deepEqual(await statuses(nginx, 4, '/api/auth/me'), [200, 200, 200, 200]);
    assert.deepEqual(await statuses(nginx, 1, '/%61pi/%61uth/me'), [200]);
    for (const path of [
      '/api/auth/me',
      '/api//auth/me',
      '/api/x/../auth/me',
      '/api/auth/idp/callback?code=x',
    ])
      assert.deepEqual(await statuses(nginx, 1, path), [429], path);
    const refused = await ask(nginx, '/api/auth/login', { method: 'POST', body: '{}' });
    assert.deepEqual([refused.text, refused.headers['retry-after']], [REFUSAL, '13']);
    assert.deepEqual(await statuses(nginx, 1, '/api/health'), [200]);
  });

  test('reads of files nowhere, and all else there like any call', async (t) => {
    const service = await startService(t, AT_DOMAIN);
    const nginx = await startNginx(t, service.port);
    const app = new URL(await filesAddress(service)).pathname;
    for (const path of [
      '/api/docs',
      '/api/app-config',
      '/api/swagger.yaml',
      '/%61pi/d%6fcs',
      '/lists',
      '/sw.js',
      '/manifest.webmanifest',
      `${app}/start/main.js`,
    ])
      assert.deepEqual(await statuses(nginx, 25, path), Array(25).fill(200), path);
    const head = { method: 'HEAD' };
    assert.deepEqual(await statuses(nginx, 25, '/api/uploads/menu_photos/x.jpg', head), Array(25).fill(404));
    assert.deepEqual(await statuses(nginx, 25, '/api/changes/stream', head), Array(25).fill(200));
    const calls = [
      '/api/docs',
      '/api/docs/../health',
      '/api/docsx',
      '/api/app-configs',
      '/api/changes/streams',
      '/api/uploads',
      '/api/docs%0a',
    ];
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, index) => {
        const path = calls[index % calls.length] ?? '';
        return ask(nginx, path, path === '/api/docs' ? { method: 'POST' } : {});
      }),
    );
    assert.ok(answers.some(({ status, text }) => status === 429 && text === REFUSAL));
  });

  test('each client by itself, whatever it claims, and so does the service behind it', async (t) => {
    const service = await startService(t, {
      ...AT_DOMAIN,
      RATE_LIMIT_PER_MINUTE: '1',
      RATE_LIMIT_BURST: '3',
    });
    const nginx = await startNginx(t, service.port);
    const forged = {
      'X-Forwarded-For': '198.51.100.1',
      'X-Real-IP': '198.51.100.2',
      Forwarded: 'for=1.2.3.4',
    };
    const asClient = (count: number, from: string): Promise<number[]> =>
      statuses(nginx, count, '/api/health', { from, headers: forged });
    assert.deepEqual(await asClient(4, '127.0.0.2'), [200, 200, 200, 429]);
    assert.deepEqual(await asClient(4, '127.0.0.3'), [200, 200, 200, 429]);
    const clients = service.logs
      .filter((line) => field(line, 'message') === 'request')
      .map((line) => field(line, 'client'));
    assert.deepEqual(clients, [...Array<string>(4).fill('127.0.0.2'), ...Array<string>(4).fill('127.0.0.3')]);
  });

  test('a client by the /64 of its IPv6 address', async (t) => {
    // Addresses that this machine does not have, named by a header that nginx is made to believe for this.
    const named = 'set_real_ip_from 127.0.0.1; real_ip_header X-Test-Client;';
    const nginx = await startNginx(t, (await startService(t, AT_DOMAIN)).port, named);
    const asClient = (client: string, count: number): Promise<number[]> =>
      statuses(nginx, count, '/api/auth/me', { headers: { 'X-Test-Client': client } });
    // The byte 0a is a line feed, at which a careless pattern ends.
    assert.deepEqual(await asClient('2001:db8:a0a:a0a:1::1', 3), [200, 200, 200]);
    assert.deepEqual(await asClient('2001:db8:a0a:a0a:ffff::a0a', 3), [200, 200, 429]);
    assert.deepEqual(await asClient('2001:db8:a0a:a0b:1::1', 1), [200]);
    assert.deepEqual(await asClient('198.51.100.1', 6), [200, 200, 200, 200, 200, 429]);
    assert.deepEqual(await asClient('198.51.100.2', 1), [200]);
  });

  test('the connections of a client whose requests are under way to 64', async (t) => {
    const nginx = await startNginx(t, (await startService(t, AT_DOMAIN)).port);
    // Each waits for the body that it announced; /health has no limit.
    const head = `POST / HTTP/1.1\r\nHost: ${DOMAIN}\r\nContent-Length: 5\r\n\r\n`;
    const held = await Promise.all(Array.from({ length: 70 }, () => sendRawSecurely(nginx, head)));
    const refused = held.flatMap(parseAnswers).filter(({ status }) => status === 429);
    assert.equal(refused.length, 6);
    assert.equal(refused[0]?.body, REFUSAL);
  });
});
