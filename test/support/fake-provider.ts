import { type KeyObject, generateKeyPairSync } from 'node:crypto';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import { type JWTPayload, SignJWT } from 'jose';
import type { Cleanup } from './cleanup.ts';
import { listenOnLoopback } from './listen.ts';

/** What the provider makes of one sign-in: enough to forge any answer from. */
export interface Ticket {
  readonly issuer: string;
  readonly nonce: string;
  /** The claims of an honest ID token. */
  readonly claims: JWTPayload;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  /** Signs claims as an honest provider does. */
  readonly sign: (claims: JWTPayload) => Promise<string>;
}

/** How a provider misbehaves; what is absent is honest. */
export interface Misbehaviour {
  readonly metadata?: (honest: Readonly<Record<string, unknown>>) => unknown;
  readonly keys?: (honest: Readonly<Record<string, unknown>>) => unknown;
  readonly idToken?: (ticket: Ticket) => string | Promise<string>;
  readonly userinfo?: (ticket: Ticket) => unknown;
  /** Answers a path by itself; true when it did. */
  readonly answer?: (path: string, response: ServerResponse, request: IncomingMessage) => boolean;
  /** Added to the redirect back. */
  readonly callback?: readonly (readonly [string, string])[];
}

/** A provider that is honest unless configured otherwise. */
export interface FakeProvider {
  readonly issuer: string;
  /** The paths that were asked for. */
  readonly asked: readonly string[];
  /** Changes how it behaves from now on. */
  readonly behave: (misbehaviour: Misbehaviour) => void;
  /** Takes new signing keys. */
  readonly rotateKeys: () => void;
  /** What the provider's redirect to the service would carry for the authorization address. */
  readonly authorize: (authorizationUrl: string) => string;
}

interface Keys {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  readonly kid: string;
}

function newKeys(number: number): Keys {
  return { ...generateKeyPairSync('ec', { namedCurve: 'P-256' }), kid: `key-${number}` };
}

/** Starts a provider on loopback; `person` are the claims of the user who signs in. */
export async function startFakeProvider(t: Cleanup, person: JWTPayload): Promise<FakeProvider> {
  let misbehaviour: Misbehaviour = {};
  let rotations = 0;
  let keys = newKeys(rotations);
  let nonce = '';
  let issuer = '';
  const asked: string[] = [];

  function ticket(): Ticket {
    const now = Math.floor(Date.now() / 1000);
    const { privateKey, publicKey, kid } = keys;
    return {
      issuer,
      nonce,
      privateKey,
      publicKey,
      claims: { iss: issuer, aud: 'catalogue', sub: 'someone', iat: now, exp: now + 300, nonce, ...person },
      sign: (claims) => new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid }).sign(privateKey),
    };
  }

  async function bodyOf(path: string): Promise<unknown> {
    switch (path) {
      case '/.well-known/openid-configuration': {
        const honest = {
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          userinfo_endpoint: `${issuer}/userinfo`,
          jwks_uri: `${issuer}/keys`,
        };
        return misbehaviour.metadata ? misbehaviour.metadata(honest) : honest;
      }
      case '/keys': {
        const honest = { ...keys.publicKey.export({ format: 'jwk' }), kid: keys.kid, use: 'sig' };
        return misbehaviour.keys ? misbehaviour.keys(honest) : { keys: [honest] };
      }
      case '/token': {
        const { claims, sign } = ticket();
        const id_token = misbehaviour.idToken ? await misbehaviour.idToken(ticket()) : await sign(claims);
        return { token_type: 'Bearer', access_token: 'at the provider', id_token };
      }
      case '/userinfo':
        return misbehaviour.userinfo ? misbehaviour.userinfo(ticket()) : { sub: 'someone', ...person };
      default:
        return { error: 'not_found' };
    }
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '';
    asked.push(path);
    if (misbehaviour.answer?.(path, response, request) === true) return;
    response.setHeader('Content-Type', 'application/json').end(JSON.stringify(await bodyOf(path)));
  }

  const server = createServer((request, response) => void handle(request, response));
  issuer = `http://127.0.0.1:${await listenOnLoopback(t, server)}`;
  return {
    issuer,
    asked,
    behave: (next) => {
      misbehaviour = next;
    },
    rotateKeys: () => {
      keys = newKeys((rotations += 1));
    },
    authorize: (authorizationUrl) => {
      const query = new URL(authorizationUrl).searchParams;
      nonce = query.get('nonce') ?? '';
      const own = new Set(misbehaviour.callback?.map(([name]) => name));
      const honest: [string, string][] = [
        ['code', 'a code'],
        ['state', query.get('state') ?? ''],
      ];
      const pairs = [...honest.filter(([name]) => !own.has(name)), ...(misbehaviour.callback ?? [])];
      return new URLSearchParams(pairs.map(([name, value]): [string, string] => [name, value])).toString();
    },
  };
}
