import { type KeyObject, createHash, createHmac, createSecretKey, randomBytes } from 'node:crypto';
import type { JWTHeaderParameters, JWTPayload } from 'jose';

/** Seconds from issue to expiry of an access token. */
export const ACCESS_TOKEN_SECONDS = 15 * 60;

const NAME = 'restaurant-catalogue';
const TYPE = 'at+jwt';
// Clocks differ and may be set back a little; a token that was issued later than this is not ours.
const CLOCK_TOLERANCE_SECONDS = 5;
const COMPACT_JWS = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;

/**
 * The result of checking an access token. An `expired` one was issued here and still names its session; `sid` is undefined
 * for tokens of versions that named sessions by their ids.
 */
export type AccessTokenCheck =
  | { readonly outcome: 'valid'; readonly userId: number; readonly sid: string; readonly expiresAt: Date }
  | { readonly outcome: 'expired'; readonly sid: string | undefined }
  | { readonly outcome: 'invalid' };

/** Loads the library of tokens. Not done at the start, of whose time it would take a good part. */
export const loadJose = (): Promise<typeof import('jose')> => import('jose');

/** Issues and checks access tokens: JWTs signed with HS256 (RFC 7519, RFC 9068). */
export class AccessTokens {
  readonly #key: KeyObject;

  constructor(secret: Uint8Array) {
    this.#key = createSecretKey(secret);
  }

  /** `sid` is the name of the session, as `sidOf` makes it. */
  async issue({ userId, sid }: { readonly userId: number; readonly sid: string }): Promise<string> {
    const { SignJWT } = await loadJose();
    // Read the clock once: if a second passed between two readings, the token would live too long to be accepted.
    const issuedAt = Math.floor(Date.now() / 1000);
    return new SignJWT({ sid })
      .setProtectedHeader({ alg: 'HS256', typ: TYPE })
      .setIssuer(NAME)
      .setAudience(NAME)
      .setSubject(String(userId))
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + ACCESS_TOKEN_SECONDS)
      .sign(this.#key);
  }

  async check(token: string): Promise<AccessTokenCheck> {
    if (!COMPACT_JWS.test(token)) return { outcome: 'invalid' };
    const { errors, jwtVerify } = await loadJose();
    try {
      const { payload, protectedHeader } = await jwtVerify(token, this.#key, {
        algorithms: ['HS256'],
        requiredClaims: ['sub', 'sid', 'iat', 'exp'],
      });
      return read(payload, protectedHeader);
    } catch (error) {
      if (error instanceof errors.JWTExpired) return expired(error.payload);
      if (error instanceof errors.JOSEError) return { outcome: 'invalid' };
      throw error;
    }
  }
}

/** An expired token with a valid signature. It can only log out. */
function expired({ sid }: JWTPayload): AccessTokenCheck {
  return { outcome: 'expired', sid: isSid(sid) ? sid : undefined };
}

/** Reads a token that has not expired. Other JWTs that the same key may have signed are invalid. */
function read(payload: JWTPayload, header: JWTHeaderParameters): AccessTokenCheck {
  const { iss, aud, sub, sid, iat = NaN, exp = NaN } = payload;
  const invalid = { outcome: 'invalid' } as const;
  if (header.typ !== TYPE || iss !== NAME || aud !== NAME) return invalid;
  const now = Date.now() / 1000;
  if (!(iat <= now + CLOCK_TOLERANCE_SECONDS && exp - iat <= ACCESS_TOKEN_SECONDS)) return invalid;
  const userId = idOf(sub);
  if (userId === undefined) return invalid;
  if (isSid(sid)) return { outcome: 'valid', userId, sid, expiresAt: new Date(exp * 1000) };
  // An older version named the session by id, which another session may have by now. Clients refresh an expired token.
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

/** The SHA-256 of a secret of 256 bits, which is stored in its place. */
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

/** The successor of a secret; computing it takes both the secret and the salt. */
export function successorSecret(secret: string, salt: Buffer): string {
  return createHmac('sha256', salt).update(secret).digest('base64url');
}
