import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import Provider, { type Configuration } from 'oidc-provider';
import type { Cleanup } from './cleanup.ts';
import type { Browser, Page } from './browser.ts';
import { listenOnLoopback } from './listen.ts';

/** The claims of an account, by the name that signs in there. */
export type Accounts = ReadonlyMap<string, Readonly<Record<string, unknown>>>;

export interface RealProviderOptions {
  readonly accounts: Accounts;
  readonly redirectUrl: string;
  /** How clients authenticate; Basic unless it is said otherwise. */
  readonly clientAuthMethod?: 'client_secret_basic' | 'client_secret_post';
  /** Deviations from a usual provider. */
  readonly configuration?: Configuration;
}

/** The client that the provider knows. */
export const CLIENT = { id: 'catalogue', secret: 'the secret of + the client: 100%' };

/** Starts the certified `oidc-provider` on loopback and returns its issuer. */
export async function startRealProvider(t: Cleanup, options: RealProviderOptions): Promise<string> {
  const server = createServer();
  const issuer = `http://127.0.0.1:${await listenOnLoopback(t, server)}`;
  const { clientAuthMethod = 'client_secret_basic' } = options;
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: [options.redirectUrl],
        token_endpoint_auth_method: clientAuthMethod,
      },
    ],
    clientAuthMethods: [clientAuthMethod],
    cookies: { keys: ['a key of the tests'] },
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), kty: 'RSA', alg: 'RS256', use: 'sig' }] },
    claims: {
      openid: ['sub'],
      email: ['email', 'email_verified'],
      profile: ['name', 'nickname', 'picture', 'preferred_username'],
    },
    findAccount: (_context, id) => ({
      accountId: id,
      claims: () => ({ sub: id, ...options.accounts.get(id) }),
    }),
    ...options.configuration,
  });
  const handle = provider.callback();
  server.on('request', (request, response) => void handle(request, response));
  return issuer;
}

/** Signs in at the provider's own pages as `name`, or cancels there, and comes back to `home`. */
export async function signInAt(
  browser: Browser,
  start: string,
  home: string,
  name: string | undefined,
): Promise<Page> {
  const until = (url: URL): boolean => url.href.startsWith(home);
  let page = await browser.follow(start, until);
  for (let step = 0; step < 4 && !until(page.url); step += 1) {
    if (name === undefined) {
      page = await browser.follow(`${page.url.href}/abort`, until);
      continue;
    }
    const prompt = /name="prompt" value="(\w+)"/.exec(page.text)?.[1];
    if (prompt === undefined) throw new Error(`no form at ${page.url.href}: ${page.status} ${page.text}`);
    page = await browser.follow(page.url.href, until, { prompt, login: name, password: 'any' });
  }
  return page;
}
