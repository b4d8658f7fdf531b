import type { QueryFile } from '../../storage/statements.ts';
import { hashSecret, newSecret } from '../accounts/tokens.ts';
import type { PublicChange } from './atom.ts';

/** The kinds of feeds by the endings of their addresses. */
export const SUFFIXES = { visits: 'ics', changes: 'atom', outings: 'ics' } as const;
export type FeedKind = keyof typeof SUFFIXES;

const MOST_CHANGES = 100;

/** The Feed of swagger.yaml. It lacks the address, which is returned only on creation. */
export interface Feed {
  readonly id: number;
  readonly kind: FeedKind;
  readonly created_at: string;
}

interface FoundFeed extends Feed {
  /** Null for the placeholder of mode none. */
  readonly user_id: number | null;
  readonly is_admin: 0 | 1;
}

/** What a calendar shows of a visit besides its own fields. */
interface VisitDetails {
  readonly address: string | null;
  readonly latitude: number | null;
  readonly longitude: number | null;
  /** Empty if it was never restored. */
  readonly restored_at: string;
}

/** A change that its owner alone may read, with the visit that it deleted, unless that was restored. */
export interface OwnChange {
  readonly id: number;
  readonly at: string;
  readonly visit_id: number | null;
  readonly restaurant_name: string;
  /** Null when the log no longer has it. */
  readonly visited_on: string | null;
  readonly created_at: string;
}

/** Feeds in the database, and what only they show. Owners are null for the placeholder of mode none. */
export class FeedStore {
  readonly #sql;
  readonly #withoutAccounts: 0 | 1;

  /** `sql` is feeds.sql. */
  constructor(sql: QueryFile, withAccounts: boolean) {
    this.#withoutAccounts = withAccounts ? 0 : 1;
    this.#sql = {
      insert: sql.prepare<Feed>('insertFeed'),
      list: sql.prepare<Feed>('listFeeds'),
      delete: sql.prepare('deleteFeed'),
      find: sql.prepare<FoundFeed>('findFeed'),
      visitDetails: sql.prepare<VisitDetails>('getVisitDetails'),
      ownChanges: sql.prepare<OwnChange>('listOwnChanges'),
      newestChanges: sql.prepare<PublicChange>('listNewestChanges'),
    };
  }

  /** Returns the feed with its address. Only a hash of the secret in it is stored. Call it inside a transaction. */
  create(userId: number | null, kind: FeedKind): Feed & { readonly url: string } {
    const secret = newSecret();
    const now = new Date().toISOString();
    const feed = this.#sql.insert.get({ userId, kind, tokenHash: hashSecret(secret), now });
    if (!feed) throw new Error('an insert returned no row');
    return { ...feed, url: `/feeds/${secret}.${SUFFIXES[kind]}` };
  }

  /** The newest first. */
  listOf(userId: number | null): readonly Feed[] {
    return this.#sql.list.all({ userId });
  }

  /** False when the user has no such feed. Call it inside a transaction. */
  remove(id: number, userId: number | null): boolean {
    return this.#sql.delete.run({ id, userId }).changes > 0;
  }

  /** The feed of an active account by its secret. */
  find(secret: string): FoundFeed | undefined {
    return this.#sql.find.get({ tokenHash: hashSecret(secret), withoutAccounts: this.#withoutAccounts });
  }

  visitDetails(visitId: number, restaurantId: number | null): VisitDetails {
    const details = this.#sql.visitDetails.get({ visitId, restaurantId });
    if (!details) throw new Error('a statement without a table returned no row');
    return details;
  }

  /** The private changes of a user since a moment, the newest first. */
  *ownChanges(
    readerId: number,
    since: string,
    last: OwnChange | undefined,
    limit: number,
  ): Generator<OwnChange> {
    const before = last?.id ?? Number.MAX_SAFE_INTEGER;
    for (const change of this.#sql.ownChanges.iterate({ readerId, before, limit })) {
      if (change.at < since) return;
      yield change;
    }
  }

  /** The latest public changes, the newest first. */
  newestChanges(): readonly PublicChange[] {
    return this.#sql.newestChanges.all({ limit: MOST_CHANGES });
  }
}
