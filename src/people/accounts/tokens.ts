import { createHash, createHmac, createSecretKey, randomBytes } from 'node:crypto';
import type { JWTHeaderParameters, JWTPayload } from 'jose';

/** Seconds from issue to expiry of an access token (SPEC, "Limits"). */
export const ACCESS_TOKEN_SECONDS = 15 * 60;

const NAME = 'restaurant-catalogue';
const TYPE = 'at+jwt';
// Two clocks may differ, and one may be set back a little; nothing that was issued later than this is ours.
const CLOCK_TOLERANCE_SECONDS = 5;
const COMPACT_JWS = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;

/** The user and session of an access token. */
export interface AccessClaims {
  readonly userId: number;
  /** The name of its session, as `sidOf` makes it. */
  readonly sid: string;
}

/**
 * The result of checking an access token. `expired` ones were issued here; their session, which is all that is read of
 * them, is undefined where they come from a version that named sessions by their ids.
 */
export type AccessTokenCheck =
  | { readonly outcome: 'valid'; readonly claims: AccessClaims; readonly expiresAt: Date }
  | { readonly outcome: 'expired'; readonly sid: string | undefined }
  | { readonly outcome: 'invalid' };

/** Issues and checks access tokens: JWTs signed with HS256 (RFC 7519, RFC 9068). */
export interface AccessTokens {
  readonly issue: (claims: AccessClaims) => Promise<string>;
  readonly check: (token: string) => Promise<AccessTokenCheck>;
  /** Loads all that the first token needs. */
  readonly loadAhead: () => Promise<unknown>;
}

/** Access tokens signed with `secret`, which alone makes them. */
export function createAccessTokens(secret: Uint8Array): AccessTokens {
  const key = createSecretKey(secret);
  // Loaded later, since it is a good part of what the start of the service takes.
  const jose = (): Promise<typeof import('jose')> => import('jose');
  return {
    loadAhead: jose,
    issue: async ({ userId, sid }) => {
      const { SignJWT } = await jose();
      // Of one look at the clock: with two, a second that ends between them makes a token that lives too long to be taken.
      const issuedAt = Math.floor(Date.now() / 1000);
      return new SignJWT({ sid })
        .setProtectedHeader({ alg: 'HS256', typ: TYPE })
        .setIssuer(NAME)
        .setAudience(NAME)
        .setSubject(String(userId))
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + ACCESS_TOKEN_SECONDS)
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
        return read(payload, protectedHeader);
      } catch (error) {
        if (error instanceof errors.JWTExpired) return expired(error.payload);
        if (error instanceof errors.JOSEError) return { outcome: 'invalid' };
        throw error;
      }
    },
  };
}

/** A token whose signature holds and whose time is over. Its other claims decide nothing but a logout. */
function expired({ sid }: JWTPayload): AccessTokenCheck {
  return { outcome: 'expired', sid: isSid(sid) ? sid : undefined };
}

/** Reads a token in force; any other than an access token of this service, which it may have signed too, is invalid. */
function read(payload: JWTPayload, header: JWTHeaderParameters): AccessTokenCheck {
  const { iss, aud, sub, sid, iat = NaN, exp = NaN } = payload;
  const invalid = { outcome: 'invalid' } as const;
  if (header.typ !== TYPE || iss !== NAME || aud !== NAME) return invalid;
  const now = Date.now() / 1000;
  if (!(iat <= now + CLOCK_TOLERANCE_SECONDS && exp - iat <= ACCESS_TOKEN_SECONDS)) return invalid;
  const userId = idOf(sub);
  if (userId === undefined) return invalid;
  if (isSid(sid)) return { outcome: 'valid', claims: { userId, sid }, expiresAt: new Date(exp * 1000) };
  // Of an older version: an id may stand for another session by now. Clients get a new token when one has expired.
  return idOf(sid) === undefined ? invalid : expired(payload);
}

function isSid(claim: unknown): claim is string {
  return typeof claim === 'string' && /^[0-9a-f]{32}$/.test(claim);
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

/**
 * The name of a session in access tokens that are issued with this refresh token: 32 hexadecimal digits. Only its SHA-256
 * is stored, so that a copy of the database names no session, not even to the holder of the key that signs.
 */
export function sidOf(refreshToken: string): string {
  return createHmac('sha256', 'sid').update(refreshToken).digest('hex').slice(0, 32);
}

/** The secret that follows another one: it takes both the other one and the salt to know it. */
export function successorSecret(secret: string, salt: Buffer): string {
  return createHmac('sha256', salt).update(secret).digest('base64url');
}
