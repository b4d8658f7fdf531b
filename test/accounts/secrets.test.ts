import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { secretOf } from '../support/accounts.ts';
import { createClient, textOf } from '../support/client.ts';
import { runCommand } from '../support/cli.ts';
import { expired } from '../support/forge.ts';
import { SAME_ORIGIN } from '../support/own-page.ts';
import { person } from '../support/people.ts';
import { startService, temporaryFolder } from '../support/service.ts';

const SETTINGS = {
  AUTH_MODE: 'both',
  JWT_SECRET_KEY: 'canary-of-the-signing-secret-0123456789',
  ADMIN_EMAIL: 'chef@example.com',
  ADMIN_PASSWORD: 'canary of the administrator',
  OIDC_ISSUER_URL: 'http://127.0.0.1:9',
  OIDC_CLIENT_ID: 'catalogue',
  OIDC_CLIENT_SECRET: 'canary-of-the-provider-secret',
  OIDC_REDIRECT_URL: 'http://127.0.0.1/api/auth/oidc/callback',
  METRICS_TOKEN: 'canary-of-the-metrics-token',
  LOG_LEVEL: 'debug',
};
const PASSWORD = 'canary of a password';
const NEW = 'canary of a new password';
const WRONG = 'canary of a wrong password';
const BYSTANDER = 'canary-in-a-query';

describe('a secret', () => {
  test('is in no log line, no answer but its own, no file and no printed setting', async (t) => {
    const service = await startService(t, SETTINGS);
    const answers: string[] = [];
    const { api: plain, url } = service;
    const statusOf = async (
      answer: Promise<{ status: number; headers: Headers; body: unknown }>,
    ): Promise<number> => {
      const { status, headers, body } = await answer;
      answers.push(JSON.stringify([...headers, body]));
      return status;
    };
    const account = { email: 'alice@example.com', username: 'alice', password: PASSWORD };
    const alice = person(url, (await plain.post('/auth/register', account)).body, PASSWORD);
    const admin = person(
      url,
      (await plain.post('/auth/login', { email: SETTINGS.ADMIN_EMAIL, password: SETTINGS.ADMIN_PASSWORD }))
        .body,
      SETTINGS.ADMIN_PASSWORD,
    );
    const [invitation, unused] = [
      secretOf(await admin.api.post('/invitations', { note: 'for dora' })),
      secretOf(await admin.api.post('/invitations', {})),
    ];
    const reset = secretOf(await admin.api.post(`/users/${alice.id}/password-reset`, {}));
    const inCookie = { ...account, session: 'cookie' };
    const cookie = (await plain.post('/auth/login', inCookie, SAME_ORIGIN)).headers.get('set-cookie');
    const cookieToken = /refresh=([\w-]{43});/.exec(cookie ?? '')?.[1] ?? 'none';
    const script = textOf((await alice.api.post('/auth/tokens', { name: 'script' })).body, 'token');

    assert.equal(await statusOf(plain.post('/auth/register', account)), 409);
    assert.equal(await statusOf(plain.post('/auth/register', { ...account, email: PASSWORD })), 400);
    assert.equal(await statusOf(plain.post('/auth/login', { email: account.email, password: WRONG })), 401);
    assert.equal(await statusOf(plain.post('/auth/login', { email: WRONG, password: WRONG })), 401);
    assert.equal(await statusOf(plain.post('/auth/login', { email: [WRONG], password: { WRONG } })), 400);
    assert.equal(await statusOf(plain.post('/auth/refresh', { refresh_token: WRONG })), 401);
    assert.equal(await statusOf(alice.api.get('/auth/me')), 200);
    assert.equal(await statusOf(alice.api.get('/auth/tokens')), 200);
    const scraper = { Authorization: `Bearer ${SETTINGS.METRICS_TOKEN}`, 'X-Forwarded-For': '192.0.2.1' };
    assert.equal(await statusOf(plain.get('/metrics', scraper)), 200);
    for (const token of [script, expired(alice.accessToken), `${alice.accessToken}x`])
      await statusOf(
        createClient(url, { Authorization: `Bearer ${token}`, Cookie: BYSTANDER }).get('/auth/me'),
      );
    assert.equal(await statusOf(plain.get(`/auth/oidc/callback?code=${BYSTANDER}&state=${BYSTANDER}`)), 400);
    assert.equal(await statusOf(plain.get('/auth/oidc')), 302);
    assert.equal(await statusOf(plain.get(`/restaurants?token=${BYSTANDER}`)), 200);
    assert.equal(
      await statusOf(
        plain.send('/api/auth/login', {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: `{"password":"${WRONG}"`,
        }),
      ),
      400,
    );
    const guest = { email: 'dora@example.com', username: 'dora', password: PASSWORD, invitation };
    assert.equal((await plain.post('/auth/register', guest)).status, 201);
    for (const wrong of [invitation, `${unused}x`])
      assert.equal(await statusOf(plain.post('/auth/invitation', { invitation: wrong })), 404);
    assert.equal(
      await statusOf(plain.post('/auth/password-reset', { token: `${reset}x`, new_password: WRONG })),
      400,
    );
    assert.equal(await statusOf(admin.api.get('/invitations')), 200);
    assert.equal(await statusOf(admin.api.get('/users')), 200);
    assert.equal(await statusOf(alice.api.get('/auth/sessions')), 200);
    assert.equal(await statusOf(alice.api.get('/me/export')), 200);
    const withCookie = { ...SAME_ORIGIN, Cookie: `refresh=${cookieToken}` };
    assert.equal(
      await statusOf(plain.post('/auth/refresh', { session: 'cookie' }, { ...withCookie, Origin: 'x' })),
      200,
    );
    const changed = { current_password: PASSWORD, new_password: NEW };
    assert.equal(await statusOf(alice.api.post('/auth/password', changed)), 200);
    await service.stop();

    const files = readdirSync(service.folder, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => readFileSync(join(service.folder, name), 'latin1'));
    const variables = { ...SETTINGS, DATA_DIR: service.folder };
    const cwd = temporaryFolder(t);
    const commands = [['--print-config'], ['doctor'], ['user', 'list'], ['user', 'sessions', account.email]];
    const printed = await Promise.all(commands.map((args) => runCommand(args, { variables, cwd })));
    const places = {
      answers,
      logs: service.logs.map((line) => JSON.stringify(line)),
      files,
      printed: printed.map(({ out, err }) => out + err),
    };
    const secrets = [
      ...[
        SETTINGS.JWT_SECRET_KEY,
        SETTINGS.ADMIN_PASSWORD,
        SETTINGS.OIDC_CLIENT_SECRET,
        SETTINGS.METRICS_TOKEN,
        PASSWORD,
        WRONG,
        BYSTANDER,
      ],
      ...[alice.accessToken, alice.refreshToken, script, '$argon2'],
      ...[NEW, invitation, unused, reset, cookieToken],
    ];
    assert.ok(places.logs.length > 15 && places.files.some((text) => text.includes(account.email)));
    for (const [place, texts] of Object.entries(places))
      for (const secret of secrets)
        if (place !== 'files' || secret !== '$argon2')
          assert.ok(!texts.some((text) => text.includes(secret)), `${secret} is in ${place}`);
  });
});
