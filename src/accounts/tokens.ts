import { createHash, createHmac, createSecretKey, randomBytes } from 'node:crypto';
import type * as Jose from 'jose';
import type { JWTHeaderParameters, JWTPayload } from 'jose';

/** Seconds from issue to expiry of an access token (SPEC, "Limits"). */
export const ACCESS_TOKEN_SECONDS = 15 * 60;

const NAME = 'restaurant-catalogue';
const TYPE = 'at+jwt';
// Two clocks may differ, and one may be set back a little; nothing that was issued later than this is ours.
const CLOCK_TOLERANCE_SECONDS = 5;
const COMPACT_JWS = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;

/** Whom an access token stands for. */
export interface AccessClaims {
  readonly userId: number;
  readonly sessionId: number;
}

/** What an access token turned out to be; `expired` ones were issued here and are otherwise fine. */
export type AccessTokenCheck =
  { readonly outcome: 'valid' | 'expired'; readonly claims: AccessClaims } | { readonly outcome: 'invalid' };

/** Issues and checks access tokens: JWTs signed with HS256 (RFC 7519, RFC 9068). */
export interface AccessTokens {
  readonly issue: (claims: AccessClaims) => Promise<string>;
  readonly check: (token: string) => Promise<AccessTokenCheck>;
}

/** Access tokens signed with `secret`, which alone makes them. */
export function createAccessTokens(secret: Uint8Array): AccessTokens {
  const key = createSecretKey(secret);
  // Loaded with the first token, since it is a good part of what the start of the service takes.
  let loading: Promise<typeof Jose> | undefined;
  const jose = (): Promise<typeof Jose> => (loading ??= import('jose'));
  return {
    issue: async ({ userId, sessionId }) => {
      const { SignJWT } = await jose();
      return new SignJWT({ sid: String(sessionId) })
        .setProtectedHeader({ alg: 'HS256', typ: TYPE })
        .setIssuer(NAME)
        .setAudience(NAME)
        .setSubject(String(userId))
        .setIssuedAt()
        .setExpirationTime(`${ACCESS_TOKEN_SECONDS}s`)
        .sign(key);
    },
    check: async (token) => {
      if (!COMPACT_JWS.test(token)) return { outcome: 'invalid' };
      const { errors, jwtVerify } = await jose();
      try {
        const { payload, protectedHeader } = await jwtVerify(token, key, {
          algorithms: ['HS256'],
          requiredClaims: ['sub', 'sid', 'iat', 'exp'],
        });
        const claims = claimsOf(payload, protectedHeader);
        return claims ? { outcome: 'valid', claims } : { outcome: 'invalid' };
      } catch (error) {
        if (error instanceof errors.JWTExpired) return expired(error.payload);
        if (error instanceof errors.JOSEError) return { outcome: 'invalid' };
        throw error;
      }
    },
  };
}

/** A token whose signature holds and whose time is over. Its other claims decide nothing but a logout. */
function expired(payload: JWTPayload): AccessTokenCheck {
  const claims = { userId: idOf(payload.sub), sessionId: idOf(payload['sid']) };
  return { outcome: 'expired', claims: { userId: claims.userId ?? 0, sessionId: claims.sessionId ?? 0 } };
}

/** The claims of a token that this service issued as an access token; undefined for any other it may have signed. */
function claimsOf(payload: JWTPayload, header: JWTHeaderParameters): AccessClaims | undefined {
  const { iss, aud, sub, sid, iat = NaN, exp = NaN } = payload;
  if (header.typ !== TYPE || iss !== NAME || aud !== NAME) return undefined;
  const now = Date.now() / 1000;
  if (!(iat <= now + CLOCK_TOLERANCE_SECONDS && exp - iat <= ACCESS_TOKEN_SECONDS)) return undefined;
  const [userId, sessionId] = [idOf(sub), idOf(sid)];
  return userId === undefined || sessionId === undefined ? undefined : { userId, sessionId };
}

function idOf(claim: unknown): number | undefined {
  return typeof claim === 'string' && /^[1-9]\d{0,14}$/.test(claim) ? Number(claim) : undefined;
}

/** 256 random bits as 43 characters of base64url. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** All that is stored of a secret of 256 bits: its SHA-256. */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/** The secret that follows another one: nobody can tell it who lacks either the other one or the salt. */
export function successorSecret(secret: string, salt: Buffer): string {
  return createHmac('sha256', salt).update(secret).digest('base64url');
}
