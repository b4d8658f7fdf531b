import type { User } from '../accounts/users.ts';
import type { SessionRecord } from '../accounts/sessions.ts';
import { type Principal, type RequestContext, authorIdOf } from '../http/context.ts';
import { type Reply, stream } from '../http/reply.ts';
import type { Route } from '../http/router.ts';
import type { OwnRecords } from './own-records.ts';

export interface PeopleRouteOptions {
  readonly currentUser: (principal: Principal | undefined) => User;
  readonly sessionsOf: (principal: Principal | undefined) => readonly SessionRecord[];
  readonly records: OwnRecords;
}

const HEADERS = {
  'Content-Type': 'application/x-ndjson; charset=utf-8',
  'Content-Disposition': 'attachment; filename="my-data.ndjson"',
};

/** `/api/me/export`: all that is the caller's own. */
export function peopleRoutes(options: PeopleRouteOptions): readonly Route[] {
  return [
    {
      ...{ method: 'GET', pattern: '/api/me/export', access: 'user', needsSession: true },
      ...{ body: 'none', limit: 'api', operationId: 'exportOwnData' },
      handle: (context) => exportOwn(context, options),
    },
  ];
}

/** One object a line (NDJSON), each with its `type`, and no secrets. */
function exportOwn(context: RequestContext, { currentUser, sessionsOf, records }: PeopleRouteOptions): Reply {
  const { principal, work } = context;
  const user = currentUser(principal);
  const sessions = sessionsOf(principal);
  return stream(200, HEADERS, async function* () {
    yield linesOf([{ type: 'user', ...user }, ...sessions.map((one) => ({ type: 'session', ...one }))]);
    for (const slice of records(authorIdOf(context))) {
      if (slice.length > 0) yield linesOf(slice);
      await work.pause();
    }
  });
}

function linesOf(objects: readonly object[]): string {
  return objects.map((object) => `${JSON.stringify(object)}\n`).join('');
}
