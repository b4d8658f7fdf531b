import type { Bindings, Prepared, QueryFile } from '../../storage/statements.ts';
import { hashSecret } from './tokens.ts';

const NONE = { sessions: 0, api_tokens: 0, feeds: 0, links: 0, guests: 0, invitations: 0, reset_links: 0 };

/** How many secrets there are of each kind. */
export type SecretCounts = Readonly<typeof NONE>;

interface Kind {
  /** Its statements are `count` and `revoke` with this name. */
  readonly name: string;
  /** The kind that it is counted as; undefined for what is not a secret, but lets people in. */
  readonly as?: keyof SecretCounts;
  /** The columns of the database that hold it, or its hash. */
  readonly columns?: readonly string[];
  readonly endedBy: readonly Ending[];
}

const SHARED = ['endAccess', 'deletion', 'takeOver'] as const;
const PRIVATE = ['passwordReset', 'endSessionsAndTokens', ...SHARED] as const;
const LINKS = ['passwordReset', 'deactivation', ...SHARED] as const;
const SIGNED_IN = ['passwordChange', 'endSessions', 'endSessionsAndTokens', ...LINKS] as const;
/** The events that end secrets. A password is reset by a link or on the command line: the account may have been in other hands. */
export type Ending = (typeof SIGNED_IN)[number];
const TOKENS = ['token_hash', 'sid_hash', 'successor_salt'].map((name) => `refresh_tokens.${name}`);
const RESETS = ['password_resets.secret_hash'];

/**
 * Everything by which someone reads private data, or acts for a person, without signing in again. What a deactivation does not
 * end opens nothing until the account is active again. An erasure passes lists on, so it deals with their members itself.
 */
export const SECRET_KINDS: readonly Kind[] = [
  { name: 'Sessions', as: 'sessions', columns: TOKENS, endedBy: SIGNED_IN },
  { name: 'ApiTokens', as: 'api_tokens', columns: ['api_tokens.token_hash'], endedBy: PRIVATE },
  { name: 'Feeds', as: 'feeds', columns: ['feeds.token_hash'], endedBy: ['passwordReset', ...SHARED] },
  { name: 'ListLinks', as: 'links', columns: ['links.token_hash'], endedBy: SHARED },
  { name: 'OutingLinks', as: 'links', columns: ['outings.token'], endedBy: SHARED },
  { name: 'Guests', as: 'guests', columns: ['outing_voters.secret_hash'], endedBy: SHARED },
  { name: 'Invitations', as: 'invitations', columns: ['invitations.secret_hash'], endedBy: LINKS },
  { name: 'ResetLinksMade', as: 'reset_links', columns: RESETS, endedBy: LINKS },
  { name: 'OwnResetLinks', as: 'reset_links', columns: RESETS, endedBy: ['passwordChange', ...LINKS] },
  { name: 'Memberships', endedBy: ['takeOver'] },
  { name: 'Members', endedBy: ['takeOver'] },
  { name: 'Identities', endedBy: ['deletion', 'takeOver'] },
];

/** The secrets of accounts, whichever module they belong to. */
export class Secrets {
  readonly #kinds;

  /** `sql` is secrets.sql. */
  constructor(sql: QueryFile) {
    this.#kinds = SECRET_KINDS.map((kind) => ({
      ...kind,
      count: kind.as && sql.prepare<number>(`count${kind.name}`).pluck(),
      revoke: sql.prepare(`revoke${kind.name}`),
    }));
  }

  /**
   * Ends what this event ends, but never the session that access tokens call `except`. Returns how many were valid. Must run
   * in a transaction.
   */
  end(ending: Ending, userId: number, except: string | null = null): SecretCounts {
    const kinds = this.#kinds.filter(({ endedBy }) => endedBy.includes(ending));
    const exceptHash = except === null ? null : hashSecret(except);
    const values = { userId, exceptHash, now: new Date().toISOString() };
    const counts = countOf(kinds, values);
    for (const { revoke } of kinds) revoke.run(values);
    return counts;
  }

  /** What lets others read or write without a password. */
  stillValid(userId: number): Pick<SecretCounts, 'api_tokens' | 'feeds' | 'links'> {
    const values = { userId, exceptHash: null, now: new Date().toISOString() };
    const { api_tokens, feeds, links } = countOf(this.#kinds, values);
    return { api_tokens, feeds, links };
  }
}

function countOf(
  kinds: readonly (Kind & { readonly count: Prepared<number> | undefined })[],
  values: Bindings,
): SecretCounts {
  const counts = { ...NONE };
  for (const kind of kinds) if (kind.as) counts[kind.as] += kind.count?.get(values) ?? 0;
  return counts;
}
