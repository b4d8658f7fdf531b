import type { CatalogueParts } from '../../catalogue/parts.ts';
import { photoJson } from '../../catalogue/photos/record.ts';
import { type RatingOfUser, ownRatingJson } from '../../catalogue/ratings/record.ts';
import { suggestionJson } from '../../catalogue/suggestions/record.ts';
import { type RequestContext, authorIdOf } from '../../http/context.ts';
import { conflict } from '../../http/errors.ts';
import { type Reply, stream } from '../../http/reply.ts';
import { FOR_USER, type Route } from '../../http/router.ts';
import type { SliceReader } from '../../kit/slices.ts';
import type { Prepared, QueryFile } from '../../storage/statements.ts';
import { currentUser } from '../accounts/checks.ts';
import type { AccountParts } from '../accounts/sign-in.ts';
import type { SessionRecord } from '../accounts/sessions.ts';
import type { User } from '../accounts/users.ts';
import type { FeedStore } from '../feeds/store.ts';
import type { ListStore } from '../lists/store.ts';
import type { Outing } from '../outings/record.ts';
import type { Outings } from '../outings/store.ts';
import type { VisitStore } from '../visits/store.ts';
import { lineOf, linesOf, privateLines } from './lines.ts';

const HEADERS = {
  'Content-Type': 'application/x-ndjson; charset=utf-8',
  'Content-Disposition': 'attachment; filename="my-data.ndjson"',
};

interface OwnParts extends Pick<AccountParts, 'users' | 'sessions'> {
  readonly lists: ListStore;
  readonly visits: VisitStore;
  readonly feeds: FeedStore;
  readonly outings: Outings;
}

/**
 * `/api/me/export`: everything that is the caller's own, one object a line (NDJSON), each with its `type`, and no secrets. A user
 * has one export at a time. `sql` is people.sql.
 */
export function exportRoutes(
  sql: QueryFile,
  { users, sessions, lists, visits, feeds, outings }: OwnParts,
  { stores: { ratings, photos, suggestions }, index, showAuthor }: CatalogueParts,
): readonly Route[] {
  const ownPhotos = sql.prepare<number>('listOwnPhotos').pluck();
  const ownSuggestions = sql.prepare<number>('listOwnSuggestions').pluck();
  const underWay = new Set<number | null>();

  /** Everything of the caller, as lines. For the placeholder of mode none, `userId` is null: entries without a user. */
  function* everything(user: User, userId: number | null, sid: string | null): Generator<string> {
    const byId = (list: Prepared<number>): SliceReader<number> => {
      return (after = 0, limit) => list.iterate({ userId, after, limit });
    };
    yield lineOf('user', user);
    const ownSessions: SliceReader<SessionRecord> = (after, limit) =>
      sessions.listOf(user.id, new Date(), sid, after, limit);
    yield* linesOf('session', ownSessions, (session) => session);
    for (const feed of feeds.listOf(userId)) yield lineOf('feed', feed);
    const ownRatings: SliceReader<RatingOfUser> = (...part) =>
      ratings.listOfUser({ userId, restaurantId: undefined }, ...part);
    yield* linesOf('rating', ownRatings, (rating) => ownRatingJson(rating, showAuthor));
    yield* linesOf('photo', byId(ownPhotos), (id) => {
      const photo = photos.get(id);
      return photo && photoJson(photo, showAuthor);
    });
    yield* linesOf('suggestion', byId(ownSuggestions), (id) => {
      const suggestion = suggestions.get(id);
      return suggestion && suggestionJson(suggestion, index.lookups(), showAuthor);
    });
    yield* privateLines(lists, visits, userId);
    const ownOutings: SliceReader<Outing> = (last, limit) =>
      outings.ofUser(userId, last?.id ?? Number.MAX_SAFE_INTEGER, limit);
    yield* linesOf('outing', ownOutings, (outing) => {
      // Who else takes part is theirs, and the link is as good as a secret.
      const { participants: _theirs, url: _link, options, ...fields } = outings.json(outing, { userId });
      return { ...fields, options: options.map(({ id, name }) => ({ id, name })) };
    });
  }

  function exportOwn(context: RequestContext): Reply {
    const { principal, work } = context;
    const user = currentUser(principal, users);
    const authorId = authorIdOf(context);
    return stream(200, HEADERS, async function* () {
      // Claim only when the stream starts: the end of the stream releases the claim, even if the client disconnects.
      if (underWay.has(authorId)) throw conflict('An export is under way');
      underWay.add(authorId);
      try {
        for (const lines of everything(user, authorId, principal?.sid ?? null)) {
          if (lines !== '') yield lines;
          await work.pause();
        }
      } finally {
        underWay.delete(authorId);
      }
    });
  }

  const own = { ...FOR_USER, credentials: ['session'], method: 'GET', body: 'none' } as const;
  return [{ ...own, pattern: '/api/me/export', operationId: 'exportOwnData', handle: exportOwn }];
}
