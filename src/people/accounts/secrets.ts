import type { Bindings, Prepared, QueryFile } from '../../storage/statements.ts';
import { hashSecret } from './tokens.ts';

/** What ends secrets of an account. */
export type Ending =
  | 'passwordChange'
  /** By a link or on the command line: the person may have lost control of the account. */
  | 'passwordReset'
  | 'endSessions'
  | 'endSessionsAndTokens'
  | 'endAccess'
  | 'deactivation'
  | 'deletion'
  /** By the person who proved to own the email, which the maker of the account never did. */
  | 'takeOver';

const NONE = { sessions: 0, api_tokens: 0, feeds: 0, links: 0, guests: 0, invitations: 0, reset_links: 0 };

/** How many secrets there are of each kind. */
export type Counts = Readonly<typeof NONE>;

interface Kind {
  /** How it is counted; undefined for what is no secret, but lets people in. */
  readonly counts?: keyof Counts;
  /** Its statements are `count` and `revoke` with this name. */
  readonly name: string;
  /** The columns of the database that hold it, or its hash. */
  readonly columns: readonly string[];
  readonly endedBy: readonly Ending[];
}

const RIGHTS_END = ['endAccess', 'deactivation', 'deletion', 'takeOver'] as const;
const SHARING_ENDS = ['endAccess', 'deletion', 'takeOver'] as const;

/**
 * Everything by which someone reads private data, or acts for a person, without signing in again. What outlives a
 * deactivation opens nothing until the account is active again.
 */
export const KINDS: readonly Kind[] = [
  {
    counts: 'sessions',
    name: 'Sessions',
    columns: ['refresh_tokens.token_hash', 'refresh_tokens.sid_hash', 'refresh_tokens.successor_salt'],
    endedBy: ['passwordChange', 'passwordReset', 'endSessions', 'endSessionsAndTokens', ...RIGHTS_END],
  },
  {
    counts: 'api_tokens',
    name: 'ApiTokens',
    columns: ['api_tokens.token_hash'],
    endedBy: ['passwordReset', 'endSessionsAndTokens', ...SHARING_ENDS],
  },
  {
    counts: 'feeds',
    name: 'Feeds',
    columns: ['feeds.token_hash'],
    endedBy: ['passwordReset', ...SHARING_ENDS],
  },
  { counts: 'links', name: 'ListLinks', columns: ['links.token_hash'], endedBy: SHARING_ENDS },
  { counts: 'links', name: 'OutingLinks', columns: ['outings.token'], endedBy: SHARING_ENDS },
  { counts: 'guests', name: 'Guests', columns: ['outing_voters.secret_hash'], endedBy: SHARING_ENDS },
  {
    counts: 'invitations',
    name: 'Invitations',
    columns: ['invitations.secret_hash'],
    endedBy: ['passwordReset', ...RIGHTS_END],
  },
  {
    counts: 'reset_links',
    name: 'ResetLinksMade',
    columns: ['password_resets.secret_hash'],
    endedBy: ['passwordReset', ...RIGHTS_END],
  },
  {
    counts: 'reset_links',
    name: 'OwnResetLinks',
    columns: ['password_resets.secret_hash'],
    endedBy: ['passwordChange', 'passwordReset', ...RIGHTS_END],
  },
  // An erasure passes lists on to their members, so it needs both.
  { name: 'Memberships', columns: [], endedBy: ['takeOver'] },
  { name: 'Members', columns: [], endedBy: ['takeOver'] },
  { name: 'Identities', columns: [], endedBy: ['deletion', 'takeOver'] },
];

interface CountedKind extends Kind {
  readonly count: Prepared<number> | undefined;
}

/** The secrets of accounts, whichever module they belong to. */
export class Secrets {
  readonly #kinds;

  /** `sql` is secrets.sql. */
  constructor(sql: QueryFile) {
    this.#kinds = KINDS.map((kind) => ({
      ...kind,
      count: kind.counts && sql.prepare<number>(`count${kind.name}`).pluck(),
      revoke: sql.prepare(`revoke${kind.name}`),
    }));
  }

  /**
   * Ends what this event ends, but never the session that access tokens call `except`. Returns how many were valid. Must run
   * in a transaction.
   */
  end(ending: Ending, userId: number, except: string | null = null): Counts {
    const kinds = this.#kinds.filter(({ endedBy }) => endedBy.includes(ending));
    const values = valuesOf(userId, except);
    const counts = count(kinds, values);
    for (const { revoke } of kinds) revoke.run(values);
    return counts;
  }

  /** What lets others read or write without a password. */
  stillValid(userId: number): Pick<Counts, 'api_tokens' | 'feeds' | 'links'> {
    const { api_tokens, feeds, links } = count(this.#kinds, valuesOf(userId, null));
    return { api_tokens, feeds, links };
  }
}

function valuesOf(userId: number, except: string | null) {
  const exceptHash = except === null ? null : hashSecret(except);
  return { userId, exceptHash, now: new Date().toISOString() };
}

function count(kinds: readonly CountedKind[], values: Bindings): Counts {
  const counts = { ...NONE };
  for (const kind of kinds) if (kind.counts) counts[kind.counts] += kind.count?.get(values) ?? 0;
  return counts;
}
