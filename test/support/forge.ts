import { createHmac } from 'node:crypto';
import { LOCAL } from './people.ts';

/** A JSON object. */
export type Json = Readonly<Record<string, unknown>>;

/** The header of the service's access tokens. */
export const TOKEN_HEADER = { alg: 'HS256', typ: 'at+jwt' };

/** Text in base64url. */
export function encode(text: string): string {
  return Buffer.from(text).toString('base64url');
}

/** A JWS in compact form over any payload, signed like HS256 or its sisters. */
export function signedText(
  header: Json,
  payload: string,
  secret = LOCAL.JWT_SECRET_KEY,
  hash = 'sha256',
): string {
  const input = `${encode(JSON.stringify(header))}.${encode(payload)}`;
  return `${input}.${createHmac(hash, secret).update(input).digest('base64url')}`;
}

/** A JWT, by default with the secret of the tests' services. */
export function signed(header: Json, payload: Json, secret?: string, hash?: string): string {
  return signedText(header, JSON.stringify(payload), secret, hash);
}

/** The claims of a JWT, unchecked. */
export function claimsOf(token: string): Json {
  const payload: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  if (typeof payload !== 'object' || payload === null) throw new Error(`no claims in ${token}`);
  return { ...payload };
}

/** The same token as if it had been issued an hour earlier. */
export function expired(token: string): string {
  const claims = claimsOf(token);
  const [iat, exp] = [Number(claims['iat']) - 3_600, Number(claims['exp']) - 3_600];
  return signed(TOKEN_HEADER, { ...claims, iat, exp });
}
