import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { apiTokenOf, bearing, secretOf } from '../../support/accounts.ts';
import type { Answer } from '../../support/client.ts';
import { runCommand } from '../../support/cli.ts';
import { expired } from '../../support/forge.ts';
import { SAME_ORIGIN } from '../../support/own-page.ts';
import { person } from '../../support/people.ts';
import { startService, temporaryFolder } from '../../support/service.ts';

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
    const expect = async (status: number, answering: Promise<Answer>): Promise<void> => {
      const answer = await answering;
      answers.push(JSON.stringify([...answer.headers, answer.body]));
      assert.equal(answer.status, status);
    };
    const account = { email: 'alice@example.com', username: 'alice', password: PASSWORD };
    const alice = person(url, (await plain.post('/auth/register', account)).body, PASSWORD);
    const chef = { email: SETTINGS.ADMIN_EMAIL, password: SETTINGS.ADMIN_PASSWORD };
    const admin = person(url, (await plain.post('/auth/login', chef)).body, chef.password);
    const invitation = secretOf(await admin.api.post('/invitations', { note: 'for dora' }));
    const unused = secretOf(await admin.api.post('/invitations', {}));
    const reset = secretOf(await admin.api.post(`/users/${alice.id}/password-reset`, {}));
    const inCookie = { ...account, session: 'cookie' };
    const cookie = (await plain.post('/auth/login', inCookie, SAME_ORIGIN)).headers.get('set-cookie');
    const cookieToken = /refresh=([\w-]{43});/.exec(cookie ?? '')?.[1] ?? 'none';
    const script = await apiTokenOf(alice.api);

    await expect(409, plain.post('/auth/register', account));
    await expect(400, plain.post('/auth/register', { ...account, email: PASSWORD }));
    await expect(401, plain.post('/auth/login', { email: account.email, password: WRONG }));
    await expect(401, plain.post('/auth/login', { email: WRONG, password: WRONG }));
    await expect(400, plain.post('/auth/login', { email: [WRONG], password: { WRONG } }));
    await expect(401, plain.post('/auth/refresh', { refresh_token: WRONG }));
    await expect(200, alice.api.get('/auth/me'));
    await expect(200, alice.api.get('/auth/tokens'));
    const scraper = { ...bearing(SETTINGS.METRICS_TOKEN), 'X-Forwarded-For': '192.0.2.1' };
    await expect(200, plain.get('/metrics', scraper));
    for (const [token, status] of [
      [script, 200],
      [expired(alice.accessToken), 401],
      [`${alice.accessToken}x`, 401],
    ] as const)
      await expect(status, plain.get('/auth/me', { ...bearing(token), Cookie: BYSTANDER }));
    await expect(400, plain.get(`/auth/oidc/callback?code=${BYSTANDER}&state=${BYSTANDER}`));
    await expect(302, plain.get('/auth/oidc'));
    await expect(200, plain.get(`/restaurants?token=${BYSTANDER}`));
    await expect(
      400,
      plain.send('/api/auth/login', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: `{"password":"${WRONG}"`,
      }),
    );
    const guest = { email: 'dora@example.com', username: 'dora', password: PASSWORD, invitation };
    assert.equal((await plain.post('/auth/register', guest)).status, 201);
    for (const wrong of [invitation, `${unused}x`])
      await expect(404, plain.post('/auth/invitation', { invitation: wrong }));
    await expect(400, plain.post('/auth/password-reset', { token: `${reset}x`, new_password: WRONG }));
    await expect(200, admin.api.get('/invitations'));
    await expect(200, admin.api.get('/users'));
    await expect(200, alice.api.get('/auth/sessions'));
    await expect(200, alice.api.get('/me/export'));
    const withCookie = { ...SAME_ORIGIN, Cookie: `refresh=${cookieToken}` };
    await expect(200, plain.post('/auth/refresh', { session: 'cookie' }, { ...withCookie, Origin: 'x' }));
    const changed = { current_password: PASSWORD, new_password: NEW };
    await expect(200, alice.api.post('/auth/password', changed));
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
    const { JWT_SECRET_KEY, ADMIN_PASSWORD, OIDC_CLIENT_SECRET, METRICS_TOKEN } = SETTINGS;
    const secrets = [
      JWT_SECRET_KEY,
      ADMIN_PASSWORD,
      OIDC_CLIENT_SECRET,
      METRICS_TOKEN,
      PASSWORD,
      WRONG,
      BYSTANDER,
      NEW,
      '$argon2',
      alice.accessToken,
      alice.refreshToken,
      script,
      invitation,
      unused,
      reset,
      cookieToken,
    ];
    assert.ok(places.logs.length > 15 && places.files.some((text) => text.includes(account.email)));
    for (const [place, texts] of Object.entries(places))
      for (const secret of secrets)
        if (place !== 'files' || secret !== '$argon2')
          assert.ok(!texts.some((text) => text.includes(secret)), `${secret} is in ${place}`);
  });
});
