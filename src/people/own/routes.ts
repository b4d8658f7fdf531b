import type { User } from '../accounts/users.ts';
import type { SessionRecord } from '../accounts/sessions.ts';
import { type Principal, type RequestContext, authorIdOf } from '../../http/context.ts';
import { conflict } from '../../http/errors.ts';
import { type Reply, stream } from '../../http/reply.ts';
import type { Route } from '../../http/router.ts';
import { ALL, type SliceReader, inSlices } from '../../kit/slices.ts';
import { type OwnRecords, type Slices, textOf } from './own-records.ts';

export interface PeopleRouteOptions {
  readonly currentUser: (principal: Principal | undefined) => User;
  /** At most `limit`, those behind `after`. */
  readonly sessionsOf: (
    principal: Principal | undefined,
    after: SessionRecord | undefined,
    limit: number,
  ) => Iterable<SessionRecord>;
  readonly records: OwnRecords;
}

const HEADERS = {
  'Content-Type': 'application/x-ndjson; charset=utf-8',
  'Content-Disposition': 'attachment; filename="my-data.ndjson"',
};

/** `/api/me/export`: all that is the caller's own. */
export function peopleRoutes(options: PeopleRouteOptions): readonly Route[] {
  const underWay = new Set<number | null>();
  return [
    {
      ...{ method: 'GET', pattern: '/api/me/export', access: 'user', needsSession: true },
      ...{ body: 'none', limit: 'api', operationId: 'exportOwnData' },
      handle: (context) => exportOwn(context, options, underWay),
    },
  ];
}

/** One object a line (NDJSON), each with its `type`, and no secrets. A user has one export at a time. */
function exportOwn(
  context: RequestContext,
  { currentUser, sessionsOf, records }: PeopleRouteOptions,
  underWay: Set<number | null>,
): Reply {
  const { principal } = context;
  const user = currentUser(principal);
  const authorId = authorIdOf(context);

  function* all(): Slices {
    yield { entries: [{ element: user, text: textOf('user', user) }], isCut: true };
    const sessions: SliceReader<SessionRecord> = (after, limit) => sessionsOf(principal, after, limit);
    yield* inSlices(ALL, sessions, (session) => textOf('session', session));
    yield* records(authorId);
  }

  return stream(200, HEADERS, async function* () {
    // Not before the answer is written: what ends the stream ends the claim, whatever becomes of the client.
    if (underWay.has(authorId)) throw conflict('An export is under way');
    underWay.add(authorId);
    try {
      for (const { entries } of all()) {
        if (entries.length > 0) yield entries.map(({ text }) => `${text}\n`).join('');
        await context.work.pause();
      }
    } finally {
      underWay.delete(authorId);
    }
  });
}
