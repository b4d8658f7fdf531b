import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { NO_CADDY, startCaddy } from '../support/caddy.ts';
import { NO_BROWSER, mainPath, openContext, test } from '../support/chromium.ts';
import { signIn } from '../support/docs-page.ts';
import { DOMAIN, type Edge, ask } from '../support/edge.ts';
import { NO_NGINX, startNginx } from '../support/nginx.ts';
import { LOCAL, signUp } from '../support/people.ts';
import { startService } from '../support/service.ts';
import { startSecureService } from '../support/tls.ts';

const ACCOUNT = { email: 'alice@example.com', username: 'alice', password: 'alice and a long password' };
const COOKIE = /^__Host-refresh=[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Strict; Max-Age=604800$/;

interface SeenAnswer {
  readonly status: number;
  readonly headers: { readonly 'set-cookie'?: readonly string[] | undefined };
}
type Send = (path: string, headers: Readonly<Record<string, string>>, body: string) => Promise<SeenAnswer>;

/** Five calls, as many as the edge allows in a minute. */
async function assertCookieSession(origin: string, send: Send): Promise<void> {
  const post = (path: string, body: object, headers: Readonly<Record<string, string>>): Promise<SeenAnswer> =>
    send(
      `/api/auth/${path}`,
      { 'Content-Type': 'application/json', Host: new URL(origin).host, ...headers },
      JSON.stringify({ session: 'cookie', ...body }),
    );
  const made = await post('register', ACCOUNT, { Origin: origin });
  const [set = ''] = made.headers['set-cookie'] ?? [];
  assert.equal(made.status, 201);
  assert.match(set, COOKIE);
  const [Cookie = ''] = set.split(';');
  assert.equal((await post('refresh', {}, { Origin: origin, Cookie })).status, 200);
  const { hostname } = new URL(origin);
  assert.equal((await post('refresh', {}, { Origin: `https://${hostname}`, Cookie })).status, 403);
  const gone = await post('logout', {}, { 'Sec-Fetch-Site': 'same-origin', Cookie });
  assert.deepEqual(gone.headers['set-cookie'], [
    '__Host-refresh=; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=0',
  ]);
  assert.equal((await post('refresh', {}, { Origin: origin, Cookie })).status, 401);
}

const through =
  (edge: Edge): Send =>
  (path, headers, body) =>
    ask(edge, path, { method: 'POST', headers, body });

describe('a session in a cookie', () => {
  test('works behind nginx, on the port that the browser has', { skip: NO_NGINX }, async (t) => {
    const nginx = await startNginx(t, (await startService(t, LOCAL)).port);
    await assertCookieSession(`https://${DOMAIN}:${nginx.httpsPort}`, through(nginx));
  });

  test('works behind Caddy, on the port that the browser has', { skip: NO_CADDY }, async (t) => {
    const caddy = await startCaddy(t, (await startService(t, LOCAL)).port);
    await assertCookieSession(`https://${DOMAIN}:${caddy.httpsPort}`, through(caddy));
  });

  mainPath('works where the service terminates TLS, whatever a header says of the scheme', async (t) => {
    const service = await startSecureService(t, LOCAL);
    await assertCookieSession(`https://localhost:${service.port}`, (path, headers, body) =>
      service.ask(path, { method: 'POST', headers: { ...headers, 'X-Forwarded-Proto': 'http' } }, body),
    );
  });

  test(
    'survives a reload of the page in a browser, behind nginx',
    { skip: NO_NGINX || NO_BROWSER },
    async (t) => {
      const service = await startService(t, LOCAL);
      const { email, password } = await signUp(service, 'alice');
      const nginx = await startNginx(t, service.port);
      const page = await (await openContext({ ignoreHTTPSErrors: true })).newPage();
      await page.goto(`https://${DOMAIN}:${nginx.httpsPort}/api/docs`);
      await page.waitForSelector('#title');
      await signIn(page, email, password);
      await page.reload();
      await page.getByRole('button', { name: 'alice' }).click();
      const [cookie] = await page.context().cookies();
      assert.deepEqual([cookie?.name, cookie?.secure, cookie?.httpOnly], ['__Host-refresh', true, true]);
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('banner').getByRole('button', { name: 'Sign in' }).waitFor();
      await page.reload();
      await page.getByRole('banner').getByRole('button', { name: 'Sign in' }).waitFor();
      assert.deepEqual(await page.context().cookies(), []);
    },
  );
});
