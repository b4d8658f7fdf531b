import type { QueryFile } from '../../storage/statements.ts';
import type { ApiTokenStore } from './api-tokens.ts';
import type { SessionStore } from './sessions.ts';
import { hashSecret, newSecret } from './tokens.ts';
import type { UserStore } from './users.ts';
import { DAY_MS } from '../../kit/time.ts';

/** The refusal of what would leave no active administrator. */
export const LAST_ADMINISTRATOR = 'The last administrator must stay';

/** A link to set a password, valid once; its secret is stored as a hash alone. */
export interface ResetLink {
  /** Root-relative. */
  readonly url: string;
  readonly expires_at: string;
}

/**
 * What administrators do to the account of a user who exists, by the API or by the command line. Must run inside a
 * transaction.
 */
export interface Administration {
  /** An inactive user's sessions end, and the link to set a password; API tokens rest. Undefined for the last administrator. */
  readonly setActive: (id: number, isActive: boolean, now: Date) => { readonly ended: number } | undefined;
  /** Ends all sessions, and removes the API tokens where wanted. */
  readonly endSessions: (
    id: number,
    withTokens: boolean,
  ) => { readonly ended: number; readonly removed: number };
  /** Ends all sessions but `except`; API tokens stay. */
  readonly setPassword: (
    id: number,
    passwordHash: string,
    now: Date,
    except?: string | null,
  ) => PasswordChange;
  readonly endReset: (id: number) => void;
  /** Makes a link for 24 hours, which ends earlier when its creator is no longer an administrator; an older one ends. */
  readonly createReset: (id: number, createdBy: number, now: Date) => ResetLink;
  /** The user of a link; undefined for one that is unknown, used or expired, or whose user is not active. */
  readonly findReset: (secret: string, now: Date) => number | undefined;
}

/** The sessions that a new password has ended, and the API tokens that go on. */
export interface PasswordChange {
  readonly ended: number;
  readonly tokens: number;
}

const RESET_PREFIX = 'rst_';
const RESET_MS = DAY_MS;

/** Opens it on accounts.sql. */
export function createAdministration(
  sql: QueryFile,
  { users, sessions, apiTokens }: { users: UserStore; sessions: SessionStore; apiTokens: ApiTokenStore },
): Administration {
  const setReset = sql.prepare('setReset');
  const findReset = sql.prepare<number>('findReset').pluck();
  const deleteReset = sql.prepare('endReset');
  const endReset = (userId: number): void => void deleteReset.run({ userId });
  return {
    endReset,
    setActive: (id, isActive, now) => {
      if (!isActive && users.isLastAdministrator(id)) return undefined;
      users.setActive(id, isActive, now.toISOString());
      if (isActive) return { ended: 0 };
      endReset(id);
      return { ended: sessions.endAllOf(id) };
    },
    endSessions: (id, withTokens) => ({
      ended: sessions.endAllOf(id),
      removed: withTokens ? apiTokens.removeAllOf(id) : 0,
    }),
    setPassword: (id, passwordHash, now, except = null) => {
      users.setPasswordHash(id, passwordHash, now.toISOString());
      return { ended: sessions.endAllOf(id, except), tokens: [...apiTokens.listOf(id)].length };
    },
    createReset: (userId, createdBy, now) => {
      const secret = RESET_PREFIX + newSecret();
      const expiresAt = new Date(now.getTime() + RESET_MS).toISOString();
      setReset.run({ userId, secretHash: hashSecret(secret), createdBy, expiresAt });
      return { url: `/reset#${secret}`, expires_at: expiresAt };
    },
    findReset: (secret, now) => {
      const id = findReset.get({ secretHash: hashSecret(secret), now: now.toISOString() });
      return id !== undefined && users.get(id)?.is_active === true ? id : undefined;
    },
  };
}
